package goc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

// TestInits checks that a package initialization is a build error if it changes another package or cannot be computed
// at build time, because no code runs before the first call.
func TestInits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, second, want string }{
		{"nothing", "func init() { two = 3 }\nvar two int\nfunc Two() int { return two }", "", ""},
		{"another package's variable", "var two int\nfunc Two() int { return two }", "func init() { first.Value = 5 }",
			"second/second.go:4: example.com/inits/second.init#1 cannot run when the code is written: example.com/inits/second.init#1 assigns to a variable of another package"},
		{"through a pointer", "var two int\nfunc Two() int { return two }", "func init() { *first.Pointer = 5 }",
			"second/second.go:4: example.com/inits/second.init#1 cannot run when the code is written: example.com/inits/second.init#1 assigns to a variable of another package"},
		{"by an initial value", "func Set() int { Value = 9; return 2 }\nfunc Two() int { return 2 }", "var _ = first.Set()",
			"example.com/inits/second.init: example.com/inits/second.init cannot run when the code is written: example.com/inits/first.Set assigns to a variable of another package"},
		{"a loop", "var list [3]int\nfunc Two() int { return 2 }\nfunc init() { for i := range list { list[i] = i } }", "",
			"first/first.go:7: example.com/inits/first.init#1 cannot run when the code is written: a choice between values is no constant"},
		{"a loop in a function", "var list = squares()\nfunc Two() int { return list[1] }\nfunc squares() (s [4]int) { for i := range s { s[i] = i * i }; return s }", "",
			"example.com/inits/first.init: example.com/inits/first.init cannot run when the code is written: a choice between values is no constant"},
		{"a map", "var names = map[string]int{\"a\": 1}\nfunc Two() int { return names[\"a\"] }", "",
			"first/first.go:5: example.com/inits/first.names: its initial value has a map, which is no constant"},
		{"an operator", "var sum = two(3) + 1\nfunc Two() int { return sum }\nfunc two(n int) int { return n }", "",
			"example.com/inits/first.init: example.com/inits/first.init cannot run when the code is written: the operator + (first/first.go:5) is no constant"},
		{"a built-in function", "var list = append(fine[:], 1)\nvar fine = [4]int{1, 2}\nfunc Two() int { return list[0] }", "",
			"example.com/inits/first.init: example.com/inits/first.init cannot run when the code is written: a call of append (first/first.go:5) is no constant"},
		{"a conversion that loses a part", "var big = 300\nvar small = uint8(big)\nfunc Two() int { return int(small) }", "",
			"example.com/inits/first.init: example.com/inits/first.init cannot run when the code is written: a conversion to uint8 (first/first.go:6) is no constant"},
		{"a print", "func Two() int { return 2 }\nfunc init() { println(1) }", "",
			"first/first.go:6: example.com/inits/first.init#1 cannot run when the code is written: a call of println (first/first.go:6) is no constant"},
		{"a panic", "func Two() int { return 2 }\nfunc init() { panic(1) }", "",
			"first/first.go:6: example.com/inits/first.init#1 cannot run when the code is written: example.com/inits/first.init#1 does more than make a value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			for name, text := range map[string]string{
				"go.mod":           "module example.com/inits\n\ngo 1.24\n",
				"main.go":          "package entry\n\nimport \"example.com/inits/first\"\nimport _ \"example.com/inits/second\"\n\nfunc Entry() int { return first.Value + first.Two() + *first.Pointer }\n",
				"first/first.go":   "package first\n\nvar Value = 1\nvar Pointer = new(int)\n" + c.first + "\n",
				"second/second.go": "package second\n\nimport \"example.com/inits/first\"\n" + c.second + "\nvar _ = first.Value\n",
			} {
				path := filepath.Join(directory, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p, err := program.Load(directory, ".", []string{"Entry"})
			if err == nil {
				_, err = emit.Write(p, emit.Options{})
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}
