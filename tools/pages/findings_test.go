package main

import (
	"os"
	"strings"
	"testing"
)

// docs/findings.md promises names, severities, statements and texts: it has exactly those of the tables.
func TestFindingsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	documented, now := strings.Split(string(text), "\n"), strings.Split(findingsPage(), "\n")
	for i := range max(len(documented), len(now)) {
		line := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return "nothing"
		}
		if line(documented) != line(now) {
			t.Errorf("line %d of docs/findings.md:\n%s\nthe tables have\n%s", i+1, line(documented), line(now))
		}
	}
}
