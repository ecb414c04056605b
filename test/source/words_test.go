package source

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phrase is one line of testdata/words.txt.
type phrase struct {
	text, instead string
	pages         bool // comments may have it
	form          *regexp.Regexp
	word          []byte // that is in each text with the phrase: the form is slow
}

// prose is the part of a file that people read, with all other bytes blanked out; offsets are those of the file.
// printed leaves comments of code out.
type prose struct{ all, printed []byte }

// changeable are the parts of a regular expression that may match nothing, or one of several texts.
var changeable = regexp.MustCompile(`\([^)]*\)\??|\[[^]]*\]\??|.\?`)

func readPhrases(t *testing.T, text string) []phrase {
	t.Helper()
	var list []phrase
	for _, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		form, instead, ok := strings.Cut(line, " = ")
		form, pages := strings.CutPrefix(form, "pages: ")
		if !ok || instead == "" {
			t.Fatalf("words.txt: %q has no replacement", line)
		}
		// A word ends where a letter, a digit, a dash or a path would go on.
		pattern, err := regexp.Compile(`(?i)(?:^|[^\pL\pN_/-])(` + strings.ReplaceAll(form, " ", `\s+`) + `)(?:$|[^\pL\pN_/.-]|\.$|\.[^\pL])`)
		if err != nil {
			t.Fatal(err)
		}
		word := ""
		for _, one := range strings.Fields(changeable.ReplaceAllString(form, " ")) {
			if len(one) > len(word) {
				word = one
			}
		}
		list = append(list, phrase{form, instead, pages, pattern, []byte(strings.ToLower(word))})
	}
	return list
}

// blanked has spaces for all bytes but the ends of lines.
func blanked(text []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(text))
	for i, b := range text {
		if b == '\n' {
			out[i] = b
		}
	}
	return out
}

// markdownProse leaves out code in sentences and the targets of links: they are names.
func markdownProse(text []byte) prose {
	out := bytes.Clone(text)
	for _, form := range []*regexp.Regexp{regexp.MustCompile("`[^`\n]+`"), regexp.MustCompile(`\]\([^)\n]*\)`)} {
		for _, at := range form.FindAllIndex(out, -1) {
			copy(out[at[0]:at[1]], bytes.Repeat([]byte("x"), at[1]-at[0]))
		}
	}
	return prose{out, out}
}

// mark fills the code between two texts, so that no phrase begins in one and ends in the other.
func mark(out []byte, from, to int) {
	for i := from; i < to; i++ {
		if out[i] == ' ' {
			out[i] = 0
		}
	}
}

// named is the beginning of a package's comment, which has a name.
var named = regexp.MustCompile(`^ Package \w+`)

func goProse(text []byte) prose {
	p := prose{blanked(text), blanked(text)}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	inImport := false
	for {
		at, kind, literal := s.Scan()
		offset := file.Offset(at)
		switch kind {
		case token.EOF:
			return p
		case token.IMPORT:
			inImport = true
		case token.STRING:
			if !inImport && !strings.HasPrefix(literal, "`json:") {
				copy(p.all[offset+1:], literal[1:len(literal)-1])
				copy(p.printed[offset+1:], literal[1:len(literal)-1])
			}
		case token.COMMENT:
			body := strings.TrimSuffix(literal[2:], "*/")
			name := len(named.FindString(body))
			copy(p.all[offset+2+name:], body[name:])
		case token.ADD: // joins two strings
		case token.SEMICOLON, token.LPAREN, token.RPAREN:
			if kind == token.SEMICOLON && literal == "\n" {
				break // a comment goes on in the next line
			}
			fallthrough
		default:
			if kind == token.FUNC || kind == token.VAR || kind == token.TYPE || kind == token.CONST {
				inImport = false
			}
			end := min(offset+max(len(literal), 1), len(text))
			mark(p.all, offset, end)
			mark(p.printed, offset, end)
		}
	}
}

var cWords = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)

func cProse(text []byte) prose {
	p := prose{blanked(text), blanked(text)}
	last := 0
	for _, at := range cWords.FindAllIndex(text, -1) {
		if strings.Trim(string(text[last:at[0]]), " \t\n") != "" {
			mark(p.all, last, at[0])
			mark(p.printed, last, at[0])
		}
		last = at[1]
		switch text[at[0]] {
		case '/':
			copy(p.all[at[0]+2:], bytes.TrimSuffix(text[at[0]+2:at[1]], []byte("*/")))
			for i := at[0] + 2; i < at[1]; i++ { // the stars at the left
				if p.all[i] == '*' {
					p.all[i] = ' '
				}
			}
		case '"':
			copy(p.all[at[0]+1:], text[at[0]+1:at[1]-1])
			copy(p.printed[at[0]+1:], text[at[0]+1:at[1]-1])
		}
	}
	return p
}

// shellProse is the whole text; the signs of comments become spaces.
func shellProse(text []byte) prose {
	out := bytes.ReplaceAll(text, []byte("#"), []byte(" "))
	return prose{out, blanked(out)}
}

// proseOf returns nil for files that are not read: those for machines, third-party files, and files generated from read ones.
func proseOf(path string, text []byte) *prose {
	name := filepath.Base(path)
	first := strings.SplitN(path, "/", 2)[0]
	var p prose
	switch {
	case first == "spec", strings.Contains(path, "/testdata/"), name == "words_test.go":
		return nil
	case strings.HasSuffix(name, ".md"), name == "help.txt":
		p = markdownProse(text)
	case strings.HasSuffix(name, ".go"):
		if first != "cmd" && first != "internal" {
			return nil
		}
		p = goProse(text)
	case strings.HasSuffix(name, ".c"), strings.HasSuffix(name, ".h"), strings.HasSuffix(name, ".S"):
		p = cProse(text)
	case strings.HasSuffix(name, ".sh"), strings.HasSuffix(name, ".mk"), name == "Makefile":
		p = shellProse(text)
	default:
		return nil
	}
	return &p
}

type hit struct {
	line          int
	text, instead string
}

func hits(p *prose, phrases []phrase) []hit {
	var out []hit
	lower := map[bool][]byte{false: bytes.ToLower(p.all), true: bytes.ToLower(p.printed)}
	for _, one := range phrases {
		text := p.all
		if one.pages {
			text = p.printed
		}
		if !bytes.Contains(lower[one.pages], one.word) {
			continue
		}
		for _, at := range one.form.FindAllSubmatchIndex(text, -1) {
			out = append(out, hit{1 + bytes.Count(text[:at[2]], []byte("\n")), strings.Join(strings.Fields(string(text[at[2]:at[3]])), " "), one.instead})
		}
	}
	return out
}

// What people read is plain English: the phrases of testdata/words.txt stand in no document, no comment and no text that
// the tool prints.
func TestWords(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	phrases := readPhrases(t, string(list))
	files, err := exec.Command("git", "-C", top, "ls-files").Output()
	if err != nil {
		t.Skipf("this is no working tree of git: %v", err)
	}
	read := 0
	for _, path := range strings.Fields(string(files)) {
		text, err := os.ReadFile(filepath.Join(top, path))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		p := proseOf(path, text)
		if p == nil {
			continue
		}
		read++
		for _, h := range hits(p, phrases) {
			t.Errorf("%s:%d: %q: write %q", path, h.line, h.text, h.instead)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

// A phrase is found across the ends of lines, in each kind of file; names, code and paths are not read.
func TestWordsAreFound(t *testing.T) {
	t.Parallel()
	phrases := readPhrases(t, "by way of = through\npages: cure[sd]? = fix\n")
	for _, c := range []struct {
		path, text string
		lines      []int
	}{
		{"docs/a.md", "One\nby way\nof two. `by way of` [a](by way of)\nIts CURE.", []int{2, 4}},
		{"internal/a.go", "package a\n// It comes by way\n// of a cure.\nvar cure = \"by way \" +\n\t\"of it\"\nvar b = \"a cure\" // by way", []int{2, 4, 6}},
		{"internal/a.go", "package a\nimport \"internal/tool/cure\"\nvar a = f(\"by way\", \"of\") // of\n", nil},
		{"spine/a.c", "/* by\n * way of */\nint cure; /* by way */\nint of; char *s = \"by way of\";\n", []int{1, 4}},
		{"tools/a.sh", "# by way\n# of\ncure\n", []int{1}},
		{"spec/a.md", "by way of", nil},
	} {
		var lines []int
		if p := proseOf(c.path, []byte(c.text)); p != nil {
			for _, h := range hits(p, phrases) {
				lines = append(lines, h.line)
			}
		}
		if !slices.Equal(lines, c.lines) {
			t.Errorf("%s %q: lines %v, not %v", c.path, c.text, lines, c.lines)
		}
	}
}
