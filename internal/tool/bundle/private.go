package bundle

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/tool/term"
)

// Private hides personal data in texts.
type Private struct {
	directories []replacement // longest first
	names       []replacement
}

type replacement struct {
	from *regexp.Regexp
	to   string
}

// Person is a user of the machine.
type Person struct {
	Name  string   // login name
	Homes []string // the home directory as written, and with symbolic links resolved
}

// common are login names that identify no person and occur in many texts. Distributions' images have a user with the
// distribution's name.
var common = []string{"root", "user", "users", "home", "nobody", "daemon", "bin", "lib", "usr", "etc", "share",
	"vulkan", "ubuntu", "debian", "fedora", "arch", "alpine", "linux", "steam", "deck"}

// NewPrivate returns a Private for the user, other users, and the machine's names. The user's home becomes ~, another
// one becomes /home/user2, /home/user3, ... (C:/Users/user2 on Windows); a login name becomes user1, user2, ...; a
// machine's name becomes "machine".
func NewPrivate(me Person, others []Person, machine []string) *Private {
	p := &Private{}
	for i, person := range append([]Person{me}, others...) {
		home := term.Either(i > 0, fmt.Sprint("/home/user", i+1), "~")
		for _, directory := range person.Homes {
			p.directory(directory, home)
		}
		p.name(person.Name, fmt.Sprint("user", i+1))
	}
	for _, name := range machine {
		p.name(name, "machine")
		short, _, _ := strings.Cut(name, ".")
		p.name(short, "machine")
	}
	length := func(a, b replacement) int { return len(b.from.String()) - len(a.from.String()) }
	slices.SortStableFunc(p.directories, length)
	slices.SortStableFunc(p.names, length)
	return p
}

// Maximum lengths of paths and names on any system.
const (
	longestPath = 4096
	longestName = 256
)

// literal returns the pattern for a text. An invalid UTF-8 sequence in it matches any invalid sequence, also in JSON.
func literal(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(string([]rune(text))), "\ufffd", `(?:\x{FFFD}|\\ufffd)`)
}

// directory replaces a path, alone or as the beginning of a longer path, also in JSON notation.
func (p *Private) directory(directory, to string) {
	if len(directory) <= longestPath && drivePath().MatchString(directory) {
		p.addDrivePath(directory, to)
		return
	}
	directory = path.Clean(directory)
	if len(directory) > longestPath || !path.IsAbs(directory) || strings.Count(directory, "/") < 2 &&
		directory != "/root" {
		return // "/" and "/home" belong to no person
	}
	written, _ := json.Marshal(directory)
	for _, text := range slices.Compact([]string{directory, strings.Trim(string(written), `"`)}) {
		// Joined paths often contain double slashes.
		pattern := strings.ReplaceAll(literal(text), "/", "/+")
		pattern = `(^|\\[nrt]|[^A-Za-z0-9._~-])` + pattern + `($|[^A-Za-z0-9._-]|\.($|[^A-Za-z0-9]))`
		p.directories = append(p.directories, replacement{regexp.MustCompile(pattern), "${1}" + to + "${2}"})
	}
}

// drivePath matches an absolute Windows path with at least two elements.
var drivePath = sync.OnceValue(
	func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:[\\/]+[^\\/]+[\\/]+[^\\/]`) })

// addDrivePath replaces a Windows path like directory. It ignores letter case and accepts doubled backslashes.
func (p *Private) addDrivePath(directory, to string) {
	parts := term.Words(strings.FieldsFunc(directory, func(r rune) bool { return r == '\\' || r == '/' }), literal)
	pattern := `(?i)(^|\\[nrt]|[^A-Za-z0-9])` + strings.Join(parts, `[\\/]+`) + `($|[^A-Za-z0-9._-]|\.($|[^A-Za-z0-9]))`
	p.directories = append(p.directories, replacement{regexp.MustCompile(pattern),
		"${1}" + strings.Replace(to, "/home/", "C:/Users/", 1) + "${2}"})
}

// name replaces a name where it is a whole word, in any letter case, also at the beginning of a line in JSON.
func (p *Private) name(name, to string) {
	if len(name) < 2 || len(name) > longestName || slices.Contains(common, strings.ToLower(name)) ||
		name == "localhost" {
		return
	}
	p.names = append(p.names,
		replacement{regexp.MustCompile(`(?i)(^|\\[nrt]|[^A-Za-z0-9])` + literal(name) + `($|[^A-Za-z0-9])`),
			"${1}" + to + "${2}"})
}

// otherHomes matches home directories of people outside the user list.
var otherHomes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(/home/+|(?i:[A-Z]:[\\/]+Users[\\/]+))([^\\/\s":;,'<>|]+)`)
})

var ours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^user[0-9]+$`) })

// Hide returns a text without personal data.
func (p *Private) Hide(text string) string {
	for _, list := range [][]replacement{p.directories, p.names} {
		for _, r := range list {
			// Twice, because the end of one match may begin the next.
			text = r.from.ReplaceAllString(r.from.ReplaceAllString(text, r.to), r.to)
		}
	}
	return otherHomes().ReplaceAllStringFunc(text, func(found string) string {
		part := otherHomes().FindStringSubmatch(found)
		if ours().MatchString(part[2]) || strings.EqualFold(part[2], "public") {
			return found
		}
		return part[1] + "somebody"
	})
}
