package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spine gives the text of every C file that is written by hand, by its path.
func spine(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"spine/*.[ch]", "spine/*/*.[ch]", "spine/*/*/*.[ch]"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasPrefix(filepath.Base(path), "z") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[path] = string(text)
		}
	}
	if len(files) < 100 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// cToken is a string, a name or another sign of C; comments and white space are none.
var cToken = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+|\s+|\\\n|.`)

// splitLiterals gives the lines of a C text at which a string goes on that began on an earlier one, by itself or with a
// macro between.
func splitLiterals(text string) (lines []int) {
	before, last, lastLine, line := "", "", 0, 1
	text = include.ReplaceAllString(text, "")
	for _, word := range cToken.FindAllString(text, -1) {
		blank := strings.TrimSpace(word) == "" || word == "\\\n" || strings.HasPrefix(word, "/*") || strings.HasPrefix(word, "//")
		if !blank {
			joined := isText(word) && (isText(last) || macro.MatchString(last) && before != "define") || isText(last) && macro.MatchString(word)
			if joined && line != lastLine {
				lines = append(lines, line)
			}
			before, last, lastLine = last, word, line
		}
		line += strings.Count(word, "\n")
	}
	return lines
}

var include = regexp.MustCompile(`(?m)^#include .*$`)

var macro = regexp.MustCompile(`^[A-Z_][A-Z0-9_]+$`)

func isText(word string) bool { return strings.HasPrefix(word, `"`) }

// A message that a program prints is found by a search for it.
func TestMessagesStandOnOneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want int
	}{
		{"f(\"a\"\n  \"b\")", 1}, {"f(\"a\",\n  \"b\")", 0}, {"f(\"a\" /* \n */ \"b\")", 1}, {"f(\"a\" NAME\n \"b\")", 1}, {"f(\"a\"\n NAME)", 1},
		{"#define A \"a\" \\\n \"b\"", 1}, {"return\n \"a\";", 0}, {"f(\"a\\\"\" \"b\")", 0}, {"/* \"a\"\n \"b\" */", 0},
	} {
		if got := splitLiterals(c.text); len(got) != c.want {
			t.Errorf("%q: split at %v", c.text, got)
		}
	}
	for path, text := range spine(t) {
		for _, line := range splitLiterals(text) {
			t.Errorf("%s:%d: a text that began on an earlier line", path, line)
		}
	}
}

// A message begins with the name of a C function only where that is a function of the loader, or where spec/ has the text,
// because tools look for it.
func TestMessagesNameFunctionsThatExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`"([a-z]+(?:_[a-z]+)+): ?[^"]`)
	texts := spine(t)
	all := strings.Builder{}
	for _, text := range texts {
		all.WriteString(text)
	}
	for _, f := range sources(t) {
		if strings.HasPrefix(f.path, "internal/core/") && !f.test {
			texts[f.path] = f.text
		}
	}
	pages, err := filepath.Glob(top + "/spec/*.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Builder{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		listed.Write(text)
	}
	found := 0
	for path, text := range texts {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.Contains(listed.String(), m[1]+":") && !regexp.MustCompile(`\b`+m[1]+`\([^;]*\)\s*\{`).MatchString(all.String()) {
				t.Errorf("%s: a message names %s, which is no function", path, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d messages begin with a name", found)
	}
}

// A comment that cites a statement repeats its request: the number alone would make the reader look it up.
func TestStatementsAreExplained(t *testing.T) {
	t.Parallel()
	alone := regexp.MustCompile(`/\*(?:\s|[,.()]|\b[a-z]\b|and|to|see|[0-9]+)*(?:ERRATA|[A-Z]{1,4}-[0-9]+)(?:\s|[,.()]|\b[a-z]\b|and|to|see|ERRATA|[A-Z]{1,4}-[0-9]+|[0-9]+)*\*/`)
	for _, c := range []struct {
		text string
		want bool
	}{{"/* DRV-047 */", true}, {"/* LAY-365, LAY-372 */", true}, {"/* LAY-121 to 128. */", true}, {"/* ERRATA 23 */", true}, {"/* UNK-012 a, UNK-018 */", true}, {"/* (GPA-001) */", true}, {"/* G-4 */", true}, {"/* PHY-039: no more */", false}, {"/* said (G-4) */", false}} {
		if alone.MatchString(c.text) != c.want {
			t.Errorf("%s: want %v", c.text, c.want)
		}
	}
	for path, text := range spine(t) {
		for _, comment := range alone.FindAllString(text, -1) {
			t.Errorf("%s: %s", path, comment)
		}
	}
}
