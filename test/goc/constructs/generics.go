package constructs

type number interface {
	~int | ~int8 | ~uint16 | ~float64
}

func total[T number](list ...T) (sum T) {
	for _, v := range list {
		sum += v
	}
	return sum
}

func apply[A, B any](list []A, f func(A) B) []B {
	out := make([]B, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

type stack[T any] struct {
	items []T
	limit int
}

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }
func (s *stack[T]) pop() (v T, ok bool) {
	if len(s.items) == 0 {
		return v, false
	}
	v = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, true
}
func (s stack[T]) each(f func(int, T)) {
	for i, v := range s.items {
		f(i, v)
	}
}

type couple[K comparable, V any] struct {
	key   K
	value V
}

type table[K comparable, V any] struct {
	index map[K]int
	list  []couple[K, V]
}

func (t *table[K, V]) set(k K, v V) {
	if t.index == nil {
		t.index = map[K]int{}
	}
	if i, ok := t.index[k]; ok {
		t.list[i].value = v
		return
	}
	t.index[k] = len(t.list)
	t.list = append(t.list, couple[K, V]{k, v})
}

type node[T any] struct {
	next *node[T]
	v    T
}

func first[T comparable](list []T, want T) int {
	for i, v := range list {
		if v == want {
			return i
		}
	}
	return -1
}

func zero[T any]() (v T) { return }

// Generics has generic functions and types.
func Generics() {
	println(total(1, 2, 3), total(1.5, 2.5), total[int8](100, 100), total[small](1, 2), total[uint16]())
	lengths := apply([]string{"a", "bb", "ccc"}, func(s string) int { return len(s) })
	show(lengths)
	texts := apply(lengths, func(n int) string { return "abcdef"[:n] })
	println(texts[2])
	var s stack[string]
	s.push("a")
	s.push("b")
	v, ok := s.pop()
	println(v, ok, len(s.items))
	s.each(func(i int, v string) { println(i, v) })
	var n stack[pair]
	_, ok = n.pop()
	n.push(pair{1, "x"})
	p, _ := n.pop()
	println(ok, p.b)
	var t table[string, []int]
	t.set("a", []int{1})
	t.set("b", nil)
	t.set("a", []int{1, 2})
	println(len(t.list), len(t.list[0].value), t.list[1].key)
	var u table[[2]int, bool]
	u.set([2]int{1, 2}, true)
	u.set([2]int{1, 2}, false)
	println(len(u.list), u.list[0].value)
	l := &node[float64]{&node[float64]{nil, 1.5}, 2.5}
	println(l.next.v + l.v)
	println(first([]string{"x", "y"}, "y"), first([]pair{{1, "a"}}, pair{1, "b"}), first([]any{1, "a"}, any("a")))
	println(zero[int](), zero[string]() == "", zero[*int]() == nil, zero[[2]bool]()[1], zero[couple[int, string]]().key)
	f := total[float64]
	println(f(1, 2))
}
