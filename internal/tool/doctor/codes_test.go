package doctor

import (
	"testing"

	"vkloader/internal/core/diag"
)

// Every code has a name of its own, also beside those of the decision, and says why it matters and what to do.
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
