package emit

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// initialize evaluates the initialization of every package that the exported functions' packages import. In C no code runs
// before the first call, so a value that cannot be computed here would silently be lost.
func (e *emitter) initialize() {
	p := e.program
	seen := map[*types.Package]bool{}
	var walk func(t *types.Package, first bool)
	walk = func(t *types.Package, first bool) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, i := range t.Imports() {
			walk(i, false)
		}
		in := p.SSA.Package(t)
		if in == nil || in.Func("init") == nil || program.Standard(in.Func("init")) {
			return
		}
		failed := e.memory.Start(in)
		byPosition := func(x, y *ssa.Function) int { return cmp.Compare(x.Pos(), y.Pos()) }
		for _, f := range slices.SortedFunc(maps.Keys(failed), byPosition) {
			if !first || f.Name() != "init" { // in the first package, a failure is an error only where the value is needed
				e.faults = append(e.faults, p.Fault(f.Pos(), f, fmt.Sprintf("%s cannot run when the code is written: %s", f,
					failed[f])))
			}
		}
	}
	for _, f := range p.Exports {
		walk(f.Pkg.Pkg, true)
	}
}

// initializedBefore rejects packages of Go's library that need their functions named init. These are not evaluated, and no
// package that the core needs has one.
func (e *emitter) initializedBefore() {
	said := map[*ssa.Package]bool{}
	for _, f := range e.program.Functions {
		if f.Pkg == nil || said[f.Pkg] || !program.Standard(f) {
			continue
		}
		said[f.Pkg] = true
		for name, m := range f.Pkg.Members {
			if strings.HasPrefix(name, "init#") {
				e.faults = append(e.faults, e.program.Fault(m.Pos(), f, fmt.Sprintf("%s does not run in C", m)))
			}
		}
	}
}
