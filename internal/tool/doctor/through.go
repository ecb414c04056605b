package doctor

import (
	"context"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"
)

// PlaceFor is a place for probes with the loader that the program gets, so that what only that loader does is seen. It is the
// tool's own library where the program gets none, where the child cannot open it because the program has a C library of its own,
// and on another machine.
func (r *Report) PlaceFor(own probe.Place) probe.Place {
	r.own = own
	l := r.Loader
	if l == nil || l.Inside || l.Ours() || r.ownLinker || r.source.Foreign() || r.WordSize() != ProcessClass {
		return own
	}
	at := own
	at.Library = l.File
	return at
}

// learn takes the loader's version from what it answered, where nothing else told it.
func (r *Report) learn(result *probe.Result) {
	if l := r.Loader; l != nil && l.Version == "" && result.Version != 0 && result.Library == l.File {
		l.Version, l.From = term.Version(result.Version), loaders.FromAnswer
	}
}

// only tries once more, with the tool's own loader, what failed with the program's, and gives the version of that where it
// then works; "": it does not, or there is no other loader. With empty, a run that lists no device works.
func (t *trying) only(ctx context.Context, environ []string, empty bool) (string, error) {
	if t.at.Library == t.own.Library || t.own.Library == "" {
		return "", nil
	}
	again, err := t.childOf(ctx, t.own, environ, t.Limit)
	if err != nil {
		return "", err
	}
	messages, err := t.ofActing(t.own, environ, again)
	if err == nil && (again.Outcome == probe.Fine || again.Outcome == probe.Failed && empty && withoutDevice(again, messages)) {
		return t.Loader.Short(), nil
	}
	return "", err
}

// forOldLoader are changes of the environment that do for a loader what it has no newer variable for: the older name of the
// list of drivers, and the disable variables of the other implicit layers.
func (r *Report) forOldLoader(at probe.Place, a *alone) (list [][2]string) {
	if at.Library == r.own.Library || r.Loader == nil {
		return nil
	}
	if r.Loader.Has(variables.DriverFiles.Name()) != loaders.Yes {
		for _, v := range a.Variables {
			if v[0] == variables.DriverFiles.Name() {
				list = append(list, [2]string{variables.ICDFilenames.Name(), v[1]})
			}
		}
	}
	if r.Loader.Has(variables.LayersDisable.Name()) == loaders.Yes {
		return list
	}
	for _, active := range r.Answer.Active {
		if l := r.Answer.Layers[active.Layer]; l.Implicit && l.DisableName != "" && (a.layer == nil || l.Name != a.layer.Name) {
			list = append(list, [2]string{l.DisableName, "1"})
		}
	}
	return list
}

// onlyThere says that a fault is one with the program's loader alone.
func onlyThere(detail, version string) string {
	if version == "" {
		return detail
	}
	return detail + "; it happens only with the loader that programs get, " + version + ", and not with this one"
}
