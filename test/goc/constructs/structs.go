package constructs

type inner struct {
	x, y int
	name string
}

func (i inner) sum() int       { return i.x + i.y }
func (i *inner) scale(by int)  { i.x *= by; i.y *= by }
func (i inner) Name() string   { return "<" + i.name + ">" }
func (i *inner) rename(string) {}

type outer struct {
	inner
	_    int32
	more *inner
	list [2]inner
	_    string
	flag bool
}

func (o *outer) rename(name string) { o.name = name + "/" + o.inner.name }

type blank struct {
	_ int
	a int8
	_ string
	b string
}

// foreign has field names with letters that are not valid in C.
type foreign struct{ é, è, ö int }

// Structs has nested and blank fields, copies, comparison and conversion of structs.
func Structs() {
	a := outer{inner: inner{1, 2, "a"}, flag: true}
	b := a
	b.x = 10
	b.list[1].name = "deep"
	b.more = &a.inner
	b.more.y = 77
	println(a.x, a.y, b.x, b.y, b.list[1].name, a.list[1].name == "", b.more.name)
	println(a == b, a.inner == b.inner, a == a, a.inner == inner{1, 77, "a"}, b.list == a.list)
	type same struct {
		x, y int
		name string
	}
	c := same(a.inner)
	c.x++
	d := inner(c)
	println(c.x, d.x, d.sum(), same(d) == c)
	p := &a
	p.list[0] = d
	q := p
	q.list[0].x = 1000
	println(a.list[0].x, p == q, &p.list[0] == &q.list[0], &p.list[0] == &p.list[1])
	anonymous := struct {
		n int
		s []int
	}{3, []int{1}}
	anonymous.s = append(anonymous.s, anonymous.n)
	println(len(anonymous.s), anonymous.s[1])
	var none struct{}
	println(none == struct{}{})
	f := foreign{1, 2, 3}
	f.è = 20
	println(f.é, f.è, f.ö, f == foreign{1, 20, 3})
	x, y := blank{a: 1, b: "q"}, blank{a: 1, b: "q"}
	println(x == y, x != y, x == blank{})
	var zero outer
	println(zero.more == nil, zero.flag, zero.name == "", zero.list[1].x)
	*p = outer{}
	println(a.x, a == zero)
	pairs := []inner{{1, 2, "p"}, {3, 4, "q"}}
	for _, v := range pairs {
		v.x = 100
	}
	for i := range pairs {
		pairs[i].y = i
	}
	println(pairs[0].x, pairs[1].y)
}

type empty struct{}
type hollow struct {
	empty
	e [0]int
	n int
}

func (empty) who() string { return "empty" }

// ZeroSize has types of size zero.
func ZeroSize() {
	var a, b empty
	println(a == b, a.who(), len([3]empty{}), [3]empty{} == [3]empty{})
	h := hollow{n: 3}
	k := h
	k.n++
	println(h.n, k.n, h == k, h.who(), len(h.e))
	list := make([]empty, 4, 10)
	list[2] = empty{}
	list = append(list[:1], list...)
	println(len(list), copy(list, list[1:]))
	set := map[empty]int{{}: 7}
	set[a]++
	println(set[b], len(set))
	there := map[string]struct{}{"x": {}}
	_, yes := there["x"]
	_, no := there["y"]
	println(yes, no)
	var boxed any = empty{}
	println(boxed == any(empty{}), boxed == any([0]int{}))
	p, q := new([0]int), []empty{}
	println(p != nil, len(q), q == nil)
	f := func(e empty, v [0]string) (empty, int) { return e, len(v) }
	_, n := f(a, [0]string{})
	println(n)
}

// Methods has methods of values and pointers, promoted methods, method values and method expressions.
func Methods() {
	o := outer{inner: inner{2, 3, "o"}}
	o.scale(10)
	println(o.sum(), o.Name(), o.inner.Name())
	o.rename("new")
	println(o.name)
	f := o.sum // contains a copy of o
	g := o.scale
	g(2)
	println(f(), o.sum())
	h := inner.sum
	k := (*inner).scale
	k(&o.inner, 3)
	println(h(o.inner))
	call := func(f func() int) int { return f() + 1 }
	println(call(o.sum), call(o.inner.sum), call(inner{4, 5, ""}.sum))
	p := &o
	for _, m := range []func(int){p.scale, p.inner.scale, func(v int) { p.x = v }} {
		m(2)
	}
	println(p.x, p.y)
	var c counter
	c.add(2)
	c.add(3)
	add := c.add
	add(5)
	println(c, int(c)+1, celsius(30).hot(), celsius.hot(20))
}

type counter int

func (c *counter) add(n int) { *c += counter(n) }

type celsius float64

func (c celsius) hot() bool { return c > 25 }

type tree struct {
	left, right *tree
	value       int
}

func (t *tree) insert(v int) *tree {
	if t == nil {
		return &tree{value: v}
	}
	if v < t.value {
		t.left = t.left.insert(v)
	} else {
		t.right = t.right.insert(v)
	}
	return t
}

func (t *tree) walk(visit func(int)) {
	if t != nil {
		t.left.walk(visit)
		visit(t.value)
		t.right.walk(visit)
	}
}

// Trees has pointers that refer to each other, and methods with a nil receiver.
func Trees() {
	var root *tree
	for _, v := range []int{5, 2, 8, 1, 9, 3} {
		root = root.insert(v)
	}
	sum := 0
	root.walk(func(v int) { sum = sum*10 + v })
	println(sum)
	pp := &root
	(*pp).value = 50
	println(root.value, (**pp).left.value)
	type list struct {
		next *list
		v    int
	}
	var head *list
	for i := range 4 {
		head = &list{head, i}
	}
	for l := head; l != nil; l = l.next {
		print(l.v, " ")
	}
	println()
	a, b := new(int), new(int)
	*a, *b = 1, 1
	println(a == b, *a == *b, a != nil)
}

// Results has functions with several results, and with named results.
func Results() {
	two := func(a int) (int, string) { return a * 2, "two" }
	n, s := two(4)
	println(n, s)
	_, s = two(5)
	n, _ = two(6)
	println(n, s)
	named := func(a int) (x, y int, text string) {
		x = a
		if a > 3 {
			y = 1
			return
		}
		text = "small"
		return y, x, text + "!"
	}
	println(named(1))
	println(named(10))
	pass := func(n int, s string) string { return s + s[:n%2] }
	println(pass(two(3)))
	a, b := 1, 2
	a, b = b, a
	list := []int{0, 1, 2}
	i := 0
	i, list[i] = 2, 9 // the index is evaluated first
	println(a, b, i, list[0], list[2])
	list[0], list[1], list[2] = list[2], list[0], list[1]
	println(list[0], list[1], list[2])
	three := func() (outer, [2]string, error) { return outer{flag: true}, [2]string{"p", "q"}, nil }
	o, words, err := three()
	println(o.flag, words[1], err == nil)
}

func variadic(prefix string, rest ...int) int {
	total := len(prefix)
	for _, v := range rest {
		total += v
	}
	if len(rest) > 0 {
		rest[0] = 100
	}
	return total
}

// Variadic has variadic functions.
func Variadic() {
	s := []int{1, 2, 3}
	println(variadic("a"), variadic("ab", 1), variadic("abc", 1, 2), variadic("", s...), s[0])
}

// Order checks the order of evaluation.
func Order() {
	say := func(n int) int { print(n, " "); return n }
	a := []int{10, 20, 30}
	a[say(0)], a[say(1)] = say(5), say(6)
	println(a[0] + say(7)*say(8))
	m := map[int]int{say(1): say(2), say(3): say(4)}
	m[say(9)] = say(10)
	println(len(m))
	x := 1
	f := func() int { x *= 10; return x }
	y := f()
	y += f() * f()
	println(y, x)
	t := inner{say(1), say(2), "z"}
	println(t.x, t.y)
}

func PanicNilField()    { var p *inner; println(opaque(p).y) }
func PanicNilStore()    { var p *inner; opaque(p).x = 1 }
func PanicNilLoad()     { var p *int; println(*opaque(p)) }
func PanicNilUnused()   { var p *inner; _ = *opaque(p) }
func PanicNilFunction() { var f func(); opaque(f)() }
func PanicNilArray()    { var p *[3]int; println(opaque(p)[1]) }

//go:noinline
func noArray() *[3]int  { return nil }
func PanicNilSlice()    { println(len(noArray()[:])) }
func PanicNilMethod()   { var p *inner; println(opaque(p).sum()) }
func PanicNilEmbedded() { var p *outer; f := opaque(p).scale; f(1) }
func PanicNilLarge() {
	var p *struct {
		a [100000]byte
		b int
	}
	println(opaque(p).b)
}
