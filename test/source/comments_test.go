package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	pathInComment = regexp.MustCompile(`(?:^|[^\w/.$)}%<>-])((?:spine|internal|discover|cmd|tools|test|docs|drivers|layers|examples|packaging|debian|registry|spec)/[\w./-]*[\w/-])`)
	fileInComment = regexp.MustCompile(`(?:^|[^\w/.*%<>-])([\w-]+(?:/[\w-]+)*\.(?:go|c|h|S|py|sh|txtar|md|inc|def|mk))(?:[^\w.]|\.?$|\.\s)`)
)

// ofOurs are headers of this project: others are of the system.
var ofOurs = regexp.MustCompile(`^(?:spine|drivers|layers|test|internal|process|core|library|state)/`)

// notOurs are names in comments that are files of another kind: made by the build, of other projects, or examples.
var notOurs = []string{"core.c", "FILE.c", "internal/bytealg.MakeNoZero", "doc/lz4_Frame_format.md", "docs/macos.md"}

// lacking returns the files that a comment names and the repository does not have.
func lacking(comment string, files []string) (names []string) {
	has := func(name string, whole bool) bool {
		name = strings.TrimSuffix(name, "/")
		return placeName.MatchString(name) || slices.ContainsFunc(notOurs, func(n string) bool { return name == n || strings.HasSuffix(name, "/"+n) }) ||
			slices.ContainsFunc(files, func(f string) bool {
				return f == name || strings.HasPrefix(f, name+"/") || !whole && strings.HasSuffix(f, "/"+name)
			})
	}
	for _, m := range pathInComment.FindAllStringSubmatch(comment, -1) {
		if !has(m[1], true) {
			names = append(names, m[1])
		}
	}
	for _, m := range fileInComment.FindAllStringSubmatch(comment, -1) {
		if !has(m[1], false) && (filepath.Ext(m[1]) != ".h" || ofOurs.MatchString(m[1])) {
			names = append(names, m[1])
		}
	}
	return names
}

// TestCommentsNameFilesThatExist checks the names of files and directories in the comments of sources, scripts and make's files.
func TestCommentsNameFilesThatExist(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "-C", top, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("no checkout of git: ", err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	if got := lacking("// see spine/none.c, spine/spine.h, test/none and gone_test.go.", files); strings.Join(got, " ") != "spine/none.c test/none spine/none.c gone_test.go" {
		t.Fatalf("%q", got)
	}
	seen := 0
	for _, file := range files {
		if !slices.Contains([]string{".go", ".c", ".h", ".S", ".inc", ".def", ".sh", ".mk", ""}, filepath.Ext(file)) || strings.Contains(file, "/testdata/") ||
			file == "test/source/comments_test.go" || strings.HasPrefix(file, "debian/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			continue // deleted, and not committed
		}
		for line, comment := range proseLines(file, string(text)) {
			seen++
			for _, name := range lacking(comment, files) {
				t.Errorf("%s:%d names %s, which does not exist", file, line, name)
			}
		}
	}
	if seen < 5000 {
		t.Errorf("only %d lines of comments", seen)
	}
}
