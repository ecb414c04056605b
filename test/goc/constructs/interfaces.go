package constructs

import "errors"

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// Interfaces has interface values: comparison, assertion, type switches.
func Interfaces() {
	var none any
	println(none == nil)
	a, b := any(1), any(1)
	println(a == b, a == any(2), a == any(int8(1)), a == any("1"), a != nil, a == none, any("x") == any(opaque("x")))
	n, ok := a.(int)
	s, not := a.(string)
	println(n, ok, s == "", not, a.(int)+1)
	_, missing := none.(int)
	println(missing)
	x := 5
	p, q := any(&x), any(&x)
	println(p == q, p == any(new(int)), *p.(*int))
	*p.(*int) = 6
	println(x)
	st := any(square{3})
	println(st == any(square{3}), st == any(square{4}), st.(square).side)
	copied := st.(square)
	copied.side = 9
	println(st.(square).side)
	for _, v := range []any{1, "two", 3.5, nil, true, square{4}, &square{5}, []int{1, 2}, [2]int{3, 4}, small(7), uint8(8), errors.New("x") != nil} {
		switch v := v.(type) {
		case int:
			print("int ", v)
		case string:
			print("string ", v)
		case float64:
			print("float64 ", v)
		case nil:
			print("nil")
		case bool:
			print("bool ", v)
		case square:
			print("square ", v.side)
		case *square:
			print("*square ", v.side)
		case []int:
			print("slice ", len(v))
		case small, uint8:
			print("small or uint8 ", v != nil)
		default:
			print("other")
		}
		print("; ")
	}
	println()
	var err error
	println(err == nil)
	err = &failure{"bad"}
	if f, ok := err.(*failure); ok {
		println(f.text, err != nil, err == error(f))
	}
	var typed *failure
	err = typed
	println(err == nil, err.(*failure) == nil)
	var sh shape = square{2}
	println(sh.(square).area(), sh == shape(square{2}))
	list := []any{square{1}, "s"}
	list[1] = list[0]
	println(list[0] == list[1])
	type wrapper struct {
		v any
		n int
	}
	println(wrapper{1, 2} == wrapper{1, 2}, wrapper{1, 2} == wrapper{"1", 2})
	println([2]any{1, "a"} == [2]any{1, opaque("a")})
	f := any(func() int { return 42 })
	println(f.(func() int)())
	m := any(map[string]int{"a": 1})
	println(m.(map[string]int)["a"], a == m)
}

type code int
type label string
type signal bool

func PanicString()      { panic("a text: " + opaque("x")) }
func PanicInteger()     { panic(opaque(-42)) }
func PanicByte()        { panic(opaque[uint8](200)) }
func PanicBool()        { panic(opaque(true)) }
func PanicNamed()       { panic(code(opaque(7))) }
func PanicLabel()       { panic(label(opaque("ouch"))) }
func PanicSignal()      { panic(signal(opaque(false))) }
func PanicUnsigned()    { panic(opaque[uint64](1<<64 - 1)) }
func PanicShort()       { panic(opaque[int16](-300)) }
func PanicStruct()      { panic(pair{1, "x"}) }
func PanicPointer()     { panic(&pair{1, "x"}) }
func PanicNothing()     { panic(opaque[any](nil)) }
func PanicAssert()      { println(opaque[any]("x").(int)) }
func PanicAssertNil()   { println(opaque[any](nil).(int)) }
func PanicAssertNamed() { println(opaque[any](code(1)).(int)) }
func PanicAssertError() { println(opaque[error](&failure{}).(*other).n) }
func PanicCompare()     { println(opaque[any]([]int{}) == opaque[any]([]int{})) }
func PanicCompareInside() {
	type wrapper struct{ v any }
	println(wrapper{opaque[any](map[int]int{})} == wrapper{opaque[any](map[int]int{})})
}

type other struct{ n int }

func (*other) Error() string { return "other" }
