package emit

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// initialize evaluates the initialization of every package that the exported functions' packages import. In C no code runs
// before the first call, so a value that cannot be computed here would silently be lost.
func (e *emitter) initialize() {
	p := e.program
	seen := map[*types.Package]bool{}
	var walk func(t *types.Package)
	walk = func(t *types.Package) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, i := range t.Imports() {
			walk(i)
		}
		in := p.SSA.Package(t)
		if in == nil || in.Func("init") == nil || program.Standard(in.Func("init")) {
			return
		}
		if failure := e.memory.Start(in); failure != nil {
			e.faults = append(e.faults, p.Fault(failure.Init.Pos(), failure.Init,
				fmt.Sprintf("%s cannot run when the code is written: %s", failure.Init, failure.What)))
		}
	}
	for _, f := range p.Exports {
		walk(f.Pkg.Pkg)
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
