package term

import (
	"fmt"
	"strings"
)

// longestName is the longest name that is compared: a longer one is no name that somebody typed.
const longestName = 64

// partLength is how long a part of a name must be to stand for it.
const partLength = 3

// NearestName is the candidate that differs least from a name, whatever the case of both; "" when none is near. Of two that
// are equally near it is the first in the order of the alphabet. A short name may differ less than a long one.
// Where none differs so little, it is the only candidate that contains the name, or that the name contains.
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

// DidYouMean is "; did you mean X?" where a candidate is near.
func DidYouMean(name string, candidates []string) string {
	if near := NearestName(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// nameLimit is how much a known name may differ from one that somebody typed: one byte in three, two at most.
func nameLimit(name string) int { return min(2, max(1, len(name)/3)) }

// NameDistance is how many bytes have to be inserted, removed, changed or swapped with the next to make one text of the
// other. It takes the product of the lengths: names are short.
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
