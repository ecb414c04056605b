package explain

import "vkloader/internal/decide/shell"

// andThen stands between two lines of a prompt in one.
const andThen = " & "

// line returns one change as a line for the prompt of Windows.
func (c Change) line() shell.Line {
	switch {
	case c.File != "":
		return "del " + shell.Prompted(c.File)
	case c.Set:
		return shell.PromptedSet(c.Variable, c.Value)
	}
	return shell.PromptedSet(c.Variable, "")
}

// Assignment returns a change that sets a variable as NAME=VALUE, one word for the prompt.
func (c Change) Assignment() shell.Line { return shell.Quoted(c.Variable + "=" + c.Value) }

// Starting returns the change for the prompt that starts a program: Windows has no line that changes a variable for one program.
func (c Change) Starting(shell.Line) shell.Line { return c.Line() }
