package explain

// andThen stands between two lines of a prompt in one.
const andThen = " & "

// line returns one change as a line for the prompt of Windows.
func (c Change) line() string {
	switch {
	case c.File != "":
		return `del "` + c.File + `"`
	case c.Set:
		return `set "` + c.Variable + "=" + c.Value + `"`
	}
	return `set "` + c.Variable + `="`
}

// Assignment returns a change that sets a variable as NAME=VALUE. The prompt of Windows has no quotes around a value.
func (c Change) Assignment() string { return c.Variable + "=" + c.Value }

// Starting returns the change for the prompt that starts a program: Windows has no line that changes a variable for one program.
func (c Change) Starting(string) string { return c.Line() }
