package discover

import (
	"os"
	"path/filepath"
	"testing"
)

// A new file in a watched directory is an event, also if the directory did not exist at first.
func TestWatch(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	later := filepath.Join(top, "icd.d")
	w := watch()
	defer w.stop()
	w.add([]string{later, top})
	if err := os.Mkdir(later, 0o755); err != nil {
		t.Fatal(err)
	}
	<-w.events
	w.add([]string{later, top})
	if err := os.WriteFile(filepath.Join(later, "a.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-w.events
}
