package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Lines of the code in Go, and of the page's files, have at most 120 columns; a tab counts four. A text of more than 60
// columns may make its line longer: on one line, grep finds it.
func TestColumns(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.){60,}\"|`[^`]{60,}`")
	check := func(path, content string) {
		for n, line := range strings.Split(content, "\n") {
			line = strings.ReplaceAll(line, "\t", "    ")
			if columns := utf8.RuneCountInString(line); columns > 120 && !text.MatchString(line) {
				t.Errorf("%s:%d: %d columns", path, n+1, columns)
			}
		}
	}
	for _, f := range sources(t) {
		if !f.test && !strings.HasPrefix(f.path, "test/") && !strings.HasPrefix(filepath.Base(f.path), "z") {
			check(f.path, f.text)
		}
	}
	for _, pattern := range []string{"pages/*.html", "assets/*.css", "assets/*.js"} {
		files, err := filepath.Glob(filepath.Join(top, "internal/tool/ui", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal("no file of the page: ", pattern, err)
		}
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			check(path, string(content))
		}
	}
}
