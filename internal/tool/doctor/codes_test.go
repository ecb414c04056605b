package doctor

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

// Every paragraph of the table is a code with a unique name, also among the decision's codes, a severity, a reason and a fix, and a variable.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { seen[e.Name] = true })
	source, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for paragraph := range strings.SplitSeq(codesTable, "\n\n") {
		heading := strings.Split(strings.SplitN(paragraph, "\n", 2)[0], " | ")
		if heading[0][0] == '#' {
			continue
		}
		if at := slices.IndexFunc(codes, func(c *Code) bool { return c.Name == heading[0] }); at < 0 || len(heading) < 2 || codes[at].Severity.String() != heading[1] {
			t.Errorf("no code is made of %q", paragraph)
		}
		if strings.Count(string(source), `code("`+heading[0]+`")`) != 1 {
			t.Errorf("no variable has the code %s", heading[0])
		}
	}
	Codes(func(c *Code) {
		if c.Name == "" || seen[c.Name] || c.Means == "" || c.Do == "" {
			t.Errorf("%+v", *c)
		}
		seen[c.Name] = true
		if c.String() != c.Name {
			t.Error(c)
		}
	})
}
