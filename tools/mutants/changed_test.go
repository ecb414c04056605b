package main

import (
	"fmt"
	"slices"
	"testing"
)

// TestChangedLines reads a diff, and picks the tests that execute a line; of a line that no test executes, those of its function.
func TestChangedLines(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(changedLines("@@ -1,0 +5,2 @@\n+a\n+b\n@@ -9 +12 @@ f\n-x\n+y\n@@ -20,3 +0,0 @@\n-z\n")); got != "[5 6 12 1]" {
		t.Error(got)
	}
	const text = "package a\n\nfunc f() int {\n\tx := 1\n\treturn x\n}\n\nfunc g() {\n\tf()\n}\n"
	a := &atlas{Sources: map[string]string{"d/a.go": text}, mapping: map[string][]int{}, Tests: map[string]*chart{
		"test/p A":      {Lines: map[string][]int{"d/a.go": {4, 5}}},
		"test/p B":      {Lines: map[string][]int{"d/a.go": {5, 9}}},
		"test/q C":      {Lines: map[string][]int{"d/a.go": {9}}},
		"test/q Unsure": {Unsound: true, Lines: map[string][]int{"d/a.go": {4, 5, 9}}},
	}}
	for _, c := range []struct {
		line int
		want string
	}{
		{4, "map[test/p:map[A:true]]"}, {5, "map[test/p:map[A:true B:true]]"}, {9, "map[test/p:map[B:true] test/q:map[C:true]]"},
		{8, "map[test/p:map[B:true] test/q:map[C:true]]"}, {1, "map[]"},
	} {
		out := selection{}
		if !a.executing("d/a.go", text, []int{c.line}, out) || fmt.Sprint(out) != c.want {
			t.Errorf("line %d: %v", c.line, out)
		}
	}
	if a.executing("d/other.go", text, []int{1}, selection{}) {
		t.Error("the atlas knows a file that it has not seen")
	}
}

// Every kind of file has the tests of its house: C and headers of the spine, the core, the tool with its embedded files, tests and
// their data, C of the tests' library, the registry, and pages and scripts that tests name.
func TestPackagesFor(t *testing.T) {
	t.Chdir("../..")
	users, err := linkedWith()
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
		got, err := packagesFor(c.file, users)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q, without %s", c.file, got, want)
			}
		}
	}
	if got, _ := packagesFor("spine/wsi/swapchain.c", users); len(got) != 1 {
		t.Errorf("a file of one part of the spine has the tests of others: %q", got)
	}
}
