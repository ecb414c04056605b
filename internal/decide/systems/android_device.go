package systems

import (
	"fmt"
	"strings"
)

// splitList splits a list and skips empty items.
func splitList(text, separator string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separator, r) })
}

// Properties are a system's properties or parameters by their names.
type Properties map[string]string

// Read adds the lines of a file: "[name]: [value]", as getprop prints them, or "name=value", as in build.prop and as
// param and settings print them. A later value replaces an earlier one. problems has the positions of other lines.
func (p Properties) Read(file, content string) (problems []string) {
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := "", "", false
		if rest, bracket := strings.CutPrefix(line, "["); bracket {
			name, value, ok = strings.Cut(rest, "]: [")
			if ok {
				value, ok = strings.CutSuffix(value, "]")
			}
		} else {
			name, value, ok = strings.Cut(line, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		if !ok || name == "" {
			problems = append(problems, fmt.Sprintf("%s:%d: neither [name]: [value] nor name=value", file, i+1))
			continue
		}
		p[name] = value
	}
	return problems
}
