package trust

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
)

// homes returns the names of variables with a directory of a user's files.
func homes() []string {
	return []string{variables.Home.Name(), variables.ConfigHome.Name(), variables.DataHome.Name(), "XDG_STATE_HOME",
		"XDG_CACHE_HOME"}
}

// homeLists returns the names of variables with several directories, each of which is checked separately.
func homeLists() []string { return []string{variables.ConfigDirs.Name(), variables.DataDirs.Name()} }

// Ignored is a home, or a directory of a list, that a privileged process ignores.
type Ignored struct {
	Variable, Directory string
	Error
}

// Homes returns environ without the homes that another user can change, and these homes. A process without privileges
// gets environ.
func Homes(environ []string) (kept []string, ignored []Ignored) {
	if !Privileged() {
		return environ, nil
	}
	refused := func(variable, directory string) bool {
		var e *Error
		if directory == "" || !strings.HasPrefix(directory, "/") || !errors.As(Path(directory), &e) {
			return false
		}
		ignored = append(ignored, Ignored{variable, directory, *e})
		return true
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case slices.Contains(homes(), name):
			if refused(name, value) {
				continue
			}
		case slices.Contains(homeLists(), name):
			parts := strings.Split(value, ":")
			left := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return refused(name, part) })
			if len(left) == 0 && len(parts) > 0 {
				continue
			}
			pair = name + "=" + strings.Join(left, ":")
		}
		kept = append(kept, pair)
	}
	return kept, ignored
}

// Warning returns the sentence about ignored homes; "": there are none.
func Warning(ignored []Ignored) string {
	if len(ignored) == 0 {
		return ""
	}
	var names []string
	user, outside := "", false
	for _, i := range ignored {
		names = append(names, i.Variable+"="+i.Directory+" ("+i.Error.Error()+")")
		user, outside = cmp.Or(user, i.User), outside || i.outside
	}
	if outside {
		return "ignored as root: " + strings.Join(names, ", ") + ". To examine that user's Vulkan, " + beyond
	}
	return "ignored as root: " + strings.Join(names, ", ") + ". To examine that user's Vulkan, add --as-user " +
		cmp.Or(user, "USER")
}
