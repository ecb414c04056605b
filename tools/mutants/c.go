package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	ifHead     = regexp.MustCompile(`^\s*(?:\} else )?(?:if|while) \(`)
	callLine   = regexp.MustCompile(`^(\s+)[a-z_]+\([^;{}]*\);$`)
	assignLine = regexp.MustCompile(`^(\s+)[a-z_>.\-\[\]]+ = [^;{}]*;$`)
	comparison = regexp.MustCompile(` (==|!=|<=|>=|<|>|&&|\|\|) `)
	plusOne    = regexp.MustCompile(` ([+-]) 1\b`)
	failure    = regexp.MustCompile(`\breturn (VK_ERROR_[A-Z_]+|VK_INCOMPLETE|NULL|true|false|0|1);`)
	textOf     = regexp.MustCompile(`"(?:[^"\\]|\\.){4,}"`)
)

// orderless matches two lines whose order has no effect: two blocks are freed, two texts are copied, a block is freed
// with or without the lock, or a copy is made with the lock instead of before it.
var orderless = regexp.MustCompile(`^\s+(?:(?:(?:[a-z_]+_)?free|lock_drop)\(.*\n\s+(?:[a-z_]+_)?free|` +
	`(?:strncpy|memcpy|memset)\(.*\n\s+(?:strncpy|memcpy|memset|lock_take))\(`)

// limits matches "if (x > limit) x = limit;" and "x < limit ? x : limit", whose comparison may as well include
// equality.
var limits = regexp.MustCompile(`if \((\S+) [<>]=? (\S+)\)\s*(\S+) = (\S+);|(\S+) [<>]=? (\S+) \? (\S+) : (\S+);`)

// isInLimit reports whether a position of a text is in a limit.
func isInLimit(text string, at int) bool {
	for _, m := range limits.FindAllStringSubmatchIndex(text, -1) {
		part := func(n int) string { return text[m[2*n]:m[2*n+1]] }
		if at < m[0] || at >= m[1] {
			continue
		}
		n := 1
		if m[2] < 0 {
			n = 5
		}
		a, b, c, d := part(n), part(n+1), part(n+2), part(n+3)
		return a == c && b == d || a == d && b == c
	}
	return false
}

var opposite = map[string]string{"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
	"||": "&&", "+": "-", "-": "+"}

// cMutants plants faults line by line, except in comments and preprocessor lines.
func cMutants(file, text string) []mutant {
	var out []mutant
	comment := false
	at := 0
	lines := strings.SplitAfter(text, "\n")
	for i, whole := range lines {
		line := strings.TrimSuffix(whole, "\n")
		start := at
		at += len(whole)
		trimmed := strings.TrimSpace(line)
		next := ""
		if i+1 < len(lines) {
			next = strings.TrimSuffix(lines[i+1], "\n")
		}
		if comment {
			comment = !strings.Contains(line, "*/")
			continue
		}
		if strings.HasPrefix(trimmed, "/*") {
			comment = !strings.Contains(line, "*/")
			continue
		}
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasSuffix(trimmed, "\\") ||
			strings.Contains(line, "_Static_assert") {
			continue
		}
		add := func(from, to int, with, what string) {
			out = append(out, mutant{file: file, text: text, line: i + 1, from: start + from, to: start + to,
				with: with,
				what: what})
		}
		if loc := ifHead.FindStringIndex(line); loc != nil {
			if end := closing(line, loc[1]); end > 0 {
				add(loc[1], end, "!("+line[loc[1]:end]+")", "negated: "+trimmed)
			}
		}
		quoted := textOf.FindAllStringIndex(line, -1)
		inText := func(p int) bool {
			for _, q := range quoted {
				if p >= q[0] && p < q[1] {
					return true
				}
			}
			return false
		}
		for _, m := range comparison.FindAllStringSubmatchIndex(line, -1) {
			op := line[m[2]:m[3]]
			if !inText(m[2]) && (opposite[op][:1] != op[:1] || !isInLimit(line+"\n"+next, m[2])) {
				add(m[2], m[3], opposite[op], fmt.Sprintf("%s for %s: %s", opposite[op], op, trimmed))
			}
		}
		for _, m := range plusOne.FindAllStringSubmatchIndex(line, -1) {
			op := line[m[2]:m[3]]
			if !inText(m[2]) {
				add(m[2], m[3], opposite[op], fmt.Sprintf("%s for %s: %s", opposite[op], op, trimmed))
			}
		}
		if m := failure.FindStringSubmatchIndex(line); m != nil {
			was := line[m[2]:m[3]]
			now := map[string]string{"VK_INCOMPLETE": "VK_SUCCESS", "true": "false", "false": "true", "0": "1",
				"1": "0"}[was]
			if strings.HasPrefix(was, "VK_ERROR") {
				now = "VK_ERROR_UNKNOWN"
			}
			if now != "" {
				add(m[2], m[3], now, fmt.Sprintf("returns %s: %s", now, trimmed))
			}
		}
		if strings.Contains(line, "log_") {
			for _, q := range quoted {
				if p := letter(line, q[0]+1, q[1]-1); p > 0 {
					add(p, p+1, other(line[p]), "altered text: "+trimmed)
				}
			}
		}
		if m := callLine.FindStringSubmatch(line); m != nil {
			add(0, len(line), m[1]+";", "dropped: "+trimmed)
			if n := callLine.FindStringSubmatch(next); n != nil && n[1] == m[1] &&
				!orderless.MatchString(line+"\n"+next) {
				add(0, len(whole)+len(next), next+"\n"+line, "swapped with the next line: "+trimmed)
			}
		} else if m := assignLine.FindStringSubmatch(line); m != nil && !strings.Contains(line, "const ") {
			add(0, len(line), m[1]+";", "dropped: "+trimmed)
		}
	}
	return out
}

// closing finds the parenthesis that closes the one before from, on the same line.
func closing(line string, from int) int {
	depth := 1
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// letter finds a letter of a literal that is no part of a conversion or an escape.
func letter(line string, from, to int) int {
	for i := to - 1; i >= from+2; i-- {
		c := line[i]
		if c >= 'a' && c <= 'z' && line[i-1] != '%' && line[i-1] != '\\' && line[i-2] != '%' && line[i-1] >= 'a' &&
			line[i-1] <= 'z' {
			return i
		}
	}
	return 0
}

func other(c byte) string {
	if c == 'q' {
		return "z"
	}
	return "q"
}
