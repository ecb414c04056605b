package cli

import (
	"os"

	"vkloader/internal/tool/ask"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

// seer is who sees what processes of others have mapped.
const seer = "root"

// asSeer is what to do about processes that cannot be inspected: nothing is left to root.
func asSeer() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "; run as root to see them"
}

// runningPrograms looks at all processes.
func runningPrograms() (*running, error) {
	found, hidden, err := kernel.List()
	if err != nil {
		return nil, err
	}
	known := map[string]*loaders.Loader{}
	result := &running{Schema: psSchema, Processes: []oneRunning{}, Hidden: hidden}
	for _, p := range found {
		source := &machine.Source{Machine: p.Machine, Elevated: p.Elevated, Class: p.Class, Program: p.Program}
		one := oneRunning{PID: p.PID, Name: p.Name, Program: p.Program, Command: append([]string{}, p.Command...), User: p.User, Class: p.Class,
			Elevated: p.Elevated, Sandboxes: doctor.Sandboxes(source), Loaders: []runningLoader{},
			Drivers: []process.Module{}, Layers: []process.Module{}, Memory: append([]process.Memory{}, p.Memory()...)}
		for i, m := range p.Loaders() {
			l := known[m.Path]
			if change := p.Change(&m); l == nil || change != process.Same {
				l = loaders.Identify(&source.Machine, m.Path)
				if change != process.Same { // what lies there is not what it has
					l = &loaders.Loader{Version: m.Version()}
				} else if !source.Foreign() {
					known[m.Path] = l
				}
			}
			one.Loaders = append(one.Loaders, runningLoader{m.Path, term.Or(m.Version(), l.Version), l.Release, l.Package, p.Change(&m)})
			if i == 0 {
				l.On(source)
			}
		}
		if answer, err := ask.Plan(source); err == nil {
			one.Drivers, one.Layers = p.Modules(answer)
		}
		result.Processes = append(result.Processes, one)
	}
	return result, nil
}
