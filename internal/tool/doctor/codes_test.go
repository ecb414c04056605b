package doctor

import (
	"testing"

	"vkloader/internal/core/diag"
)

// Every code has a unique name, also among the decision's codes, a reason and a fix.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { seen[e.Name] = true })
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
