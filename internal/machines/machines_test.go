package machines

import (
	"os/exec"
	"strings"
	"testing"
)

// Every row is whole, and no two rows have the same name.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if m.ELF == 0 || m.Bits != 32 && m.Bits != 64 || len(m.Linkers) != 2 || seen[m.Name] || seen[m.Target+"-"] {
			t.Errorf("%+v", m)
		}
		seen[m.Name], seen[m.Target+"-"] = true, true
	}
	rows := 0
	for line := range strings.Lines(table) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			rows++
		}
	}
	if rows != len(All()) || rows < 10 {
		t.Errorf("%d of %d rows are whole", len(All()), rows)
	}
}

// Go knows each GOARCH of the table.
func TestPorts(t *testing.T) {
	text, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Skipf("go tool dist list: %v", err)
	}
	for _, m := range All() {
		if m.GOARCH != "-" && !strings.Contains(string(text), "linux/"+m.GOARCH+"\n") {
			t.Errorf("Go has no port linux/%s", m.GOARCH)
		}
	}
}
