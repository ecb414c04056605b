package systems

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"vkloader/internal/core/facts"
)

const sample = "Windows Registry Editor Version 5.00\r\n\r\n; a comment\r\n" +
	"[HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\Drivers]\r\n" +
	"\"C:\\\\Windows\\\\System32\\\\nv-vk64.json\"=dword:00000000\r\n" +
	"\"D:\\\\späť \\\"x\\\".json\"=dword:00000001\r\n@=\"a\\\\b\"\r\n" +
	"\"multi\"=hex(7):43,00,3a,00,5c,00,61,00,00,00,\\\r\n  62,00,00,00,00,00\r\n\"bytes\"=hex:01,02\r\n\"expand\"=hex(2):25,00,00,00\r\n\r\n" +
	"[HKLM\\System\\Class\\0001]\r\n[HKLM\\System\\Class\\0000]\r\n\"x\"=\"y\"\r\n[HKCU\\Software]\r\n"

// utf16le returns a text in the encoding of the registry editor.
func utf16le(text string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{"UTF-16": utf16le(sample), "UTF-8": []byte(sample),
		"UTF-8 with a mark": []byte("\xef\xbb\xbf" + sample), "Unix lines": []byte(strings.ReplaceAll(sample, "\r", ""))} {
		var r Registry
		if problems := r.Read("f.reg", content); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
		values, ok := r.Values(`hkey_local_machine\Software\KHRONOS\Vulkan\Drivers`)
		want := []facts.Value{{Name: `C:\Windows\System32\nv-vk64.json`, Type: 4, Data: "\x00\x00\x00\x00"}, {Name: `D:\späť "x".json`, Type: 4, Data: "\x01\x00\x00\x00"},
			{Name: "", Type: 1, Data: "a\\b\x00"}, {Name: "multi", Type: 7, Data: "C:\\a\x00b\x00\x00"}, {Name: "bytes", Type: 3, Data: "\x01\x02"}, {Name: "expand", Type: 2, Data: "%\x00"}}
		if !ok || !slices.Equal(values, want) {
			t.Errorf("%s: %+v", name, values)
		}
		if got := fmt.Sprint(r.Below(`HKEY_LOCAL_MACHINE\SYSTEM\class`)); got != "[0000 0001]" {
			t.Errorf("%s: below: %s", name, got)
		}
	}
}

func TestLaterWins(t *testing.T) {
	t.Parallel()
	var r Registry
	const head = "Windows Registry Editor Version 5.00\n"
	r.Read("a.reg", []byte(head+"[HKLM\\a]\n\"x\"=hex(1):41,00\n\"y\"=\"1\"\n"))
	problems := r.Read("b.reg", []byte(head+"[HKLM\\A]\n\"X\"=\"2\"\n"))
	values, _ := r.Values(`HKEY_LOCAL_MACHINE\a`)
	want := []facts.Value{{Name: "X", Type: 1, Data: "2\x00"}, {Name: "y", Type: 1, Data: "1\x00"}}
	if len(problems) > 0 || !slices.Equal(values, want) {
		t.Errorf("%v %+v", problems, values)
	}
}

// A bad line is reported with its number; the other lines count.
func TestBadLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"[HKLM\\a]\n\"x\"=\"y\"", `f.reg:1: the first line is not "Windows Registry Editor Version 5.00"`},
		{"Windows Registry Editor Version 5.00\n\"x\"=\"y\"\n", "f.reg:2: a value before the first key"},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a\n", "f.reg:2: a key without its closing bracket"},
		{"Windows Registry Editor Version 5.00\n[HKXX\\a]\n\"x\"=\"y\"\n", `f.reg:2: there is no hive "HKXX"`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\nx=1\n", `f.reg:3: neither a key nor a value: "name"=data is wanted`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x=1\n", `f.reg:3: neither a key nor a value: "name"=data is wanted`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\n\"x\"=\"y\n", "f.reg:4: a text without its closing quotation mark"},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=dword:xyz\n", `f.reg:3: "xyz" is no hexadecimal number of 32 bits`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=dword:100000000\n", `f.reg:3: "100000000" is no hexadecimal number of 32 bits`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=qword:1\n", `f.reg:3: the data is neither a text nor begins with "dword:" or "hex"`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=hex(z):1\n", `f.reg:3: "hex(z)" is no type`},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=hex:1\n", "f.reg:3: the data is no list of bytes"},
		{"Windows Registry Editor Version 5.00\n[HKLM\\a]\n\"x\"=hex(7):\\\n41\n", "f.reg:3: a text of half a character"},
		{"\xff\xfea", "f.reg:1: neither UTF-8 nor UTF-16"},
		{"a\x00b", "f.reg:1: neither UTF-8 nor UTF-16"},
	} {
		var r Registry
		problems := r.Read("f.reg", []byte(c.text))
		if len(problems) != 1 || problems[0].String() != c.want {
			t.Errorf("%q: %v", c.text, problems)
		}
	}
}

func FuzzRegistry(f *testing.F) {
	f.Add([]byte(sample))
	f.Add(utf16le(sample))
	f.Fuzz(func(t *testing.T, content []byte) {
		var r Registry
		r.Read("f.reg", content)
		for _, k := range r.keys {
			r.Below(k.path)
		}
	})
}
