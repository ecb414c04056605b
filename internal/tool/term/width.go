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

// wrap cuts a text into lines of at most so many characters (0: one line), at spaces where there are any.
func wrap(text string, width int) []string {
	var lines []string
	for width > 0 && utf8.RuneCountInString(text) > width {
		runes := []rune(text)
		at := width
		for i := width; i > width/2; i-- {
			if runes[i] == ' ' {
				at = i
				break
			}
		}
		lines = append(lines, strings.TrimRight(string(runes[:at]), " "))
		text = strings.TrimLeft(string(runes[at:]), " ")
	}
	return append(lines, text)
}

// Lines prints a text after a title, further lines below its beginning; style, when not nil, marks each line.
func (s Style) Lines(w io.Writer, title string, mark func(string) string, text string) {
	indent := utf8.RuneCountInString(title)
	width := s.width - indent
	if s.width == 0 || width < columnLeast {
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

// columnLeast is how narrow a column may get.
const columnLeast = 8

// fit makes columns narrower, the widest first, until they have room.
func fit(columns []int, room int) {
	for {
		total, widest := 0, 0
		for i, c := range columns {
			total += c + 2
			if c > columns[widest] {
				widest = i
			}
		}
		if total-2 <= room || columns[widest] <= columnLeast {
			return
		}
		columns[widest]--
	}
}
