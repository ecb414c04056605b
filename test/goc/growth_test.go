package goc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"vkloader/internal/core/runtime"
	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

// growing builds a program from growth.go.txt and the harness growth.c. run runs it and reads the numbers that it
// prints.
func growing(t *testing.T) (run func(t *testing.T, numbers []int, arguments ...string)) {
	t.Helper()
	text, err := os.ReadFile("testdata/growth.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	checker := newChecker(t)
	s, err := checker.check("testdata/growth.go", text)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[*ssa.Function]string{s.Func("Gather"): "Gather"}
	p, err := program.New(checker.ssa, ".", []*ssa.Function{s.Func("Gather")})
	if err != nil {
		t.Fatal(err)
	}
	out, err := emit.Write(p, emit.Options{Runtime: runtime.Text, Exported: exported})
	if err != nil {
		t.Fatal(err)
	}
	harness, err := os.ReadFile("testdata/growth.c")
	if err != nil {
		t.Fatal(err)
	}
	c := &translation{directory: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.directory, "programs.c"), append(out, harness...), 0o644); err != nil {
		t.Fatal(err)
	}
	path := c.compile(t, "gcc", "-O2")
	return func(t *testing.T, numbers []int, arguments ...string) {
		t.Helper()
		out, err := exec.Command(path, arguments...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", arguments, err, out)
		}
		in := bytes.NewReader(out)
		for i := range numbers {
			if _, err := fmt.Fscan(in, &numbers[i]); err != nil {
				t.Fatalf("%v: %q", arguments, out)
			}
		}
		t.Log(arguments, numbers)
	}
}

// TestLongStrings checks that a string that grows in pieces takes memory in proportion to its length, below and above
// the size from which it has a separate block, also if other objects are allocated between the pieces.
func TestLongStrings(t *testing.T) {
	t.Parallel()
	run := growing(t)
	for _, pieces := range []int{1000, 15000, 60000, 240000, 1000000} {
		var n [2]int // bytes of the string, and of all memory
		run(t, n[:], fmt.Sprint(pieces))
		if n[0] != 16*pieces || n[1] > 5*n[0]+4<<20 { // a short string may be copied
			t.Fatalf("a string of %d bytes, want %d, in %d bytes of memory", n[0], 16*pieces, n[1])
		}
	}
}

// TestExportedLine checks that the C of an exported function has the line of the Go function, so that a debugger does
// not show the lines of the preceding code.
func TestExportedLine(t *testing.T) {
	t.Parallel()
	p, err := program.Load(root, "./test/goc/constructs", []string{"Allocate", "Shifts"})
	if err != nil {
		t.Fatal(err)
	}
	c := translate(t, p, []string{"Allocate", "Shifts"})
	for i, f := range p.Exports {
		at := f.Prog.Fset.Position(f.Pos())
		want := fmt.Sprintf("\n#line %d \"test/goc/constructs/%s\"\nint program_%d(struct goc *g)", at.Line, filepath.Base(at.Filename), i)
		if !strings.Contains(string(c.text), want) {
			_, got, _ := strings.Cut(string(c.text), fmt.Sprintf("\nint program_%d(", i))
			t.Errorf("no %q; behind its name: %.200q", want, got)
		}
	}
	if len(p.Exports) != 2 {
		t.Error("nothing was translated")
	}
}
