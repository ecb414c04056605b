package constructs

// ClosuresInLoops has closures that capture the variables of loops: each iteration has new ones.
func ClosuresInLoops() {
	var list []func() int
	for i := 0; i < 3; i++ {
		list = append(list, func() int { i += 10; return i })
	}
	for _, f := range list {
		print(f(), " ", f(), " ")
	}
	println()
	var words []func() string
	for i, w := range []string{"a", "b", "c"} {
		n := i * i
		words = append(words, func() string { n++; return w + string(rune('0'+n)) })
	}
	for _, f := range words {
		print(f(), f(), " ")
	}
	println()
	shared := 0
	var adders [3]func()
	for i := range adders {
		adders[i] = func() { shared += i + 1 }
	}
	for _, f := range adders {
		f()
	}
	println(shared)
}

func makeCounter() (next func() int, reset func()) {
	n := 0
	return func() int { n++; return n }, func() { n = 0 }
}

// Closures has closures that outlive their function, call themselves, and are nested.
func Closures() {
	next, reset := makeCounter()
	other, _ := makeCounter()
	next()
	next()
	println(next(), other())
	reset()
	println(next(), other())
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	println(fib(15))
	add := func(a int) func(int) func(int) int {
		return func(b int) func(int) int {
			a += 100
			return func(c int) int { b++; return a + b + c }
		}
	}
	f := add(1)(2)
	println(f(3), f(3))
	compose := func(fs ...func(int) int) func(int) int {
		return func(v int) int {
			for _, f := range fs {
				v = f(v)
			}
			return v
		}
	}
	println(compose(func(v int) int { return v + 1 }, func(v int) int { return v * 2 }, double)(5))
	x := 5
	change := func(p *int) { *p = 7 }
	change(&x)
	func() { x++ }()
	println(x)
	var nothing func()
	println(nothing == nil, change != nil)
	apply := func(s []int, f func(*int)) {
		for i := range s {
			f(&s[i])
		}
	}
	s := []int{1, 2, 3}
	apply(s, func(p *int) { *p *= x })
	show(s)
	type handler struct{ run func(string) string }
	h := handler{func(s string) string { return s + s }}
	println(h.run("ab"))
}

func double(v int) int { return 2 * v }

// Iterators has ranges over functions.
func Iterators() {
	count := func(n int) func(func(int) bool) {
		return func(yield func(int) bool) {
			for i := range n {
				if !yield(i) {
					return
				}
			}
		}
	}
	sum := 0
	count(5)(func(v int) bool { sum += v; return v < 3 })
	println(sum)
}
