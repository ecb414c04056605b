package main

import (
	"go/format"
	"os"
	"strings"
	"testing"
)

const small = `enum state facts.State -- tells how it is
    0 state_good
    3 state_bad Bad    -- it is bad
enum bit -- tells what is set
    1 bit_one
record thing 7
    state state    -- of the thing
    u32   bits
`

func TestEnumerations(t *testing.T) {
	t.Parallel()
	d, err := parse(small)
	if err != nil {
		t.Fatal(err)
	}
	source, err := d.goPackage("facts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{string(source), "// State tells how it is.\ntype State uint32\n"},
		{string(source), "\tStateGood State = 0\n\tBad       State = 3 // it is bad\n"},
		{string(d.goSide()), "BitOne uint32 = 1\n"},
		{string(d.goSide()), "State uint32 // state: of the thing\n"},
		{string(d.cSide()), "enum wire_state {\n    WIRE_STATE_GOOD = 0,\n    WIRE_STATE_BAD = 3, /* it is bad */\n};\n"},
		{string(d.cSide()), "uint32_t state; /* state: of the thing */\n"},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.in)
		}
	}
	if strings.Contains(string(d.goSide()), "StateGood") {
		t.Error("package wire has the constants of package facts too")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, changed, want string }{
		{"3 state_bad", "0 state_bad", "line 3: number already taken by state_good"},
		{"3 state_bad", "x state_bad", "line 3: the value's number is no number"},
		{"3 state_bad", "4294967296 state_bad", "line 3: the value's number is no number"},
		{"3 state_bad", "state_bad", "line 3: the value's number is no number"},
		{"3 state_bad Bad", "3", "line 3: not a value of the enumeration"},
		{"3 state_bad Bad", "3 state_bad Bad Worse", "line 3: not a value of the enumeration"},
		{"    1 bit_one\n", "", "enum bit has no values"},
		{"enum bit -- tells what is set", "enum bit", "line 4: an enumeration is: enum NAME [PACKAGE[.TYPE]] -- what it tells"},
		{"facts.State", "facts.", "line 1: an enumeration is: enum NAME [PACKAGE[.TYPE]] -- what it tells"},
		{"    state state", "    estate state", "record thing: field state: unknown type estate"},
		{"u32   bits", "u32", "line 8: neither a record nor a field"},
		{"thing 7", "thing x", "line 6: the record's number is no number"},
		{"record thing 7", "record other 7\nrecord thing 7", "line 7: number already taken by other"},
	} {
		text := strings.Replace(small, c.old, c.changed, 1)
		if text == small {
			t.Errorf("%q is not there to be changed", c.old)
		}
		if _, err := parse(text); err == nil || err.Error() != c.want {
			t.Errorf("%q for %q: %v, want %s", c.changed, c.old, err, c.want)
		}
	}
}

// TestCurrent makes the generated files again.
func TestCurrent(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	d, err := parse(read("../../internal/core/wire/wire.def"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range d.packages() {
		source, err := d.goPackage(pkg)
		if pkg == "wire" {
			source, err = format.Source(d.goSide())
		}
		if err != nil {
			t.Fatal(err)
		}
		if string(source) != read("../../internal/core/"+pkg+"/zwire.go") {
			t.Errorf("internal/core/%s/zwire.go is not what wire.def says; run: go generate ./internal/core/wire", pkg)
		}
	}
	if string(d.cSide()) != read("../../spine/gen/zwire.h") {
		t.Error("spine/gen/zwire.h is not what wire.def says; run: go generate ./internal/core/wire")
	}
}
