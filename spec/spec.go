// Package spec carries the published statements, so that the tool can show one by its id.
//
// It reads the Markdown pages beside it, whose form spec/README.md describes; it never judges their content.
package spec

import (
	"embed"
	"regexp"
	"sort"
	"strings"
	"sync"
)

//go:embed *.md
var pages embed.FS

// Statement is one numbered statement.
type Statement struct {
	ID      string
	Page    string // file name
	Subject string // the heading that it stands under
	Text    string // Markdown, without the id
}

// Anchor is the statement's place for a link: its page and the anchor of its heading.
func (s Statement) Anchor() string { return s.Page + "#" + slug(s.Subject) }

// slug is the anchor that code forges give a heading.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

var begin = sync.OnceValue(
	func() *regexp.Regexp { return regexp.MustCompile(`^\*\*([A-Z]{1,4}-[0-9]+[a-z]?)\*\* (.*)$`) })

var read = sync.OnceValues(func() (map[string]Statement, []Statement) {
	byID := map[string]Statement{}
	var all []Statement
	entries, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // the pages are part of the program
	}
	for _, entry := range entries {
		text, err := pages.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		all = append(all, parse(entry.Name(), string(text))...)
	}
	for _, s := range all {
		byID[s.ID] = s
	}
	return byID, all
})

// parse takes the statements out of a page.
func parse(page, text string) []Statement {
	var list []Statement
	subject, open := "", false
	for _, line := range strings.Split(text, "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			subject, open = heading, false
			continue
		}
		if m := begin().FindStringSubmatch(line); m != nil {
			list = append(list, Statement{ID: m[1], Page: page, Subject: subject, Text: m[2]})
			open = true
			continue
		}
		if open {
			list[len(list)-1].Text += "\n" + line
		}
	}
	for i := range list {
		list[i].Text = strings.TrimSpace(list[i].Text)
	}
	return list
}

// Find gives a statement by its id, in capitals or not.
func Find(id string) (Statement, bool) {
	byID, _ := read()
	s, ok := byID[strings.ToUpper(id)]
	if !ok { // ids may end in a small letter
		s, ok = byID[id]
	}
	return s, ok
}

// All gives every statement, by page and in the order of the page.
func All() []Statement {
	_, all := read()
	return all
}

// IDs gives the ids of all statements, sorted.
func IDs() []string {
	var ids []string
	for _, s := range All() {
		ids = append(ids, s.ID)
	}
	sort.Strings(ids)
	return ids
}
