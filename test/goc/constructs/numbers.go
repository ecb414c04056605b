package constructs

// Wrap has integers of every width, which wrap around.
func Wrap() {
	i8, u8 := opaque[int8](127), opaque[uint8](255)
	i16, u16 := opaque[int16](32767), opaque[uint16](65535)
	i32, u32 := opaque[int32](1<<31-1), opaque[uint32](1<<32-1)
	i64, u64 := opaque[int64](1<<63-1), opaque[uint64](1<<64-1)
	println(i8+1, u8+1, i16+1, u16+1, i32+1, u32+1, i64+1, u64+1)
	println(i8*i8, u8*u8, i16*i16, u16*u16, i32*i32, u32*u32, i64*i64, u64*u64)
	println(-i8-2, -u8, -i16-2, -u16, -i32-2, -u32, -i64-2, -u64)
	println(^i8, ^u8, ^i16, ^u16, ^i32, ^u32, ^i64, ^u64)
	println(i8&^5, u8&^5, i16&^5, u16&^5, i32&^5, u32&^5, i64&^5, u64&^5)
	println(i8^u(i8), u8^0x55, i16|^7, u16&0xf0f, i32^-1, u32|1, i64&-8, u64^u64)
	i8 += 100
	u16 -= 40000
	i32 *= 3
	u64 *= u64
	i8++
	u16--
	println(i8, u16, i32, u64)
	var p uintptr = uintptr(opaque(7))
	println(p-8 > 0, int(p)-8)
}

func u(v int8) int8 { return v / 2 }

// Shifts has shifts by counts up to and above the width, and by counts of every type.
func Shifts() {
	for _, n := range []uint{0, 1, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 1000} {
		println(opaque[int8](-77)<<n, opaque[int8](-77)>>n, opaque[uint8](0xb3)<<n, opaque[uint8](0xb3)>>n)
		println(opaque[int16](-30001)<<n, opaque[int16](-30001)>>n, opaque[uint16](0xb3b3)<<n, opaque[uint16](0xb3b3)>>n)
		println(opaque[int32](-2000000001)<<n, opaque[int32](-2000000001)>>n, opaque[uint32](0xb3b3b3b3)<<n, opaque[uint32](0xb3b3b3b3)>>n)
		println(opaque[int64](-1<<62-1)<<n, opaque[int64](-1<<62-1)>>n, opaque[uint64](0xb3b3b3b3b3b3b3b3)<<n, opaque[uint64](0xb3b3b3b3b3b3b3b3)>>n)
	}
	x := opaque(-5)
	println(x<<3, x>>1, x<<62, x>>63, uint32(x)>>31, uint8(x)<<7, int8(x)>>7)
	var narrow uint8 = 200
	println(1<<narrow == 0, x>>narrow, opaque[int8](3)<<opaque[int8](6))
	x <<= 4
	x >>= opaque(2)
	println(x)
}

// Division has division and remainder, including quotients that overflow.
func Division() {
	for _, a := range []int{-9223372036854775808, -7, -1, 0, 1, 7, 9223372036854775807} {
		for _, b := range []int{-9223372036854775808, -3, -1, 1, 2, 3, 9223372036854775807} {
			println(a/b, a%b, a/3, a%3, a/-1, a%-1, a/-3, a%-3)
			println(uint(a)/uint(b), uint(a)%uint(b), uint(a)/10, uint(a)%10)
		}
	}
	println(opaque[int8](-128)/opaque[int8](-1), opaque[int8](-128)%opaque[int8](-1), opaque[int16](-32768)/opaque[int16](-1))
	println(opaque[int32](-2147483648)/opaque[int32](-1), opaque[int32](-2147483648)%opaque[int32](-1), opaque[uint8](200)/7, opaque[uint8](200)%7)
}

// Conversions has conversions between numbers.
func Conversions() {
	for _, v := range []int64{0, 1, -1, 127, 128, 255, 256, -129, 32768, 65536, 1 << 31, 1 << 32, -1 << 31, -1 << 63, 1<<63 - 1} {
		println(int8(v), uint8(v), int16(v), uint16(v), int32(v), uint32(v), uint64(v), int(v), uint(v))
		println(float64(v), float32(v), float64(uint64(v)), float32(uint64(v)), float64(int8(v)), float64(uint32(v)))
	}
	for _, f := range []float64{0, 0.5, -0.5, 1.99, -1.99, 100.7, -100.7, 2147483647, -2147483648, 4294967295, 9.2e18, -9.2e18} {
		println(int64(f), int32(int64(f)), int(f), float32(f), uint32(int64(f)))
	}
	for _, f := range []float64{0, 1, 127.9, 1e3, 4294967295, 1e15, 9223372036854775808, 18446744073709549568} {
		println(uint64(f))
	}
	println(int8(opaque(-3.9)), uint8(opaque(200.2)), int16(opaque(-3000.9)), uint16(opaque(60000.5)), int32(opaque[float32](-7.5)))
	type celsius float32
	println(celsius(opaque(36.6)) > 36, int(celsius(opaque(36.6))))
}

// Floats has floating-point numbers: NaN, infinities, both zeros, rounding to 32 bits.
func Floats() {
	zero := opaque(0.0)
	nan, inf := zero/zero, 1/zero
	println(nan, inf, -inf, zero, -zero, 1/-zero, 1/(zero*-1))
	println(nan == nan, nan != nan, nan < 1, nan > 1, nan <= nan, inf > 1e308, -inf < inf, inf == inf)
	println(opaque(0.1)+opaque(0.2), opaque[float32](0.1)+opaque[float32](0.2), opaque[float32](16777216)+1)
	println(opaque(1e308)*10, opaque(1e-308)/1e10, opaque[float32](1e38)*10)
	println(opaque(1.5), opaque(-2.75), opaque(123456789.0), opaque(1e100), opaque(1e-100))
	x := opaque(3.0)
	x -= 0.5
	x *= x
	println(x, -x, x/3)
	// One product and one sum, each rounded: not a fused operation.
	a, b, c := opaque(1+0x1p-30), opaque(1-0x1p-30), opaque(-1.0)
	println(float64(a*b)+c == 0)
}

// MinMax has minimum and maximum.
func MinMax() {
	a, b := opaque(3), opaque(-7)
	println(min(a, b), max(a, b), min(a, b, -100), max(1, a, b), min(opaque[uint8](200), 3), max(opaque[uint64](1<<63), 5))
	zero := opaque(0.0)
	nan := zero / zero
	println(min(1, nan), max(nan, 1), min(opaque(2.5), 1), max(opaque(2.5), 1, 7), 1/min(zero, -zero), 1/max(-zero, zero), 1/min(-zero, zero), 1/max(zero, -zero))
	println(min(opaque[float32](1.25), 2), max(opaque[float32](1.25), 2))
}

// Booleans has booleans, and operators that skip their second operand.
func Booleans() {
	calls := 0
	say := func(v bool) bool { calls++; return v }
	println(say(true) || say(false), say(false) || say(true), say(false) && say(true), say(true) && say(true), calls)
	t, f := opaque(true), opaque(false)
	println(t == f, t != f, !t, t && !f, !(t && f) || f)
	if !say(f) && (say(t) || say(f)) {
		println("yes", calls)
	}
	x := t && say(false) || say(t) && !say(f)
	println(x, calls)
}

// Comparisons has comparisons of numbers.
func Comparisons() {
	a, b := opaque[int8](-1), opaque[int8](1)
	println(a < b, a <= b, a > b, a >= b, a == b, a != b, uint8(a) < uint8(b))
	c, d := opaque[uint64](1<<63), opaque[uint64](1)
	println(c < d, c > d, int64(c) < int64(d))
}

func divide(a, b int) int { return a / b }

func PanicDivide()            { println(divide(1, opaque(0))) }
func PanicRemainder()         { println(opaque[int8](1) % opaque[int8](0)) }
func PanicDivideUnsigned()    { println(opaque[uint32](1) / opaque[uint32](0)) }
func PanicRemainderUnsigned() { println(opaque[uint64](1) % opaque[uint64](0)) }
func PanicDivideUnused()      { _ = 1 / opaque(0) }
func PanicShift()             { println(1 << opaque(-1)) }
func PanicShiftRight()        { println(opaque[uint8](1) >> opaque[int8](-128)) }
