package survey

import (
	"time"

	"vkloader/internal/decide"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Options say how it is looked.
type Options struct {
	Library  string         // a library that is looked through instead of the tool's own; "": that
	Loader   *decide.Loader // what that library is; nil: it is not known, and nothing is decided for it
	Fallback string         // manifest of a driver to use where there is none
	Limit    time.Duration  // of each child
}

// Look has package discover inspect this machine through the library that belongs to the tool, or another one; the error is
// for what kept it from looking.
func Look(executable string, m machine.Machine, o Options) (*decide.Inspection, error) {
	at, err := probe.Find(executable, o.Library)
	if err != nil {
		return nil, err
	}
	environ := m.Environ
	if environ == nil {
		environ = []string{}
	}
	ctx, done := probe.Interruptible()
	defer done()
	return decide.Inspect(ctx, decide.InspectOptions{ProbeOptions: decide.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: o.Limit},
		Loader: o.Loader, Undecided: o.Library != "" && o.Loader == nil, Fallback: o.Fallback})
}
