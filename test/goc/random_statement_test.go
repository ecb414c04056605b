package goc

import (
	"fmt"
	"math/rand"
	"strings"
)

// randomProgram writes the program of a seed: its declarations, and the name of its first function.
func randomProgram(seed int64) (declarations, begin string) {
	m := &maker{Rand: rand.New(rand.NewSource(seed)), id: seed, fixed: map[string]bool{}}
	for i := range 2 {
		t := &typ{kind: 'S', name: m.global("S")}
		for k := range 2 + m.Intn(4) {
			of := m.basic()
			switch m.Intn(8) {
			case 0:
				of = slice(m.basic())
			case 1:
				of = &typ{kind: 'p', name: "*" + t.name, elem: t}
			case 2:
				if i > 0 {
					of = m.structs[0]
				}
			}
			t.fields = append(t.fields, variable{fmt.Sprintf("f%d", k), of})
		}
		m.structs = append(m.structs, t)
		m.line("type %s struct {", t.name)
		for _, f := range t.fields {
			m.line("\t%s %s", f.name, f.of.name)
		}
		m.line("}\n")
	}
	for range 1 + m.Intn(4)/3 {
		m.function()
	}
	begin = fmt.Sprintf("program_%d", seed)
	m.main = true
	m.line("func %s() {", begin)
	m.scope = []variable{{"i0", integer}}
	m.indent++
	m.line("i0 := opaque(%d)", m.Intn(1000)-200)
	m.block(5+m.Intn(4), nil)
	m.indent--
	m.line("}")
	return m.out.String(), begin
}

// function writes a function, a generic function or a method.
func (m *maker) function() {
	f := function{name: m.global("f"), generic: m.chance(20)}
	m.scope = []variable{{"i0", integer}}
	takes := []string{"i0 int"}
	result := m.some()
	head := "func " + f.name
	switch {
	case f.generic:
		head += "[T either]"
		result = parameter
		for range 2 {
			name := m.fresh("p")
			takes = append(takes, name+" T")
			m.scope = append(m.scope, variable{name, parameter})
			f.takes = append(f.takes, parameter)
		}
	default:
		method := m.chance(30)
		for i := range 1 + m.Intn(3) {
			t := m.some()
			name := m.fresh("p")
			if method && i == 0 {
				t = oneOf(m, m.structs...)
				if m.chance(40) {
					t = &typ{kind: 'p', name: "*" + t.name, elem: t}
				}
				head = fmt.Sprintf("func (%s %s) %s", name, t.name, f.name)
				f.name = "." + f.name
			} else {
				takes = append(takes, name+" "+t.name)
			}
			m.scope = append(m.scope, variable{name, t})
			f.takes = append(f.takes, t)
		}
	}
	f.gives = []*typ{result}
	gives := result.name
	if !f.generic && m.chance(30) {
		second := m.basic()
		f.gives = append(f.gives, second)
		gives = "(" + gives + ", " + second.name + ")"
	}
	m.line("%s(%s) %s {", head, strings.Join(takes, ", "), gives)
	m.indent++
	m.block(2+m.Intn(2), f.gives)
	m.indent--
	m.line("}\n")
	m.functions = append(m.functions, f)
}

// block writes statements and, at the end of a function, a return. Its variables go out of scope.
func (m *maker) block(n int, gives []*typ) {
	before := len(m.scope)
	m.results = gives
	for range n {
		m.risk = true
		m.statement()
	}
	if m.indent == 1 {
		m.show()
	}
	if gives != nil {
		m.risk = true
		m.line("return %s", m.values(gives))
	}
	m.scope = m.scope[:before]
}

func (m *maker) values(of []*typ) string {
	var out []string
	for _, t := range of {
		out = append(out, m.bounded(t, 2, false))
	}
	return strings.Join(out, ", ")
}

// show writes statements that print the variables.
func (m *maker) show() {
	for _, v := range m.scope {
		m.print(v.name, v.of)
	}
}

func (m *maker) print(name string, t *typ) {
	switch t.kind {
	case 'S':
		for _, f := range t.fields {
			if f.of.kind != 'S' && f.of.kind != 'p' {
				m.print(name+"."+f.name, f.of)
			}
		}
	case 'l', 'a':
		if t.elem.kind != 'S' && t.elem.kind != 'p' && t.elem.kind != 'y' {
			m.line("each(%q, %s[:])", name, name)
			return
		}
		m.line("println(%q, len(%s))", name, name)
		m.line("for k, v := range %s {", name)
		m.indent++
		if t.elem.kind == 'S' {
			m.line("_, _ = k, v")
			m.print(name+"[k]", t.elem)
		} else {
			m.line("println(k, v)")
		}
		m.indent--
		m.line("}")
	case 'm':
		m.line("println(%q, len(%s))", name, name)
	case 'p':
		m.line("if %s != nil {", name)
		m.indent++
		m.print(name, t.elem)
		m.indent--
		m.line("}")
	case 'y':
		m.line("boxed(%q, %s)", name, name)
	default:
		m.line("println(%q, %s)", name, name)
	}
}

// nested writes a block inside a statement.
func (m *maker) nested(n int) {
	results, before := m.results, len(m.scope)
	m.indent++
	for range n {
		m.risk = true
		m.statement()
	}
	m.indent--
	m.scope, m.results = m.scope[:before], results
}

func (m *maker) declare(t *typ) {
	e := m.bounded(t, 3, false)
	name := m.fresh("v")
	m.line("var %s %s = %s", name, t.name, e)
	m.line("_ = %s", name)
	m.scope = append(m.scope, variable{name, t})
}

func (m *maker) statement() {
	if m.indent > 3 {
		m.assign()
		return
	}
	switch m.Intn(23) {
	case 0, 1, 2, 3:
		m.declare(m.some())
	case 4, 5, 6:
		m.assign()
	case 7:
		m.line("println(%s, %s)", m.expression(m.basic(), 3, true), m.expression(m.basic(), 2, true))
	case 8, 9:
		m.line("if %s {", m.condition(2))
		m.nested(1 + m.Intn(2))
		if m.chance(50) {
			m.line("} else {")
			m.nested(1 + m.Intn(2))
		}
		m.line("}")
	case 10, 11:
		m.loop()
	case 12:
		m.choose()
	case 13, 14:
		m.slices()
	case 15, 16:
		m.maps()
	case 17:
		m.makeClosure()
	case 18, 19, 20:
		m.call()
	case 21:
		m.interfaces()
	default:
		if m.chance(10) {
			m.line("if %s {\n\tpanic(%s)\n}", m.condition(1), oneOf(m, `"text"`, `"a" + digits(i0)`))
			return
		}
		t := m.basic()
		p := m.fresh("pile")
		m.line("%s := pile[%s]{}", p, t.name)
		m.line("for k := range 3 {\n\t%s.push(%s)\n\tprintln(k, %s.n)\n}", p, m.expression(t, 1, false), p)
		m.line("println(%s.get(%s))", p, oneOf(m, "0", "1", "2", "at(i0, 3)", "at(i0, 3)", "at(i0, 4)"))
	}
}

// assign writes an assignment to a variable or a part of one.
func (m *maker) assign() {
	var list []variable
	for _, v := range m.scope {
		if m.fixed[v.name] || v.name == "i0" {
			continue
		}
		list = append(list, v)
		if v.of.kind == 'S' {
			for _, f := range v.of.fields {
				list = append(list, variable{v.name + "." + f.name, f.of})
			}
		}
		if v.of.kind == 'a' {
			list = append(list, variable{v.name + "[" + m.expression(integer, 1, true) + "&3]", v.of.elem})
		}
		if v.of.kind == 'l' && m.takeRisk(15) {
			list = append(list, variable{v.name + "[" + m.place(v.name, 1) + "]", v.of.elem})
		}
		if v.of.kind == 'p' && m.takeRisk(15) {
			f := oneOf(m, v.of.elem.fields...)
			list = append(list, variable{v.name + "." + f.name, f.of})
		}
	}
	if len(list) == 0 {
		m.declare(m.basic())
		return
	}
	v := oneOf(m, list...)
	switch {
	case v.of.kind == 'i' && m.chance(50):
		if m.chance(30) {
			m.line("%s%s", v.name, oneOf(m, "++", "--"))
		} else {
			m.line("%s %s %s", v.name, oneOf(m, "+=", "-=", "*=", "|=", "^=", "&^="), m.expression(v.of, 2, false))
		}
	case v.of.kind == 's' && m.chance(50):
		m.line("if len(%s) < 60 {\n\t%s += %s\n}", strings.SplitN(v.name, "[", 2)[0], v.name, m.expression(text, 1, false))
	default:
		m.line("%s = %s", v.name, m.bounded(v.of, 3, false))
	}
}

func (m *maker) loop() {
	if m.loops >= 2 || !m.main && m.loops >= 1 {
		m.assign()
		return
	}
	m.loops++
	before := len(m.scope)
	i := m.fresh("i")
	add := func(name string, t *typ) {
		m.scope = append(m.scope, variable{name, t})
		m.fixed[name] = true
	}
	switch v, ok := m.ofKind(oneOf[byte](m, 'l', 'a', 's'), nil); {
	case ok && m.chance(60):
		e := m.fresh("e")
		m.line("for %s, %s := range %s {", i, e, v.name)
		m.line("\t_, _ = %s, %s\n\tif %s > 5 {\n\t\tbreak\n\t}", i, e, i)
		add(i, integer)
		if v.of.kind == 's' {
			add(e, integers[3])
		} else {
			add(e, v.of.elem)
		}
	case m.chance(40):
		t := oneOf(m, integers...)
		m.line("for %s := %s(0); %s < %d; %s++ {", i, t.name, i, 1+m.Intn(4), i)
		add(i, t)
	default:
		m.line("for %s := range %d {", i, 1+m.Intn(4))
		m.line("\t_ = %s", i)
		add(i, integer)
	}
	m.nested(1 + m.Intn(3))
	if m.chance(20) {
		m.risk = false
		m.line("\tif %s {\n\t\t%s\n\t}", m.condition(1), oneOf(m, "break", "continue"))
	}
	m.line("}")
	m.scope = m.scope[:before]
	m.loops--
}

// choose writes a switch.
func (m *maker) choose() {
	m.line("switch {")
	for k := range 1 + m.Intn(3) {
		m.risk = k == 0
		m.line("case %s:", m.condition(2))
		m.nested(1)
		if m.chance(20) {
			m.line("\tfallthrough\ndefault:")
			m.nested(1)
			break
		}
	}
	m.line("}")
}

func (m *maker) slices() {
	v, ok := m.ofKind('l', nil)
	if !ok {
		m.declare(slice(m.basic()))
		return
	}
	e := v.of.elem
	switch m.Intn(6) {
	case 0, 1:
		m.line("if len(%s) < 12 {\n\t%s = append(%s, %s, %s)\n}", v.name, v.name, v.name, m.bounded(e, 2, false), m.bounded(e, 1, false))
	case 2:
		m.line("if len(%s) < 12 {\n\t%s = append(%s, %s...)\n}", v.name, v.name, oneOf(m, v.name, v.of.name+"(nil)", v.name+"[:len("+v.name+")/2]"), v.name)
	case 3:
		m.risk = false
		m.line("%s = %s%s", v.name, v.name, m.part(v.name, 2))
	case 4:
		m.risk = false
		m.line("println(copy(%s[len(%s)/2:], %s))", v.name, v.name, m.expression(v.of, 1, true))
	default:
		m.risk = false
		name := m.fresh("v")
		m.line("%s := %s[len(%s)/2:len(%s):len(%s)]", name, v.name, v.name, v.name, v.name)
		m.line("println(len(%s), cap(%s))", name, name)
		m.scope = append(m.scope, variable{name, v.of})
	}
}

func (m *maker) maps() {
	v, ok := m.ofKind('m', nil)
	if !ok {
		m.assign()
		return
	}
	key := m.bounded(v.of.key, 2, false)
	m.risk = false
	switch m.Intn(7) {
	case 0:
		value, known := m.fresh("v"), m.fresh("ok")
		m.line("%s, %s := %s[%s]", value, known, v.name, key)
		m.line("println(%s, %s)", value, known)
		m.scope = append(m.scope, variable{value, v.of.elem}, variable{known, truth})
	case 1, 2:
		if v.of.key.kind == 'i' {
			m.line("for k := range %s(%d) {\n\t%s[k*7] = %s\n}", v.of.key.name, 3+m.Intn(30), v.name, m.bounded(v.of.elem, 1, false))
			m.printKeys(v)
			return
		}
		fallthrough
	default:
		m.line("%s[%s] = %s", v.name, key, m.bounded(v.of.elem, 2, false))
	}
}

// printKeys writes statements that print the elements of a map.
func (m *maker) printKeys(v variable) {
	key := v.of.key.name
	m.line("for k := range %s(34) {\n\tif e, ok := %s[k*7]; ok {\n\t\tprintln(k, e)\n\t}\n}\nprintln(len(%s))", key, v.name, v.name)
}

// makeClosure writes a closure that reads and changes outer variables, and a call of it.
func (m *maker) makeClosure() {
	if m.closure {
		m.assign()
		return
	}
	m.closure = true
	a, r := m.basic(), m.basic()
	name, p := m.fresh("c"), m.fresh("p")
	m.line("%s := func(%s %s) %s {", name, p, a.name, r.name)
	m.scope = append(m.scope, variable{p, a})
	loops := m.loops
	m.loops = 2
	m.nested(1 + m.Intn(2))
	m.risk = true
	m.line("\treturn %s", m.bounded(r, 2, false))
	m.line("}")
	m.loops = loops
	m.scope = m.scope[:len(m.scope)-1]
	m.closure = false
	for range 1 + m.Intn(2) {
		m.risk = false
		v := m.fresh("v")
		m.line("%s := %s(%s)", v, name, m.bounded(a, 1, false))
		m.line("println(%s)", v)
		m.scope = append(m.scope, variable{v, r})
	}
	if l, ok := m.ofKind('l', func(t *typ) bool { return t.elem == a }); ok {
		v := m.fresh("v")
		m.line("%s := apply(%s, %s)", v, name, l.name)
		m.line("println(len(%s))", v)
		m.scope = append(m.scope, variable{v, slice(r)})
	}
}

// call writes a call of an earlier function.
func (m *maker) call() {
	if len(m.functions) == 0 || !m.main && m.loops > 0 || m.closure {
		m.assign()
		return
	}
	f := oneOf(m, m.functions...)
	m.risk = false
	takes, name, gives := []string{"i0"}, f.name, f.gives
	if f.generic {
		t := oneOf(m, integers...)
		gives = []*typ{t}
		name += "[" + t.name + "]"
		takes = append(takes, m.expression(t, 2, false), m.expression(t, 1, false))
	} else {
		for i, t := range f.takes {
			if i == 0 && name[0] == '.' {
				v := m.fresh("v")
				m.line("%s := %s", v, m.bounded(t, 1, false))
				m.scope = append(m.scope, variable{v, t})
				name = v + name
				continue
			}
			takes = append(takes, m.bounded(t, 2, false))
		}
	}
	var out []string
	before := len(m.scope)
	for _, t := range gives {
		out = append(out, m.fresh("r"))
		m.scope = append(m.scope, variable{out[len(out)-1], t})
	}
	m.line("%s := %s(%s)", strings.Join(out, ", "), name, strings.Join(takes, ", "))
	for _, v := range m.scope[before:] {
		m.print(v.name, v.of)
	}
	m.line("%s = %s", strings.TrimSuffix(strings.Repeat("_, ", len(out)), ", "), strings.Join(out, ", "))
}

func (m *maker) interfaces() {
	v, ok := m.ofKind('y', nil)
	if !ok {
		m.declare(anything)
		return
	}
	m.line("println(%s == %s)", v.name, m.expression(anything, 1, true))
}
