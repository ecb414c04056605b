package explain

import "vkloader/internal/tool/term"

// andThen stands between two lines of a shell in one.
const andThen = "; "

// line is one change as a line for a shell.
func (c Change) line() string {
	switch {
	case c.File != "":
		return "rm -- " + term.Quoted(c.File)
	case c.Set:
		return "export " + c.Assignment()
	}
	return "unset " + c.Variable
}
