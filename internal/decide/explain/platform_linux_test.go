package explain

import (
	"testing"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// elsewhere is a loader with another directory of configuration files, as NixOS's.
type elsewhere struct{}

func (elsewhere) Reads(string) bool              { return true }
func (elsewhere) Settings(string) (string, bool) { return "", false }
func (elsewhere) Obeys(string) bool              { return true }
func (elsewhere) Configuration() (directory, extra string) {
	return "/run/opengl-driver/share", ""
}

// A decision with changed facts searches the directories of the program's loader, too.
func TestDirectoriesWithout(t *testing.T) {
	root := t.TempDir()
	tree.Lay(t, root, map[string]string{"run/opengl-driver/share/vulkan/icd.d/a.json": `{"file_format_version":"1.0.0","ICD":{"library_path":"a.so","api_version":"1.3.0"}}`})
	source := &machine.Source{Machine: machine.Machine{Root: root, Environ: []string{"VK_LOADER_DRIVERS_DISABLE=a*"}}, Loader: elsewhere{}}
	for name, from := range map[string]func() (int, error){
		"without the variable": func() (int, error) {
			answer, err := Decide(Without(source, variables.DriversDisable))
			return len(answer.Drivers), err
		},
		"and without a file": func() (int, error) {
			answer, err := Decide(Lacking(Without(source, variables.DriversDisable), []string{"/x"}))
			return len(answer.Drivers), err
		},
	} {
		if n, err := from(); n != 1 || err != nil {
			t.Errorf("%s: %d drivers, %v", name, n, err)
		}
	}
}
