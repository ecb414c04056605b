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
	line := func(cells []string) string {
		var b strings.Builder
		for i, cell := range cells {
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
		return strings.TrimRight(b.String(), " ")
	}
	fmt.Fprintf(w, "%s%s\n", indent, style.Faint(line(headings)))
	for _, row := range t.rows {
		fmt.Fprintf(w, "%s%s\n", indent, line(row))
	}
}
