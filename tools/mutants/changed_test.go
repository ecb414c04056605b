package main

import (
	"slices"
	"testing"
)

// Every kind of file has the tests of its house: C and headers of the spine, the core, the tool with its embedded files, tests and
// their data, C of the tests' library, the registry, and pages and scripts that tests name.
func TestPackagesFor(t *testing.T) {
	t.Chdir("../..")
	all, err := readLinked(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		want []string
	}{
		{"spine/wsi/swapchain.c", []string{"test/loader/wsi"}},
		{"spine/debug/debug.h", []string{"test/loader/debug"}},
		{"spine/spine.h", []string{"test/loader/chain"}},
		{"spine/asm/linux/registers.h", []string{"test/loader/chain"}},
		{"internal/core/plan/drivers.go", []string{"internal/core/plan", "internal/tool/doctor"}},
		{"internal/decide/drivers/chips.txt", []string{"internal/decide/drivers", "internal/tool/doctor"}},
		{"internal/tool/ui/assets/ui.js", []string{"internal/tool/ui"}},
		{"internal/tool/ui/page_test.go", []string{"internal/tool/ui"}},
		{"test/tool/commands/testdata/any.txt", []string{"test/tool/commands"}},
		{"test/loader/chain/unknown_test.go", []string{"test/loader/chain"}},
		{"test/lib/world/world.go", []string{"test/loader/chain", "test/loader/wsi"}},
		{"test/lib/fake/layer_create.c", []string{"test/loader/chain", "test/loader/wsi"}},
		{"test/lib/lock_check.h", []string{"test/loader/chain", "test/loader/wsi"}},
		{"tools/vkgen/zvk.roots", []string{"tools/vkgen/emit"}},
		{"registry/vk.xml", []string{"test/source", "tools/vkgen/emit"}},
		{"drivers/null/names.c", []string{"test/source"}},
		{"spec/drivers.md", []string{"spec"}},
		{"docs/complaints.md", []string{"test/source", "test/tool/commands"}},
		{"README.md", []string{"test/source"}},
		{"tools/rename-module.sh", []string{"test/source"}},
		{"Makefile", []string{"test/source"}},
	} {
		got, err := packagesFor(c.file, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q, without %s", c.file, got, want)
			}
		}
	}
	if got, _ := packagesFor("spine/wsi/swapchain.c", all); len(got) != 1 {
		t.Errorf("a file of one part of the spine has the tests of others: %q", got)
	}
}
