package program

import (
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Program is everything that the exported functions reach.
type Program struct {
	SSA       *ssa.Program
	Exports   []*ssa.Function // in the order they were asked for
	Functions []*ssa.Function // everything reachable, in the order of discovery
	Globals   []*ssa.Global   // package variables that a reachable function names

	directory string // paths are shown relative to it
	reached   map[*ssa.Function]bool
	named     map[*ssa.Global]bool
}

// Load reads the package and its imports, always for a 64-bit machine, so that the same source always gives the same
// program. names are functions of the package. An error has a line for everything outside the subset.
func Load(directory, pattern string, names []string) (*Program, error) {
	loaded, err := packages.Load(Config(directory), pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	var faults []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			faults = append(faults, e)
		}
	})
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(loaded) != 1 {
		return nil, fmt.Errorf("%s: names %d packages, not one", pattern, len(loaded))
	}
	s, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	s.Build()
	entry := s.ImportedPackage(loaded[0].PkgPath)
	var exports []*ssa.Function
	for _, name := range names {
		f := entry.Func(name)
		if f == nil {
			return nil, fmt.Errorf("%s has no function %s", loaded[0].PkgPath, name)
		}
		exports = append(exports, f)
	}
	return New(s, directory, exports)
}

// Config returns how packages are loaded.
func Config(directory string) *packages.Config {
	return &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		Dir: directory,
		// The machine is one with 64 bits for which Go's library has next to no assembly.
		Env:        append(os.Environ(), "GOOS=linux", "GOARCH=mips64le", "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=purego"},
	}
}

// New builds a program from functions of built packages. An error has a line for everything outside the subset.
func New(s *ssa.Program, directory string, exports []*ssa.Function) (*Program, error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	p := &Program{SSA: s, Exports: exports, directory: absolute, reached: map[*ssa.Function]bool{},
		named: map[*ssa.Global]bool{}}
	return p, p.Reach(exports)
}

// goroot returns the directory of Go's own library. A program that was compiled with -trimpath does not know it.
var goroot = sync.OnceValue(func() string {
	if build.Default.GOROOT != "" {
		return build.Default.GOROOT
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// Position returns the position of source code: a path relative to the directory or to Go's root, and a line; "" if
// unknown.
func (p *Program) Position(at token.Pos) (file string, line int) {
	if !at.IsValid() {
		return "", 0
	}
	position := p.SSA.Fset.Position(at)
	file = position.Filename
	if within, err := filepath.Rel(p.directory, file); err == nil && !strings.HasPrefix(within, "..") {
		return filepath.ToSlash(within), position.Line
	}
	if within, err := filepath.Rel(goroot(), file); err == nil && !strings.HasPrefix(within, "..") {
		return "go/" + filepath.ToSlash(within), position.Line
	}
	return filepath.Base(file), position.Line
}

// Fault returns an error about a position in the source.
func (p *Program) Fault(at token.Pos, f *ssa.Function, what string) error {
	if !at.IsValid() && f != nil {
		at = f.Pos()
	}
	file, line := p.Position(at)
	if file == "" {
		return fmt.Errorf("%s: %s", f, what)
	}
	return fmt.Errorf("%s:%d: %s", file, line, what)
}

// Standard reports whether a function is in Go's library, which may use a few more features than other code.
func Standard(f *ssa.Function) bool {
	pkg := f.Pkg
	if pkg == nil && f.Origin() != nil {
		pkg = f.Origin().Pkg
	}
	if pkg == nil {
		return false
	}
	first, _, _ := strings.Cut(pkg.Pkg.Path(), "/")
	return first != "vkloader" && first != "main" && !strings.Contains(first, ".") && first != "command-line-arguments"
}

// Deref returns the type that a pointer points to.
func Deref(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// Sizes returns the sizes of the 64-bit machine for which all code is translated.
func (p *Program) Sizes() types.Sizes { return types.SizesFor("gc", "amd64") }
