package emit

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

func (b *body) unary(i *ssa.UnOp) {
	c := b.types.cType(i.Type())
	switch i.Op {
	case token.MUL:
		if len(*i.Referrers()) == 0 {
			b.stmt("(void)%s;", b.pointer(i.X))
			return
		}
		b.set(i, "*%s", b.pointer(i.X))
	case token.NOT:
		b.set(i, "!%s", b.value(i.X))
	case token.SUB:
		b.set(i, "(%s)(-%s)", c, b.value(i.X))
	case token.XOR:
		b.set(i, "(%s)(~%s)", c, b.value(i.X))
	}
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// binary writes an operation with two operands.
func (b *body) binary(i *ssa.BinOp) {
	t := i.X.Type()
	x, y := b.value(i.X), b.value(i.Y)
	c := b.types.cType(i.Type())
	switch i.Op {
	case token.ADD:
		if isString(t) {
			b.set(i, "goc_concatenate(g, %s, %s)", x, y)
			return
		}
		b.set(i, "(%s)(%s + %s)", c, x, y)
	case token.SUB, token.MUL, token.AND, token.OR, token.XOR:
		b.set(i, "(%s)(%s %s %s)", c, x, i.Op, y)
	case token.AND_NOT:
		b.set(i, "(%s)(%s & ~%s)", c, x, y)
	case token.QUO, token.REM:
		b.divide(i, c, x, y)
	case token.SHL, token.SHR:
		b.shift(i, c, x, y)
	case token.EQL, token.NEQ:
		b.set(i, "%s", b.compare(i))
	default: // an order
		if isString(t) {
			b.set(i, "goc_compare_strings(%s, %s) %s 0", x, y, i.Op)
			return
		}
		b.set(i, "%s %s %s", x, i.Op, y)
	}
}

func (b *body) divide(i *ssa.BinOp, c, x, y string) {
	t := i.X.Type()
	if !isInteger(t) {
		b.set(i, "(%s)(%s / %s)", c, x, y)
		return
	}
	if k, ok := i.Y.(*ssa.Const); ok && k.Value != nil && (isUnsigned(t) || k.Int64() > 0) && k.Uint64() != 0 {
		b.set(i, "(%s)(%s %s %s)", c, x, i.Op, y)
		return
	}
	name := "quotient"
	if i.Op == token.REM {
		name = "remainder"
	}
	if isUnsigned(t) {
		name = "unsigned_" + name
	}
	b.set(i, "(%s)goc_%s(g, %s, %s)", c, name, x, y)
}

// shift writes a shift. c is the result's C type, x and y are the operands.
func (b *body) shift(i *ssa.BinOp, c, x, y string) {
	if k, ok := i.Y.(*ssa.Const); ok && k.Value != nil {
		width := b.program.Sizes().Sizeof(i.X.Type()) * 8
		if n := k.Uint64(); n < uint64(width) {
			if i.Op == token.SHL {
				b.set(i, "(%s)((uint64_t)%s << %d)", c, x, n)
			} else {
				b.set(i, "(%s)(%s >> %d)", c, x, n)
			}
			return
		}
	}
	count := "(uint64_t)" + y
	if !isUnsigned(i.Y.Type()) {
		count = "goc_shift_count(g, " + y + ")"
	}
	switch {
	case i.Op == token.SHL:
		b.set(i, "(%s)goc_shift_left((uint64_t)%s, %s)", c, x, count)
	case isUnsigned(i.X.Type()):
		b.set(i, "(%s)goc_shift_right(%s, %s)", c, x, count)
	default:
		b.set(i, "(%s)goc_shift_right_signed(%s, %s)", c, x, count)
	}
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

// compare writes == or !=.
func (b *body) compare(i *ssa.BinOp) string {
	x, y := i.X, i.Y
	if isNil(x) {
		x, y = y, x
	}
	var text string
	switch t := x.Type().Underlying().(type) {
	case *types.Slice:
		text = fmt.Sprintf("(%s.p == NULL)", b.operandName(x))
	case *types.Map, *types.Signature:
		text = fmt.Sprintf("(%s == NULL)", b.value(x))
	case *types.Interface:
		switch {
		case isNil(y):
			text = fmt.Sprintf("(%s.t == NULL)", b.operandName(x))
		case types.IsInterface(y.Type()):
			text = b.types.equals(t, b.value(x), b.value(y))
		default: // with a value of another type
			b.faults = append(b.faults,
				b.program.Fault(i.Pos(), b.f, "a comparison of an interface with another type is "+
					"outside the subset"))
		}
	case *types.Pointer:
		text = fmt.Sprintf("((void *)%s == (void *)%s)", b.value(x), b.value(y))
	default:
		cx, cy := b.types.cType(x.Type()), b.types.cType(y.Type())
		right := b.value(y)
		if cx != cy { // one of them has a type with a name
			b.local(cy, i.Name()+"_")
			b.stmt("%s_ = %s;", i.Name(), right)
			right = fmt.Sprintf("*(%s *)&%s_", cx, i.Name())
		}
		text = b.types.equals(x.Type(), b.value(x), right)
	}
	if i.Op == token.NEQ {
		return "!" + text
	}
	return text
}

func (b *body) changeType(i *ssa.ChangeType) {
	from, to := b.types.cType(i.X.Type()), b.types.cType(i.Type())
	switch {
	case from == to:
		b.set(i, "%s", b.value(i.X))
	case isAggregate(i.Type()):
		b.local(from, i.Name()+"_")
		b.stmt("%s_ = %s;", i.Name(), b.value(i.X))
		b.set(i, "*(%s *)&%s_", to, i.Name())
	default:
		b.set(i, "(%s)%s", to, b.value(i.X))
	}
}

// convert writes a conversion that changes the representation of a value.
func (b *body) convert(i *ssa.Convert) {
	from, to := i.X.Type().Underlying(), i.Type().Underlying()
	c := b.types.cType(i.Type())
	x := b.value(i.X)
	fb, _ := from.(*types.Basic)
	tb, _ := to.(*types.Basic)
	switch {
	case tb != nil && tb.Info()&types.IsString != 0:
		switch {
		case fb == nil:
			b.set(i, "goc_string_of_bytes(g, %s)", x)
		case fb.Info()&types.IsInteger != 0:
			b.set(i, "goc_string_of_rune(g, (int64_t)%s)", x)
		default:
			b.set(i, "%s", x)
		}
	case fb != nil && fb.Info()&types.IsString != 0:
		b.set(i, "goc_bytes_of_string(g, %s)", x)
	case fb != nil && tb != nil && fb.Info()&types.IsFloat != 0 && tb.Info()&types.IsInteger != 0:
		switch tb.Kind() {
		case types.Int64, types.Int, types.Uint32:
			b.set(i, "(%s)goc_float_to_int64(%s)", c, x)
		case types.Uint64, types.Uint, types.Uintptr:
			b.set(i, "(%s)goc_float_to_uint64(%s)", c, x)
		default:
			b.set(i, "(%s)goc_float_to_int32(%s)", c, x)
		}
	default:
		b.set(i, "(%s)%s", c, x)
	}
}
