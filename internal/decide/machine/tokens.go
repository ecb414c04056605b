package machine

import (
	"path"
	"strings"

	"vkloader/internal/machines"
)

// Tokens are the possible values of $ORIGIN, $LIB and $PLATFORM in the names of libraries. Only the dynamic linker
// knows the right ones, so a token may have several.
type Tokens struct{ Origin, Lib, Platform []string }

// Expand returns the texts in which each token has one of its values. A token without values is unchanged.
func (t Tokens) Expand(text string) []string {
	list := []string{text}
	for _, token := range []struct {
		name   string
		values []string
	}{{"ORIGIN", t.Origin}, {"LIB", t.Lib}, {"PLATFORM", t.Platform}} {
		var out []string
		for _, s := range list {
			if len(token.values) == 0 || !strings.Contains(s, "$"+token.name) &&
				!strings.Contains(s, "${"+token.name+"}") {
				out = append(out, s)
				continue
			}
			for _, v := range token.values {
				out = append(out, strings.ReplaceAll(strings.ReplaceAll(s, "${"+token.name+"}", v), "$"+token.name, v))
			}
		}
		list = out
	}
	return list
}

// Platforms returns the values of $PLATFORM on all machines of the table: the kernel's AT_PLATFORM, and the names that
// glibc has for x86-64 processors.
func Platforms() (list []string) {
	for _, m := range machines.All() {
		list = append(list, m.Platforms...)
	}
	return list
}

// LibOf returns the value of $LIB for a glibc from the path of its libc.so.6: "lib64", "lib/x86_64-linux-gnu".
func LibOf(libc string) string {
	directory, _, _ := strings.Cut(path.Dir(libc), "/glibc-hwcaps")
	base := path.Base(directory)
	if above := path.Base(path.Dir(directory)); !strings.HasPrefix(base, "lib") && strings.HasPrefix(above, "lib") {
		return above + "/" + base
	}
	return base
}
