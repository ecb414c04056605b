package settings

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
)

// Any number of entries costs the opening of a few dozen drivers: the last ones, which come first, and a line says so.
//
// holds: FUZ-023
func TestDriversAreBounded(t *testing.T) {
	t.Parallel()
	for _, count := range []int{MaxDrivers, MaxDrivers + 1, 5000} {
		entries := make([]string, count)
		for i := range entries {
			entries[i] = fmt.Sprintf(`{"path":"/%d.json"}`, i)
		}
		doc, fault := document.Parse(`{"file_format_version":"1","settings":{"additional_drivers":[` + strings.Join(entries, ",") + `]}}`)
		if fault != nil {
			t.Fatal(fault)
		}
		s, outcome, lines := Read(doc, "/s.json", pathname.Slash, func() facts.Exe { return facts.Exe{} })
		if outcome != In || len(s.Drivers) != MaxDrivers || s.Drivers[MaxDrivers-1] != fmt.Sprintf("/%d.json", count-1) {
			t.Fatalf("%d: %v, %v", count, outcome, s)
		}
		said := len(lines) == 1 && strings.Contains(lines[0].Text, "has more than 64 additional_drivers")
		if said != (count > MaxDrivers) {
			t.Errorf("%d: %v", count, lines)
		}
	}
}
