package program

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Supplied are functions of Go's library without a Go body that the run-time support has in C.
var Supplied = map[string]string{
	"internal/bytealg.IndexByteString": "goc_index_byte_string",
	"internal/bytealg.IndexByte":       "goc_index_byte",
	"internal/bytealg.CountString":     "goc_count_string",
	"internal/bytealg.MakeNoZero":      "goc_make_bytes",
}

// Reach walks from functions through everything that they name, and adds it to the program.
func (p *Program) Reach(from []*ssa.Function) error {
	var faults []error
	var walk func(f *ssa.Function)
	walk = func(f *ssa.Function) {
		if p.reached[f] {
			return
		}
		p.reached[f] = true
		p.Functions = append(p.Functions, f)
		if f.Blocks == nil {
			if Supplied[f.String()] == "" {
				faults = append(faults, p.Fault(f.Pos(), f, fmt.Sprintf("%s has no Go body", f)))
			}
			return
		}
		for _, b := range f.Blocks {
			at := f.Pos()
			for _, i := range b.Instrs {
				if i.Pos().IsValid() {
					at = i.Pos()
				}
				what := outside(f, i)
				if what == "" {
					what = p.large(i)
				}
				if what != "" {
					faults = append(faults, p.Fault(at, f, what))
				}
				for _, op := range i.Operands(nil) {
					switch v := (*op).(type) {
					case *ssa.Function:
						walk(v)
					case *ssa.Global:
						if !p.named[v] {
							p.named[v] = true
							p.Globals = append(p.Globals, v)
						}
					}
				}
			}
		}
	}
	for _, f := range from {
		walk(f)
	}
	return errors.Join(faults...)
}

// outside returns why an instruction is outside the subset; "": it is inside.
func outside(f *ssa.Function, i ssa.Instruction) string {
	switch v := i.(type) {
	case *ssa.Defer:
		return "defer is outside the subset: a panic ends the whole call"
	case *ssa.Go:
		return "go is outside the subset: nothing runs beside the caller"
	case *ssa.MakeChan, *ssa.Send, *ssa.Select:
		return "channels are outside the subset"
	case *ssa.Range:
		if _, ok := v.X.Type().Underlying().(*types.Map); ok {
			return "range over a map: its order differs from run to run, and nothing may depend on it"
		}
	case *ssa.TypeAssert:
		return "a type assertion is outside the subset"
	case *ssa.ChangeInterface:
		return "a conversion between interfaces is outside the subset"
	case *ssa.SliceToArrayPointer, *ssa.MultiConvert:
		return "this conversion is outside the subset"
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return "channels are outside the subset"
		}
	case *ssa.Convert:
		return conversion(f, v)
	case *ssa.Panic:
		if made, ok := v.X.(*ssa.MakeInterface); !ok || !types.Identical(made.X.Type(), types.Typ[types.String]) {
			return "a panic with another value than a string is outside the subset"
		}
	case ssa.CallInstruction:
		c := v.Common()
		if c.IsInvoke() {
			return "a call of an interface's method is outside the subset"
		}
		if b, ok := c.Value.(*ssa.Builtin); ok {
			return builtin(f, b.Name())
		}
	}
	if v, ok := i.(ssa.Value); ok && hasComplex(v.Type()) {
		return "complex numbers are outside the subset"
	}
	return ""
}

// largest is the size of the largest structure or array value, in bytes: values are on the C stack.
const largest = 4096

// large returns which value of an instruction takes too much of the C stack; "": none.
func (p *Program) large(i ssa.Instruction) string {
	values := []ssa.Value{}
	if v, ok := i.(ssa.Value); ok {
		if _, load := v.(*ssa.UnOp); load && len(*v.Referrers()) == 0 { // only its length is used
			return ""
		}
		values = append(values, v)
	}
	for _, v := range i.Operands(nil) {
		if *v != nil {
			values = append(values, *v)
		}
	}
	for _, v := range values {
		switch v.Type().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Tuple:
			if size := p.size(v.Type()); size > largest {
				return fmt.Sprintf(
					"a value of %s takes %d bytes of the stack, and %d are the limit: use a pointer or a slice",
					types.TypeString(v.Type(), (*types.Package).Name), size, largest)
			}
		}
	}
	return ""
}

func (p *Program) size(t types.Type) (size int64) {
	results, ok := t.(*types.Tuple)
	if !ok {
		return p.Sizes().Sizeof(t)
	}
	for v := range results.Variables() {
		size += p.Sizes().Sizeof(v.Type())
	}
	return size
}

func hasComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

func conversion(f *ssa.Function, v *ssa.Convert) string {
	from, to := v.X.Type().Underlying(), v.Type().Underlying()
	if isUnsafe(from) || isUnsafe(to) {
		if !Standard(f) {
			return "unsafe is outside the subset"
		}
		return ""
	}
	for _, t := range []types.Type{from, to} {
		if s, ok := t.(*types.Slice); ok {
			if b, ok := s.Elem().Underlying().(*types.Basic); !ok || b.Kind() != types.Byte {
				return "a conversion of a string to or from runes is outside the subset"
			}
		}
	}
	return ""
}

func isUnsafe(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func builtin(f *ssa.Function, name string) string {
	switch name {
	case "append", "cap", "copy", "len", "max", "min", "print", "println":
		return ""
	case "String", "SliceData":
		if Standard(f) {
			return ""
		}
		return "unsafe is outside the subset"
	}
	return "the built-in function " + name + " is outside the subset"
}
