package decide

import (
	"context"

	"vkloader/internal/core/facts"
)

// guarded is a source that returns nothing once its context is done: the decision then ends soon, and is discarded.
type guarded struct {
	facts.Provider
	ctx context.Context
}

func (g guarded) over() bool { return g.ctx.Err() != nil }

func (g guarded) Directory(name string) facts.Directory {
	if g.over() {
		return facts.Directory{}
	}
	return g.Provider.Directory(name)
}

func (g guarded) File(name string) facts.File {
	if g.over() {
		return facts.File{Status: facts.FileNotOpened}
	}
	return g.Provider.File(name)
}

func (g guarded) Exists(name string) bool { return !g.over() && g.Provider.Exists(name) }

func (g guarded) WrongMachine(name string) bool { return !g.over() && g.Provider.WrongMachine(name) }

func (g guarded) Graphics() facts.Graphics {
	if g.over() {
		return facts.Graphics{}
	}
	return g.Provider.Graphics()
}
