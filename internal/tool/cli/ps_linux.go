package cli

import (
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
)

// seer is who sees what processes of others have mapped.
const seer = "root"

// runningPrograms looks at all processes.
func runningPrograms() (*running, error) {
	found, hidden, err := kernel.List()
	if err != nil {
		return nil, err
	}
	result := &running{Schema: psSchema, Processes: []oneRunning{}, Hidden: hidden}
	for _, p := range found {
		source := &machine.Source{Machine: p.Machine, Elevated: p.Elevated, Class: p.Class, Program: p.Program}
		one := oneRunning{PID: p.PID, Name: p.Name, Program: p.Program, Command: append([]string{}, p.Command...), User: p.User, Class: p.Class,
			Elevated: p.Elevated, Sandboxes: doctor.Sandboxes(source), Loaders: []runningLoader{},
			Drivers: []process.Module{}, Layers: []process.Module{}, Memory: append([]process.Memory{}, p.Memory()...)}
		for _, m := range p.Loaders() {
			one.Loaders = append(one.Loaders, runningLoader{m.Path, m.Version(), p.Change(&m)})
		}
		if answer, err := decision.Ask(source); err == nil {
			one.Drivers, one.Layers = p.Modules(answer)
		}
		result.Processes = append(result.Processes, one)
	}
	return result, nil
}
