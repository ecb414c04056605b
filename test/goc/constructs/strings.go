package constructs

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Strings has joining, slicing, indexing and comparing of strings.
func Strings() {
	a, b := opaque("hello"), opaque(", world")
	c := a + b
	d := c + "!"
	e := c + "?" // must not write into d
	println(a, b, c, d, e, len(d), d[0], d[len(d)-1])
	println(c[1:4], c[:5], c[7:], c[5:5] == "", c[len(c):], c[:])
	println(a < b, a > b, a == "hello", a != "hello", "a" < "ab", "b" > "ab", "" < "a", a <= a, a >= "hellp")
	empty := opaque("")
	println(len(empty), empty == "", empty+a == a, a+empty == a, empty[:0] == "", empty < "\x00")
	var all string
	for i := range 50 {
		all += string(rune('a' + i%26))
		half := all[:len(all)/2]
		half += "|"
		if half[len(half)-1] != '|' || all[len(all)-1] != byte('a'+i%26) {
			println("overwritten", i)
		}
	}
	println(all)
	println("\x00\xff?\"\\??=\n\t" + opaque("nul\x00inside"))
	var nothing string
	println(nothing == "", len(nothing))
}

// StringsShare joins strings, whose results share no memory.
func StringsShare() {
	base := opaque("ab") + opaque("cd")
	first := base + "1"
	second := base + "2"
	part := first[:3]
	third := part + "x"
	println(base, first, second, third)
	s := opaque("x") + "y"
	s = s + s
	s += s
	println(s, s[1:]+s[:1])
	b := []byte(s)
	t := string(b)
	b[0] = 'Z'
	u := t + "!"
	println(t, string(b), u)
}

// Runes ranges over strings with valid and invalid UTF-8.
func Runes() {
	for _, s := range []string{"", "aä€😀z", "\xff\xfe", "a\xc3", "\xe2\x82", "\xe2\x82\xac\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xf0\x9f\x98", "\xf8\x88\x80\x80\x80",
		"\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "\x7f\xc2\x80\xdf\xbf"} {
		println(len(s), utf8.RuneCountInString(s), utf8.ValidString(s))
		for i, r := range s {
			print(i, ":", r, " ")
		}
		for i := range s {
			print(i, " ")
		}
		for range s {
			print(".")
		}
		println()
	}
	for _, r := range []rune{0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff, 0x10000, 0x10ffff, 0x110000, -1} {
		s := string(r)
		print(len(s))
		for i := range len(s) {
			print(" ", s[i])
		}
		println()
	}
}

// Bytes converts between bytes and strings.
func Bytes() {
	s := opaque("abc")
	b := []byte(s)
	b[1] = 'X'
	b = append(b, "def"...)
	println(s, string(b), len(b), string(b[1:3]), string(b[:0]) == "")
	n := copy(b[2:], "12345678")
	println(n, string(b))
	type text []byte
	t := text(opaque("named"))
	println(string(t))
	println(string(append(t, '!')))
	var none []byte
	println(string(none) == "", none == nil, []byte(opaque("")) == nil, len([]byte("")))
}

// Library calls packages of Go's library, which are translated like other code.
func Library() {
	println(strings.Index(opaque("chicken"), "ken"), strings.Contains("a,b", ","), strings.HasPrefix("vk_x", "vk_"), strings.TrimSpace(" \t x y\n"))
	println(strings.Join(strings.Split("a,b,,c", ","), "|"), strings.ToLower("ÄBC"), strings.Repeat("ab", 3), strings.LastIndexByte("a/b/c", '/'))
	println(strings.EqualFold("Straße", "STRASSE"), strings.Count("cheese", "e"), strings.IndexByte("abc", 'c'), strings.Trim("xxaxx", "x"))
	var b strings.Builder
	for i := range 10 {
		b.WriteString(strconv.Itoa(i * i))
		b.WriteByte(' ')
	}
	println(b.String(), b.Len())
	println(strconv.Itoa(-1<<63), strconv.FormatUint(1<<64-1, 16), strconv.FormatInt(-255, 2), strconv.Quote("a\"\n\x01é"))
	for _, s := range []string{"1", "-17", "1e3", "0.1", "1e400", "-1e-400", "nan", "inf", "0x1p-2", "1_0", "", "179769313486231570000000000000000000000", "4.9406564584124654e-324",
		"9007199254740993", "0.30000000000000004", "1e23", "8.5e-46"} {
		f, err := strconv.ParseFloat(s, 64)
		println(f, err == nil, strconv.FormatFloat(f, 'g', -1, 64), strconv.FormatFloat(f, 'e', 5, 32))
		i, err := strconv.ParseInt(s, 0, 32)
		println(i, err != nil)
	}
}

func PanicStringIndex()       { s := opaque("abc"); println(s[opaque(3)]) }
func PanicStringIndexBelow()  { s := opaque("abc"); println(s[opaque(-1)]) }
func PanicSubstringEnd()      { s := opaque("abc"); println(s[:opaque(4)]) }
func PanicSubstringOrder()    { s := opaque("abc"); println(s[opaque(3):opaque(2)]) }
func PanicSubstringBelow()    { s := opaque("abc"); println(s[opaque(-2):]) }
func PanicSubstringEndBelow() { s := opaque("abc"); println(s[:opaque(-2)]) }
