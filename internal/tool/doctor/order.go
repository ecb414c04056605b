package doctor

import (
	"path"

	"vkloader/internal/core/search"
	"vkloader/internal/tool/layerorder"
	"vkloader/internal/tool/settingsfile"
)

// outdated are rules about the order of layers that the settings file does not say any more.
type outdated struct{ rules []settingsfile.RuleNow }

func (o outdated) say() string {
	text := "layers or settings have changed since these rules about the order of layers were applied: "
	for i, r := range o.rules {
		if i > 0 {
			text += ", "
		}
		text += r.Upper + " before " + r.Lower
	}
	return text
}

// order finds rules about the order of layers that have to be written again.
func (e *exam) order() {
	if e.plan.Settings == nil {
		return
	}
	found, err := settingsfile.Look(e.source)
	if err != nil || found.InForce() == nil || path.Clean(e.plan.Settings.File) != path.Clean(found.InForce().Path) {
		return
	}
	rules, err := layerorder.List(found)
	if err != nil {
		return
	}
	what := outdated{}
	for _, r := range rules {
		if r.State == settingsfile.RuleStale {
			what.rules = append(what.rules, r)
		}
	}
	if len(what.rules) > 0 {
		file := found.InForce().Path
		e.found(OrderStale, search.BaseName(file), file, what, typed{"vkloader settings order apply"})
	}
}
