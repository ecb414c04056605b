package library

import (
	"debug/elf"
	"os"
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// TestExportsOfTheDistribution compares the exported symbols with those of the distribution's loader: kind, visibility and version. The
// library has the same name and needs no other library.
//
// holds: EXP-001 EXP-003 EXP-004
func TestExportsOfTheDistribution(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(world.SystemLibrary); err != nil {
		t.Skipf("the distribution's loader is not here: %v", err)
	}
	theirs, err := elf.Open(world.SystemLibrary)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours := open(t)
	known := map[string]elf.Symbol{}
	for _, s := range exported(t, ours) {
		known[s.Name] = s
	}
	wanted := exported(t, theirs)
	if len(wanted) < 200 {
		t.Errorf("%s has %d symbols: this is no Vulkan loader", world.SystemLibrary, len(wanted))
	}
	for _, s := range wanted {
		here, there := known[s.Name]
		switch {
		case !there:
			t.Errorf("%s is missing", s.Name)
		case here.Info != s.Info || here.Other != s.Other || here.Version != s.Version:
			t.Errorf("%s is info %#x, other %#x, version %q; the distribution's is %#x, %#x, %q", s.Name, here.Info, here.Other, here.Version,
				s.Info, s.Other, s.Version)
		}
	}
	for _, tag := range []elf.DynTag{elf.DT_SONAME, elf.DT_NEEDED} {
		mine, _ := ours.DynString(tag)
		their, _ := theirs.DynString(tag)
		if tag == elf.DT_NEEDED {
			if world.Variant() != "" { // a sanitizer's library is needed, too
				continue
			}
			mine = without(mine, their)
			their = nil
		}
		if !slices.Equal(mine, their) {
			t.Errorf("%v is %v, the distribution's is %v", tag, mine, their)
		}
	}
}
