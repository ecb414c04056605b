package doctor

import (
	"cmp"
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

// elevation says what a program with more rights than its user does not see, or that the program is one.
func (e *exam) elevation() {
	if !e.source.Elevated {
		return
	}
	rights := process.Rights("")
	if e.source.Program != "" {
		rights = process.RightsOf(e.machine, e.source.Program)
	}
	set, lost := Unseen(e.source), e.lost(e.source)
	if len(set) == 0 && len(lost) > 0 {
		set = e.losing()
	}
	switch {
	case len(set) > 0:
		e.found(ElevatedIgnores, strings.Join(set, ", "), "", unseen(len(set), rights, lost), forEverybody(set))
	case rights != "":
		e.found(ElevatedProgram, e.source.Program, "", said(elevatedRuns, rights), nil)
	}
}

// Unseen are the variables of loaders that are set, and that a program with more rights does not see.
func Unseen(source *machine.Source) (set []string) {
	variables.Each(func(id variables.ID) {
		if _, is := source.Lookup(id.Name()); is && id.Secure() && strings.HasPrefix(id.Name(), "VK_") {
			set = append(set, id.Name())
		}
	})
	return set
}

// lost are the drivers and layers that the program of a source would get without its rights.
func (e *exam) lost(source *machine.Source) (names []string) {
	plain := *source
	plain.Elevated = false
	answer, err := ask.Plan(&plain)
	if err != nil {
		return nil
	}
	has := gets(e.plan)
	for name := range gets(answer) {
		if !has[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// gets are the names of what a program gets.
func gets(answer *plan.Answer) map[string]bool {
	names := map[string]bool{}
	for _, d := range answer.Drivers {
		names[machine.Style.Base(d.Path)] = true
	}
	for _, a := range answer.Active {
		names[answer.Layers[a.Layer].Name] = true
	}
	return names
}

// losing are the variables of directories without which fewer drivers and layers are lost.
func (e *exam) losing() (set []string) {
	all := len(e.lost(e.source))
	for _, id := range []variables.ID{variables.DataHome, variables.ConfigHome, variables.DataDirs, variables.ConfigDirs, variables.Home} {
		if _, is := e.machine.Lookup(id.Name()); is && len(e.lost(explain.UnsetVariable(id.Name()).On(e.source))) < all {
			set = append(set, id.Name())
		}
	}
	return set
}

// unseen are variables that a program with more rights than its user does not see, with the drivers and layers that it does
// not get.
func unseen(count int, rights process.Rights, lost []string) fact {
	what, verb := sentence("the program does not see"), "are"
	if rights != "" {
		what = said("the program runs with more rights than its user (%s): it does not see", rights)
	}
	if count == 1 {
		verb = "is"
	}
	what += said(" %s that %s set", term.Count(count, "variable"), verb)
	if len(lost) > 0 {
		what += sentence("; it does not get " + strings.Join(lost, ", "))
	}
	return what
}

// elevatedRuns is that a program's file gives it more rights.
const elevatedRuns = "it runs with more rights than its user (%s): it ignores most variables and the home directory"

// forEverybody is how to do without variables: by what programs of every user find.
func forEverybody(set []string) advice {
	var does []string
	has := func(ids ...variables.ID) bool {
		return slices.ContainsFunc(ids, func(id variables.ID) bool { return slices.Contains(set, id.Name()) })
	}
	if has(variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles) {
		does = append(does, "Put driver manifests into /etc/vulkan/icd.d.")
	}
	if has(variables.LayerPath, variables.AddLayerPath) {
		does = append(does, "Put manifests of explicit layers into /etc/vulkan/explicit_layer.d.")
	}
	if has(variables.ImplicitLayerPath, variables.AddImplicitLayerPath) {
		does = append(does, "Put manifests of implicit layers into /etc/vulkan/implicit_layer.d.")
	}
	if has(variables.LayersEnable, variables.LayersDisable, variables.LayersAllow) {
		does = append(does, "To enable a layer, use VK_INSTANCE_LAYERS; to disable an implicit layer, its own variable (vkloader explain "+
			"shows it). The program sees these.")
	}
	if has(variables.DriversSelect, variables.DriversDisable) {
		does = append(does, "No variable selects drivers for this program. Programs get the drivers of which a manifest is in a directory of the system.")
	}
	if has(variables.Home, variables.DataHome, variables.ConfigHome, variables.DataDirs, variables.ConfigDirs) {
		does = append(does, "Put the manifests into the same directories below /etc/vulkan, which every program reads.")
	}
	return advised(cmp.Or(strings.Join(does, " "), ElevatedIgnores.Do))
}
