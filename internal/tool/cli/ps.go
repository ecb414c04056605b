package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

func newPs(s *invocation) *cobra.Command {
	var o struct {
		JSON  bool `option:"json"`
		Watch bool `option:"watch"`
	}
	return newCommand("ps", &o, psSchema, func([]string) error {
		if _, err := s.thisMachine("ps"); err != nil {
			return err
		}
		var last *doctor.Running
		for {
			now, err := runningPrograms()
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			if !reflect.DeepEqual(now, last) {
				if o.JSON {
					err = writeJSON(s, now)
				} else {
					printRunning(s, now, o.Watch, last != nil)
				}
			}
			if err != nil || !o.Watch {
				return err
			}
			last = now
			time.Sleep(2 * time.Second)
		}
	})
}

// runningPrograms returns all processes with a loader. The decision for the process with its variables identifies
// drivers and layers; their exported functions identify those without a manifest.
func runningPrograms() (*doctor.Running, error) {
	found, hidden, err := process.Here.List()
	if err != nil {
		return nil, err
	}
	known := map[string]*loaders.Loader{}
	result := &doctor.Running{Schema: psSchema, Processes: []doctor.RunningProgram{}, Hidden: hidden}
	for _, p := range found {
		source := sourceFor(p)
		one := doctor.RunningProgram{PID: p.PID, Name: p.Name, Program: p.Program,
			Command: append([]string{}, p.Command...), User: p.User, Class: p.Class,
			Elevated: p.Elevated, Sandboxes: []doctor.Sandbox{}, Loaders: loadersIn(p, source, known),
			Drivers: []process.MappedModule{}, Layers: []process.MappedModule{},
			Memory: append([]process.MemoryRegion{}, p.Memory()...)}
		if !onWindows {
			one.Sandboxes = doctor.Sandboxes(source)
		}
		if answer, err := explain.Decide(source); err == nil {
			one.Drivers, one.Layers = p.Modules(answer)
		}
		if err := p.Machine.Bound.Err(); err != nil {
			one.Problem = err.Error()
		}
		result.Processes = append(result.Processes, one)
	}
	return result, nil
}

// loadersIn returns the loaders that a process has mapped. The decision for the process imitates the first one. known
// has the loaders of this machine's other processes, by path.
func loadersIn(p *process.Process, source *machine.Source, known map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for i, m := range p.Loaders() {
		l, change := known[m.Path], p.StateOf(&m)
		if change != process.Same { // the file at the path is no longer the mapped one
			l = &loaders.Loader{Version: m.Version()}
		} else if l == nil {
			l = cmp.Or(loaderAt(source, m.Path), &loaders.Loader{})
			if !source.Foreign() {
				known[m.Path] = l
			}
		}
		list = append(list, doctor.RunningLoader{File: m.Path, Version: term.Or(m.Version(), l.Version),
			Release: l.Release, Package: l.Package, State: change})
		if i == 0 {
			l.On(source)
		}
	}
	return list
}

// clearScreen is the sequence that clears a terminal.
const clearScreen = "\x1b[H\x1b[2J"

// printRunning prints the list. live means repeated output, again that there was an earlier output.
func printRunning(s *invocation, r *doctor.Running, live, again bool) {
	if live && term.IsTerminal(s.out) {
		file, _ := term.File(s.out)
		fmt.Fprint(file, clearScreen) // bypasses the replacement of control characters
		again = false
	}
	if again {
		fmt.Fprintln(s.out)
	}
	table := term.NewTable(">pid", "program", "bits", "loader", "drivers", "layers", ">memory", "sandbox")
	for _, p := range r.Processes {
		var loaders []string
		for _, l := range p.Loaders {
			name, whose := term.Or(l.Version, l.File), l.Package
			if l.Release != "" {
				whose = "vkloader"
			}
			name += term.Enclosed(" of ", whose, "")
			loaders = append(loaders, name+stateText(l.State))
		}
		sandboxes := term.Words(p.Sandboxes,
			func(in doctor.Sandbox) string { return strings.TrimSuffix(in.Kind+" "+in.Detail, " ") })
		table.Row(fmt.Sprint(p.PID), term.Or(p.Program, p.Name), term.Either(p.Class == 0, "", fmt.Sprint(p.Class)),
			strings.Join(loaders, ", "), modules(p.Drivers), modules(p.Layers), p.MiB(), strings.Join(sandboxes, ", "))
	}
	table.PrintOr("No process uses a Vulkan loader.", s.out, "", s.style)
	for _, p := range r.Processes {
		if p.Problem != "" {
			fmt.Fprintln(s.out, term.OneLine(p.Problem))
		}
	}
	if r.Hidden > 0 {
		counted := term.Either(r.Hidden > 1, fmt.Sprintf("%d processes", r.Hidden), "1 process")
		fmt.Fprintf(s.out, "%s could not be inspected%s\n", counted, asSeer())
	}
}

func stateText(c process.FileState) string {
	if c == process.Same {
		return ""
	}
	return " (" + string(c) + ")"
}

func modules(list []process.MappedModule) string {
	return strings.Join(term.Words(list, func(m process.MappedModule) string { return m.Name + stateText(m.State) }),
		", ")
}
