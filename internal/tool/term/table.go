package term

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is rows of cells, printed with aligned columns. A column whose heading begins with ">" is aligned right.
type Table struct {
	headings []string
	rows     [][]string
}

// NewTable makes a table with the given headings.
func NewTable(headings ...string) *Table {
	return &Table{headings: headings}
}

// Row adds a row; missing cells are empty.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.headings))
	copy(row, cells)
	for i := range row {
		row[i] = OneLine(row[i])
	}
	t.rows = append(t.rows, row)
}

// Print writes the table, each line after indent.
func (t *Table) Print(w io.Writer, indent string, style Style) {
	headings := make([]string, len(t.headings))
	right := make([]bool, len(t.headings))
	width := make([]int, len(t.headings))
	for i, h := range t.headings {
		headings[i], right[i] = strings.CutPrefix(h, ">")
		width[i] = utf8.RuneCountInString(headings[i])
		for _, row := range t.rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
	}
	if style.width > 0 {
		fit(width, style.width-utf8.RuneCountInString(indent))
	}
	line := func(cells []string, mark func(string) string) {
		parts, height := make([][]string, len(cells)), 1
		for i, cell := range cells {
			parts[i] = []string{cell}
			if utf8.RuneCountInString(cell) > width[i] {
				parts[i] = wrap(cell, width[i])
			}
			height = max(height, len(parts[i]))
		}
		for row := range height {
			var b strings.Builder
			for i := range cells {
				cell := ""
				if row < len(parts[i]) {
					cell = parts[i][row]
				}
				gap := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
				if i > 0 {
					b.WriteString("  ")
				}
				if right[i] {
					b.WriteString(gap + cell)
				} else {
					b.WriteString(cell + gap)
				}
			}
			fmt.Fprintf(w, "%s%s\n", indent, mark(strings.TrimRight(b.String(), " ")))
		}
	}
	line(headings, style.Faint)
	for _, row := range t.rows {
		line(row, func(text string) string { return text })
	}
}
