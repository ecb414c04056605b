package source

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clauseVerbs begin a relative clause after "what".
const clauseVerbs = `(is|was|are|were|be|has|have|had|comes?|came|goes|went|does|did|do|can|may|must|would|will|it|they|the|a|an|there|this|that|these|no|nothing|only|else|one|waits?|asks?|looks?|reads?|needs?|wants?|calls?|holds?|stands?|lies|remains|follows|happens?|belongs|counts|changes?|makes?)`

// clauseForms find a relative clause in place of a noun, and a pronoun in place of a name.
var clauseForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bwhat ` + clauseVerbs + `\b`),
	regexp.MustCompile(`(?i)(user |users |people |those |anyone )?\bwho (waits?|asks?|looks?|reads?|needs?|wants?|calls?|holds?|has|have|is|was|does|did|may|can|comes?|runs?|gave|gives?)\b`),
	regexp.MustCompile(`(?i)\b(whoever|whatever|nobody|somebody|anybody)\b`),
	regexp.MustCompile(`(?i)\bone that (was|is|has|had|does|may|it|they|comes)\b`),
}

// hasClause reports whether a line of prose has a clause in place of a noun. "users who run" is English.
func hasClause(line string) bool {
	for _, form := range clauseForms {
		for _, match := range form.FindAllStringSubmatch(line, -1) {
			if form != clauseForms[1] || match[1] == "" {
				return true
			}
		}
	}
	return false
}

var commentStart = regexp.MustCompile(`(^|[\s;{}),])(//|/\*)(.*)`)

// proseLines returns the lines of comments of a source file, or the lines of a page outside code blocks and tables, by
// line number.
func proseLines(path, text string) map[int]string {
	lines := map[int]string{}
	extension := filepath.Ext(path)
	inside := false // a code block or a C comment
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case extension == ".md" || filepath.Base(path) == "help.txt":
			if strings.HasPrefix(strings.TrimLeft(line, " \t"), "```") {
				inside = !inside
			} else if !inside && trimmed != "" && line[0] != '|' && !strings.HasPrefix(line, "    ") {
				lines[i+1] = line
			}
		case extension == ".sh" || extension == ".mk" || extension == "":
			if strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "#!") {
				lines[i+1] = trimmed
			}
		case inside:
			lines[i+1] = trimmed
			inside = !strings.Contains(line, "*/")
		default:
			at := commentStart.FindStringSubmatchIndex(line)
			if at == nil || strings.Count(line[:at[4]], `"`)%2 != 0 {
				continue
			}
			lines[i+1] = line[at[4]:]
			inside = line[at[4]:at[5]] == "/*" && !strings.Contains(line[at[6]:], "*/")
		}
	}
	return lines
}

// clauses returns the lines with a clause in place of a noun below a directory, and the number of all lines of prose.
func clauses(t *testing.T, directory string, pages bool) (bad []string, all int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(top, directory), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "build" || name == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		page := filepath.Ext(name) == ".md" || name == "help.txt"
		if strings.HasPrefix(name, "z") || page != pages || !page && name != "Makefile" &&
			!slices.Contains([]string{".go", ".c", ".h", ".S", ".sh", ".mk", ".inc"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text[:min(len(text), 200)]), "Code generated") {
			return nil
		}
		for number, line := range proseLines(name, string(text)) {
			all++
			if hasClause(line) {
				bad = append(bad, fmt.Sprintf("%s:%d", strings.TrimPrefix(path, top+"/"), number)+": "+strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(bad)
	return bad, all
}

// Comments and pages name things by nouns: at most one line of 200 in the comments of a directory, and one of 50 in docs/
// and spec/, has a relative clause in place of a noun.
func TestNounsInPlaceOfClauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want bool
	}{
		{"What is kept of it stays.", true}, {"It says what the variable does.", true}, {"Users who run games", false},
		{"the thread, who waits for it", true}, {"whatever it names", true}, {"one that was rejected", true},
		{"Lock claims the lock and returns false on timeout.", false}, {"somewhat later", false},
	} {
		if hasClause(c.line) != c.want {
			t.Errorf("%q: %v", c.line, !c.want)
		}
	}
	got := proseLines("a.c", "int a; /* one\n * two */ int b;\nchar *s = \"// none\"; // three\n")
	if len(got) != 3 || got[2] != "* two */ int b;" || got[3] != "// three" {
		t.Errorf("comments in C: %v", got)
	}
	got = proseLines("a.md", "One\n```\ntwo\n```\n| three |\n    four\nfive")
	if len(got) != 2 || got[7] != "five" {
		t.Errorf("a page: %v", got)
	}
	for _, directory := range []string{"cmd", "discover", "drivers", "examples", "internal/containers", "internal/core", "internal/decide",
		"internal/machines", "internal/tool", "layers", "spine", "test", "tools"} {
		report(t, directory, 200, false)
	}
	report(t, "docs", 50, true)
	report(t, "spec", 50, true)
}

// report fails when more than one line of so many in a directory has a clause in place of a noun.
func report(t *testing.T, directory string, lines int, pages bool) {
	t.Helper()
	if bad, all := clauses(t, directory, pages); len(bad)*lines > all {
		t.Errorf("%s: %d of %d lines have a clause in place of a noun, such as\n%s", directory, len(bad), all,
			strings.Join(bad[:min(len(bad), 20)], "\n"))
	}
}
