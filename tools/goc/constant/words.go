package constant

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// operation returns the source text of an instruction's origin.
func operation(i ssa.Value) string {
	name := types.TypeString(i.Type(), (*types.Package).Name)
	switch i := i.(type) {
	case *ssa.MakeSlice:
		return "the making of a " + name
	case *ssa.BinOp:
		return "the operator " + i.Op.String()
	case *ssa.UnOp:
		return "the operator " + i.Op.String()
	case *ssa.Convert:
		return "a conversion to " + name
	case *ssa.MakeClosure:
		return "a function that captures variables"
	case *ssa.Lookup, *ssa.Index:
		return "an index"
	case *ssa.TypeAssert:
		return "a type assertion to " + types.TypeString(i.AssertedType, (*types.Package).Name)
	case *ssa.Phi:
		return "a choice between values"
	}
	return "an operation with the result " + name
}

// at appends the position of an instruction to a text.
func (m *Memory) at(what string, i ssa.Value) string {
	if m.Position == nil {
		return what
	}
	if file, line := m.Position(i.Pos()); file != "" {
		return fmt.Sprintf("%s (%s:%d)", what, file, line)
	}
	return what
}
