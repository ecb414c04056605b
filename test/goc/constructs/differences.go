package constructs

// The programs of this file once had different results in C and in Go.

// Negated has the unary minus of negative numbers, which C could read as the operator --.
func Negated() {
	x, y, z := -1, int32(-7), -1.5
	println(-x, -y, -z, -int8(y), - -y)
	const low = int16(-32768)
	w := low
	println(-w, ^w, -int64(w))
	f := float32(-2.25)
	println(-f < 2.5, -f == 2.25)
}

// FloatsTooLarge has numbers that no integer can hold.
func FloatsTooLarge() {
	zero := opaque(0.0)
	for _, f := range []float64{1 << 63, 1<<64 - 2048, 1 << 64, 1e20, 1e300, 1 / zero, zero / zero, -1, -1e300, -1 / zero} {
		println(uint64(f), uint(f), int64(f), uint32(f), int32(f), uint16(f), int16(f), uint8(f), int8(f))
	}
	for _, f := range []float32{1 << 63, 1 << 64, 1e30, -1e30, float32(1 / zero), float32(zero / zero)} {
		println(uint64(f), int64(f), uint32(f))
	}
}

// MapsThatChange fills a map, with keys whose hashes collide.
func MapsThatChange() {
	m := map[int]int{}
	var want [64]int
	seed := uint32(7)
	for i := range 20000 {
		seed = seed*1664525 + 1013904223
		k := int(seed>>20) % len(want)
		m[k], want[k] = i+1, i+1
		if i%500 == 0 {
			count, same := 0, true
			for k, w := range want {
				v, ok := m[k]
				same = same && v == w && ok == (w != 0)
				if ok {
					count++
				}
			}
			println(i, same, count == len(m))
		}
	}
	type empty struct{}
	none := map[empty]empty{{}: {}}
	none[empty{}] = empty{}
	println(len(none))
}

// StringsGrow has a large string that grows in several ways at once.
func StringsGrow() {
	text, other := "", ""
	for i := range 60000 {
		text += "0123456789"
		if i%1000 == 0 {
			other = text + "x"
			other += "y"
		}
	}
	a, b := text+"a", text+"bb"
	println(len(text), len(other), len(a), len(b), a[len(text):], b[len(text):], other[len(other)-2:], text[len(text)-3:])
}

// PanicAppendNothing appends elements of size zero, which need no memory but are counted.
func PanicAppendNothing() {
	s := make([]struct{}, 1<<62)
	s = append(s, s...)
	println(len(s) < 0)
	s = append(s, s...)
	println(len(s))
}

func PanicIndexUnsigned()    { println([]int{1, 2}[opaque(uint64(1<<63+5))]) }
func PanicIndexUint()        { println([3]int{1, 2}[opaque(^uint(0))]) }
func PanicStringUnsigned()   { println("abc"[opaque(uint64(1<<63))]) }
func PanicSliceUnsigned()    { println(len([]int{1, 2}[:opaque(uint64(1<<63+5))])) }
func PanicSliceLowUnsigned() { println(len([]int{1, 2}[opaque(uint64(1<<63+5)):])) }
func PanicSliceThreeUnsigned() {
	println(len([]int{1, 2}[0:1:opaque(uint64(1<<63+5))]))
}
func PanicSubstringUnsigned() { println("abc"[:opaque(^uint64(0))]) }
func PanicSliceMidUnsigned()  { println(len([]int{1, 2}[0:opaque(^uint64(0)):2])) }
func PanicMakeUnsigned()      { println(len(make([]int, opaque(^uint64(0))))) }
