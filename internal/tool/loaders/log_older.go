package loaders

import "strings"

// olderColumn is where the text started in loaders before the mark.
const olderColumn = 18

// OlderLog gives the log of an older loader, whose lines begin with the tag, the form of LOG-9. Other lines stay as they are.
func OlderLog(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		tag, rest, ended := strings.Cut(line, tagEnd)
		first, second, both := strings.Cut(tag, separator)
		_, severity := severityOf(first)
		if !ended || !severity && !isCategory(first) || both && !isCategory(second) {
			continue
		}
		width := len(tag)
		if both && !severity { // two categories
			tag = first
		}
		start := LogMark + tag + tagEnd + " "
		if pad := textColumn - len(start); pad > 0 {
			start += strings.Repeat(" ", pad)
		}
		if text, padded := strings.CutPrefix(rest, strings.Repeat(" ", max(0, olderColumn-width-len(tagEnd)))); padded {
			rest = text
		} else {
			rest = strings.TrimPrefix(rest, " ")
		}
		lines[i] = start + rest
	}
	return strings.Join(lines, "\n")
}
