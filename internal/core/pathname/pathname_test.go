package pathname

import "testing"

// holds: PATH-23 WIN-013 WIN-074 WIN-075
func TestStyles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		style            Style
		file, name, want string
		separated        bool
	}{
		{Slash, "/d/m.json", "lib.so", "lib.so", false},
		{Slash, "/d/m.json", "./lib.so", "/d/./lib.so", true},
		{Slash, "/d/m.json", "/x/lib.so", "/x/lib.so", true},
		{Slash, "m.json", "x/lib.so", "x/lib.so", true},
		{Slash, "/d/m.json", `x\lib.so`, `x\lib.so`, false},
		{Slash, "/d/m.json", "", "", false},
		{Slash, "/d/m.json", "C:x/y", "/d/C:x/y", true},
		{Backslash, `C:\d\m.json`, "x.dll", "x.dll", false},
		{Backslash, `C:\d\m.json`, `.\x.dll`, `C:\d\.\x.dll`, true},
		{Backslash, `C:\d\m.json`, `..\y\x.dll`, `C:\d\..\y\x.dll`, true},
		{Backslash, `C:\d\m.json`, `\x.dll`, `\x.dll`, true},
		{Backslash, `C:\d\m.json`, `\\server\share\x.dll`, `\\server\share\x.dll`, true},
		{Backslash, `C:\d\m.json`, `D:\x.dll`, `D:\x.dll`, true},
		{Backslash, `C:\d\m.json`, `D:x.dll`, `D:x.dll`, false},
		{Backslash, `C:\d\m.json`, "./x.dll", `C:\d\./x.dll`, true},
		{Backslash, `\\server\share\m.json`, `.\x.dll`, `\\server\share\.\x.dll`, true},
		{Backslash, "C:/d/m.json", `.\x.dll`, `C:/d/.\x.dll`, true},
	} {
		if got, separated := c.style.Resolve(c.file, c.name); got != c.want || separated != c.separated {
			t.Errorf("%s in %s: %q %v, want %q %v", c.name, c.file, got, separated, c.want, c.separated)
		}
	}
	for _, c := range []struct {
		style      Style
		path, base string
	}{{Slash, "/a/b.json", "b.json"}, {Slash, `a\b`, `a\b`}, {Backslash, `C:\a\b.json`, "b.json"}, {Backslash, "C:/a/b", "b"}, {Backslash, `a\`, ""}, {Slash, "b", "b"}} {
		if got := c.style.Base(c.path); got != c.base {
			t.Errorf("%s: %q", c.path, got)
		}
	}
	for _, c := range []struct {
		style Style
		path  string
		full  bool
	}{{Slash, "/a", true}, {Slash, "/", false}, {Slash, "", false}, {Slash, "a/b", false}, {Slash, `C:\a`, false}, {Backslash, `C:\a`, true}, {Backslash, "z:/a", true},
		{Backslash, `C:\`, false}, {Backslash, "C:a", false}, {Backslash, `\a\b`, false}, {Backslash, `\\s\a`, false}, {Backslash, `[:\a`, false}, {Backslash, "", false}} {
		if got := c.style.Full(c.path); got != c.full {
			t.Errorf("%q is full: %v", c.path, got)
		}
	}
	if Slash.ListSeparator() != ':' || Backslash.ListSeparator() != ';' || Slash.Separator() != '/' || Backslash.Separator() != '\\' {
		t.Error("separators")
	}
}
