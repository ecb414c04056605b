package term

import "strings"

// CodeSpan is a text as an inline code span of Markdown, for a cell of a table, too: nothing in it is markup, HTML, a link or
// a mention. What ends a cell stands as a broken bar, because readers differ in how it is escaped; "" for no text.
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

// CodeBlock are lines as a fenced block of Markdown. Each is one line, whatever is in it.
func CodeBlock(language string, lines ...string) string {
	most := 2
	for i, line := range lines {
		lines[i] = OneLine(line)
		most = max(most, longest(line))
	}
	fence := strings.Repeat("`", most+1)
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence + "\n"
}

// longest is the length of the longest run of backquotes.
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
