package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// The code uses each list of the tables, and no list that they lack; pairs are complete.
func TestTablesAreUsed(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			code += string(text)
		}
	}
	lists := map[string]bool{}
	for _, row := range placeRows() {
		lists[row[0]] = true
		if !strings.HasPrefix(row[1], "/") && !strings.HasPrefix(row[1], "~/") && !strings.HasPrefix(row[1], "$") {
			t.Errorf("%q is no pattern", row[1])
		}
	}
	for name, list := range nameLists() {
		lists[name] = true
		if strings.Contains(code, `pairValue("`+name+`"`) && len(list)%2 != 0 {
			t.Errorf("the list %s has a name without a pair", name)
		}
	}
	for name := range lists {
		if !strings.Contains(code, `"`+name+`"`) && !slices.Contains(nameLists()["writer"], name) {
			t.Errorf("nothing uses the list %s", name)
		}
	}
	for _, call := range []string{`places("`, `pairValue("`, `nameLists()["`} {
		for _, rest := range strings.Split(code, call)[1:] {
			if name, _, _ := strings.Cut(rest, `"`); !lists[name] {
				t.Errorf("the tables have no list %s", name)
			}
		}
	}
}

// A pattern stands for the home directory, the paths in a variable and the names that match.
func TestPatterns(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree.Lay(t, root, map[string]string{"a/b1/x": "", "a/b2/y": "", "a/c/x": "", "h/x": ""})
	h := host{&machine.Machine{Root: root, Environ: []string{"HOME=/h", "LIST=/a/b1:relative:/a/c"}}}
	for pattern, want := range map[string]string{"~/x": "/h/x", "/a/b*/*": "/a/b1/x /a/b2/y", "$LIST/x": "/a/b1/x /a/c/x", "$NONE/x": "", "/none/*": "",
		"/a/c/none": "/a/c/none"} {
		if got := strings.Join(h.expand(pattern), " "); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
