package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/cure"
)

// maxLooks is how often a machine is looked at again to try cures: each takes as long as the first look.
const maxLooks = 24

// offer adds changes that may end what was found; before stands before the line. Only one that was tried, and that ends
// it, is told.
func (f *Finding) offer(before string, changes ...cure.Change) *Finding {
	f.before, f.offers = before, append(f.offers, changes...)
	return f
}

// key is what makes two findings the same one.
func (f *Finding) key() string { return f.Code + "\x00" + f.Subject + "\x00" + f.Path }

// settle tries the changes that are offered, each on the whole examination, and tells those that help. What ends with
// another finding's cure follows from that one.
func (e *exam) settle() {
	looked := map[string]map[string]bool{} // by change: the findings after it; nil: not known
	before := map[string]bool{}
	for i := range e.Findings {
		before[e.Findings[i].key()] = e.Findings[i].Severity == diag.Problem.String()
	}
	after := func(c cure.Change) map[string]bool {
		found, done := looked[c.Line()]
		if done || !c.Possible() || len(looked) >= maxLooks {
			return found
		}
		options := e.options
		if c.File == "" { // otherwise the file that goes may be known as a library
			options.share = e.linker
		}
		if again, err := look(c.On(e.source), options); err == nil {
			found = map[string]bool{}
			for i := range again.Findings {
				found[again.Findings[i].key()] = again.Findings[i].Severity == diag.Problem.String()
			}
		}
		looked[c.Line()] = found
		return found
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		for _, c := range f.offers {
			found := after(c)
			// A note says what to do for the sake of something else, such as time or power.
			if found == nil || f.Severity != diag.Note.String() && worse(before, found) {
				continue
			}
			if _, still := found[f.key()]; still {
				continue
			}
			f.Do = f.before + e.words(c)
			if !c.Set && c.Variable != "" {
				if where := WhereSet(e.machine, c.Variable); where != "" {
					f.Do += "; it is set in " + where
				}
			}
			if f.Severity != diag.Note.String() {
				e.follow(f, found)
			}
			break
		}
		f.offers = nil
	}
	e.consequences()
}

// worse tells whether there is a problem that was none before.
func worse(before, after map[string]bool) bool {
	for key, problem := range after {
		if problem && !before[key] {
			return true
		}
	}
	return false
}

// followers are codes of what may follow from something else.
var followers = []string{NoDriver.String(), SoftwareOnly.String(), GPUNoDriver.String(), diag.DriverNone.String(),
	diag.VariableIgnored.String(), diag.FileOpen.String(), LoaderMissing.String(), LoaderOld.String()}

// follow marks what is gone with a finding's cure as following from it.
func (e *exam) follow(root *Finding, after map[string]bool) {
	for i := range e.Findings {
		f := &e.Findings[i]
		if _, still := after[f.key()]; !still && f != root && f.Because == "" && slices.Contains(followers, f.Code) &&
			!slices.Contains(followers, root.Code) {
			f.Because = root.Code
		}
	}
}

// consequences marks what follows from a problem that no change of a variable mends: without a library there is no
// driver, without a driver no device.
func (e *exam) consequences() {
	root := slices.IndexFunc(e.Findings, func(f Finding) bool {
		return f.Severity == diag.Problem.String() && f.Because == "" && !slices.Contains(followers, f.Code) &&
			(e.ofDriver(&f) || strings.HasPrefix(f.Code, "gpu-") || strings.HasPrefix(f.Code, "nvidia-"))
	})
	said := map[string]bool{}
	for i := range e.Findings {
		f := &e.Findings[i]
		switch {
		case f.Because != "":
		case f.Code == diag.LayerDisabled.String() || f.Code == diag.LayerForced.String():
			if slices.ContainsFunc(e.Findings, func(o Finding) bool {
				return o.Code == diag.VariableContradiction.String() && strings.HasPrefix(o.What, f.Subject+" ")
			}) {
				f.Because = diag.VariableContradiction.String()
			} else if said[f.key()] { // the decision comes to it twice
				f.Because = f.Code
			}
			said[f.key()] = true
		case root >= 0 && (f.Code == NoDriver.String() || f.Code == SoftwareOnly.String() || f.Code == diag.DriverNone.String()):
			f.Because = e.Findings[root].Code
		case f.Code == diag.DriverNone.String() && e.has(NoDriver):
			f.Because = NoDriver.String()
		case (f.Code == NoDriver.String() || f.Code == SoftwareOnly.String()) && e.has(GPUNoDriver):
			f.Because = GPUNoDriver.String()
		}
	}
}

// ofDriver tells whether a finding is about the manifest or the library of a driver.
func (e *exam) ofDriver(f *Finding) bool {
	return f.Path != "" && slices.ContainsFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path })
}

func (e *exam) has(code Code) bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Code == code.String() && f.Because == "" })
}

// words are a change in the words of the place where it has to be made.
func (e *exam) words(c cure.Change) string {
	if c.File != "" || c.And != nil {
		return c.Line()
	}
	switch kind := e.kind("steam", "flatpak", "docker", "podman", "kubernetes"); {
	case kind == "steam" && c.Set:
		return "In the game's launch options in Steam: " + c.Assignment() + " %command%"
	case kind == "steam":
		return "In the game's launch options in Steam: env -u " + c.Variable + " %command%"
	case kind == "flatpak" && c.Set:
		return "Run outside: flatpak override --user --env=" + c.Assignment() + " " + or(e.detail("flatpak"), "APPLICATION")
	case kind == "flatpak":
		return "Run outside: flatpak override --user --unset-env=" + c.Variable + " " + or(e.detail("flatpak"), "APPLICATION")
	case kind == "kubernetes" && c.Set:
		return "In the container's env of the pod: {name: " + c.Variable + ", value: " + yamlText(c.Value) + "}"
	case kind == "kubernetes":
		return "Take " + c.Variable + " out of the container's env of the pod, or out of the image."
	case kind != "" && c.Set:
		return "Start the container with: " + kind + " run -e " + c.Assignment() + " ..."
	case kind != "":
		return "Start the container without -e " + c.Variable + ", or take it out of the image (ENV in its Dockerfile)."
	}
	return c.Line()
}

// yamlText is a text of YAML in double quotes, as JSON has them.
func yamlText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
