package source

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// page is a Markdown file, taken apart.
type page struct {
	path     string
	headings map[string]bool // as links name them
	links    []pageLink
	blocks   []block
	open     int // the line of a block that is never closed, 0: none
}

type pageLink struct {
	line   int
	target string
}

type block struct {
	line           int
	language, text string
}

var (
	linkTarget = regexp.MustCompile(`\]\(<?([^()<>\s]+)>?(?: "[^"]*")?\)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
	markup     = regexp.MustCompile("[`*]|\\[|\\]\\([^)]*\\)")
)

// slug is how a link names a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(markup.ReplaceAllString(heading, "")))
}

func readPage(path, text string) *page {
	p := &page{path: path, headings: map[string]bool{}}
	var inside *block
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case inside != nil && strings.TrimRight(bare, " ") == fence:
			p.blocks = append(p.blocks, *inside)
			inside, p.open = nil, 0
		case inside != nil:
			inside.text += line + "\n"
		case strings.HasPrefix(bare, "```"):
			language := strings.TrimLeft(bare, "`")
			fence = strings.TrimSuffix(bare, language)
			inside, p.open = &block{line: i + 1, language: strings.TrimSpace(language)}, i+1
		case strings.HasPrefix(line, "#"):
			p.headings[slug(strings.TrimLeft(line, "#"))] = true
		default:
			for _, match := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
				p.links = append(p.links, pageLink{i + 1, match[1]})
			}
		}
	}
	return p
}

// wrong returns the fault of a block of code; "" for none, and for languages that are not judged.
func (b *block) wrong() string {
	switch b.language {
	case "json":
		if !json.Valid([]byte(b.text)) {
			return "no JSON"
		}
	case "sh":
		shell := exec.Command("sh", "-n")
		shell.Stdin = strings.NewReader(b.text)
		if out, err := shell.CombinedOutput(); err != nil {
			return "no shell script: " + strings.TrimSpace(string(out))
		}
	case "go":
		_, declarations := parser.ParseFile(token.NewFileSet(), "", "package p\n"+b.text, 0)
		_, statements := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+b.text+"}\n", 0)
		if declarations != nil && statements != nil {
			return "no Go: " + declarations.Error()
		}
	}
	return ""
}

// The links of the pages lead to files and headings that exist, and blocks of code have their declared language.
func TestPages(t *testing.T) {
	t.Parallel()
	pages := map[string]*page{}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		name := ""
		if err == nil {
			name = entry.Name()
		}
		if err != nil || entry.IsDir() && path != top && (name == "build" || name == "testdata" || strings.HasPrefix(name, ".")) {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if strings.HasSuffix(name, ".md") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			pages[filepath.Clean(path)] = readPage(path, string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	links, blocks := 0, 0
	for _, p := range pages {
		if p.open > 0 {
			t.Errorf("%s:%d: the block of code is never closed", p.path, p.open)
		}
		for i := range p.blocks {
			blocks++
			if fault := p.blocks[i].wrong(); fault != "" {
				t.Errorf("%s:%d: %s", p.path, p.blocks[i].line, fault)
			}
		}
		for _, l := range p.links {
			links++
			if fault := p.leads(l.target, pages); fault != "" {
				t.Errorf("%s:%d: %s: %s", p.path, l.line, l.target, fault)
			}
		}
	}
	if len(pages) < 10 || links < 20 || blocks < 10 {
		t.Errorf("only %d pages with %d links and %d blocks", len(pages), links, blocks)
	}
}

// leads returns the fault of a link; those to other sites are not followed.
func (p *page) leads(target string, pages map[string]*page) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return ""
	}
	file, heading, named := strings.Cut(target, "#")
	path := filepath.Clean(p.path)
	if file != "" {
		path = filepath.Join(filepath.Dir(p.path), filepath.FromSlash(file))
		if _, err := os.Stat(path); err != nil {
			return "no such file"
		}
	}
	if other := pages[path]; named && other != nil && !other.headings[heading] {
		return "no such heading"
	}
	return ""
}

// A page with one of each fault, and without.
func TestPagesAreJudged(t *testing.T) {
	t.Parallel()
	good := readPage("a.md", "# One `two`, three\n[x](#one-two-three) `[y](none.md)`\n```json\n{}\n```\n```sh\necho\n```\n```go\nx := 1\n```\n")
	bad := readPage("b.md", "[x](#none) [y](none.md)\n```json\n{\n```\n```sh\nif\n```\n```go\nx = = 1\n```\n```\n")
	pages := map[string]*page{"a.md": good, "b.md": bad}
	for _, p := range pages {
		for _, l := range p.links {
			if fault := p.leads(l.target, pages); (fault == "") != (p == good) {
				t.Errorf("%s: %s: %q", p.path, l.target, fault)
			}
		}
		for i := range p.blocks {
			if fault := p.blocks[i].wrong(); (fault == "") != (p == good) {
				t.Errorf("%s:%d: %q", p.path, p.blocks[i].line, fault)
			}
		}
	}
	if len(good.links) != 1 || len(good.blocks) != 3 || good.open != 0 || len(bad.links) != 2 || len(bad.blocks) != 3 || bad.open == 0 {
		t.Errorf("%+v\n%+v", good, bad)
	}
}

var (
	// A path of the repository in code type, without places for names.
	pathInCode = regexp.MustCompile("`((?:spine|internal|discover|cmd|tools|test|docs|drivers|layers|examples|packaging|debian|registry|spec)/[\\w./-]+)`")
	placeName  = regexp.MustCompile(`\b(?:NAME|TARGET)\b`)
	word       = regexp.MustCompile(`[\pL\pN]`)
)

// missing are the paths that a page names and the repository lacks. Those that the build makes are not there before it.
func missing(text string) (paths []string) {
	for _, m := range pathInCode.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(top, m[1])); err != nil && m[1] != "spine/gen/core.c" && !placeName.MatchString(m[1]) {
			paths = append(paths, m[1])
		}
	}
	return paths
}

// A page names files that exist. The changelog and samples of faults may name files of the past.
func TestPagesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	if got := missing("`spine/none.c` and `spine/spine.h`, `spine/<machine>.S`, `./test/none`"); len(got) != 1 || got[0] != "spine/none.c" {
		t.Fatalf("%q", got)
	}
	found := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "test/*.md", "spec/*.md", "drivers/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pages {
			if base := filepath.Base(path); base == "mutants.md" || base == "CHANGELOG.md" {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found += len(pathInCode.FindAll(text, -1))
			for _, name := range missing(string(text)) {
				t.Errorf("%s names %s, which does not exist", strings.TrimPrefix(path, top+"/"), name)
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d paths were seen", found)
	}
}

// TestPagesNameFunctionsThatExist checks the names with an underscore, such as those of functions, on pages about the
// library's code.
func TestPagesNameFunctionsThatExist(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	words := map[string]bool{}
	for _, directory := range []string{"spine", "tools/goc", "test"} {
		err := filepath.WalkDir(filepath.Join(top, directory), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".c", ".h", ".S", ".go"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, one := range word.FindAllString(string(text), -1) {
				words[one] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	name := regexp.MustCompile("`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`")
	for _, page := range []string{"concurrency.md", "goc.md", "guest-rules.md"} {
		text, err := os.ReadFile(filepath.Join(top, "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			if !words[m[1]] {
				t.Errorf("docs/%s names %s, which is in no source file of the library", page, m[1])
			}
		}
	}
}

// README is the first page that people with a broken set-up read: it has at most 900 words.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, field := range strings.Fields(string(text)) {
		if word.MatchString(field) {
			words++
		}
	}
	if words > 900 {
		t.Errorf("README.md has %d words", words)
	}
}

// Each page of docs is in one of the two indexes: of the pages for users, or of the notes for makers.
func TestPagesAreInOneIndex(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, index := range []string{"README.md", "makers.md"} {
		text, err := os.ReadFile(filepath.Join(top, "docs", index))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\| \[([\w-]+\.md)\]`).FindAllStringSubmatch(string(text), -1) {
			count[m[1]]++
		}
	}
	pages, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	for _, path := range pages {
		if page := filepath.Base(path); page != "README.md" && page != "makers.md" && count[page] != 1 {
			t.Errorf("docs/%s is %d times in the indexes", page, count[page])
		}
	}
}
