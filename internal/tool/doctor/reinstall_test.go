package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/machine"
)

// The lists of the package manager are searched a bounded number of times, and an owner found before is still named.
func TestOwnersAreSearchedABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	source := &machine.Source{Machine: machine.Machine{Root: t.TempDir()}}
	info := filepath.Join(source.Root, "var/lib/dpkg/info")
	if err := os.MkdirAll(info, 0o755); err != nil {
		t.Fatal(err)
	}
	list := ""
	for i := range mostSearches + 2 {
		list += fmt.Sprintf("/lib/%d.so\n", i)
	}
	if err := os.WriteFile(filepath.Join(info, "acme.list"), []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	e := examOf(&Report{source: source}, source)
	e.system.packages = newPackages()
	for i := range mostSearches {
		if file := fmt.Sprintf("/lib/%d.so", i); e.packageOf(file) != "acme" {
			t.Fatalf("%s has no owner", file)
		}
	}
	late := fmt.Sprintf("/lib/%d.so", mostSearches)
	if owner := e.packageOf(late); owner != "" {
		t.Errorf("%s was searched, too: %s", late, owner)
	}
	if owner := e.packageOf(late, "/lib/0.so"); owner != "acme" {
		t.Errorf("/lib/0.so: %q, which was found before", owner)
	}
}
