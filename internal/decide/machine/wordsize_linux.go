package machine

import "strings"

const member = `"library_arch"`

// otherClass exchanges the word sizes 32 and 64 in library_arch of a manifest: the decision is made for programs of
// OwnClass, and this one is for the other size. Positions in the text stay the same.
func otherClass(manifest string) string {
	if !strings.Contains(manifest, member) {
		return manifest
	}
	var changed strings.Builder
	rest := manifest
	for {
		before, after, found := strings.Cut(rest, member)
		changed.WriteString(before)
		if !found {
			return changed.String()
		}
		value := strings.TrimLeft(after, " \t\r\n:")
		gap := after[:len(after)-len(value)]
		switch {
		case strings.HasPrefix(value, `"32`):
			value = `"64` + value[3:]
		case strings.HasPrefix(value, `"64`):
			value = `"32` + value[3:]
		}
		changed.WriteString(member + gap)
		rest = value
	}
}
