package doctor

import (
	"path"
	"strings"

	"vkloader/internal/core/search"
	"vkloader/internal/tool/settingsfile"
)

// outdated are rules about the order of layers that the settings file does not say any more.
const outdated = "layers or settings have changed since these rules about the order of layers were applied: %s"

// order finds rules about the order of layers that have to be written again.
func (e *exam) order() {
	if e.plan.Settings == nil {
		return
	}
	found, err := settingsfile.Look(e.source)
	if err != nil || found.InForce() == nil || path.Clean(e.plan.Settings.File) != path.Clean(found.InForce().Path) {
		return
	}
	rules, err := settingsfile.ListRules(found)
	if err != nil {
		return
	}
	var stale []string
	for _, r := range rules {
		if r.State == settingsfile.RuleStale {
			stale = append(stale, r.Upper+" before "+r.Lower)
		}
	}
	if len(stale) > 0 {
		file := found.InForce().Path
		e.found(OrderStale, search.BaseName(file), file, said(outdated, strings.Join(stale, ", ")), typed("", "vkloader settings order apply"))
	}
}
