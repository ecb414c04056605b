package machine

import (
	"regexp"
	"strings"
)

const member = `"library_arch"`

// otherClass exchanges the word sizes 32 and 64 in library_arch of a manifest: the decision is made for programs of
// OwnClass, and this one is for the other size. Positions in the text stay the same.
func otherClass(manifest string) string {
	if !strings.Contains(manifest, member) {
		return manifest
	}
	sizes := regexp.MustCompile(member + `[ \t\r\n:]*"(32|64)`)
	return sizes.ReplaceAllStringFunc(manifest, func(found string) string {
		text, is32 := strings.CutSuffix(found, "32")
		if is32 {
			return text + "64"
		}
		return strings.TrimSuffix(found, "64") + "32"
	})
}
