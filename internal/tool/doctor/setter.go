package doctor

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
)

// setter is a process that gives a variable to the processes below it: the nearest parent of the tool that was started without it.
type setter struct {
	name string
	pid  int
	at   FileLine // the line of a script that sets the variable; without a file: unknown
}

func (s *setter) String() string { return fmt.Sprintf("%s (process %d)", s.name, s.pid) }

// maxParents is the number of parents that are asked for a variable.
const maxParents = 64

// setterOf returns the parent of the tool that sets a variable; nil if none is known: the variable is an option's, the first process has
// it, or a parent belongs to another user.
func (h host) setterOf(variable string) *setter {
	value, set := h.machine.Lookup(variable)
	if !set || h.machine.Foreign() || h.machine.Tree != nil {
		return nil
	}
	pid := "self"
	for range maxParents {
		environ := h.whole("/proc/" + pid + "/environ")
		if environ == "" {
			return nil
		}
		if had, has := (&machine.Machine{Environ: strings.Split(environ, "\x00")}).Lookup(variable); !has || had != value {
			if pid == "self" {
				return nil
			}
			return h.newSetter(pid, variable)
		}
		_, rest, _ := strings.Cut(h.whole("/proc/"+pid+"/stat"), ") ") // a state, then the parent
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] == "0" {
			return nil
		}
		pid = fields[1]
	}
	return nil
}

// newSetter describes a process by its program, or by the script that its shell runs.
func (h host) newSetter(pid, variable string) *setter {
	s := &setter{}
	s.pid, _ = strconv.Atoi(pid)
	words := strings.Split(strings.TrimRight(h.whole("/proc/"+pid+"/cmdline"), "\x00"), "\x00")
	s.name = path.Base(words[0])
	shells := []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"}
	if !slices.Contains(shells, s.name) {
		return s
	}
	// A shell exports the path of the command in the variable _, also for a script that the tool has replaced since.
	own := &machine.Machine{Environ: strings.Split(h.whole("/proc/self/environ"), "\x00")}
	replaced, _ := own.Lookup("_")
	for _, script := range append(words[1:min(2, len(words))], replaced) {
		if at := h.lineOf(script, variable); at.File != "" {
			s.name, s.at = path.Base(script), at
			break
		}
	}
	return s
}

// lineOf returns the last line of a script that sets a variable; without a file: none.
func (h host) lineOf(script, variable string) (at FileLine) {
	if !path.IsAbs(script) {
		return at
	}
	for _, line := range h.linesWith(script, func(line string) bool {
		return setsVariable(line, variable) || !strings.HasPrefix(strings.TrimSpace(line), "#") && assignsIn(line, variable, h.variable(variable))
	}) {
		at = line
	}
	return at
}

// setterText returns a clause about the parent that sets a variable; "" if none is known.
func (h host) setterText(variable string) string {
	if s := h.setterOf(variable); s != nil && s.at.File != "" {
		return ", which " + s.at.String() + " sets"
	} else if s != nil {
		return ", which " + s.String() + " sets"
	}
	return ""
}
