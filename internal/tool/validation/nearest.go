package validation

import "strings"

// Nearest is the closest known name to a misspelling: the first that differs least, in a quarter of its letters at most, or
// the only one that contains it; case does not count. "" when there is none.
func Nearest(name string, names []string) string {
	found, inside := "", 0
	least := max(1, len(name)/4) + 1
	for _, other := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(other)); d < least {
			found, least = other, d
		}
	}
	if found != "" {
		return found
	}
	for _, other := range names {
		if len(name) > 2 && other != found && strings.Contains(strings.ToLower(other), strings.ToLower(name)) {
			found = other
			inside++
		}
	}
	if inside != 1 {
		return ""
	}
	return found
}
