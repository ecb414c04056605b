package constructs

import "errors"

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// Interfaces has interface values and their comparison.
func Interfaces() {
	var none any
	println(none == nil)
	a, b := any(1), any(1)
	println(a == b, a == any(2), a == any(int8(1)), a == any("1"), a != nil, a == none, any("x") == any(opaque("x")))
	x := 5
	p, q := any(&x), any(&x)
	println(p == q, p == any(new(int)))
	st := any(square{3})
	println(st == any(square{3}), st == any(square{4}))
	for _, v := range []any{1, "two", 3.5, nil, true, square{4}, &square{5}, [2]int{3, 4}, small(7), errors.New("x") != nil} {
		print(v == nil, v == any(1), v == any("two"), v == any(square{4}), v == any([2]int{3, 4}), v == any(true), " ")
	}
	println()
	var err error
	println(err == nil)
	f := &failure{"bad"}
	err = f
	println(err != nil, err == error(f), err == error(&failure{"bad"}))
	var typed *failure
	err = typed
	println(err == nil)
	var sh shape = square{2}
	println(sh == shape(square{2}))
	list := []any{square{1}, "s"}
	list[1] = list[0]
	println(list[0] == list[1])
	type wrapper struct {
		v any
		n int
	}
	println(wrapper{1, 2} == wrapper{1, 2}, wrapper{1, 2} == wrapper{"1", 2})
	println([2]any{1, "a"} == [2]any{1, opaque("a")})
}

func PanicString() { panic("a text: " + opaque("x")) }
