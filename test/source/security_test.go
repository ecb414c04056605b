package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that SECURITY.md names is in the directory that it names, and every border names a test.
func TestBordersNameTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := strings.Split(table, "\n")
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 {
			t.Errorf("%d cells: %s", len(cells), row)
			continue
		}
		var names []string
		tests := 0
		for _, match := range quoted.FindAllStringSubmatch(cells[2], -1) {
			word := match[1]
			if strings.HasPrefix(word, "Test") || strings.HasPrefix(word, "Fuzz") {
				names = append(names, word)
				continue
			}
			files, _ := filepath.Glob(filepath.Join("../..", word, "*_test.go"))
			all := ""
			for _, file := range files {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				all += string(content)
			}
			for _, name := range names {
				if tests++; !strings.Contains(all, "\nfunc "+name+"(") {
					t.Errorf("%s has no %s, which SECURITY.md names", word, name)
				}
			}
			names = nil
		}
		if tests == 0 || len(names) > 0 {
			t.Errorf("tests without a directory (%v), or none: %s", names, cells[0])
		}
	}
	if len(rows) < 5 {
		t.Errorf("%d borders", len(rows))
	}
}
