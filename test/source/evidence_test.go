package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/evidence.md names every fuzz target and no other, and the tests, packages and goals of make that it names are there. It
// has each row of the README's table of what works where.
func TestEvidence(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(top, "docs/evidence.md"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	tests := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "build" || entry.Name() == ".git" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		directory, err := filepath.Rel(top, filepath.Dir(path))
		for _, m := range function.FindAllStringSubmatch(string(source), -1) {
			if tests[m[1]] = true; strings.HasPrefix(m[1], "Fuzz") {
				targets = append(targets, "./"+directory+" "+m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(Fuzz\\w+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		named = append(named, m[2]+" "+m[1])
	}
	slices.Sort(targets)
	slices.Sort(named)
	if !slices.Equal(targets, named) || len(named) == 0 {
		t.Errorf("docs/evidence.md has the fuzz targets\n%s\nand the source\n%s", strings.Join(named, "\n"), strings.Join(targets, "\n"))
	}
	for _, m := range regexp.MustCompile(`-run '?\^?(Test\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !tests[m[1]] {
			t.Errorf("docs/evidence.md: there is no test %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?:\./|\b)((?:test|spine|internal|tools)/[\w./-]*\w)`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join(top, strings.TrimSuffix(m[1], "/..."))); err != nil {
			t.Errorf("docs/evidence.md: %v", err)
		}
	}
	claimed := regexp.MustCompile(`(?m)^\| (\w+) \|`)
	rows := func(name string) (list []string) {
		page, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(page), "\n## What works where\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, m := range claimed.FindAllStringSubmatch(section, -1) {
			if m[1] != "row" && !slices.Contains(list, m[1]) {
				list = append(list, m[1])
			}
		}
		return list
	}
	if claims, shown := rows("README.md"), rows("docs/evidence.md"); !slices.Equal(claims, shown) || len(claims) < 5 {
		t.Errorf("README's table of what works where has the rows %v, docs/evidence.md %v", claims, shown)
	}
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`make ([a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1) {
		if !regexp.MustCompile(`(?m)^(?:[\w-]+ )*`+m[1]+`[ :]`).Match(makefile) && !strings.Contains(string(makefile), " "+m[1]+" ") {
			t.Errorf("docs/evidence.md: make has no goal %s", m[1])
		}
	}
}
