package survey

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/vk"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/term"
)

// LookAtChain collects the data for the drawing. library is the loader to use; "": the tool's own. still means to run
// no child process.
func LookAtChain(executable, library string, source *machine.Source, still bool, limit time.Duration) (*Chain, error) {
	made, err := decide.Explain(source)
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
		chain.Library = filepath.Base(found.Library) // the path under which the linker would find it is unknown
	}
	if still || source.Class != 0 && source.Class != machine.OwnClass { // child processes have the library's word size
		return chain, nil
	}
	seen, err := ProbeDevices(found, source.Environ, limit)
	if err != nil {
		return nil, err
	}
	log, err := logOf(found, source.Environ, limit)
	if err != nil {
		return nil, err
	}
	quiet := machine.WithoutVariable(source.Environ, variables.Debug.Name())
	asked, err := probe.Run(context.Background(), probe.Ask(questionTo(answer)), found, quiet, limit)
	if err != nil {
		return nil, err
	}
	addObserved(chain, answer, seen, log, asked)
	return chain, nil
}

func chainOf(source *machine.Source, made *decide.Made) *Chain {
	chain := &Chain{Layers: []ChainLayer{}, Drivers: []ChainDriver{}}
	in, answer := made.In, made.Plan
	Fixes(source, answer, in, nil)
	for _, e := range in {
		if e.Kind == "layer" {
			layer := answer.Layers[answer.Active[e.Order-1].Layer]
			one := ChainLayer{Item: e, Description: layer.Description, Commands: []string{}}
			for i, name := range manifest.PreNames {
				if layer.Pre[i] != "" {
					one.Before = append(one.Before, name)
				}
			}
			slices.Sort(one.Before)
			chain.Layers = append(chain.Layers, one)
		} else {
			driver := answer.Drivers[e.Order-1]
			chain.Drivers = append(chain.Drivers, ChainDriver{Item: e, API: wording.Version(driver.API),
				Devices: []discover.Device{}})
		}
	}
	return chain
}

// questionTo returns the question for the probe: for each layer in the chain, with the function names of its manifest,
// every command of the registry.
func questionTo(answer *plan.Answer) string {
	var out strings.Builder
	for _, a := range answer.Active {
		l := answer.Layers[a.Layer]
		if fields := []string{l.Library, term.Or(l.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion"),
			term.Or(l.GetInstance, "vkGetInstanceProcAddr"),
			term.Or(l.GetDevice, "vkGetDeviceProcAddr")}; hasFunctions(l, a) {
			fmt.Fprintf(&out, "layer\t%s\n", strings.Join(fields, "\t"))
		}
	}
	for i := range vk.Commands {
		fmt.Fprintln(&out, vk.Commands[i].Name)
	}
	return out.String()
}

// hasFunctions reports whether a layer has functions in the chain and names that fit on a line.
func hasFunctions(l *manifest.Layer, a plan.Active) bool {
	return !l.Meta && !a.Unchained && !strings.ContainsAny(l.Library+l.Negotiate+l.GetInstance+l.GetDevice, "\t\n")
}

// unknownDriver stands for the driver of devices without a created device, for which the loader does not name the
// driver.
const unknownDriver = "an unknown driver"

// weights lists words in the names of commands. Interception of the first ones matters most.
var weights = []string{"vkCreateInstance", "vkCreateDevice", "vkQueuePresent", "vkQueueSubmit", "vkCreateSwapchain",
	"vkAcquireNextImage", "Surface"}

// important sorts distinct commands by the importance of their interception.
func important(commands []string) []string {
	weight := func(name string) int {
		at := slices.IndexFunc(weights, func(word string) bool { return strings.Contains(name, word) })
		return term.Either(at < 0, len(weights), at)
	}
	slices.SortFunc(commands,
		func(a, b string) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a, b)) })
	return slices.Compact(commands)
}

// addObserved adds the devices with their drivers, which only the log names, and the commands that layers intercept.
func addObserved(chain *Chain, answer *plan.Answer, seen *discover.Report, log *loaders.Log, asked *probe.Result) {
	chain.Version = seen.Version.String()
	chain.Library = seen.Library
	if chain.Problem = seen.Problem; chain.Problem == "" {
		chain.Problem = asked.Problem
	}
	n := 0
	for i, a := range answer.Active {
		layer := &chain.Layers[i]
		if !hasFunctions(answer.Layers[a.Layer], a) {
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
		for _, m := range log.Messages {
			if (m.Severity == loaders.LogError || m.Kind == loaders.DriverSkipped) && m.Library != "" &&
				machine.SameLibrary(d.Library, m.Library) {
				d.Problem = cmp.Or(d.Problem, m.Text)
			}
		}
		d.Known = seen.Problem == "" // a child that ended early has not seen all devices
	}
	for n, one := range seen.Devices {
		if n < len(log.Used) && log.Used[n].Device == one.Name {
			one.Library = log.Used[n].Library
		}
		i := slices.IndexFunc(chain.Drivers,
			func(d ChainDriver) bool { return machine.SameLibrary(d.Library, one.Library) })
		if i < 0 { // the device's driver is unknown
			i = slices.IndexFunc(chain.Drivers, func(d ChainDriver) bool { return d.Name == unknownDriver })
			if i < 0 {
				i = len(chain.Drivers)
				chain.Drivers = append(chain.Drivers, ChainDriver{Item: explain.Item{Name: unknownDriver}, Known: true})
			}
		}
		chain.Drivers[i].Devices = append(chain.Drivers[i].Devices, one)
	}
}

// Chain is the drawn data: a program, its loader, layers, drivers and devices.
type Chain struct {
	Schema  int           `json:"schema"`            // of the JSON form
	Program string        `json:"program"`           // its path; "": any program
	Library string        `json:"library"`           // the loader's file
	Version string        `json:"version"`           // the loader's API version
	Layers  []ChainLayer  `json:"layers"`            // from the program down
	Drivers []ChainDriver `json:"drivers"`           // in search order
	Problem string        `json:"problem,omitempty"` // the reason for missing devices or commands
}

// ChainLayer is an active layer.
type ChainLayer struct {
	explain.Item
	Description string   `json:"description,omitempty"`
	Known       bool     `json:"known"`                  // commands is complete
	Unknown     string   `json:"unknown,omitempty"`      // the reason for unknown commands
	Commands    []string `json:"commands"`               // the intercepted commands, the most important first
	Before      []string `json:"pre_instance,omitempty"` // the intercepted pre-instance commands
}

// ChainDriver is an opened driver.
type ChainDriver struct {
	explain.Item
	API     string            `json:"api_version,omitempty"`
	Problem string            `json:"problem,omitempty"`
	Known   bool              `json:"known"` // the driver's devices are known
	Devices []discover.Device `json:"devices"`
}
