package doctor

import (
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

// Every paragraph of the table has a unique name, also among the decision's codes, a severity, a reason and a fix.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { seen[e.Name] = true })
	for _, c := range Codes() {
		e := c.Entry()
		if seen[e.Name] || e.Means == "" || e.Do == "" || strings.Contains(e.Do, "\n") || !strings.Contains(codesTable, "\n"+e.Name+" | "+e.Severity.String()) {
			t.Errorf("%+v", *e)
		}
		seen[e.Name] = true
	}
}
