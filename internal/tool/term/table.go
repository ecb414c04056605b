package term

import (
	"fmt"
	"io"
	"slices"
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

// Print writes the table, each line after indent. Where the lines have a width, columns of words get narrower, and a cell
// goes on below; a name is never cut in two. When names alone are too wide, the last columns that fit go to lines below
// the others.
func (t *Table) Print(w io.Writer, indent string, style Style) {
	p := printer{w: w, indent: indent, style: style, below: make([]bool, len(t.headings)), right: make([]bool, len(t.headings))}
	headings := make([]string, len(t.headings))
	for i, h := range t.headings {
		headings[i], p.right[i] = strings.CutPrefix(h, ">")
	}
	p.layOut(append([][]string{headings}, t.rows...))
	p.line(headings, style.Faint)
	for _, row := range t.rows {
		p.line(row, func(text string) string { return text })
	}
}

// PrintOr prints the table, or a line where it has no rows.
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
	width  []int  // of the columns
	below  []bool // the column is on lines of its own
	stays  int    // so many columns stay on the line
}

// belowIndent is before cells on lines of their own: further in than the column that stays.
func (p *printer) belowIndent() string {
	if p.stays == 2 {
		return strings.Repeat(" ", p.width[0]+columnGap+2)
	}
	return "  "
}

// layOut finds the widths: as wide as the cells, narrower where there is no room, down to the longest word. Where that is
// not enough, or a column of words would get too narrow to read, the widest column leaves the line; the first column
// stays, and the second after a column of marks.
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
	for p.width = slices.Clone(natural); p.style.width > 0; p.width = slices.Clone(natural) {
		if p.narrow(least, p.style.width-utf8.RuneCountInString(p.indent)) {
			return
		}
		widest := -1
		for i := p.stays; i < count; i++ {
			if !p.below[i] && (widest < 0 || natural[i] >= natural[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return // a name alone is too wide
		}
		p.below[widest] = true
	}
}

// narrow makes columns narrower, the widest first, until they have room; false when there is none.
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

// total is the width of the columns on one line.
func (p *printer) total(width []int) int {
	total := -columnGap
	for i, w := range width {
		if !p.below[i] {
			total += w + columnGap
		}
	}
	return total
}

// columnGap is between columns.
const columnGap = 2

// line prints the cells of a row; mark marks each line.
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
	indent := p.belowIndent()
	for i, cell := range cells {
		if !p.below[i] || cell == "" {
			continue
		}
		for _, part := range wrap(cell, p.style.width-utf8.RuneCountInString(p.indent+indent)) {
			fmt.Fprintf(p.w, "%s%s\n", p.indent, mark(indent+part))
		}
	}
}
