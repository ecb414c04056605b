package goc

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

// TestPlainText checks that operations that need no run-time support are written as plain C.
func TestPlainText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, has, lacks string }{
		{"a shift by a constant is C's", "println(n<<3, n>>3, uint(n)>>3)", "p0_n << 3)", "goc_shift"},
		{"and by a variable is not", "println(n<<uint(n))", "goc_shift_left", "p0_n << "},
		{"a division by a constant is C's", "println(n/3, n%3)", "p0_n % INT64_C(3)", "goc_quotient"},
		{"variables of two blocks share their place", "if n > 1 { var a [8]int; fill(&a, n); println(a[1]) } else { var a [8]int; fill(&a, n); println(a[2]) }",
			"{\n    struct array_8_int t6_;", "(struct goc *g, int64_t p0_n) {\n    struct"},
	} {
		text := "package main\n\nfunc fill(a *[8]int, n int) { a[n] = n; a[n-1] = n }\n\nfunc say(n int) {\n\t" + c.body + "\n}\n\nfunc main() { say(1); say(2) }\n"
		checker := newChecker(t)
		s, err := checker.check("testdata/plain.go", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := program.New(checker.ssa, ".", []*ssa.Function{s.Func("main")})
		if err != nil {
			t.Fatal(err)
		}
		out, err := emit.Write(p, emit.Options{Exported: map[*ssa.Function]string{s.Func("main"): "program"}, Print: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out); !strings.Contains(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%s: no %q, or %q, in\n%s", c.name, c.has, c.lacks, got)
		}
	}
}
