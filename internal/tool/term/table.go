package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table prints rows of cells in aligned columns. A heading with the prefix ">" aligns its column right.
type Table struct {
	headings []string
	rows     [][]string
}

// NewTable returns a table with headings.
func NewTable(headings ...string) *Table {
	return &Table{headings: headings}
}

// Row adds a row. Missing cells are empty.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.headings))
	copy(row, cells)
	for i := range row {
		row[i] = OneLine(row[i])
	}
	t.rows = append(t.rows, row)
}

// Print writes the table with indent before each line. If the width is limited, columns of words get narrower and their
// cells wrap; a name is never broken. If names alone are too wide, columns move to lines below their row.
func (t *Table) Print(w io.Writer, indent string, style Style) {
	p := printer{w: w, indent: indent, style: style, below: make([]bool, len(t.headings)),
		right: make([]bool, len(t.headings))}
	headings := make([]string, len(t.headings))
	for i, h := range t.headings {
		headings[i], p.right[i] = strings.CutPrefix(h, ">")
	}
	for i := range t.rows {
		if style.Cell != nil {
			t.rows[i] = Words(t.rows[i], style.Cell)
		}
	}
	p.layOut(append([][]string{headings}, t.rows...))
	p.line(headings, style.Faint)
	for _, row := range t.rows {
		p.line(row, func(text string) string { return text })
	}
}

// PrintOr prints the table, or the line none if it has no rows.
func (t *Table) PrintOr(none string, w io.Writer, indent string, style Style) {
	if len(t.rows) == 0 {
		fmt.Fprintf(w, "%s%s\n", indent, none)
		return
	}
	t.Print(w, indent, style)
}

// printer prints the rows of a table.
type printer struct {
	w      io.Writer
	indent string
	style  Style
	right  []bool
	width  []int  // of each column
	below  []bool // the column is on lines below the row
	stays  int    // the number of columns that always stay on the row's line
}

// layOut computes the column widths: those of the cells, or less, down to the longest word. If that is too wide, or a
// column of words would be too narrow to read, the widest column moves below the row. The first column stays, and also
// the second after a column of marks.
func (p *printer) layOut(rows [][]string) {
	count := len(p.right)
	natural, least := make([]int, count), make([]int, count)
	for _, row := range rows {
		for i, cell := range row {
			natural[i] = max(natural[i], utf8.RuneCountInString(cell))
			for _, word := range strings.Fields(cell) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	p.stays = 1
	if rows[0][0] == "" && count > 1 {
		p.stays = 2
	}
	for p.width = slices.Clone(natural); p.style.Width > 0; p.width = slices.Clone(natural) {
		if p.narrow(least, p.style.Width-utf8.RuneCountInString(p.indent)) {
			return
		}
		widest := -1
		for i := p.stays; i < count; i++ {
			if !p.below[i] && (widest < 0 || natural[i] >= natural[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return // a single name is too wide
		}
		p.below[widest] = true
	}
}

// narrow reduces the widest columns until all fit; false if they cannot.
func (p *printer) narrow(least []int, room int) bool {
	for p.total(p.width) > room {
		widest := -1
		for i, width := range p.width {
			if !p.below[i] && width > max(least[i], columnLeast) && (widest < 0 || width > p.width[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		p.width[widest]--
	}
	return true
}

func (p *printer) total(width []int) int {
	total := -columnGap
	for i, w := range width {
		if !p.below[i] {
			total += w + columnGap
		}
	}
	return total
}

// columnGap is the space between columns.
const columnGap = 2

// line prints the cells of a row. mark formats each line.
func (p *printer) line(cells []string, mark func(string) string) {
	parts, height := make([][]string, len(cells)), 1
	for i, cell := range cells {
		if p.below[i] {
			continue
		}
		parts[i] = []string{cell}
		if utf8.RuneCountInString(cell) > p.width[i] {
			parts[i] = wrap(cell, p.width[i])
		}
		height = max(height, len(parts[i]))
	}
	for row := range height {
		var b strings.Builder
		begun := false
		for i := range cells {
			if p.below[i] {
				continue
			}
			cell := ""
			if row < len(parts[i]) {
				cell = parts[i][row]
			}
			gap := strings.Repeat(" ", max(0, p.width[i]-utf8.RuneCountInString(cell)))
			if begun {
				b.WriteString(strings.Repeat(" ", columnGap))
			}
			begun = true
			if p.right[i] {
				b.WriteString(gap + cell)
			} else {
				b.WriteString(cell + gap)
			}
		}
		fmt.Fprintf(p.w, "%s%s\n", p.indent, mark(strings.TrimRight(b.String(), " ")))
	}
	indent := "  " // deeper than that of the remaining column
	if p.stays == 2 {
		indent = strings.Repeat(" ", p.width[0]+columnGap+2)
	}
	for i, cell := range cells {
		if !p.below[i] || cell == "" {
			continue
		}
		for _, part := range wrap(cell, p.style.Width-utf8.RuneCountInString(p.indent+indent)) {
			fmt.Fprintf(p.w, "%s%s\n", p.indent, mark(indent+part))
		}
	}
}
