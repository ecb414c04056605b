package emit

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// initialize evaluates the initial values of every package that the exported functions' packages import, and rejects
// functions named init in these and in the packages of Go's library with reached functions. In C no code runs before
// the first call, so what cannot be computed here would silently be lost.
func (e *emitter) initialize() {
	p := e.program
	reached, seen := map[*ssa.Package]bool{}, map[*types.Package]bool{}
	for _, f := range p.Functions {
		reached[f.Pkg] = true
	}
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
		if in == nil || in.Func("init") == nil || program.Standard(in.Func("init")) && !reached[in] {
			return
		}
		for name, m := range in.Members {
			if strings.HasPrefix(name, "init#") {
				e.faults = append(e.faults, p.Fault(m.Pos(), nil, fmt.Sprintf("%s does not run in C", m)))
			}
		}
		if program.Standard(in.Func("init")) {
			return
		}
		if err := e.memory.Start(in); err != nil {
			e.faults = append(e.faults, fmt.Errorf("%s: the initial values cannot be computed: %w", t.Path(), err))
		}
	}
	for _, f := range p.Exports {
		walk(f.Pkg.Pkg)
	}
}
