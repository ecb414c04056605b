package doctor

import (
	"testing"

	"vkloader/internal/core/diag"
)

// Every code has a name of its own, also beside those of the decision, and says why it matters and what to do.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	diag.Codes(func(_ diag.Code, e *diag.Entry) { seen[e.Name] = true })
	Codes(func(c Code, e *Entry) {
		if e.Name == "" || seen[e.Name] || e.Means == "" || e.Do == "" {
			t.Errorf("code %d: %+v", c, *e)
		}
		seen[e.Name] = true
		if c.String() != e.Name {
			t.Error(c)
		}
	})
}
