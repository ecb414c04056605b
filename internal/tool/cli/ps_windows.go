package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/pc"
	"vkloader/internal/tool/process"
)

// seer is who sees what processes of others have loaded.
const seer = "administrator"

// asSeer is what to do about processes that cannot be inspected.
func asSeer() string { return "; run as administrator to see them" }

// loaderName is the file of a loader.
const loaderName = "vulkan-1.dll"

// runningPrograms looks at all processes. Drivers and layers are told by the decision for the process with its own variables,
// or with the tool's where these cannot be read. Those that no manifest names are told by their functions.
func runningPrograms() (*running, error) {
	found, hidden, err := pc.Processes()
	if err != nil {
		return nil, err
	}
	result := &running{Schema: psSchema, Processes: []oneRunning{}, Hidden: hidden}
	for _, p := range found {
		one := oneRunning{PID: int(p.PID), Name: p.Name, Program: p.Program, Command: []string{}, User: p.User, Class: p.Class, Elevated: p.Elevated,
			Sandboxes: []doctor.Sandbox{}, Loaders: []runningLoader{}, Drivers: []process.Module{}, Layers: []process.Module{}, Memory: []process.Memory{}}
		for _, file := range p.Modules {
			if strings.EqualFold(filepath.Base(file), loaderName) {
				one.Loaders = append(one.Loaders, runningLoader{File: file, Version: pc.FileVersion(file)})
			}
		}
		if len(one.Loaders) == 0 {
			continue
		}
		environ, err := pc.EnvironmentOf(p.PID)
		if err != nil {
			environ = os.Environ()
		}
		source := &machine.Source{Machine: machine.Machine{Environ: environ}, Elevated: p.Elevated, AsUser: !p.Elevated, Class: p.Class, Program: p.Program}
		answer, err := ask.Plan(source)
		if err != nil {
			return nil, err
		}
		one.Drivers, one.Layers = modulesIn(&source.Machine, p.Modules, answer)
		result.Processes = append(result.Processes, one)
	}
	return result, nil
}

// modulesIn are the drivers and layers among the libraries of a process: those of the decision first, then those that it
// leaves out.
func modulesIn(m *machine.Machine, files []string, answer *plan.Answer) (drivers, layers []process.Module) {
	drivers, layers = []process.Module{}, []process.Module{}
	taken := []string{}
	in, out := explain.Of(answer)
	libraries := map[explain.Key]string{}
	for _, l := range answer.Layers {
		libraries[explain.LayerKey(l)] = l.Library
	}
	for n, list := range [][]explain.Item{in, out} {
		for i := range list {
			item := &list[i]
			library := cmp.Or(item.Library, libraries[explain.Key{Layer: item.Name, Manifest: item.Manifest}])
			if library == "" {
				library = process.NamedBy(m, item.Manifest)
			}
			at := slices.IndexFunc(files, func(file string) bool {
				return library != "" && strings.EqualFold(filepath.Base(file), filepath.Base(library))
			})
			if at < 0 || slices.Contains(taken, files[at]) {
				continue
			}
			taken = append(taken, files[at])
			one := process.Module{Name: item.Name, Manifest: item.Manifest, File: files[at], Item: item, In: n == 0}
			if item.Kind == "driver" {
				drivers = append(drivers, one)
			} else {
				layers = append(layers, one)
			}
		}
	}
	for _, file := range files {
		if slices.Contains(taken, file) || strings.EqualFold(filepath.Base(file), loaderName) {
			continue
		}
		m := process.Module{Name: filepath.Base(file), File: file}
		switch l := readLibrary(file); {
		case l == nil:
		case l.Exports("vk_icdGetInstanceProcAddr"), l.Exports("vk_icdNegotiateLoaderICDInterfaceVersion"):
			drivers = append(drivers, m)
		case l.Exports("vkNegotiateLoaderLayerInterfaceVersion"):
			layers = append(layers, m)
		}
	}
	return drivers, layers
}

func readLibrary(file string) *binary.PE {
	f, err := (&machine.Machine{}).Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	l, err := binary.ReadPE(f)
	if err != nil {
		return nil
	}
	return l
}
