package diag

import (
	_ "embed"
	"strings"
	"sync"
)

//go:generate go run vkloader/tools/pages core-codes zcodes.go
//go:generate go run vkloader/tools/pages findings ../../../docs/findings.md

// Code is the stable identifier of a kind of finding. Programs use its name, which never changes.
type Code uint8

// None means no finding.
const None Code = 0

// Entry is the table entry of a code.
type Entry struct {
	Name      string
	Severity  Severity
	Statement string // the statement that it comes from
	About     About
	Do        string // the advice; empty if none is needed
}

// Read calls row for each row of a table of codes: its entry without the advice, and the lines below its heading.
func Read(table string, row func(e Entry, lines []string)) {
	_, rows, _ := strings.Cut(strings.TrimSpace(table), "\n\n") // after the table's comment
	for paragraph := range strings.SplitSeq(rows, "\n\n") {
		lines := strings.Split(paragraph, "\n")
		name, rest, _ := strings.Cut(lines[0], " | ")
		severity, rest, _ := strings.Cut(rest, " | ")
		statement, about, _ := strings.Cut(rest, " | ")
		e := Entry{Name: name, Statement: statement, About: About(about)}
		if err := e.Severity.UnmarshalText([]byte(severity)); err != nil {
			panic(name + ": " + err.Error())
		}
		row(e, lines[1:])
	}
}

//go:embed codes.txt
var codesTable string

// The table's entries, by code.
var (
	reading sync.Once
	entries []Entry
)

// allEntries returns the table's entries. It reads the table at the first call, because the translator runs nothing at
// the start.
func allEntries() []Entry {
	reading.Do(func() {
		entries = []Entry{None: {Name: "none"}}
		Read(codesTable, func(e Entry, lines []string) {
			e.Do = strings.Join(lines, "")
			entries = append(entries, e)
		})
	})
	return entries
}

// Entry returns the table entry of the code.
func (c Code) Entry() *Entry {
	list := allEntries()
	if int(c) >= len(list) {
		c = None
	}
	return &list[c]
}

func (c Code) String() string { return c.Entry().Name }

// MarshalText returns the name, for the tool's JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Codes calls f for every code, in order. The documentation is generated from it.
func Codes(f func(Code, *Entry)) {
	for i := range allEntries()[1:] {
		c := Code(i + 1)
		f(c, c.Entry())
	}
}
