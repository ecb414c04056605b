package explain

import (
	"path"
	"strings"

	"vkloader/internal/tool/term"
)

// andThen stands between two lines of a shell in one.
const andThen = "; "

// line is one change as a line for a shell.
func (c Change) line() string {
	switch {
	case c.Text != "":
		return "mkdir -p -- " + term.Quoted(path.Dir(c.File)) + " && echo " + term.Quoted(strings.TrimSuffix(c.Text, "\n")) + " > " + term.Quoted(c.File)
	case c.File != "":
		return "rm -- " + term.Quoted(c.File)
	case c.Set:
		return "export " + c.Assignment()
	}
	return "unset " + c.Variable
}
