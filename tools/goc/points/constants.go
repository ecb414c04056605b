package points

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// access is a change of memory.
type access struct {
	at      ssa.Instruction
	address ssa.Value  // a pointer, a slice or a map
	of      types.Type // the type of the accessed value
}

func (a *Analysis) changed(f *ssa.Function, at ssa.Instruction, address ssa.Value, of types.Type) {
	a.changes[f] = append(a.changes[f], access{at, address, of})
}

// Constants returns an error for every change of memory that a package variable may refer to, because that is constant data in
// C.
func (a *Analysis) Constants() (faults []error) {
	for _, f := range a.program.Functions {
		for _, c := range a.changes[f] {
			n := a.value(c.address)
			if n < 0 {
				continue
			}
			call, _ := c.at.(*ssa.Call)
			said := map[string]bool{}
			a.nodes[n].has.each(func(i int) {
				o := a.objects[i]
				if o.constant == "" || said[o.constant] {
					return
				}
				// A slice with its original end has no room that append could write to.
				if call != nil && call.Call.Value.Name() == "append" && o.cut != o {
					return
				}
				said[o.constant] = true
				faults = append(faults, a.program.Fault(c.at.Pos(), f, fmt.Sprintf("%s is assigned to: package variables are constant", o.constant)))
			})
		}
	}
	return faults
}
