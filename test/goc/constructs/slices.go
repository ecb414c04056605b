package constructs

import "slices"

func show(s []int) {
	print(len(s), " [")
	for i, v := range s {
		if i > 0 {
			print(" ")
		}
		print(v)
	}
	println("]", s == nil)
}

// Slices has slices that share an array.
func Slices() {
	a := []int{1, 2, 3, 4, 5}
	b := a[1:3]
	c := append(b, 99) // overwrites a[3]
	show(a)
	show(b)
	show(c)
	d := a[1:3:3]
	e := append(d, 77) // allocates a new array
	show(a)
	show(e)
	e[0] = 1000
	show(a)
	println(cap(b), cap(d), len(a[5:]), cap(a[5:]), cap(a[:0]), cap(a[2:4:4]))
	show(a[:0])
	show(a[5:])
	show(a[2:2:2])
	copy(a[1:], a)
	show(a)
	copy(a, a[2:])
	show(a)
	println(copy(a, []int{}), copy(a[:2], []int{7, 8, 9}), copy(a[4:], a))
	show(a)
}

// Append appends. Once the new slice has a new array, the old slice does not see its changes.
func Append() {
	var s []int
	show(s)
	for i := range 40 {
		old := s
		s = append(s, i)
		if len(old) > 0 && cap(s) != cap(old) {
			s[0] = -i
			if old[0] == -i {
				println("shared", i)
			}
			s[0] = 0
		}
	}
	show(s)
	s = append(s, s...)
	show(s[35:45])
	s = append(s[:2], s[5:7]...)
	show(s)
	show(append([]int(nil), s...))
	show(append([]int{}, []int{}...))
	t := append([]string(nil), "a", "b")
	t = append(t, t[0]+t[1])
	println(len(t), t[2])
	var grid [][]int
	for i := range 3 {
		grid = append(grid, make([]int, i+1))
		for j := range grid[i] {
			grid[i][j] = i * j
		}
	}
	println(len(grid), grid[2][2])
	empties := make([]struct{}, 3)
	empties = append(empties, struct{}{}, struct{}{})
	println(len(empties))
}

// NilSlices tells nil slices from empty ones.
func NilSlices() {
	var none []int
	empty := []int{}
	made := make([]int, 0, opaque(0))
	println(none == nil, empty == nil, made == nil, none[:] == nil, empty[:0] == nil, len(none[0:0:0]))
	for range none {
		println("never")
	}
	none = append(none, empty...)
	println(none == nil, append(none, 1) == nil)
	println(slices.Contains(none, 1), slices.Index([]int{4, 5}, 5), slices.Equal(none, empty))
}

// Sorting has sorting and searching, with generic functions over slices.
func Sorting() {
	s := []int{5, 2, 9, -1, 5, 0, 13, 7, 2, 8, 8, 1, -4, 3, 6, 11}
	slices.Sort(s)
	show(s)
	at, found := slices.BinarySearch(s, 7)
	println(at, found)
	words := []string{"pear", "fig", "apple", "kiwi", "date"}
	slices.SortFunc(words, func(a, b string) int { return len(a) - len(b) })
	slices.SortStableFunc(words, func(a, b string) int { return len(a) - len(b) })
	for _, w := range words {
		print(len(w), " ")
	}
	println()
	slices.Reverse(s)
	show(s)
	show(slices.Clone(s[:3]))
	i := slices.IndexFunc(s, func(v int) bool { return v < 0 })
	println(i, slices.Max(s), slices.Min(s))
}

type pair struct {
	a int
	b string
}

// Arrays has arrays, which are copied by assignment.
func Arrays() {
	a := [3]int{1, 2, 3}
	b := a
	b[1] = 20
	println(a[1], b[1], a == b, a == [3]int{1, 2, 3}, a != b, len(a))
	pass := func(v [3]int) int { v[0] = 100; return v[0] + v[1] }
	println(pass(a), a[0])
	p := &a
	p[2] = 30
	for i, v := range p {
		print(i, "=", v, " ")
	}
	for i, v := range a { // ranges over a copy
		a[2] = 7
		print(i, "=", v, " ")
	}
	for i := range p {
		print(i)
	}
	println(len(p), a[opaque(2)], p[opaque(1)])
	matrix := [2][3]int{{1, 2, 3}, {4, 5, 6}}
	row := matrix[1]
	row[0] = 9
	other := matrix
	other[0][0]--
	println(matrix[1][0], row[0], matrix == other, matrix[0] == other[0], matrix[1] == other[1])
	sparse := [...]string{5: "five", 1: "one", 2: "two"}
	println(len(sparse), sparse[5], sparse[0] == "")
	pairs := [2]pair{{1, "x"}, {2, "y"}}
	println(pairs == [2]pair{{1, "x"}, {2, "y"}}, pairs == [2]pair{{1, "x"}, {2, "z"}})
	var none [0]int
	println(none == [0]int{}, len(none), len(none[:]))
	s := a[:]
	s[0] = 55
	println(a[0], len(a[1:]), cap(a[1:2]), cap(a[1:2:2]))
	get := func() [3]int { return a }
	println(get()[1], get() == a)
	big := [500]int{499: 1}
	copied := big
	copied[0] = 1
	println(big[0], copied[499], big == copied)
}

func PanicIndex()           { s := []int{1, 2, 3}; println(s[opaque(5)]) }
func PanicIndexBelow()      { s := []int{1, 2, 3}; println(s[opaque(-5)]) }
func PanicIndexNil()        { var s []int; println(s[opaque(0)]) }
func PanicIndexStore()      { s := []int{1}; s[opaque(1)] = 2 }
func PanicIndexArray()      { a := [3]int{}; println(a[opaque(3)]) }
func PanicIndexSmall()      { s := []int{1}; println(s[opaque[uint8](200)]) }
func PanicIndexUnused()     { s := []int{1}; _ = s[opaque(1)] }
func PanicSliceEnd()        { s := []int{1, 2, 3}; println(len(s[:opaque(4)])) }
func PanicSliceEndBelow()   { s := []int{1, 2, 3}; println(len(s[:opaque(-4)])) }
func PanicSliceOrder()      { s := []int{1, 2, 3}; println(len(s[opaque(2):opaque(1)])) }
func PanicSliceBelow()      { s := []int{1, 2, 3}; println(len(s[opaque(-2):])) }
func PanicSliceArray()      { a := [3]int{}; println(len(a[:opaque(4)])) }
func PanicSliceArrayOrder() { a := [3]int{}; println(len(a[opaque(3):opaque(2)])) }
func PanicSliceThree()      { s := []int{1, 2, 3}; println(len(s[0:1:opaque(7)])) }
func PanicSliceThreeEnd()   { s := []int{1, 2, 3}; println(len(s[0:opaque(3):opaque(2)])) }
func PanicSliceThreeBegin() { s := []int{1, 2, 3}; println(len(s[opaque(3):opaque(2):opaque(3)])) }
func PanicSliceThreeBelow() { s := []int{1, 2, 3}; println(len(s[opaque(-1):opaque(2):opaque(3)])) }
func PanicSliceThreeArray() { a := [3]int{}; println(len(a[0:1:opaque(7)])) }
func PanicMakeLength()      { println(len(make([]int, opaque(-1)))) }
func PanicMakeCapacity()    { println(len(make([]int, opaque(2), opaque(1)))) }
func PanicMakeHuge()        { println(len(make([]int64, opaque(1<<62)))) }
