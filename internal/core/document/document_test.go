package document

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// holds: FUZ-001 FUZ-002 FUZ-003 FUZ-004 FUZ-007 FUZ-008 FUZ-009 FUZ-010 FUZ-011 FUZ-012 FUZ-014 FUZ-015 FUZ-016 FUZ-024 LAY-13 LAY-14 LAY-16 LAY-17 LAY-18 LAY-20 DRV-004
func TestAcceptance(t *testing.T) {
	for _, text := range []string{
		"{}", "\xef\xbb\xbf{}", "{} garbage", "{ \"a\" : 1 , \"b\" : [ 1 , { } ] } ", "{},[]", "\x00\x01 \x1f[\x00]\x00", `"x"`, "0", "[9]", "null", `{"":1}`, "[1,2.5,-3e+7,1.,1.e2]",
		"\"\xff\n\x00\"", `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000"`, "[1e999]", "[-0.5E-99999]", "[01]",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		`{"a":{"b":[1,{"c":null}]},"d":true}`,
	} {
		if _, fault := Parse(text); fault != nil {
			t.Errorf("%.40q refused: %+v", text, *fault)
		}
	}
	for _, text := range []string{
		"", " \t\n\x00", "{", "[1,]", "{\"a\":1,}", `{"a"}`, `{"a":}`, `{a:1}`, "{'a':1}", "[1 2]", "[1}", `{"a":1]`, "// c\n{}", "{/**/}",
		"True", "NULL", "nul", "-", "[1-2]", "+1", ".5", `"\x"`, `"\u12"`, `"\u12g4"`, `"\udc00"`, `"\ud800x"`, `"\ud800\u0041"`, `"abc`, `"\`,
		",", `{ "k":"v", }`, `{"k":"v", "m": [], },`, `{"k":"v", "m": [{},] },`, `{"k":"v", "m": {"n"} },`, `{"":"v", "m": {}`,
		`{"k":"v", "m": {"n":12, true, "o":"p"} },`, strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "[" + strings.Repeat("1", 64) + "]",
	} {
		if _, fault := Parse(text); fault == nil {
			t.Errorf("%.40q accepted", text)
		}
	}
}

// holds: LAY-11 LAY-12 LAY-18 LAY-19 FUZ-005 FUZ-006 FUZ-012 FUZ-013
func TestValues(t *testing.T) {
	doc, fault := Parse("{\"Aa\":\"ab\\ncd\\\\ef\",\"aA\":1,\n  \"b\":\"x\\u0000y\",\"c\":\"\\u0001\x02\\t\",\"d\":\"\\u20aC\\ud83d\\ude00\", \"e\":[1,\"2\",{}],\"f\":-1.5e1}")
	if fault != nil {
		t.Fatal(fault)
	}
	top := doc.Top()
	for name, want := range map[string]string{"aa": "ab\ncd\\ef", "B": "x", "c": "u0001u0002\t", "d": "€😀"} {
		if got, ok := top.Member(name).Text(); !ok || got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if line, column := top.Member("b").Position(); line != 2 || column != 7 {
		t.Error(line, column)
	}
	e := top.Member("e").First()
	if e.Kind() != Number || e.Next().Kind() != String || e.Next().Next().Kind() != Object || e.Next().Next().Next().Exists() {
		t.Error("elements")
	}
	words, fault := Parse(`[null,true,false,0,"",[],{}]`)
	if fault != nil {
		t.Fatal(fault)
	}
	v := words.Top().First()
	for _, want := range []Kind{Null, True, False, Number, String, Array, Object} {
		if !v.Exists() || v.Kind() != want || v.IsTrue() != (want == True) || v.IsObject() != (want == Object) {
			t.Errorf("a value of kind %v, want %v", v.Kind(), want)
		}
		_, text := v.Text()
		if _, number := v.Number(); text != (want == String) || number != (want == Number) {
			t.Errorf("kind %v: text %v, number %v", want, text, number)
		}
		v = v.Next()
	}
	if f, ok := top.Member("f").Number(); !ok || f != -15 {
		t.Error(f)
	}
	if element := doc.Top().Member("e").First(); element.Name() != "" || top.Member("Aa").Name() != "Aa" || top.Member("ZZ").Name() != "" {
		t.Error("names")
	}
	zs, _ := Parse("{\"zZ\":\n1,\"aZ\":\n\"x\",\n\n\n\"[\":2}") // '[' is not '{' of another case
	for name, place := range map[string][2]int{"Zz": {2, 1}, "az": {3, 1}, "[": {6, 5}, "{": {0, 0}} {
		if line, column := zs.Top().Member(name).Position(); line != place[0] || column != place[1] {
			t.Errorf("%q at %d:%d", name, line, column)
		}
	}
	if top.Member("g").Member("h").First().Next().Exists() {
		t.Error("something out of nothing")
	}
}

// TestFaults checks the reason and position of syntax errors.
func TestFaults(t *testing.T) {
	for text, want := range map[string]SyntaxError{
		"":                             {1, 1, NoValue},
		" \n\t":                        {2, 2, NoValue},
		"[1,\n":                        {2, 1, NoValue},
		"\n x":                         {2, 2, NotAValue},
		"[1,]":                         {1, 4, NotAValue},
		"[-]":                          {1, 2, MinusAlone},
		"[1":                           {1, 3, OpenContainer},
		`{"a":1`:                       {1, 7, OpenContainer},
		"{\n  \"a\": 1\n  \"b\": 2\n}": {3, 3, NoBrace},
		`{"a":1]`:                      {1, 7, NoBrace},
		"[1 2]":                        {1, 4, NoBracket},
		"[1}":                          {1, 3, NoBracket},
		"[1e]":                         {1, 3, NoBracket}, // as far as strtod reads
		"[1e+]":                        {1, 3, NoBracket},
		`{a:1}`:                        {1, 2, NoName},
		`{"a":1,}`:                     {1, 8, NoName},
		`{"a" 1}`:                      {1, 6, NoColon},
		`{"a`:                          {1, 4, OpenString},
		`"a`:                           {1, 3, OpenString},
		`"a\`:                          {1, 3, OpenString},
		`"a\u12"`:                      {1, 3, BrokenEscape},
		`{"\udc00":1}`:                 {1, 3, BrokenEscape},
		`"\x"`:                         {1, 2, UnknownEscape},
		`{"\x":1}`:                     {1, 3, UnknownEscape},
		strings.Repeat("[", 1001):      {1, 1001, TooDeep},
	} {
		if _, fault := Parse(text); fault == nil || *fault != want {
			t.Errorf("%.40q: %+v, want %+v", text, fault, want)
		}
	}
	if _, fault := Parse("\xef\xbb\xbf"); fault == nil || fault.Slip != NoValue {
		t.Errorf("a byte order mark alone: %+v", fault)
	}
}

// TestTexts checks the decoding of strings. A value ends at a NUL, and its control characters without a short escape become
// five characters; a member's name keeps them.
//
// holds: LAY-18 LAY-19 FUZ-009 FUZ-010 FUZ-011 FUZ-012
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		`a b`: "a b", `a \u0020b`: "a  b", `\"\\\/`: `"\/`, `\b\f\n\r\t`: "\b\f\n\r\t", `x\u0009 y`: "x\t y",
		`\u007f`: "\x7f", `\u0080`: "\u0080", `\u00ff\u00FA\uABCD\uabcd`: "\u00ff\u00fa\uabcd\uabcd", `\u0099`: "\u0099",
		`\ud7ff`: "\ud7ff", `\ue000`: "\ue000", `\ud800\udc00`: "\U00010000", `\udbff\udfff`: "\U0010ffff",
		"a\x00b": "a", `a\u0000b`: "a", "\xff\xfe": "\xff\xfe",
	} {
		doc, fault := Parse(`{"` + text + `":"` + text + `"}`)
		if fault != nil {
			t.Errorf("%q: %+v", text, fault)
			continue
		}
		v := doc.Top().First()
		if got, ok := v.Text(); !ok || got != want || v.Name() != want {
			t.Errorf("%q: value %q and name %q, want %q", text, got, v.Name(), want)
		}
	}
	for c := byte(1); c < 0x20; c++ {
		want := fmt.Sprintf("au%04xb", c)
		if strings.IndexByte("\b\f\n\r\t", c) >= 0 {
			want = "a" + string(c) + "b"
		}
		for _, text := range []string{"a" + string(c) + "b", fmt.Sprintf(`a\u%04xb`, c)} {
			doc, fault := Parse(`{"` + text + `":"` + text + `"}`)
			if fault != nil {
				t.Fatalf("%q: %+v", text, fault)
			}
			v := doc.Top().First()
			if got, _ := v.Text(); got != want || v.Name() != "a"+string(c)+"b" {
				t.Errorf("%q: value %q and name %q", text, got, v.Name())
			}
		}
	}
	for _, text := range []string{`\udfff`, `\udbff\udbff`, `\ud800\ue000`, `\ud800xudc00`, `\ud800\ndc00`, `\u00g0`, `\u00/0`, `\u00:0`, `\u00@0`, `\u00G0`, "\\u00`0"} {
		if _, fault := Parse(`"` + text + `"`); fault == nil {
			t.Errorf("%q accepted", text)
		}
	}
}

// holds: FUZ-023
func TestLinearTime(t *testing.T) {
	texts := []string{
		strings.Repeat("[", 100000), "[" + strings.Repeat(`"a",`, 250000) + "1]", "[" + strings.Repeat("{},", 330000) + "1]",
		`{"x":"` + strings.Repeat(`\u0041`, 160000) + `"}`, strings.Repeat(`{"a":`, 999) + "1" + strings.Repeat("}", 999), strings.Repeat(" ", 1<<20),
	}
	for _, text := range texts {
		start := time.Now() // this test detects hangs; test/loader/scale measures the growth
		if doc, _ := Parse(text); doc != nil {
			doc.Top().Member("x").Text()
			for v := doc.Top().First(); v.Exists(); v = v.Next() {
				v.Position()
			}
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%.20q took %v", text, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u00e9",{"b":null}]}`, "\xef\xbb\xbf{}", `[[[`, `"\ud83d\ude00"`, `{"a":"\`, "1e", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, fault := Parse(text)
		if (doc == nil) == (fault == nil) {
			t.Fatal("neither or both")
		}
		if doc == nil {
			return
		}
		var walk func(Value, int) int
		walk = func(v Value, depth int) int {
			count := 1
			v.Text()
			v.Number()
			v.Raw()
			v.Position()
			for c := v.First(); c.Exists(); c = c.Next() {
				c.Name()
				count += walk(c, depth+1)
			}
			return count
		}
		if walk(doc.Top(), 0) != len(doc.nodes) {
			t.Fatal("values that cannot be reached")
		}
	})
}
