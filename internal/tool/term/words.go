package term

import (
	"fmt"
	"strings"

	"vkloader/internal/decide/wording"
)

// Size formats a number of bytes; "-" for 0.
func Size(bytes uint64) string {
	switch {
	case bytes == 0:
		return "-"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Microseconds formats a duration in milliseconds with about three digits.
func Microseconds(us float64) string {
	ms := us / 1000
	return fmt.Sprintf("%.*f ms", Either(ms >= 100, 0, Either(ms >= 10, 1, 2)), ms)
}

// Count formats a count: "no drivers", "1 driver", "2 drivers".
func Count(n int, thing string) string {
	many := thing + Either(strings.HasSuffix(thing, "s"), "es", "s")
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		many = stem + "ies"
	}
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Either returns the first of two values if first is true, and else the other.
func Either[T any](first bool, one, other T) T {
	if first {
		return one
	}
	return other
}

// Or returns text, or otherwise if text is empty.
func Or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Enclosed returns text between before and after; "" for an empty text.
func Enclosed(before, text, after string) string {
	return Either(text == "", "", before+text+after)
}

// Choice joins alternatives.
func Choice(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// ShortList joins at most so many names, and says how many others there are, or that there are none.
func ShortList(names []string, most int) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Words is wording.Words.
func Words[T, W any](list []T, word func(T) W) []W { return wording.Words(list, word) }

// longestName is the maximum length of compared names. Typed names are shorter.
const longestName = 64

// partLength is the minimum length of a part that identifies a name.
const partLength = 3

// NearestName returns the candidate with the smallest difference from name, ignoring case; "" if none is close. Of two
// equally close candidates it returns the alphabetically first. The allowed difference depends on the length of the
// name. If no candidate is close, it returns the only candidate that contains the name or is contained in it.
func NearestName(name string, candidates []string) string {
	if len(name) > longestName {
		return ""
	}
	lower := strings.ToLower(name)
	best, least := "", nameLimit(name)+1
	for _, c := range candidates {
		if len(c) > longestName+2 || c == name {
			continue
		}
		if d := NameDistance(lower, strings.ToLower(c)); d < least || d == least && best != "" && c < best {
			best, least = c, d
		}
	}
	if best != "" || len(name) < partLength {
		return best
	}
	for _, c := range candidates {
		part := strings.ToLower(c)
		if c != name && (strings.Contains(part, lower) || len(part) > partLength && strings.Contains(lower, part)) {
			if best != "" {
				return ""
			}
			best = c
		}
	}
	return best
}

// DidYouMean returns "; did you mean X?" if a candidate is close.
func DidYouMean(name string, candidates []string) string {
	if near := NearestName(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// nameLimit returns the maximum difference of a typed name from a known one: one byte in three, at most two.
func nameLimit(name string) int { return min(2, max(1, len(name)/3)) }

// NameDistance returns the number of bytes to insert, remove, change or swap with the next to turn one text into the
// other. Its time is proportional to the product of the lengths, which are short for names.
func NameDistance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
