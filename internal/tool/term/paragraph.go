package term

import "strings"

// Paragraph is a paragraph of a text with line breaks.
type Paragraph struct {
	Lines []string
	Fixed bool // the lines keep their breaks: each begins with a space, as in tables and commands
}

// Paragraphs splits a text at empty lines and where indentation begins or ends.
func Paragraphs(text string) (list []Paragraph) {
	open := false // the last paragraph continues
	for _, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			open = false
			continue
		}
		fixed := line[0] == ' '
		if open && fixed == list[len(list)-1].Fixed {
			last := &list[len(list)-1]
			last.Lines = append(last.Lines, line)
			continue
		}
		list = append(list, Paragraph{[]string{line}, fixed})
		open = true
	}
	return list
}

// Reflow fills the paragraphs of a text to a width, with an empty line between them. A longer fixed line continues with its
// own indentation.
func Reflow(text string, width int) string {
	var b strings.Builder
	for i, p := range Paragraphs(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		if !p.Fixed {
			for _, line := range wrap(strings.Join(p.Lines, " "), width) {
				b.WriteString(line + "\n")
			}
			continue
		}
		for _, line := range p.Lines {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			b.WriteString(Hanging(line, indent, width))
		}
	}
	return b.String()
}

// Hanging fills one line to a width. Further lines begin with indent.
func Hanging(line, indent string, width int) string {
	start := line[:min(len(line), len(indent))]
	var b strings.Builder
	for _, part := range wrap(line[len(start):], max(width-len(indent), textLeast)) {
		b.WriteString(strings.TrimRight(start+part, " ") + "\n")
		start = indent
	}
	return b.String()
}
