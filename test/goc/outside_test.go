package goc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

// TestOutside checks that code outside the subset is a build error that names file and line. Each program marks its
// lines with the expected error.
func TestOutside(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/outside/*.go.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	c := newChecker(t)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".go.txt"), func(t *testing.T) {
			var want []string
			for i, line := range strings.Split(string(text), "\n") {
				if _, what, ok := strings.Cut(line, `// want "`); ok {
					want = append(want, fmt.Sprintf("^%s:%d: %s", regexp.QuoteMeta(path), i+1, strings.TrimSuffix(what, `"`)))
				}
			}
			got := faults(t, c, path, text)
			for _, line := range got {
				at := slices.IndexFunc(want, func(w string) bool { return regexp.MustCompile(w).MatchString(line) })
				if at < 0 {
					t.Errorf("unexpected: %s", line)
				} else {
					want = slices.Delete(want, at, at+1)
				}
			}
			for _, w := range want {
				t.Errorf("missing: %s", w)
			}
		})
	}
}

// faults translates a program and returns its errors, without repetitions.
func faults(t *testing.T, c *checker, path string, text []byte) []string {
	t.Helper()
	s, err := c.check(path, text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.New(c.ssa, ".", []*ssa.Function{s.Func("main")})
	if err == nil {
		_, err = emit.Write(p, emit.Options{Exported: map[*ssa.Function]string{}})
	}
	if err == nil {
		t.Fatal("it is translated")
	}
	lines := strings.Split(err.Error(), "\n")
	slices.Sort(lines)
	return slices.Compact(lines)
}

// TestNoBody checks the error for a function that is assembly in Go's library and that the run-time support lacks.
func TestNoBody(t *testing.T) {
	t.Parallel()
	c := newChecker(t, "strings")
	got := faults(t, c, "testdata/outside/compare.go", []byte("package main\n\nimport \"strings\"\n\nfunc main() { strings.Compare(\"a\", \"b\") }\n"))
	if len(got) != 1 || !regexp.MustCompile(`^go/src/internal/bytealg/compare_\w+\.go:\d+: internal/bytealg\.\w+ has no Go body$`).MatchString(got[0]) {
		t.Errorf("%q", got)
	}
}

// TestConstants checks that a change of a package variable through a pointer, which the translator does not follow, is a fault
// where it happens.
func TestConstants(t *testing.T) {
	t.Parallel()
	names := []string{"returned", "field", "mapped", "captured", "appended", "copied", "element", "written"}
	text := `package main

type pair struct{ a, b int }

var (
	one  pair
	list = []int{1, 2, 3}
	deep = []*pair{{1, 2}}
)

func pointer() *pair { return &one }
func slice() []int   { return list }
func set(p *pair)    { p.b = 1 }

func returned() { pointer().a = 1 }
func field()    { h := &struct{ at *pair }{&one}; get(h).a = 1 }
func mapped()   { map[string]*pair{"a": &one}["a"].a = 1 }
func captured() { c := pointer(); func() { c.b = 1 }() }
func appended() { _ = append(slice()[:1], 7) }
func copied()   { copy(slice(), []int{7}) }
func element()  { set(deep[0]) }
func written()  { for i := range slice() { slice()[i] = 5 } }

func get(h *struct{ at *pair }) *pair { return h.at }

func main() {}
`
	c := newChecker(t)
	s, err := c.check("testdata/outside/constants.go", text)
	if err != nil {
		t.Fatal(err)
	}
	var functions []*ssa.Function
	for _, name := range names {
		functions = append(functions, s.Func(name))
	}
	p, err := program.New(c.ssa, ".", functions)
	if err != nil {
		t.Fatal(err)
	}
	path := translate(t, p, names).compile(t, "gcc", "-O0")
	for _, name := range names {
		err := exec.Command(path, name).Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
			t.Errorf("%s: %v, want a fault", name, err)
		}
	}
}
