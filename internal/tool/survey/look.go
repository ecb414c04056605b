package survey

import (
	"time"

	"vkloader/internal/decide"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Options are the options of an inspection.
type Options struct {
	Library  string         // the loader library to use; "": the tool's own
	Loader   *decide.Loader // the loader in Library; nil: unknown, so there is no decision for it
	Fallback string         // the manifest of a driver to use if there is none
	Limit    time.Duration  // for each child process
}

// Look inspects this machine through the tool's library or another one. It returns an error if the inspection is impossible.
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
