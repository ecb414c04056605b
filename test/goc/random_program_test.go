package goc

import (
	"fmt"
	"math/rand"
	"strings"
)

// prelude is the common part of the random programs. Nothing in it panics.
const prelude = `package main

//go:noinline
func opaque(v int) int { return v }

type either interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

func each[T either | ~string | ~bool | ~float32 | ~float64](name string, list []T) {
	println(name, len(list))
	for i, v := range list {
		println(i, v)
	}
}

func boxed(name string, v any) { println(name, v == nil) }

type pile[T any] struct {
	list []T
	n    int
}

func (p *pile[T]) push(v T) int { p.list = append(p.list, v); p.n++; return p.n }
func (p pile[T]) get(i int) T   { return p.list[i] }

func digits(n int) string {
	u, sign := uint(n), ""
	if n < 0 {
		u, sign = -u, "-"
	}
	s := ""
	for u > 9 {
		s = string(rune('0'+u%10)) + s
		u /= 10
	}
	return sign + string(rune('0'+u)) + s
}

func cut(s string) string {
	if len(s) > 24 {
		return s[len(s)-24:]
	}
	return s
}

func at(i, n int) int {
	if n == 0 {
		return 0
	}
	return int(uint(i) % uint(n))
}

func apply[A, B any](f func(A) B, list []A) (out []B) {
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}
`

// afterwards runs the programs as Go, one after the other, and prints how each ends in the form of the translated
// programs.
const afterwards = `
func run(name string, f func()) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case error:
			println("panic:", v.Error())
		case string:
			println("panic:", v)
		default:
			println("panic: with another type")
		}
	}()
	println("===", name)
	f()
}
`

// typ is a type of a random program.
type typ struct {
	kind   byte // i integer, f float, s string, b bool, S struct, p pointer, l slice, m map, a array, y any
	name   string
	bits   int // of an integer
	signed bool
	elem   *typ // of a slice, an array, a map or a pointer
	key    *typ
	fields []variable
}

type variable struct {
	name string
	of   *typ
}

var (
	integers = []*typ{{kind: 'i', name: "int", bits: 64, signed: true}, {kind: 'i', name: "int8", bits: 8, signed: true}, {kind: 'i', name: "int16", bits: 16, signed: true},
		{kind: 'i', name: "int32", bits: 32, signed: true}, {kind: 'i', name: "int64", bits: 64, signed: true}, {kind: 'i', name: "uint8", bits: 8}, {kind: 'i', name: "uint16", bits: 16},
		{kind: 'i', name: "uint32", bits: 32}, {kind: 'i', name: "uint64", bits: 64}, {kind: 'i', name: "uint", bits: 64}}
	integer   = integers[0]
	octet     = integers[5]
	text      = &typ{kind: 's', name: "string"}
	truth     = &typ{kind: 'b', name: "bool"}
	double    = &typ{kind: 'f', name: "float64"}
	single    = &typ{kind: 'f', name: "float32"}
	anything  = &typ{kind: 'y', name: "any"}
	parameter = &typ{kind: 'i', name: "T", bits: 7} // of a generic function: supports every operation of integers
)

type function struct {
	name    string
	takes   []*typ
	gives   []*typ
	generic bool
}

// maker writes a random program. At most one operation of a statement can panic or have an effect, so the result does
// not depend on the order of evaluation, which Go does not fully specify.
type maker struct {
	*rand.Rand
	id        int64
	out       strings.Builder
	indent    int
	names     int
	structs   []*typ
	functions []function
	scope     []variable
	fixed     map[string]bool // loop variables, which are not assigned to
	risk      bool            // the statement may still get its one operation that can panic
	loops     int
	main      bool
	results   []*typ
	closure   bool
}

func oneOf[T any](m *maker, list ...T) T { return list[m.Intn(len(list))] }

func (m *maker) chance(percent int) bool { return m.Intn(100) < percent }

func (m *maker) line(format string, a ...any) {
	fmt.Fprintf(&m.out, "%s%s\n", strings.Repeat("\t", m.indent), fmt.Sprintf(format, a...))
}

func (m *maker) fresh(prefix string) string {
	m.names++
	return fmt.Sprintf("%s%d", prefix, m.names)
}

// global is a name of the package.
func (m *maker) global(prefix string) string { return fmt.Sprintf("%s_%d", m.fresh(prefix), m.id) }

// takeRisk reports whether an operation that can panic may be written here.
func (m *maker) takeRisk(percent int) bool {
	if !m.risk || !m.chance(percent) {
		return false
	}
	m.risk = false
	return true
}

func (m *maker) basic() *typ {
	switch m.Intn(10) {
	case 0, 1:
		return text
	case 2:
		return truth
	case 3:
		return oneOf(m, double, double, single)
	}
	return oneOf(m, integers...)
}

func slice(of *typ) *typ { return &typ{kind: 'l', name: "[]" + of.name, elem: of} }

// some returns a random type of a variable.
func (m *maker) some() *typ {
	switch m.Intn(16) {
	case 0, 1:
		return slice(m.basic())
	case 2:
		return slice(oneOf(m, m.structs...))
	case 3, 4:
		key, elem := oneOf(m, text, oneOf(m, integers...), oneOf(m, integers...), truth, double), m.basic()
		return &typ{kind: 'm', name: "map[" + key.name + "]" + elem.name, key: key, elem: elem}
	case 5:
		elem := m.basic()
		return &typ{kind: 'a', name: "[4]" + elem.name, elem: elem}
	case 6, 7:
		return oneOf(m, m.structs...)
	case 8:
		s := oneOf(m, m.structs...)
		return &typ{kind: 'p', name: "*" + s.name, elem: s}
	case 9:
		return anything
	}
	return m.basic()
}

// named returns the variables of a type, and the parts of variables that can be read without a panic.
func (m *maker) named(of string) (out []string) {
	for _, v := range m.scope {
		if v.of.name == of {
			out = append(out, v.name)
		}
		if v.of.kind == 'S' {
			for _, f := range v.of.fields {
				if f.of.name == of {
					out = append(out, v.name+"."+f.name)
				}
			}
		}
	}
	return out
}

// ofKind picks a variable of a kind.
func (m *maker) ofKind(kind byte, fits func(*typ) bool) (v variable, ok bool) {
	var list []variable
	for _, v := range m.scope {
		if v.of.kind == kind && !m.fixed[v.name] && (fits == nil || fits(v.of)) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return variable{}, false
	}
	return oneOf(m, list...), true
}

func (m *maker) literal(t *typ) string {
	switch t.kind {
	case 'i':
		if t.bits == 7 {
			return fmt.Sprint(1 + m.Intn(100))
		}
		bits := t.bits
		if t.signed {
			bits--
		}
		v := m.Uint64() >> (64 - bits) >> m.Intn(bits)
		if m.chance(20) {
			v = 1<<bits - 1 // the largest value
		}
		if t.signed && m.chance(40) {
			return fmt.Sprintf("(-%d)", v+uint64(m.Intn(2)))
		}
		return fmt.Sprint(v)
	case 'f':
		return oneOf(m, "0.5", "(-1.25)", "3.0", "1e10", "0.1", "1e30", "(-7.0)", "255.5", "4294967297.5", "(-2147483903.0)", "1099511628031.0")
	case 's':
		return oneOf(m, `""`, `"a"`, `"xyz"`, `"\xff\x00"`, `"äß"`, `"hello, world"`, `"0123456789"`, `"€x"`)
	}
	return oneOf(m, "true", "false")
}

// expression writes a value of a type. plain: not a constant, which Go's compiler would evaluate.
func (m *maker) expression(t *typ, depth int, plain bool) string {
	known := m.named(t.name)
	if len(known) > 0 && (depth <= 0 || m.chance(30)) {
		return oneOf(m, known...)
	}
	if !strings.ContainsRune("ifsb", rune(t.kind)) {
		return m.compound(t, depth-1)
	}
	if !plain && (depth <= 0 || m.chance(15)) {
		return m.literal(t)
	}
	if depth <= 0 {
		return simplest(t)
	}
	if t.kind != 'b' && m.chance(15) && t.bits != 7 {
		if text := m.element(t, depth); text != "" {
			return text
		}
	}
	switch t.kind {
	case 'i':
		return m.integer(t, depth-1)
	case 'f':
		if depth <= 0 || m.chance(30) {
			return t.name + "(" + m.expression(oneOf(m, integers...), min(depth-1, 0), true) + ")"
		}
		return "(" + m.expression(t, depth-1, true) + oneOf(m, " + ", " - ", " * ", " / ") + m.expression(t, depth-1, true) + ")"
	case 's':
		return m.text(depth - 1)
	}
	return m.condition(depth - 1)
}

// simplest returns a value that is not constant.
func simplest(t *typ) string {
	switch t.kind {
	case 's':
		return "digits(i0)"
	case 'b':
		return "(i0 > 2)"
	}
	return t.name + "(i0)"
}

// element reads an element or a field; "" if there is none of the type.
func (m *maker) element(t *typ, depth int) string {
	fits := func(o *typ) bool { return o.elem != nil && o.elem.name == t.name }
	switch m.Intn(4) {
	case 0:
		if v, ok := m.ofKind('a', fits); ok {
			return v.name + "[" + m.expression(oneOf(m, integers...), depth-1, true) + "&3]"
		}
	case 1:
		if v, ok := m.ofKind('m', fits); ok {
			return v.name + "[" + m.expression(v.of.key, depth-1, false) + "]"
		}
	case 2:
		if v, ok := m.ofKind('l', fits); ok && m.takeRisk(40) {
			return v.name + "[" + m.place(v.name, depth) + "]"
		}
	case 3:
		if v, ok := m.ofKind('p', nil); ok && m.risk {
			for _, f := range v.of.elem.fields {
				if f.of.name == t.name && m.takeRisk(35) {
					return v.name + "." + f.name
				}
			}
		}
	}
	return ""
}

// place returns an index, which is rarely out of range.
func (m *maker) place(of string, depth int) string {
	switch m.Intn(10) {
	case 0:
		return m.expression(oneOf(m, integers...), depth-1, true)
	case 1:
		return oneOf(m, "opaque(-1)", "-i0", "int8(i0)", "(uint64(i0) | 1<<63)", "(uint32(i0) | 1<<31)", "len("+of+")")
	}
	return "at(int(" + m.expression(oneOf(m, integers...), depth-1, true) + "), len(" + of + "))"
}

func (m *maker) integer(t *typ, depth int) string {
	other := oneOf(m, integers...)
	if t.bits == 7 {
		other = t
	}
	switch m.Intn(14) {
	case 0, 1, 2:
		return "(" + m.expression(t, depth, true) + oneOf(m, " + ", " - ", " * ") + m.expression(t, depth, false) + ")"
	case 3, 4:
		return "(" + m.expression(t, depth, true) + oneOf(m, " & ", " | ", " ^ ", " &^ ") + m.expression(t, depth, false) + ")"
	case 5:
		if m.takeRisk(6) {
			return "(" + m.expression(t, depth, true) + oneOf(m, " / ", " % ") + m.expression(t, 0, true) + ")"
		}
		return "(" + m.expression(t, depth, true) + oneOf(m, " / ", " % ") + "(" + m.expression(t, depth, true) + " | 1))"
	case 6, 7:
		if other.signed && m.takeRisk(6) {
			return "(" + m.expression(t, depth, true) + oneOf(m, " << ", " >> ") + m.expression(other, depth, true) + ")"
		}
		return "(" + m.expression(t, depth, true) + oneOf(m, " << ", " >> ") + "(" + m.expression(other, depth, true) + oneOf(m, " & 7", " & 63", " & 127") + "))"
	case 8:
		return "(" + m.expression(t, depth, true) + oneOf(m, " << ", " >> ") + m.bits() + ")"
	case 9:
		return oneOf(m, "-(", "^(") + m.expression(t, depth, true) + ")"
	case 10:
		return oneOf(m, "min(", "max(") + m.expression(t, depth, true) + ", " + m.expression(t, depth, false) + ")"
	case 11:
		if v, ok := m.ofKind(oneOf[byte](m, 'l', 's', 'm'), nil); ok {
			return t.name + "(len(" + v.name + "))"
		}
	case 12:
		if v, ok := m.ofKind('s', nil); ok && m.takeRisk(35) {
			return t.name + "(" + v.name + "[" + m.place(v.name, depth) + "])"
		}
		if t.bits != 7 && m.chance(50) {
			return t.name + "(" + m.expression(oneOf(m, double, single), depth, true) + ")"
		}
	}
	if t.bits == 7 {
		return "(" + m.expression(t, depth, true) + " + 1)"
	}
	if known := m.named(other.name); len(known) > 0 && depth <= 0 {
		return t.name + "(" + oneOf(m, known...) + ")"
	}
	if depth <= 0 {
		return t.name + "(i0)"
	}
	return t.name + "(" + m.expression(other, depth, true) + ")"
}

// bits returns the count of a shift, half of the time near the width of an integer.
func (m *maker) bits() string {
	if m.chance(50) {
		return fmt.Sprint(oneOf(m, 7, 8, 15, 16, 31, 32, 32, 63, 64, 64) + m.Intn(2))
	}
	return fmt.Sprint(m.Intn(70))
}

func (m *maker) text(depth int) string {
	switch m.Intn(6) {
	case 0, 1:
		if depth > 0 {
			return "(" + m.expression(text, depth, true) + " + " + m.expression(text, depth, false) + ")"
		}
	case 2:
		return "string(rune(" + m.expression(oneOf(m, integers...), depth, true) + "))"
	case 3:
		if v, ok := m.ofKind('s', nil); ok && m.takeRisk(35) {
			return v.name + m.part(v.name, depth)
		}
	case 4:
		if v, ok := m.ofKind('l', func(t *typ) bool { return t.elem == octet }); ok {
			return "cut(string(" + v.name + "))"
		}
	}
	return "digits(int(" + m.expression(oneOf(m, integers...), depth, true) + "))"
}

// part writes a slice expression.
func (m *maker) part(of string, depth int) string {
	i := func() string {
		if m.chance(20) { // never between the length and the capacity, which Go does not specify
			return oneOf(m, "opaque(-1)", "opaque(1<<40)", "(uint64(i0) | 1<<63)", "int8(opaque(-128))")
		}
		return "at(int(" + m.expression(oneOf(m, integers...), depth-1, true) + "), len(" + of + "))"
	}
	switch m.Intn(4) {
	case 0:
		return "[" + i() + ":]"
	case 1:
		return "[:" + i() + "]"
	case 2:
		return "[" + i() + ":" + i() + "]"
	}
	return fmt.Sprintf("[%s/2:(len(%s)+1)/2]", i(), of)
}

func (m *maker) condition(depth int) string {
	switch m.Intn(8) {
	case 0:
		if depth > 0 {
			return "(" + m.expression(truth, depth, true) + oneOf(m, " && ", " || ") + m.expression(truth, depth, true) + ")"
		}
	case 1:
		return "!" + m.expression(truth, depth, true)
	case 2:
		if v, ok := m.ofKind('S', nil); ok && comparable(v.of) {
			return "(" + v.name + oneOf(m, " == ", " != ") + m.expression(v.of, 0, true) + ")"
		}
	case 3:
		if v, ok := m.ofKind(oneOf[byte](m, 'l', 'm', 'p', 'y'), nil); ok {
			return "(" + v.name + oneOf(m, " == nil)", " != nil)")
		}
	case 4:
		if v, ok := m.ofKind('y', nil); ok && m.takeRisk(40) {
			return "(" + v.name + oneOf(m, " == ", " != ") + m.expression(anything, 0, true) + ")"
		}
	case 5:
		if v, ok := m.ofKind('a', nil); ok {
			return "(" + v.name + " == " + m.expression(v.of, 0, true) + ")"
		}
	}
	t := m.basic()
	if t.kind == 'b' {
		t = text
	}
	return "(" + m.expression(t, depth, true) + oneOf(m, " < ", " > ", " <= ", " >= ", " == ", " != ") + m.expression(t, depth, false) + ")"
}

func comparable(t *typ) bool {
	for _, f := range t.fields {
		if f.of.kind == 'l' || f.of.kind == 'm' || f.of.kind == 'S' && !comparable(f.of) {
			return false
		}
	}
	return t.kind != 'l' && t.kind != 'm'
}

// compound writes a value of a composite type.
func (m *maker) compound(t *typ, depth int) string {
	if depth < -2 && t.kind != 'y' {
		if t.kind == 'S' || t.kind == 'a' {
			return t.name + "{}"
		}
		return "(" + t.name + ")(nil)"
	}
	list := func(n int) string {
		var out []string
		for range n {
			out = append(out, m.expression(t.elem, depth, false))
		}
		return t.name + "{" + strings.Join(out, ", ") + "}"
	}
	switch t.kind {
	case 'S':
		var out []string
		for _, f := range t.fields {
			if m.chance(70) {
				out = append(out, f.name+": "+m.bounded(f.of, depth, false))
			}
		}
		return t.name + "{" + strings.Join(out, ", ") + "}"
	case 'p':
		if m.chance(10) {
			return "(" + t.name + ")(nil)"
		}
		if v, ok := m.ofKind('S', func(s *typ) bool { return s == t.elem }); ok && m.chance(50) {
			return "&" + v.name
		}
		return "&" + m.compound(t.elem, depth)
	case 'l':
		if v, ok := m.ofKind('a', func(a *typ) bool { return a.elem == t.elem }); ok && m.chance(40) {
			return v.name + "[:]"
		}
		if m.chance(10) {
			return t.name + "(nil)"
		}
		if t.elem == octet && m.chance(30) {
			return "[]byte(" + m.expression(text, depth, false) + ")"
		}
		if m.chance(20) {
			return fmt.Sprintf("make(%s, %d, %d)", t.name, m.Intn(4), 4+m.Intn(4))
		}
		return list(m.Intn(6))
	case 'a':
		return list(m.Intn(5))
	case 'm':
		if m.chance(6) {
			return t.name + "(nil)"
		}
		return t.name + "{}"
	case 'y':
		of := m.basic()
		if m.chance(25) && depth > -2 {
			if s := oneOf(m, m.structs...); comparable(s) {
				of = s
			}
		}
		if m.chance(5) {
			return "any(nil)"
		}
		return "any(" + of.name + "(" + m.bounded(of, depth, false) + "))"
	}
	return m.expression(t, depth, true)
}

// bounded writes a value to store: a string stays short.
func (m *maker) bounded(t *typ, depth int, plain bool) string {
	e := m.expression(t, depth, plain)
	if t.kind == 's' {
		return "cut(" + e + ")"
	}
	return e
}
