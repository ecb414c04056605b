package doctor

import (
	"os"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

// Every paragraph of the table is a constant with a unique name, also among the decision's codes, a severity, a reason and a fix.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { seen[e.Name] = true })
	data, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	source := string(data)
	for _, c := range Codes() {
		e := c.Entry()
		if seen[e.Name] || e.Means == "" || e.Do == "" || strings.Contains(e.Do, "\n") || !strings.Contains(codesTable, "\n"+e.Name+" | "+e.Severity.String()) {
			t.Errorf("%+v", *e)
		}
		if seen[e.Name] = true; strings.Count(source, `Code = "`+e.Name+`"`) != 1 {
			t.Errorf("no constant has the code %s", c)
		}
	}
	if constants := strings.Count(source, ` Code = "`); constants != len(Codes()) {
		t.Errorf("%d constants, and %d codes in the table", constants, len(Codes()))
	}
}
