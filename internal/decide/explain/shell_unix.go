//go:build unix

package explain

import (
	"path"
	"strings"

	"vkloader/internal/decide/wording"
)

// andThen stands between two lines of a shell in one.
const andThen = "; "

// line returns one change as a line for a shell.
func (c Change) line() string {
	switch {
	case c.Text != "":
		return "mkdir -p -- " + wording.Quoted(path.Dir(c.File)) + " && echo " + wording.Quoted(strings.TrimSuffix(c.Text, "\n")) + " > " + wording.Quoted(c.File)
	case c.File != "":
		return "rm -- " + wording.Quoted(c.File)
	case c.Set:
		return "export " + c.Assignment()
	}
	return "unset " + c.Variable
}

// Assignment returns a change that sets a variable as NAME=VALUE, quoted for a shell.
func (c Change) Assignment() string { return c.Variable + "=" + wording.Quoted(c.Value) }

// Starting returns a shell line that starts a program with changed variables, and leaves other programs as they are.
func (c Change) Starting(program string) string {
	unset, set := "", ""
	for at := &c; at != nil; at = at.And {
		if at.Set {
			set += at.Assignment() + " "
		} else {
			unset += "-u " + at.Variable + " "
		}
	}
	return "env " + unset + set + program
}
