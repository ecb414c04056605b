package randomworlds

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKept repeats worlds in which the loader was wrong once, made smaller by the shrinker. The first lines of each
// file give the reason.
//
// holds: ENV-72 ENV-73 SET-44 SET-51 SET-56 SET-68 SET-72 OVR-19 LAY-108 LAY-109 LAY-165 LAY-177 GPA-003 GPA-004 INS-026 DEV-010
// holds: DRV-018 LAY-106 LAY-179 LAY-199 OVR-2 SET-46 SET-58 SET-60 SET-93 SET-95 SET-103 WSI-028
func TestKept(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("cases: %v, %v", paths, err)
	}
	w := newWorker(t)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := parseCase(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if d.why == "" {
			t.Errorf("%s does not say why it is kept", path)
		}
		if again, err := parseCase([]byte(d.String())); err != nil || again.String() != d.String() {
			t.Errorf("%s does not come back as it was: %v\n%s", path, err, again)
		}
		if list := w.judged(d); len(list) > 0 {
			t.Errorf("%s:\n%s", path, w.text(list))
		}
	}
}
