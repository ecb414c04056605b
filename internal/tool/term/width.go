package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// widthOf is how many columns there are: of the terminal, or what COLUMNS says; 0 for as many as it takes.
func widthOf(f *os.File, getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f == nil {
		return 0
	}
	return columnsOf(f)
}

// wrap cuts a text into lines of at most so many characters (0: one line), at spaces. A word is never cut in two: one
// that is longer has a line of its own.
func wrap(text string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var lines []string
	line, length := "", 0
	for _, word := range strings.Split(text, " ") {
		size := utf8.RuneCountInString(word)
		if line != "" && length+1+size > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line, length = "", 0
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

// Lines prints a text after a title, further lines below its beginning; style, when not nil, marks each line.
func (s Style) Lines(w io.Writer, title string, mark func(string) string, text string) {
	s.lines(w, title, mark, OneLine(text))
}

// kept stands for a space inside a command while a text is wrapped. No text that passed OneLine has it.
const kept = "\x00"

// Advice prints a text like Lines, without breaking the commands in it: a user copies each as one line, however long it is.
func (s Style) Advice(w io.Writer, title, text string, commands ...string) {
	text = OneLine(text)
	longestFirst := func(a, b string) int { return len(b) - len(a) } // one command may be a part of another
	for _, command := range slices.SortedFunc(slices.Values(commands), longestFirst) {
		if command = OneLine(command); command == "" {
			continue
		}
		text = strings.ReplaceAll(text, command, strings.ReplaceAll(command, " ", kept))
	}
	s.lines(w, title, nil, text)
}

func (s Style) lines(w io.Writer, title string, mark func(string) string, text string) {
	indent := utf8.RuneCountInString(title)
	width := s.width - indent
	if s.width == 0 || width < textLeast {
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

// columnLeast is how narrow a column of words may get.
const columnLeast = 20

// textLeast is how narrow a text may get.
const textLeast = 8
