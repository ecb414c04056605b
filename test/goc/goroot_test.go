package goc

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"vkloader/tools/goc/program"
)

var survey = flag.Bool("survey", false, "try every program of Go's test directory, and write testdata/goroot.txt and testdata/outside.txt")

// checker type-checks programs of one file, which may import only packages that it has loaded.
type checker struct {
	fset     *token.FileSet
	ssa      *ssa.Program
	packages map[string]*types.Package
}

func newChecker(t *testing.T, imports ...string) *checker {
	t.Helper()
	c := &checker{fset: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
	var loaded []*packages.Package
	if len(imports) > 0 {
		config := program.Config(root)
		config.Fset = c.fset
		var err error
		if loaded, err = packages.Load(config, imports...); err != nil {
			t.Fatal(err)
		}
		packages.Visit(loaded, nil, func(p *packages.Package) { c.packages[p.PkgPath] = p.Types })
		c.ssa, _ = ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	} else {
		c.ssa = ssa.NewProgram(c.fset, ssa.InstantiateGenerics)
		c.ssa.CreatePackage(types.Unsafe, nil, nil, true)
	}
	c.ssa.Build()
	return c
}

func (c *checker) Import(path string) (*types.Package, error) {
	if p := c.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

// check type-checks a program; text is its source, or nil for the source in the named file.
func (c *checker) check(name string, text any) (*ssa.Package, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: c, Sizes: types.SizesFor("gc", "amd64")}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{}}
	p, err := config.Check("main", c.fset, []*ast.File{file}, info)
	if err != nil {
		return nil, err
	}
	s := c.ssa.CreatePackage(p, []*ast.File{file}, info, false)
	s.Build()
	return s, nil
}

// library lists the packages that programs of Go's test directory may import.
var library = []string{"cmp", "errors", "math", "math/bits", "slices", "strconv", "strings", "unicode", "unicode/utf8"}

// TestGoroot runs the programs of Go's test directory that are inside the subset. Most of them check themselves and
// panic on a failure.
func TestGoroot(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(goroot(t), "test")
	if *survey {
		surveyGoroot(t, directory)
		return
	}
	text, err := os.ReadFile("testdata/goroot.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if len(names) < 60 {
		t.Errorf("%d programs, want 60", len(names))
	}
	c := newChecker(t, library...)
	var mains []*ssa.Function
	for _, name := range names {
		p, err := c.check(filepath.Join(directory, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		mains = append(mains, p.Func("main"))
	}
	p, err := program.New(c.ssa, directory, mains)
	if err != nil {
		t.Fatal(err)
	}
	got := output(t, translate(t, p, names).compile(t, "gcc", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"), names)
	compare(t, names, expected(directory, names), got)
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// expected returns the output that each program must print: the content of its .out file, or nothing.
func expected(directory string, names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		text, _ := os.ReadFile(strings.TrimSuffix(filepath.Join(directory, name), ".go") + ".out")
		out[name] = strings.TrimSuffix(string(text), "\n")
	}
	return out
}

// surveyGoroot tries every program, and writes which are in the subset and why the others are not.
func surveyGoroot(t *testing.T, directory string) {
	c := newChecker(t, library...)
	reasons := map[string][]string{}
	var inside []string
	var files []string
	err := filepath.WalkDir(directory, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^// run$`).Match(text) {
			continue
		}
		name, _ := filepath.Rel(directory, path)
		reason := c.reason(t, path, name, directory)
		if reason == "" {
			inside = append(inside, name)
		} else {
			reasons[reason] = append(reasons[reason], name)
		}
	}
	slices.Sort(inside)
	var out strings.Builder
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return len(reasons[b]) - len(reasons[a]) }) {
		fmt.Fprintf(&out, "%s: %d\n    %s\n", reason, len(reasons[reason]), strings.Join(reasons[reason], "\n    "))
	}
	if err := os.WriteFile("testdata/outside.txt", []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/goroot.txt", []byte(strings.Join(inside, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reason returns why a program is not run; "" if it is.
func (c *checker) reason(t *testing.T, path, name, directory string) (reason string) {
	if known := different[name]; known != "" {
		return known
	}
	defer func() {
		if what := recover(); what != nil {
			reason = fmt.Sprintf("the translator fails: %v", what)
		}
	}()
	s, err := c.check(path, nil)
	if err != nil {
		return class(err)
	}
	p, err := program.New(c.ssa, directory, []*ssa.Function{s.Func("main")})
	if err != nil {
		return class(err)
	}
	text, err := file(p, []string{name})
	if err != nil {
		return class(err)
	}
	in := filepath.Join(t.TempDir(), "program.c")
	if err := os.WriteFile(in, text, 0o644); err != nil {
		t.Fatal(err)
	}
	arguments := append(append([]string{}, warnings...), "-O0", "-I"+root+"/internal/core/runtime/c", "-o", in+".out", in, "-lm")
	if text, err := exec.Command("gcc", arguments...).CombinedOutput(); err != nil {
		return fmt.Sprintf("gcc: %.300s", text)
	}
	ran, err := exec.Command("timeout", "60", in+".out", name).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v: %.100s", err, ran)
	}
	if want, got := expected(directory, []string{name})[name], split(string(ran))[name]; got != want {
		return fmt.Sprintf("differs: %.200s", difference(want, got))
	}
	return ""
}

// different lists programs that are translated and behave differently, with the reason.
var different = map[string]string{
	"fixedbugs/issue22326.go": "prints while package variables get their initial values, which happens at build time",
	"fixedbugs/issue43444.go": "prints while package variables get their initial values, which happens at build time",
	"fixedbugs/issue66575.go": "prints while package variables get their initial values, which happens at build time",
	"fixedbugs/issue73476.go": "go/ssa follows a nil pointer to an array whose length alone is wanted",
	"zerosize.go":             "compares the addresses of variables without a size, which Go leaves open",
}

// class returns the first of several errors, without its position and names.
func class(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = regexp.MustCompile(`^\S+:\d+:(\d+:)? `).ReplaceAllString(text, "")
	if name, ok := strings.CutPrefix(text, "could not import "); ok {
		name, _, _ = strings.Cut(name, " ")
		return "imports " + name
	}
	for _, c := range []string{"package variables are constant", "has no Go body", "is no constant", "the initial values of its package",
		"cannot run when the code is written", "is read in one statement with a later call", "bytes of the stack"} {
		if strings.Contains(text, c) {
			return c
		}
	}
	return text
}
