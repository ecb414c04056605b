package term

import (
	"fmt"
	"io"
	"os"
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
	indent := utf8.RuneCountInString(title)
	width := s.width - indent
	if s.width == 0 || width < textLeast {
		width = 0
	}
	for i, line := range wrap(OneLine(text), width) {
		if mark != nil {
			line = mark(line)
		}
		if i > 0 {
			title = strings.Repeat(" ", indent)
		}
		fmt.Fprintf(w, "%s%s\n", title, line)
	}
}

// columnLeast is how narrow a column of words may get.
const columnLeast = 20

// textLeast is how narrow a text may get.
const textLeast = 8
