package doctor

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// wish is what a finding about a variable says of the missing layer or directory that the variable names.
type wish struct {
	what    misled
	do      *Remedy
	keep    bool // the advice comes in place of the changes
	changes []explain.Change
}

// offer adds changes.
func (w *wish) offer(changes ...explain.Change) { w.changes = append(w.changes, changes...) }

// wish looks for a missing layer or manifest directory of a variable. It offers the ways to get it first, and only then
// the change that stops asking. all are the findings about variables.
func (e *exam) wish(w *wish, f *environment.Problem, all []environment.Problem) {
	switch f.Kind {
	case environment.NoLayer:
		e.wantedLayer(w, f, f.Layer)
	case environment.NoLayerMatches:
		if f.Variable == variables.LayersEnable.Name() && !strings.Contains(f.Place, "~") {
			if name := e.meant(f.Place); name != "" {
				e.wantedLayer(w, f, name)
			}
		}
	case environment.NoFile, environment.NoDirectory, environment.EmptyDirectory, environment.NoManifest:
		changes, why, near := environment.Meant(e.source, f)
		w.what.more = why
		info := e.machine.Text("/.flatpak-info") // it lists the variables that Flatpak sets
		if info != "" && setting(info, "Environment", f.Variable) == "" {
			w.what.more += "; Flatpak does not set it: it comes from the host, or a script of the application"
			w.offer(explain.UnsetVariable(f.Variable))
		}
		w.offer(changes...)
		if len(e.Drivers) == 0 && f.Variable == searchVariable(e.source) {
			answer, err := explain.Decide(explain.UnsetVariable(f.Variable).On(e.source))
			place := e.elsewhere(find(e.GPUs, e.expects))
			// without the variable, programs find none, either
			if err == nil && len(answer.Drivers) == 0 && place != "" {
				w.offer(e.searchAlso(place))
			}
		}
		if near != "" {
			w.offer(e.alsoLibraries(changes[0], near)...)
		}
	}
	if meant := e.meantDrivers(f); meant != "" {
		w.offer(explain.SetVariable(f.Variable, meant))
	}
	w.offer(environment.Changes(e.source, f, all)...)
}

// meant returns the only layer with a known package that a pattern matches; "": none, or several.
func (e *exam) meant(pattern string) (name string) {
	if !strings.Contains(pattern, "*") {
		return pattern
	}
	for _, known := range tableLayers(false) {
		if is, err := path.Match(strings.ToLower(pattern), strings.ToLower(known)); is && err == nil {
			if name != "" {
				return ""
			}
			name = known
		}
	}
	return name
}

// replacementOf returns the layer that replaced another one; "": none.
func replacementOf(layer string) string {
	return pairValue("replaced", func(name string) bool { return name == layer })
}

const validationLayer = "VK_LAYER_KHRONOS_validation"

// wantedLayer says where a missing layer is, or which package has it.
func (e *exam) wantedLayer(w *wish, f *environment.Problem, name string) {
	what := &w.what
	if newer := replacementOf(name); newer != "" {
		what.more = "; " + newer + " has replaced it"
		w.offer(e.entry(f.Variable, name, newer))
		name = newer
	} else if near := e.similar(name); near != "" {
		what.more = "; there is " + near
		w.offer(e.entry(f.Variable, name, near))
	}
	if slices.ContainsFunc(e.Answer.Layers, func(l *manifest.Layer) bool { return l.Name == name }) ||
		what.more != "" && name == f.Layer {
		return
	}
	rejected, places := e.layerFiles(name)
	switch {
	case rejected != "":
		what.more = "; " + rejected + " describes it, and the loader rejects this manifest"
		w.do, w.keep = shellAdvice("Correct this manifest: ", "vkloader validate "+shell.Quoted(rejected)), true
	case len(places) > 0:
		what.more = "; " + places[0] + " has it"
		if by, change, is := e.replacing(places[0]); is {
			what.more += ", which " + by + " replaces"
			w.offer(change)
		}
		for _, place := range places {
			w.offer(e.searchChange(place))
			w.offer(e.alsoLibraries(e.searchChange(place), place)...)
		}
	default:
		for _, known := range tableLayers(true) {
			if known != name && (sizeless(known) == name || term.NameDistance(known, name) <= 2) {
				what.more = "; its name is " + known
				name = known
				break
			}
		}
		if do := e.layerPackage(name); do != nil {
			w.do, w.keep = addUnset(do, environment.Changes(e.source, f, nil)), true
		}
	}
}

// MissingLayer says where a layer is that is not installed for programs, or which package has it; "" if nothing is
// known of it.
func MissingLayer(source *machine.Source, name string) string {
	answer, err := explain.Decide(source)
	if err != nil {
		return ""
	}
	r := newReport("")
	r.Answer = answer
	e := examOf(r, source).setSystem(ProcessClass, newPackages())
	e.sandboxes()
	e.system.within(e)
	w := wish{}
	e.wantedLayer(&w, &environment.Problem{Layer: name}, name)
	// the others are of a variable that asks for the layer
	if at := slices.IndexFunc(w.changes, explain.Change.Possible); at >= 0 {
		w.do = shellAdvice("", w.changes[at].Line())
	}
	text := strings.TrimPrefix(w.what.more, "; ")
	if w.do != nil {
		text = strings.TrimPrefix(text+". "+w.do.text, ". ")
	}
	return text
}

// layerNames match names of layers in a program's file. The names of variables and constants have no small letter.
var layerNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`VK_LAYER_[A-Z0-9]+_[A-Za-z0-9_]*[a-z][A-Za-z0-9_]*`)
})

// NamedLayer is a layer that a program's file names and that no program finds, and the ways out.
type NamedLayer struct {
	Name, Do string
	likely   bool // a layer that the file does not name replaces it, or a directory outside the search has it
}

// namesOfLayers returns the layers that the content of a program's file names.
func namesOfLayers(text []byte) []string {
	names := term.Words(layerNames().FindAll(text, -1), func(name []byte) string { return string(name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// NamedLayers returns the layers that the content of a program's file names and that no program finds: a program whose
// vkCreateInstance fails for a missing layer writes no name (NixOS/nixpkgs issue 229108).
func NamedLayers(source *machine.Source, text []byte) (list []NamedLayer) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil
	}
	names := namesOfLayers(text)
	for _, name := range names {
		if slices.ContainsFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == name }) {
			continue
		}
		newer := replacementOf(name)
		where := MissingLayer(source, name)
		do := "To do without it, turn it off in the program" + term.Enclosed(", or ask for ", newer, " there") + ". " +
			where
		list = append(list, NamedLayer{name, strings.TrimSpace(do),
			newer != "" && !slices.Contains(names, newer) || strings.Contains(where, " has it. export ")})
	}
	return list
}

// addUnset returns advice with the change that stops asking after it.
func addUnset(do *Remedy, changes []explain.Change) *Remedy {
	if len(changes) > 0 && changes[0].Possible() {
		unset := shellAdvice("", changes[0].Line())
		if len(do.lines) > 0 {
			return do.or("To do without it: ", newAdvice(unset.text))
		}
		return do.or("To do without it: ", unset).withObstacle(triable) // the only line is this one, and it was tried
	}
	return do
}

// entry returns the change that replaces an entry of a variable's list.
func (h host) entry(variable, old, by string) explain.Change {
	separator := term.Either(variable == variables.LayersEnable.Name(), ",", machine.ListSeparator)
	return explain.ReplaceEntry(h.machine, variable, separator, old, by)
}

// similar returns the only known layer whose name differs from name in at most two letters; "" if there is none.
func (e *exam) similar(name string) (near string) {
	for _, l := range e.Answer.Layers {
		if l.Name != name && l.Name != near && (term.NameDistance(l.Name, name) <= 2 || sizeless(l.Name) == name) {
			if near != "" {
				return ""
			}
			near = l.Name
		}
	}
	return near
}

// layerFiles looks for manifests that describe a layer: one that the loader rejects, and the directories outside the
// search.
func (e *exam) layerFiles(name string) (rejected string, places []string) {
	named := regexp.MustCompile(`"name"\s*:\s*"` + regexp.QuoteMeta(name) + `"`)
	describes := func(file string) bool {
		text, err := e.machine.ReadFile(file)
		return err == nil && named.Match(text)
	}
	searched := map[string]bool{}
	for _, kind := range []search.Kind{search.ExplicitLayers, search.ImplicitLayers} {
		for _, l := range e.Answer.Searched[kind].List {
			place := path.Clean(l.Path)
			searched[place] = true
			if l.File && describes(place) {
				return place, nil
			}
			for _, file := range e.manifestsIn(place) {
				if describes(file) {
					return file, nil
				}
			}
		}
	}
	for _, place := range e.layerPlaces() {
		if !searched[place] && slices.ContainsFunc(e.manifestsIn(place), describes) {
			places = append(places, place)
		}
	}
	return "", places
}

// manifestsIn returns the files in a directory that are named like manifests.
func (h host) manifestsIn(place string) (files []string) {
	for _, name := range h.machine.Names(place) {
		if search.IsManifestName(name) {
			files = append(files, path.Join(place, name))
		}
	}
	return files
}

// layerKinds are the names of the directories with layers' manifests.
var layerKinds = []string{"explicit_layer.d", "implicit_layer.d"}

// layerPlaces returns directories where layers may lie without being searched, also of software kits and other users.
func (e *exam) layerPlaces() (places []string) {
	for _, v := range []variables.ID{variables.LayerPath, variables.AddLayerPath, variables.ImplicitLayerPath,
		variables.AddImplicitLayerPath} {
		for _, entry := range strings.Split(e.variable(v.Name()), machine.ListSeparator) {
			if path.IsAbs(entry) {
				places = append(places, environment.Nearby(e.machine, entry, layerKinds)...)
			}
		}
	}
	for _, base := range e.places("layers") {
		for _, kind := range layerKinds {
			places = append(places, path.Join(base, kind))
		}
	}
	return slices.Compact(places)
}

// alsoLibraries returns a change joined with one that makes the dynamic linker find the libraries of a directory's
// manifests, such as those of the Vulkan SDK, whose script puts their directory into LD_LIBRARY_PATH.
func (e *exam) alsoLibraries(c explain.Change, place string) (changes []explain.Change) {
	plainLibrary := regexp.MustCompile(`"library_path"\s*:\s*"([^"/\\]+)"`)
	for _, file := range e.manifestsIn(place) {
		text, err := e.machine.ReadFile(file)
		name := plainLibrary.FindSubmatch(text)
		if err != nil || name == nil {
			continue
		}
		for _, directory := range librariesNear(file) {
			if e.machine.Exists(path.Join(directory, string(name[1]))) {
				return []explain.Change{c.With(e.libraryPath(directory))}
			}
		}
	}
	return nil
}

// pathVariables returns the variable that replaces the usual directories of a directory's kind of layers, and the one
// that adds to them.
func pathVariables(place string) (whole, more variables.ID) {
	if path.Base(place) == "implicit_layer.d" {
		return variables.ImplicitLayerPath, variables.AddImplicitLayerPath
	}
	return variables.LayerPath, variables.AddLayerPath
}

// replacing returns the variable that keeps the loader from a usual directory of layers, and the change that adds the
// variable's own directories to the usual ones (ValveSoftware/steam-runtime issue 808); false: the directory is not a
// usual one.
func (e *exam) replacing(place string) (by string, change explain.Change, is bool) {
	whole, more := pathVariables(place)
	value, added := e.variable(whole.Name()), e.variable(more.Name())
	answer, err := explain.Decide(explain.UnsetVariable(whole.Name()).On(e.source))
	if value == "" || err != nil || !slices.ContainsFunc(answer.Layers,
		func(l *manifest.Layer) bool { return path.Dir(path.Clean(l.Manifest)) == place }) {
		return "", change, false
	}
	value += term.Enclosed(machine.ListSeparator, added, "")
	return whole.Name(), explain.UnsetVariable(whole.Name()).With(explain.SetVariable(more.Name(), value)), true
}

// searchChange returns the change that adds a directory of layers to the search.
func (e *exam) searchChange(place string) explain.Change {
	whole, more := pathVariables(place)
	if value := e.variable(whole.Name()); value != "" {
		return explain.SetVariable(whole.Name(), value+machine.ListSeparator+place)
	}
	if value := e.variable(more.Name()); value != "" {
		place = value + machine.ListSeparator + place
	}
	return explain.SetVariable(more.Name(), place)
}

// writtenBy returns the advice about a manifest of the user that a program wrote for itself, and the changes that
// remove it if that program is known to be gone. library is the manifest's library; "": unknown. It returns false for
// other files.
func (e *exam) writtenBy(manifest, library string) (do *Remedy, changes []explain.Change, is bool) {
	home := path.Clean(e.variable(variables.Home.Name()))
	if !path.IsAbs(home) || home == "/" || !strings.HasPrefix(path.Clean(manifest), home+"/") {
		return nil, nil, false
	}
	for w := range slices.Chunk(nameLists()["writer"], 4) {
		if !slices.ContainsFunc(strings.Fields(w[1]), func(pattern string) bool {
			match, err := path.Match(pattern, path.Base(manifest))
			return match && err == nil
		}) {
			continue
		}
		_, unfound := e.machine.FindProgram(w[2])
		again := e.system.follow(w[3], "writer", nil)
		switch is := slices.ContainsFunc(e.places(w[0]), e.machine.Exists) || unfound == nil; {
		case !is && e.sharesHome():
			return advice("host-file", "what", w[0]), nil, true
		case is || e.ownDirectory(library): // an installation in another place
			return again, nil, true
		}
		do = newAdvice(w[0] + " wrote the file and is not installed: remove " + manifest + ".")
		return do, []explain.Change{explain.RemoveFile(path.Clean(manifest))}, true
	}
	switch {
	case library == "":
		return nil, nil, false
	case e.sharesHome():
		return advice("host-file", "what", "the library"), nil, true
	}
	return newAdvice("Build or install the library again, or remove " + manifest + "."),
		[]explain.Change{explain.RemoveFile(path.Clean(manifest))}, true
}

// sharesHome reports whether the home directory may be that of another system: in a container, sandbox or chroot.
func (r *exam) sharesHome() bool {
	return r.isEntered() || r.variable("container") != "" || r.machine.Exists("/run/host") ||
		r.machine.Exists("/etc/debian_chroot") ||
		contains(r.Sandboxes, func(s *Sandbox) bool { return s.Kind != "wsl" })
}

// isOfHost reports whether a file is below the home directory of the host, whose programs read the file, too. Toolbox,
// Distrobox without a home directory of its own, and Flatpak share it.
func (e *exam) isOfHost(file string) bool {
	home := e.ownHome()
	if of := e.variable("DISTROBOX_HOST_HOME"); !e.isEntered() && e.kind("flatpak") == "" || of != "" &&
		path.Clean(of) != home {
		return false
	}
	return strings.HasPrefix(file, home+"/") && !strings.HasPrefix(file, home+"/.var/app/")
}

// ownDirectory reports whether a library's directory exists and is no directory of the system.
func (e *exam) ownDirectory(library string) bool {
	directory := path.Dir(path.Clean(library))
	if !path.IsAbs(directory) || !e.machine.Exists(directory) {
		return false
	}
	parent := path.Dir(directory)
	shared := []string{"/", "/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib",
		"/usr/local/lib64"}
	return !slices.Contains(shared, directory) && !slices.Contains(shared, parent)
}
