package loaderlog

import "strings"

// Older gives the log of an older loader, whose lines begin with the tag, the form of LOG-9. Other lines stay as they are.
func Older(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		tag, rest, ended := strings.Cut(line, tagEnd)
		first, second, both := strings.Cut(tag, separator)
		_, severity := severities[first]
		if !ended || !severity && !categories[first] || both && !categories[second] {
			continue
		}
		start := Mark + tag + tagEnd + " "
		if pad := textColumn - len(start); pad > 0 {
			start += strings.Repeat(" ", pad)
		}
		lines[i] = start + strings.TrimLeft(rest, " ")
	}
	return strings.Join(lines, "\n")
}
