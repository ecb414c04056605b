package source

import (
	"regexp"
	"strings"
	"testing"
)

// Only package shell makes text of another origin a part of a shell's line: elsewhere, a line is a constant, or comes from its
// functions. No other code puts a text in single quotes.
func TestLinesAreQuotedInOnePlace(t *testing.T) {
	t.Parallel()
	around := regexp.MustCompile(`\bshell\.Line\([^")]|"'"\s*\+|\+\s*"'"|` + "[`\"]'\\\\+''[`\"]")
	seen := 0
	for _, f := range sources(t) {
		if f.test || !strings.HasPrefix(f.pack, "internal/") && f.pack != "discover" || f.pack == "internal/decide/shell" {
			continue
		}
		seen += strings.Count(f.text, "shell.Quoted(")
		for _, found := range around.FindAllString(f.text, -1) {
			t.Errorf("%s: %s goes around package shell", f.path, found)
		}
		if strings.Contains(f.text, "shell.Filled(") && f.path != "internal/tool/doctor/systems.go" {
			t.Errorf("%s fills a table with lines", f.path)
		}
	}
	if seen < 20 {
		t.Errorf("package shell is used %d times", seen)
	}
}
