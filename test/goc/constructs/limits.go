package constructs

import "strings"

// The recursion never ends. Compilers must not detect that, or turn it into a loop.
func down(n int) int {
	if n < 0 {
		return n
	}
	return down(n+1) ^ n
}

func ping(n int) int {
	if n < 0 {
		return n
	}
	return pong(n+1) ^ n*2
}

func pong(n int) int { return ping(n+1) ^ n }

type endless struct{ text [4]string }

func (e *endless) more(n int) int {
	copied := *e
	if n < 0 {
		return n
	}
	return copied.more(n+1) ^ len(e.text)
}

type step func(t []step, n int) int

func left(t []step, n int) int  { return t[(n+1)%2](t, n+1) ^ n }
func right(t []step, n int) int { return t[n*n%2](t, n+1) ^ n }

func again[T comparable](v T, n int) int {
	var zero T
	if v == zero {
		return n
	}
	return again(v, n+1) ^ n
}

// The Endless programs recurse in every way.
func EndlessDirect() { println(down(0)) }
func EndlessMutual() { println(ping(0)) }
func EndlessClosure() {
	var f func(int) int
	f = func(n int) int { return f(n+1) ^ n }
	println(f(0))
}
func EndlessMethod()  { println(new(endless).more(0)) }
func EndlessTable()   { println(left([]step{left, right}, 0)) }
func EndlessGeneric() { println(again("x", 0)) }

// Allocate allocates memory in every way.
func Allocate() {
	var lists [][]int
	m := map[string]*int{}
	var b strings.Builder
	text := ""
	for i := range 300 {
		lists = append(lists, make([]int, i))
		n := i
		m[text] = &n
		text += string(rune('a' + i%26))
		b.WriteString(text)
	}
	large := make([]byte, 3<<20)
	large = append(large, text...)
	boxes := []any{1, text, inner{}, &large}
	adders := []func() int{}
	for i := range 10 {
		adders = append(adders, func() int { i++; return i })
	}
	whole := b.String() + string(large[:10])
	keys := make(map[[2]int]bool, 100)
	for i := range 1000 {
		keys[[2]int{i, i}] = true
	}
	println(len(lists), len(m), len(whole), len(boxes), adders[3](), len(keys), len([]byte(whole)))
}
