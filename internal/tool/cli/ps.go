package cli

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

// psSchema is raised when a field of ps changes its meaning or goes.
const psSchema = 1

// running is what ps says.
type running struct {
	Schema    int          `json:"schema"`
	Processes []oneRunning `json:"processes"`
	Hidden    int          `json:"hidden"` // processes that the caller may not inspect
}

// oneRunning is a process that has a Vulkan loader mapped.
type oneRunning struct {
	PID       int              `json:"pid"`
	Name      string           `json:"name"`
	Program   string           `json:"program"`
	Command   []string         `json:"command"`
	User      uint32           `json:"user"` // by number; on Windows the last part of the SID
	Class     int              `json:"class"`
	Elevated  bool             `json:"elevated"`
	Sandboxes []doctor.Sandbox `json:"sandboxes"`
	Loaders   []runningLoader  `json:"loaders"`
	Drivers   []process.Module `json:"drivers"`
	Layers    []process.Module `json:"layers"`
	Memory    []process.Memory `json:"memory"` // of devices; nothing where the kernel's driver does not tell
}

// runningLoader is a loader's file that is mapped.
type runningLoader struct {
	File    string         `json:"file"`
	Version string         `json:"version,omitempty"` // from the file's name, or from its package
	Release string         `json:"release,omitempty"` // of vkloader; "": another loader
	Package string         `json:"package,omitempty"` // that the file belongs to
	Change  process.Change `json:"change,omitempty"`  // what became of the file since it was mapped: gone, replaced or written
}

// whose says whose loader it is; "": not known.
func (l *runningLoader) whose() string {
	if l.Release != "" {
		return "vkloader"
	}
	return l.Package
}

func newPs(s *invocation) *cobra.Command {
	var asJSON, watch bool
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "List processes that use Vulkan, with drivers and layers",
		Long: "ps lists every process that has a Vulkan loader in memory: the loader, drivers and layers, the word\n" +
			"size, the sandbox, and the device memory that it holds, if the kernel driver reports that. Files\n" +
			"that an update has replaced under a running program are marked. Only " + seer + " can inspect the\n" +
			"processes of other users.\n\n" + exitCodesHelp,
		Example: "  vkloader ps\n  vkloader ps --watch\n  vkloader ps --json | jq '.processes[].layers[].name'",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if _, err := s.thisMachine("ps"); err != nil {
				return err
			}
			if interval <= 0 {
				return fmt.Errorf("--interval needs a time such as 2s, got %s", interval)
			}
			var last *running
			for {
				now, err := runningPrograms()
				if err != nil {
					return exit.As(exit.NotLooked, err)
				}
				if !reflect.DeepEqual(now, last) {
					if asJSON {
						err = writeJSON(s, now)
					} else {
						printRunning(s, now, watch, last != nil)
					}
				}
				if err != nil || !watch {
					return err
				}
				last = now
				time.Sleep(interval)
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d); with --watch one object for each change", psSchema))
	cmd.Flags().BoolVar(&watch, "watch", false, "keep running, and print the list again after each change, until Ctrl-C")
	cmd.Flags().DurationVar(&interval, "interval", 2*time.Second, "how often --watch looks")
	return cmd
}

// printRunning shows it; live: again and again, again: it was shown before.
func printRunning(s *invocation, r *running, live, again bool) {
	style := term.StyleFor(s.out, s.getenv)
	if file, ok := term.File(s.out); live && ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprint(file, "\x1b[H\x1b[2J") // past what replaces control characters
			again = false
		}
	}
	if again {
		fmt.Fprintln(s.out)
	}
	if len(r.Processes) == 0 {
		fmt.Fprintln(s.out, "No process uses a Vulkan loader.")
	} else {
		table := term.NewTable(">pid", "program", "bits", "loader", "drivers", "layers", ">memory", "in")
		for _, p := range r.Processes {
			var loaders, sandboxes []string
			for _, l := range p.Loaders {
				name := term.Or(l.Version, l.File)
				if whose := l.whose(); whose != "" {
					name += " of " + whose
				}
				loaders = append(loaders, name+changed(l.Change))
			}
			for _, in := range p.Sandboxes {
				sandboxes = append(sandboxes, strings.TrimSuffix(in.Kind+" "+in.Detail, " "))
			}
			table.Row(fmt.Sprint(p.PID), term.Or(p.Program, p.Name), bits(p.Class), strings.Join(loaders, ", "), modules(p.Drivers),
				modules(p.Layers), memoryOf(p.Memory), strings.Join(sandboxes, ", "))
		}
		table.Print(s.out, "", style)
	}
	if r.Hidden > 0 {
		fmt.Fprintf(s.out, "%s could not be inspected%s\n", counted(r.Hidden), asSeer())
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

func bits(class int) string {
	if class == 0 {
		return ""
	}
	return fmt.Sprint(class)
}

func changed(c process.Change) string {
	if c == process.Same {
		return ""
	}
	return " (" + string(c) + ")"
}

func modules(list []process.Module) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Name+changed(m.Change))
	}
	return strings.Join(names, ", ")
}

// memoryOf is the sum, in MiB.
func memoryOf(list []process.Memory) string {
	if len(list) == 0 {
		return ""
	}
	var all uint64
	for _, m := range list {
		all += m.Bytes
	}
	return fmt.Sprintf("%.0f MiB", float64(all)/(1<<20))
}
