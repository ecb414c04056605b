package spawn

// rootDirectory is empty: the working directory of a child stays that of the tool, which the drivers of Windows do not
// search.
const rootDirectory = ""

// newSession does nothing: the child gets no console of this process through its handles.
func (c *Child) newSession() {}

// seal does nothing: a child of Windows inherits only the handles that are named for it.
func seal() (reverse func()) { return func() {} }
