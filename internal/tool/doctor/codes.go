package doctor

import (
	_ "embed"
	"encoding"
	"fmt"
	"strings"
	"sync"

	"vkloader/internal/core/diag"
)

//go:generate go run vkloader/tools/pages codes zcodes.go

// Code is the stable name of a kind of finding of the doctor. The library's decision has codes of type diag.Code.
type Code string

//go:embed codes.txt
var codesTable string

// CodeEntry is the table entry of a code.
type CodeEntry struct {
	diag.Entry
	Means string // why it matters
}

// codeEntries returns the codes of the table, in its order, and their texts. The table is read at the first call.
var codeEntries = sync.OnceValues(func() (codes []Code, entries map[Code]*CodeEntry) {
	entries = map[Code]*CodeEntry{}
	_, table, _ := strings.Cut(strings.TrimSpace(codesTable), "\n\n") // after the table's comment
	for paragraph := range strings.SplitSeq(table, "\n\n") {
		heading, text, _ := strings.Cut(paragraph, "\n")
		name, words, _ := strings.Cut(heading, " | ")
		word, statement, _ := strings.Cut(words, " | ")
		means, do, _ := strings.Cut(text, "\n")
		severities := map[string]diag.Severity{"note": diag.Note, "warning": diag.Warning, "problem": diag.Problem}
		codes = append(codes, Code(name))
		entries[Code(name)] = &CodeEntry{diag.Entry{Name: name, Severity: severities[word], Statement: statement, Do: do}, means}
	}
	return codes, entries
})

// Entry returns the texts of a code.
func (c Code) Entry() *CodeEntry {
	_, entries := codeEntries()
	return entries[c]
}

func (c Code) String() string { return string(c) }

// MarshalText returns the code's name for JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c), nil }

// Kind is the code of a finding: a Code of the doctor, or a diag.Code of the library's decision.
type Kind interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// Codes returns every code, in the order of the table. The documentation is generated with it.
func Codes() []Code {
	codes, _ := codeEntries()
	return codes
}
