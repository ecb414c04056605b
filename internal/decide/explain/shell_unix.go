//go:build unix

package explain

import (
	"path"
	"strings"

	"vkloader/internal/decide/shell"
)

// andThen stands between two lines of a shell in one.
const andThen = "; "

// line returns one change as a line for a shell.
func (c Change) line() shell.Line {
	switch {
	case c.Text != "":
		return "mkdir -p -- " + shell.Quoted(path.Dir(c.File)) + " && echo " + shell.Quoted(strings.TrimSuffix(c.Text, "\n")) + " > " + shell.Quoted(c.File)
	case c.File != "":
		return "rm -- " + shell.Quoted(c.File)
	case c.Set:
		return "export " + c.Assignment()
	}
	return "unset " + shell.Quoted(c.Variable)
}

// Assignment returns a change that sets a variable as NAME=VALUE, quoted for a shell.
func (c Change) Assignment() shell.Line {
	return shell.Quoted(c.Variable) + "=" + shell.Quoted(c.Value)
}

// Starting returns a shell line that starts a program with changed variables, and leaves other programs as they are.
func (c Change) Starting(program shell.Line) shell.Line {
	var unset, set shell.Line
	for at := &c; at != nil; at = at.And {
		if at.Set {
			set += at.Assignment() + " "
		} else {
			unset += "-u " + shell.Quoted(at.Variable) + " "
		}
	}
	return "env " + unset + set + program
}
