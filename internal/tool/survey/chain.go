package survey

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/vk"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// LookAtChain gathers what is drawn, with a library as the loader, "" for the tool's own. still: nothing is run.
func LookAtChain(executable, library string, source *machine.Source, still bool, limit time.Duration) (*Chain, error) {
	made, err := decide.Of(source)
	if err != nil {
		return nil, err
	}
	answer := made.Plan
	found, err := probe.Find(executable, library)
	if err != nil {
		return nil, err
	}
	chain := chainOf(source, made)
	if chain.Library = found.Library; source.Foreign() && library == "" {
		chain.Library = filepath.Base(found.Library) // where it would be there is not known
	}
	if still || source.Class != 0 && source.Class != machine.OwnClass { // the children are of the library's own word size
		return chain, nil
	}
	options := Options{Library: library, Limit: limit}
	if source.Loader != nil { // of what a program gets: what it reads is known
		if options.Loader, err = decide.HostOf(source).LoaderOf(context.Background(), decide.Program{}); err != nil {
			return nil, err
		}
	}
	seen, err := Look(executable, source.Machine, options)
	if err != nil {
		return nil, err
	}
	asked, err := probe.Ask(questionTo(answer), found, machine.WithoutVariable(source.Environ, variables.Debug.Name()), limit)
	if err != nil {
		return nil, err
	}
	observed(chain, answer, seen, asked)
	if chain.Problem != "" {
		accuse(chain, source, found, limit)
	}
	return chain, nil
}

// chainOf is what the decision alone knows.
func chainOf(source *machine.Source, made *decide.Decision) *Chain {
	chain := &Chain{Layers: []ChainLayer{}, Drivers: []ChainDriver{}, Out: []ChainOut{}}
	in, out, answer := made.In, made.Out, made.Plan
	explain.Fixes(source, answer, in, out)
	for _, e := range in {
		if e.Kind == "layer" {
			layer := answer.Layers[answer.Active[e.Order-1].Layer]
			chain.Layers = append(chain.Layers, ChainLayer{Name: e.Name, Description: layer.Description, Manifest: e.Manifest, Library: e.Library,
				Meta: e.Meta, Why: e.Why, Statement: e.Statement, Off: e.Change, Before: before(layer), NameOnly: e.NameOnly, Commands: []string{}})
		} else {
			driver := answer.Drivers[e.Order-1]
			chain.Drivers = append(chain.Drivers, ChainDriver{Name: e.Name, Manifest: e.Manifest, Library: e.Library, API: term.Version(driver.API),
				Why: e.Why, Statement: e.Statement, Off: e.Change, Devices: []ChainDevice{}})
		}
	}
	for _, e := range out {
		chain.Out = append(chain.Out, ChainOut{Kind: e.Kind, Name: e.Name, Manifest: e.Manifest, Why: e.Why, Statement: e.Statement, On: e.Change})
	}
	return chain
}

// before is which global commands a layer takes before there is an instance; its manifest says so.
func before(layer *manifest.Layer) []string {
	var list []string
	for i, name := range manifest.PreNames {
		if layer.Pre[i] != "" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// questionTo is what the probe is to ask: each layer in the chain, by the functions that its manifest names, for every
// command of the registry.
func questionTo(answer *plan.Answer) string {
	var out strings.Builder
	for _, a := range answer.Active {
		l := answer.Layers[a.Layer]
		if fields := []string{l.Library, term.Or(l.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion"),
			term.Or(l.GetInstance, "vkGetInstanceProcAddr"), term.Or(l.GetDevice, "vkGetDeviceProcAddr")}; chained(l, a) {
			fmt.Fprintf(&out, "layer\t%s\n", strings.Join(fields, "\t"))
		}
	}
	for i := range vk.Commands {
		fmt.Fprintln(&out, vk.Commands[i].Name)
	}
	return out.String()
}

// chained tells whether a layer has functions in the chain, and whether its names can be put on a line.
func chained(l *manifest.Layer, a plan.Active) bool {
	return !l.Meta && !a.Unchained && !strings.ContainsAny(l.Library+l.Negotiate+l.GetInstance+l.GetDevice, "\t\n")
}

// unknownDriver is drawn for devices whose driver the loader does not name, because none could be created on them.
const unknownDriver = "a driver that is not known"

// accuse marks the layers and drivers that end a program.
func accuse(chain *Chain, source *machine.Source, found probe.Place, limit time.Duration) {
	report, err := doctor.Examine(source, doctor.Options{})
	if err != nil || report.Try(context.Background(), doctor.Tries{At: found, Environ: source.Environ, Limit: limit}) != nil {
		return // the picture says as much as is known
	}
	for _, p := range report.Probes {
		if p.Result != doctor.ProbeCrashes && p.Result != doctor.ProbeHangs && p.Result != doctor.ProbeExits {
			continue
		}
		what := string(p.Result) + ": " + p.Detail
		for i := range chain.Layers {
			if l := &chain.Layers[i]; p.Kind == "layer" && l.Manifest == p.Manifest && l.Name == p.Name {
				l.Problem = what
			}
		}
		for i := range chain.Drivers {
			if d := &chain.Drivers[i]; p.Kind == "driver" && d.Manifest == p.Manifest {
				d.Problem = what
			}
		}
	}
}

// weights are words in the names of commands, by how much it matters that a layer intercepts these.
var weights = []string{"vkCreateInstance", "vkCreateDevice", "vkQueuePresent", "vkQueueSubmit", "vkCreateSwapchain", "vkAcquireNextImage", "Surface"}

// important sorts commands, each once: those first by which a layer changes what a program gets or shows.
func important(commands []string) []string {
	weight := func(name string) int {
		for i, word := range weights {
			if strings.Contains(name, word) {
				return i
			}
		}
		return len(weights)
	}
	slices.SortFunc(commands, func(a, b string) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a, b)) })
	return slices.Compact(commands)
}

// observed adds what children saw.
func observed(chain *Chain, answer *plan.Answer, seen *decide.Inspection, asked *probe.Result) {
	chain.Version = seen.Version
	chain.Library = seen.Library
	if chain.Problem = seen.Problem; chain.Problem == "" {
		chain.Problem = asked.Problem
	}
	n := 0
	for i, a := range answer.Active {
		layer := &chain.Layers[i]
		if !chained(answer.Layers[a.Layer], a) {
			continue
		}
		layer.Unknown = "it was not asked"
		if asked.Problem != "" {
			layer.Unknown = "not asked: " + asked.Problem
		}
		if n < len(asked.Asked) {
			one := asked.Asked[n]
			layer.Known = one.Answered && (one.Problem == "" || len(one.Commands) > 0)
			layer.Unknown = one.Problem
			layer.Commands = append(layer.Commands, one.Commands...)
			layer.Commands = important(layer.Commands)
		}
		n++
	}
	for i := range chain.Drivers {
		d := &chain.Drivers[i]
		for _, one := range seen.Drivers {
			if one.Manifest == d.Manifest {
				d.Problem = one.Problem
			}
		}
		d.Known = seen.Decided && seen.Problem == "" // a child that ended early has not seen all devices
	}
	for _, one := range seen.Devices {
		drawn := ChainDevice{Index: one.Index, Name: one.Name, Type: one.TypeText, API: one.APIText,
			About: strings.TrimSpace(one.DriverName + " " + one.DriverInfo)}
		i := slices.IndexFunc(chain.Drivers, func(d ChainDriver) bool { return machine.SameLibrary(d.Library, one.Library) })
		if i < 0 { // which driver it is of is not known
			i = slices.IndexFunc(chain.Drivers, func(d ChainDriver) bool { return d.Name == unknownDriver })
			if i < 0 {
				chain.Drivers = append(chain.Drivers, ChainDriver{Name: unknownDriver, Known: true, Devices: []ChainDevice{}})
				i = len(chain.Drivers) - 1
			}
		}
		chain.Drivers[i].Devices = append(chain.Drivers[i].Devices, drawn)
	}
}
