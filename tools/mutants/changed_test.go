package main

import (
	"fmt"
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
