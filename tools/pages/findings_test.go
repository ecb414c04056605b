package main

import (
	"os"
	"strings"
	"testing"
)

// docs/findings.md promises names, severities, statements and texts: it has exactly those of the tables. So have the constants.
func TestFindingsAreDocumented(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"docs/findings.md": findingsPage(), "internal/core/diag/zcodes.go": coreCodes(),
		"internal/tool/doctor/zcodes.go": doctorCodes()}
	for file, page := range pages {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		documented, now := strings.Split(string(text), "\n"), strings.Split(page, "\n")
		for i := range max(len(documented), len(now)) {
			line := func(lines []string) string {
				if i < len(lines) {
					return lines[i]
				}
				return "nothing"
			}
			if line(documented) != line(now) {
				t.Errorf("line %d of %s:\n%s\nthe tables have\n%s", i+1, file, line(documented), line(now))
			}
		}
	}
}
