package machine

import "strings"

const member = `"library_arch"`

// otherClass exchanges the two word sizes in a manifest: they say in library_arch for which one they are, and the decision
// is made for programs of OwnClass. Nothing in the text changes its place.
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
