package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vkloader/internal/decide/shell"
)

// Style marks text for a terminal, or leaves it unchanged.
type Style struct {
	Cell func(text string) string // replaces texts of tables before their layout; nil: they stay

	Coloured bool // texts get colours
	Width    int  // columns; 0: unlimited
}

// StyleFor returns the style for a writer: with colour on a terminal unless NO_COLOR is set, and with the terminal's
// width.
func StyleFor(w io.Writer, getenv func(string) string) Style {
	f, _ := File(w)
	coloured := IsTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	return Style{Coloured: coloured, Width: widthOf(f, getenv)}
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := File(w)
	return ok && isTerminal(f)
}

func (s Style) wrap(code, text string) string {
	if !s.Coloured || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Heading marks a section's title.
func (s Style) Heading(text string) string { return s.wrap("1", text) }

// Faint marks secondary text.
func (s Style) Faint(text string) string { return s.wrap("2", text) }

// Bad marks a problem.
func (s Style) Bad(text string) string { return s.wrap("31", text) }

// widthOf returns the number of columns: COLUMNS, or the terminal's width; 0: unlimited.
func widthOf(f *os.File, getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f == nil {
		return 0
	}
	return columnsOf(f)
}

// wrap breaks a text at spaces into lines of at most width characters (0: one line). A longer word has its own line.
func wrap(text string, width int) []string {
	if width <= 0 || visible(text) <= width {
		return []string{text}
	}
	return wrapLines(text, width, width)
}

// wrapLines is wrap with another width for the lines after the first.
func wrapLines(text string, width, rest int) (lines []string) {
	line, length := "", 0
	for _, word := range strings.Split(text, " ") {
		size := visible(word)
		if line != "" && length+1+size > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line, length, width = "", 0, rest
			if word == "" {
				continue
			}
		} else if line != "" {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+size
	}
	return append(lines, strings.TrimRight(line, " "))
}

// Lines prints a text after a title. Further lines are indented to the text's start. mark, if not nil, formats each
// line.
func (s Style) Lines(w io.Writer, title string, mark func(string) string, text string) {
	s.lines(w, title, mark, OneLine(text))
}

// kept replaces spaces inside commands while a text is wrapped. No text from OneLine contains it.
const kept = "\x00"

// Advice prints a text like Lines without breaking the commands in it, so that a user can copy each as one line. A
// command that ends a sentence ends its line, without the period.
func (s Style) Advice(w io.Writer, title, text string, commands ...shell.Line) {
	text = OneLine(text)
	longestFirst := func(a, b shell.Line) int { return len(b) - len(a) } // one command may contain another
	for _, line := range slices.SortedFunc(slices.Values(commands), longestFirst) {
		command := OneLine(string(line))
		if command == "" {
			continue
		}
		unbroken := strings.ReplaceAll(command, " ", kept)
		text = strings.ReplaceAll(text, command, unbroken)
		text = strings.ReplaceAll(text, "RUN "+unbroken, "RUN"+kept+unbroken) // a line of a Dockerfile
		if strings.Contains(unbroken, kept) {
			text = strings.ReplaceAll(text, unbroken+". ", unbroken+"\n")
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		s.lines(w, title, nil, line)
		title = strings.Repeat(" ", utf8.RuneCountInString(title))
	}
}

func (s Style) lines(w io.Writer, title string, mark func(string) string, text string) {
	indent := utf8.RuneCountInString(title)
	width := s.Width - indent
	if s.Width == 0 || width < textLeast {
		width = 0
	}
	for i, line := range wrap(text, width) {
		to := w
		if strings.Contains(line, kept) {
			line, to = strings.ReplaceAll(line, kept, " "), Raw(w)
		}
		if mark != nil {
			line = mark(line)
		}
		if i > 0 {
			title = strings.Repeat(" ", indent)
		}
		fmt.Fprintf(to, "%s%s\n", title, line)
	}
}

// columnLeast is the minimum width of a column of words.
const columnLeast = 20

// textLeast is the minimum width of a text.
const textLeast = 8
