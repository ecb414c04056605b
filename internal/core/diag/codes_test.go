package diag

import "testing"

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	Codes(func(c Code, e *Entry) {
		if e.Name == "" || e.Statement == "" || seen[e.Name] {
			t.Errorf("code %d has no complete row in internal/core/diag/codes.txt: %+v", c, *e)
		}
		if e.Severity != Note && e.Do == "" && c != OverridePath {
			t.Errorf("%s says nothing of what to do", e.Name)
		}
		seen[e.Name] = true
		if c.String() != e.Name || c.Entry() != e {
			t.Error(c)
		}
	})
	if Code(255).String() != "none" {
		t.Error("an unknown code")
	}
}
