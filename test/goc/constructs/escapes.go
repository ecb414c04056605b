package constructs

// The programs of this file have variables whose address outlives their block or function. They fail if the variable
// is on the stack.

type holder struct {
	p    *int
	next *holder
	f    func() int
	s    []int
}

//go:noinline
func keep(p *int) *int { return p }

//go:noinline
func put(h *holder, p *int) { h.p = p }

//go:noinline
func link(a, b *holder) *holder { a.next = b; return a }

//go:noinline
func clobber(n int) int {
	var a [64]int
	for i := range a {
		a[i] = n + i
	}
	if n > 0 {
		return clobber(n-1) + a[n%64]
	}
	return a[0]
}

func returned() *int        { x := opaque(11); return keep(&x) }
func inStruct() holder      { x := opaque(12); return holder{p: &x} }
func inSlice() []*int       { x, y := opaque(13), opaque(14); return append([]*int{&x}, &y) }
func inClosure() func() int { x := opaque(15); return func() int { x++; return x } }
func ofArray() []int        { a := [4]int{1, 2, 3, opaque(4)}; return a[1:3] }
func inInterface() any      { x := opaque(16); return &x }
func inMap() map[int]*int   { x := opaque(17); return map[int]*int{1: &x} }
func throughOther() *holder { x := opaque(18); h := new(holder); put(h, &x); return h }
func field() *int           { h := struct{ a, b int }{1, opaque(19)}; return &h.b }
func element() *int         { a := [3]int{1, opaque(20), 3}; return &a[opaque(1)] }
func method() func() int    { i := inner{opaque(20), 1, ""}; p := &i; return p.sum }
func bound() func(int)      { i := inner{opaque(20), 1, ""}; return i.scale }
func variadicKept(v ...int) []int {
	return v
}
func keepsVariadic() []int { return variadicKept(opaque(21), 22) }
func chooses(b bool) *int {
	x, y := opaque(23), opaque(24)
	p := &x
	if b {
		p = &y
	}
	return p
}
func linked() *holder {
	var a, b holder
	x := opaque(25)
	b.p = &x
	return link(&a, &b)
}
func throughPointer() *int {
	x := opaque(26)
	var p *int
	pp := &p
	*pp = &x
	return *pp
}
func nested() func() func() int {
	x := opaque(27)
	return func() func() int { y := &x; return func() int { return *y } }
}
func results() (a *int, b []int) {
	x := opaque(28)
	y := [2]int{x, 29}
	return &x, y[:]
}
func generic[T any](v T) *T { return &v }

type fields struct {
	in struct{ p *int }
	a  [2]*int
}

func inField() (f fields) {
	x, y := opaque(30), opaque(31)
	f.in.p = &x
	f.a[1] = &y
	return f
}
func structCopy() holder {
	x := opaque(32)
	var h holder
	h.p = &x
	g := h
	return g
}
func sliceOfSlice() []int {
	a := [4]int{opaque(33), 34, 35, 36}
	b := a[:3]
	var h holder
	h.s = b[1:]
	return h.s[:2]
}
func converted() *small { x := opaque(37); return (*small)(&x) }
func closureInStruct() holder {
	x := opaque(38)
	return holder{f: func() int { return x }}
}
func capturedPointer() *int {
	var p *int
	func() { x := opaque(39); p = &x }()
	return p
}
func throughParameter(out **int) { x := opaque(40); *out = &x }
func recursive(n int, p *int) *int {
	x := n
	if n == 0 {
		return p
	}
	if n%2 == 0 {
		return recursive(n-1, &x)
	}
	return recursive(n-1, p)
}

// Escapes has addresses that leave their function.
func Escapes() {
	a, b, c, d, e := returned(), inStruct(), inSlice(), inClosure(), ofArray()
	f, g, h, i, j := inInterface(), inMap(), throughOther(), field(), element()
	k, l, m, n, o := method(), bound(), keepsVariadic(), chooses(opaque(true)), linked()
	p, q, s, t, u := throughPointer(), nested(), generic(opaque(5)), inField(), structCopy()
	r1, r2 := results()
	v, w, x, y := sliceOfSlice(), converted(), closureInStruct(), capturedPointer()
	var z *int
	throughParameter(&z)
	rec := recursive(5, nil)
	clobber(20)
	println(d(), d())
	println(*a, *b.p, *c[0], *c[1], e[0], e[1], len(e), cap(e))
	println(f != nil, *g[1], *h.p, *i, *j, m[0], m[1], *n, *o.next.p)
	println(k())
	l(2)
	println(q()())
	println(*p, *s, *t.in.p, *t.a[1], *u.p, *r1, r2[0], r2[1])
	println(x.f())
	println(v[0], v[1], *w, *y, *z, *rec)
}

// EscapesInLoops has addresses that live from one iteration of a loop to a later one.
func EscapesInLoops() {
	var last *int
	for i := range 4 {
		x := i * 10
		if last != nil {
			print(*last, " ")
		}
		last = &x
	}
	println(*last)
	var h holder
	for i := range 4 {
		x := i * 10
		if h.p != nil {
			print(*h.p, " ")
		}
		h.p = &x
	}
	println(*h.p)
	var chain *holder
	for i := range 4 {
		x := i
		chain = &holder{p: &x, next: chain}
	}
	for c := chain; c != nil; c = c.next {
		print(*c.p, " ")
	}
	println()
	var all [3]*int
	for i := range all {
		x := i * 7
		all[i] = &x
	}
	println(*all[0], *all[1], *all[2])
	var prev, cur []int
	for i := range 4 {
		a := [2]int{i, i * i}
		prev, cur = cur, a[:]
		if prev != nil {
			print(prev[0], prev[1], " ")
		}
	}
	println(cur[1])
	var f func() int
	for i := range 3 {
		x := i
		g := func() int { x++; return x }
		if f != nil {
			print(f(), g(), f(), " ")
		}
		f = g
	}
	println(f())
	i := 0
	var p *int
again:
	x := i
	if p != nil {
		print(*p, " ")
	}
	p = &x
	if i++; i < 3 {
		goto again
	}
	println(*p)
	var outside holder
	for i := range 3 {
		y := i
		inside := holder{p: &y}
		if outside.p != nil {
			print(*outside.p, *inside.p, " ")
		}
		outside = inside
	}
	println(*outside.p)
	pointers := map[int]*int{}
	for i := range 3 {
		z := i * i
		pointers[i] = &z
	}
	println(*pointers[1], *pointers[2])
	var any1 any
	for i := range 3 {
		z := i
		print(any1 == any(&z), " ")
		any1 = &z
	}
	println()
	var pp **int
	for i := range 3 {
		z := i
		q := &z
		if pp != nil {
			print(**pp, " ")
		}
		pp = &q
	}
	println(**pp)
	compare := [2]*int{}
	for i := range compare {
		z := 1
		compare[i] = &z
	}
	println(compare[0] == compare[1])
	// A variable is zero at the start of each iteration.
	for i := range 3 {
		var v [3]int
		var w inner
		addTo(&v, i)
		w.scale(2)
		w.x += i
		print(v[0], v[1], v[2], w.x, " ")
	}
	println()
}

func addTo(v *[3]int, i int) { v[i] += i + 1 }

// Stays has variables that may be on the stack, in every kind of use that does not let them escape.
func Stays() {
	x := 1
	p := &x
	*p += 2
	a := [3]int{1, 2, 3}
	s := a[:]
	s[1] = 20
	func() { x += s[1] }()
	h := holder{p: p}
	*h.p += 100
	i := inner{1, 2, "n"}
	i.scale(3)
	println(x, a[1], *h.p, i.sum(), len(s))
	visit(s, func(v int) { x += v })
	println(x)
	var b [2]inner
	q := &b[1]
	q.scale(1)
	q.x = 7
	println(b[1].x, b == [2]inner{1: {x: 7}})
}

func visit(s []int, f func(int)) {
	for _, v := range s {
		f(v)
	}
}

type nest struct{ in *nest }

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

// Deep recurses as deep as the stack limit allows.
func Deep() { println(deep(100)) }

// Large has large variables.
func Large() {
	var a [5000]int
	fill := func(p *[5000]int, v int) {
		for i := range p {
			p[i] = v + i
		}
	}
	fill(&a, 3)
	var b [5000]int
	copy(b[:], a[:])
	fill(&b, 4)
	sum := 0
	for i := range 3 {
		var c [200]int
		c[i]++
		for _, v := range c {
			sum += v
		}
	}
	println(a[4999], b[4999], b[0], sum)
	lists := make([][]int, 0)
	for i := range 100 {
		lists = append(lists, make([]int, 10000))
		lists[i][9999] = i
	}
	println(lists[50][9999], lists[99][0])
}
