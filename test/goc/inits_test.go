package goc

import (
	"os"
	"path/filepath"
	"slices"
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
		{"nothing", "var two = 3\nfunc Two() int { return two }", "", ""},
		{"a function named init", "func init() { two = 3 }\nvar two int\nfunc Two() int { return two }", "",
			"first/first.go:5: example.com/inits/first.init#1 does not run in C"},
		{"another package's variable", "var two int\nfunc Two() int { return two }", "func init() { first.Value = 5 }",
			"second/second.go:4: example.com/inits/second.init#1 does not run in C"},
		{"by an initial value", "func Set() int { Value = 9; return 2 }\nfunc Two() int { return 2 }", "var _ = first.Set()",
			"example.com/inits/second: the initial values cannot be computed: example.com/inits/first.Set assigns to a variable of another package"},
		{"a loop", "var list [3]int\nfunc Two() int { return 2 }\nfunc init() { for i := range list { list[i] = i } }", "",
			"first/first.go:7: example.com/inits/first.init#1 does not run in C"},
		{"a loop in a function", "var list = squares()\nfunc Two() int { return list[1] }\nfunc squares() (s [4]int) { for i := range s { s[i] = i * i }; return s }", "",
			"example.com/inits/first: the initial values cannot be computed: *t0 (first/first.go:7) is no constant"},
		{"a map", "var names = map[string]int{\"a\": 1}\nfunc Two() int { return names[\"a\"] }", "",
			"first/first.go:6: a package variable with a map is outside the subset"},
		{"an operator", "var sum = two(3) + 1\nfunc Two() int { return sum }\nfunc two(n int) int { return n }", "",
			"example.com/inits/first: the initial values cannot be computed: t2 + 1:int (first/first.go:5) is no constant"},
		{"a built-in function", "var list = append(fine[:], 1)\nvar fine = [4]int{1, 2}\nfunc Two() int { return list[0] }", "",
			"example.com/inits/first: the initial values cannot be computed: append(t4, t7...) (first/first.go:5) is no constant"},
		{"a conversion", "var big = 300\nvar small = uint8(big)\nfunc Two() int { return int(small) }", "",
			"example.com/inits/first: the initial values cannot be computed: convert uint8 <- int (t2) (first/first.go:6) is no constant"},
		{"a print", "func Two() int { return 2 }\nvar _ = say()\nfunc say() int { println(1); return 1 }", "",
			"example.com/inits/first: the initial values cannot be computed: println(1:int) (first/first.go:7) is no constant"},
		{"a panic", "func Two() int { return 2 }\nvar _ = fall()\nfunc fall() int { panic(\"x\") }", "",
			"example.com/inits/first: the initial values cannot be computed: example.com/inits/first.fall does more than make a value"},
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
			if !slices.Contains(strings.Split(got, "\n"), c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}
