package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/run"
)

// notAlone is the detail of a driver that no variable isolates.
const notAlone = "it cannot be tried alone: an elevated process ignores the variables that leave the others out. " +
	"To try it, run doctor in a prompt without administrator rights"

// whyNotAlone is the reason of a failure of all drivers and layers where some drivers were not tried alone.
const whyNotAlone = "A program that gets all drivers and layers fails. Not every driver was tried alone."

// tryAlone is the advice for that failure.
var tryAlone = advised("Run doctor in a prompt without administrator rights: it tries each driver alone. Or search with a program, "+
	"here and with the rights that it has: vkloader run --find-culprit PROGRAM", "vkloader run --find-culprit PROGRAM")

// disablesLayers adds to the changes of a trial the disable variables of the active implicit layers, which count in every process.
func (t *trying) disablesLayers(a *alone) {
	for _, active := range t.scene.Answer.Active {
		if l := t.scene.Answer.Layers[active.Layer]; l.Implicit && l.DisableName != "" {
			a.Variables = append(a.Variables, [2]string{l.DisableName, "1"})
		}
	}
}

// isolates reports whether a child with the changes of a trial gets the driver of the trial only.
func (t *trying) isolates(a *alone) bool {
	source := *t.scene.Source
	source.Environ = changed(source.Environ, a.Variables)
	answer, err := decide.PlanFor(&source, decide.ProbeProgram)
	return err == nil && len(answer.Active) == 0 && len(answer.Drivers) == 1 && answer.Drivers[0].Path == a.Manifest
}

// openedLast returns the driver or layer whose library the loader was opening at the end of a child's log; false: none.
func openedLast(answer *plan.Answer, result *probe.Result) (c run.Suspect, found bool) {
	log := loaders.Progress{}
	for line := range strings.Lines(result.Log) {
		log.Line(strings.TrimRight(line, "\r\n"))
	}
	opens := func(kind, library string) bool {
		return log.Phase == loaders.Opens && log.Words() == string(loaders.Opens)+kind+library
	}
	for _, d := range answer.Drivers {
		if opens("the driver ", d.LibraryPath) || opens("the driver ", d.Library) {
			return run.Suspect{Kind: run.Driver, Name: answer.Style.Base(d.Path), Manifest: d.Path, Library: d.Library}, true
		}
	}
	at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return opens("the layer ", l.Library) })
	if at < 0 {
		return c, false
	}
	l := answer.Layers[at]
	return run.Suspect{Kind: run.Layer, Name: l.Name, Manifest: l.Manifest, Library: l.Library}, true
}
