package bundle

import (
	"strings"
	"testing"
)

// Names and directories that are not UTF-8 are hidden too. Impossible names are ignored.
func TestHideOddNames(t *testing.T) {
	t.Parallel()
	p := NewPrivate(Person{"m\xfcller", []string{"/home/m\xfcller"}}, []Person{{"bob", []string{"C:\\Users\\b\xf6b"}}},
		[]string{"h\xf6st", strings.Repeat("a word ", 1000)})
	for text, want := range map[string]string{
		"/home/m\xfcller/x of m\xfcller on h\xf6st": "~/x of user1 on machine",
		"C:/Users/b\xf6b/x":                         "C:/Users/user2/x",
		`"/home/m\ufffdller/x"`:                     `"~/x"`, // in JSON
		`"a\nbob: b\n/home/m\ufffdller"`:            `"a\nuser2: b\n~"`,
		strings.Repeat("a word ", 1000):             strings.Repeat("a word ", 1000),
	} {
		if got := p.Hide(text); got != want {
			t.Errorf("%.60q is %.60q, want %.60q", text, got, want)
		}
	}
}
