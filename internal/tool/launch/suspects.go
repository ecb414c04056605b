package launch

import (
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// Scene is the decision for a program.
type Scene struct {
	Source *machine.Source
	Answer *plan.Answer

	Program decide.Program // the program of the answer

	ByFiles bool // exclude drivers by listing the others, for a loader without filters
}

// Suspects are the components and variables that a run can exclude.
type Suspects struct {
	Variables, Layers, Drivers []Suspect
	Stay                       []string // names of components that no variable excludes
}

// hiding lists variables that hide devices from a program or end it: with "list", Mesa's layer calls exit.
var hiding = []string{variables.DeviceIDFilter.Name(), variables.VendorIDFilter.Name(), variables.DriverIDFilter.Name(),
	drivers.MesaSelect, drivers.MesaForce, drivers.MesaPrime}

// Suspects returns the variables that hide devices, and the layers and drivers that a run can exclude. more are the names of
// layers that the program itself enables.
func (s *Scene) Suspects(more []string) *Suspects {
	found := &Suspects{}
	for _, name := range hiding {
		if value, _ := s.Source.Lookup(name); value != "" {
			found.Variables = append(found.Variables, Suspect{Kind: Variable, Name: name, Value: value})
		}
	}
	for _, l := range s.Answer.Layers {
		active := slices.ContainsFunc(s.Answer.Active, func(a plan.Active) bool { return s.Answer.Layers[a.Layer] == l }) ||
			slices.Contains(more, l.Name)
		if active && !l.Meta && !slices.ContainsFunc(found.Layers, func(x Suspect) bool { return x.Name == l.Name }) {
			found.Layers = append(found.Layers, Suspect{Kind: Layer, Name: l.Name, Manifest: l.Manifest, Library: s.real(l.Library)})
		}
	}
	found.Drivers = term.Words(s.Answer.Drivers, func(d *manifest.Driver) Suspect {
		return Suspect{Kind: Driver, Name: machine.Style.Base(d.Path), Manifest: d.Path, Library: s.real(d.Library)}
	})
	stays := func(x Suspect) bool {
		if s.stays(x) {
			found.Stay = append(found.Stay, x.Name)
			return true
		}
		return false
	}
	found.Layers, found.Drivers = slices.DeleteFunc(found.Layers, stays), slices.DeleteFunc(found.Drivers, stays)
	return found
}

// stays reports whether a suspect stays active in spite of the variables. Runs cannot test it.
func (s *Scene) stays(x Suspect) bool {
	source := *s.Source
	source.Environ, _ = s.Without([]Suspect{x})
	answer, err := decide.PlanFor(&source, s.Program)
	return err != nil || slices.ContainsFunc(answer.Active, func(a plan.Active) bool { return answer.Layers[a.Layer].Name == x.Name }) ||
		slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return d.Path == x.Manifest })
}

func (s *Scene) real(library string) string {
	if real, err := s.Source.Real(library); machine.Style.Directory(library) != "" && err == nil {
		return real
	}
	return library
}

// noManifest is a filter entry that matches no manifest.
const noManifest = "none"

// driversWithout returns the manifests of the drivers that are not in a list.
func (s *Scene) driversWithout(list []Suspect) (files []string) {
	for _, d := range s.Answer.Drivers {
		if !slices.ContainsFunc(list, func(x Suspect) bool { return x.Kind == Driver && x.Manifest == d.Path }) {
			files = append(files, d.Path)
		}
	}
	return files
}

// Change is a variable that a program gets or loses.
type Change struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Set   bool   `json:"set"`
}

// Without returns the environment that excludes suspects, and its changes.
func (s *Scene) Without(list []Suspect) (environ []string, changes []Change) {
	environ = s.Source.Environ
	set := func(name, value string) {
		environ = machine.WithVariable(environ, name, value)
		changes = append(changes, Change{name, value, true})
	}
	var layers, names []string
	for _, x := range list {
		at := slices.IndexFunc(s.Answer.Layers, func(l *manifest.Layer) bool { return l.Name == x.Name && l.Manifest == x.Manifest })
		switch {
		case x.Kind == Variable:
			environ = machine.WithoutVariable(environ, x.Name)
			changes = append(changes, Change{Name: x.Name})
		case x.Kind == KeepLoaded:
			set(variables.DisableUnloading.Name(), "1")
		case x.Kind == KeepNone:
			set(variables.DisableUnloading.Name(), "0")
		case x.Kind == Driver:
			names = append(names, x.Name)
		case at >= 0 && s.Answer.Layers[at].Implicit && s.Answer.Layers[at].DisableName != "":
			set(s.Answer.Layers[at].DisableName, "1")
		default:
			layers = append(layers, x.Name)
		}
	}
	if s.ByFiles && len(names) > 0 {
		left := strings.Join(s.driversWithout(list), machine.ListSeparator)
		set(variables.ICDFilenames.Name(), left)
		set(variables.DriverFiles.Name(), left)
		names = nil
	}
	selected, _ := s.Source.Lookup(variables.DriversSelect.Name())
	if slices.ContainsFunc(names, func(name string) bool { return plan.Matches(selected, name) }) { // VK_LOADER_DRIVERS_DISABLE does not exclude a selected driver (ENV-15)
		left := term.Words(s.driversWithout(list), machine.Style.Base)
		if len(left) == 0 {
			left = []string{noManifest}
		}
		set(variables.DriversSelect.Name(), strings.Join(left, ","))
	}
	for _, filter := range []struct {
		variable variables.ID
		names    []string
	}{{variables.LayersDisable, layers}, {variables.DriversDisable, names}} {
		if len(filter.names) == 0 {
			continue
		}
		if before, _ := s.Source.Lookup(filter.variable.Name()); before != "" {
			filter.names = append([]string{before}, filter.names...)
		}
		set(filter.variable.Name(), strings.Join(filter.names, ","))
	}
	for _, filter := range []struct {
		variable  variables.ID
		separator string
	}{{variables.InstanceLayers, machine.ListSeparator}, {variables.LayersEnable, ","}} {
		before, _ := s.Source.Lookup(filter.variable.Name())
		asked := strings.Split(before, filter.separator)
		if left := slices.DeleteFunc(slices.Clone(asked), func(name string) bool {
			return slices.ContainsFunc(list, func(x Suspect) bool { return x.Kind == Layer && x.Name == name })
		}); len(left) < len(asked) {
			set(filter.variable.Name(), strings.Join(left, filter.separator))
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return environ, changes
}
