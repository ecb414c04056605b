package term

import "strings"

// CodeSpan returns a text as a Markdown code span, also within a table cell: it contains no markup, HTML, link or mention. A
// broken bar replaces the vertical bar, because Markdown readers differ in its escaping. The result is "" for an empty text.
func CodeSpan(text string) string {
	text = strings.ReplaceAll(OneLine(text), "|", "¦")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	fence := strings.Repeat("`", longest(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") ||
		strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// CodeBlock returns lines as a fenced Markdown code block. Each line stays one line.
func CodeBlock(language string, lines ...string) string {
	most := 2
	for i, line := range lines {
		lines[i] = OneLine(line)
		most = max(most, longest(line))
	}
	fence := strings.Repeat("`", most+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// longest returns the length of the longest run of backquotes.
func longest(text string) int {
	most, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		most = max(most, run)
	}
	return most
}
