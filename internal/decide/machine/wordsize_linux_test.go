package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// otherClass exchanges the word sizes in each library_arch, and changes nothing else.
func TestOtherClass(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for text, want := range map[string]string{
		`{"ICD":{"library_arch" : "32","api":"64"}}`:               `{"ICD":{"library_arch" : "64","api":"64"}}`,
		`{"a":{"library_arch":"64bit"},"b":{"library_arch":"32"}}`: `{"a":{"library_arch":"32bit"},"b":{"library_arch":"64"}}`,
		`{"library_path":"32"}`:                                    `{"library_path":"32"}`,
		`{"library_arch":7}`:                                       `{"library_arch":7}`,
	} {
		if err := os.WriteFile(filepath.Join(root, "x.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for class, want := range map[int]string{0: text, 96 - OwnClass: want, OwnClass: text} {
			if got := (&Source{Machine: Machine{Root: root}, Class: class}).File("/x.json").Content; got != want {
				t.Errorf("for programs of %d bits %s became %s, want %s", class, text, got, want)
			}
		}
	}
}
