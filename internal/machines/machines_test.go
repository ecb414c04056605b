package machines

import (
	"debug/elf"
	"os/exec"
	"slices"
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
		if other, known := Named(m.other); len(m.Cache) == 0 || m.other != "-" && (!known || other.Bits == m.Bits || other.other != m.Name) {
			t.Errorf("%+v", m)
		}
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

// Programs of both word sizes run on amd64; the numbers in ELF files lead to the rows.
func TestRows(t *testing.T) {
	own, known := Own()
	if same, _ := Running(own.Bits); !known || same.Name != own.Name {
		t.Errorf("%+v, %+v", own, same)
	}
	if m, _ := Running(32); own.Name == "x86_64" && m.Name != "i386" {
		t.Errorf("%+v", m)
	}
	for _, m := range All() {
		if rows := OfFiles(m.ELF, m.Bits); !slices.ContainsFunc(rows, func(r Machine) bool { return r.Name == m.Name }) {
			t.Errorf("%s: %+v", m.Name, rows)
		}
		if m.Musl() == "" || strings.Contains(m.Musl(), "/") {
			t.Errorf("%s: %q", m.Name, m.Musl())
		}
	}
	if rows := OfFiles(elf.EM_SPARCV9, 64); len(rows) > 0 {
		t.Errorf("%+v", rows)
	}
}
