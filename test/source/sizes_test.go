package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	allocation = regexp.MustCompile(`\b(malloc|calloc|realloc|mem_new)\(`)
	// What clang-format leaves of an operator with two sides; a pointer and a cast look otherwise.
	product = regexp.MustCompile(` \* `)
	sum     = regexp.MustCompile(` \+ `)
)

// arguments is the text between a call's parentheses, which begins at start.
func arguments(text string, start int) string {
	depth := 1
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[start:i]
			}
		}
	}
	return text[start:]
}

// wraps tells whether a call that allocates computes its size by itself: a product anywhere, and with calloc, which
// multiplies safely, a sum too.
func wraps(function, arguments string) bool {
	return product.MatchString(arguments) || function == "calloc" && sum.MatchString(arguments)
}

// A product that wraps is a block that is too small. So no call that allocates multiplies: process/memory.c does.
func TestSizesAreComputedInOnePlace(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, pattern := range []string{"spine/*.h", "spine/*/*.[ch]", "spine/*/*/*.[ch]"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			code := cComment.ReplaceAllString(string(text), "")
			for _, m := range allocation.FindAllStringSubmatchIndex(code, -1) {
				seen++
				function, given := code[m[2]:m[3]], arguments(code, m[1])
				if wraps(function, given) {
					t.Errorf("%s: %s(%s) computes a size that may wrap: take array_new, array_grow or size_of_array",
						strings.TrimPrefix(path, top), function, given)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d calls that allocate", seen)
	}
	for call, want := range map[string]bool{"n * sizeof *p": true, "1, sizeof *p": false, "(void **)p, n": false, "n + 1, 8": true} {
		if wraps("calloc", call) != want {
			t.Errorf("calloc(%s): %v", call, !want)
		}
	}
}
