package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// culpritSchema is raised when a field of run --find-culprit changes its meaning or goes.
const culpritSchema = 2

// verdict is what run --find-culprit says.
type verdict struct {
	Schema   int              `json:"schema"`
	Program  []string         `json:"program"`
	Result   string           `json:"result"` // fine, found, unloading, elsewhere, unsteady or stopped
	Culprits []launch.Suspect `json:"culprits"`
	Runs     []launch.Run     `json:"runs"`
	What     string           `json:"what"`                // how the program ended by itself
	Process  string           `json:"process,omitempty"`   // executable of the process that stood there
	Files    []string         `json:"files"`               // where it stood, and what had called that, nearest first
	Phase    string           `json:"phase"`               // how far the loader had come
	Last     string           `json:"last_line,omitempty"` // the loader's last one
	Fix      string           `json:"fix,omitempty"`       // a command line with which the program works
	Applied  bool             `json:"applied"`             // --apply has kept the culprits out of the program
	Notes    []string         `json:"notes"`
}

// keepsLoaded keeps drivers and layers loaded.
var keepsLoaded = variables.DisableUnloading.Name() + "=1"

// hunt is a search for what crashes or hangs a program.
type hunt struct {
	s       *invocation
	program launch.Program
	machine machine.Machine
	source  *machine.Source
	answer  *plan.Answer
	limits  launch.Limits
	out     *os.File
	runs    int
	notes   []string
	talk    io.Writer // what is said of each run
}

// findCulprit runs the program until it is known what crashes or hangs it.
func (r *launched) findCulprit(s *invocation, m *machine.Machine, path string, args []string) error {
	length, err := quarantineLength(r.expires)
	if err != nil {
		return err
	}
	h := &hunt{s: s, program: launch.Program{Path: path, Args: args}, machine: *m, limits: r.limits, out: os.Stdout, talk: s.errOut}
	if r.asJSON {
		h.out = os.Stderr // standard output is for the verdict
	}
	h.machine.Environ = machine.WithVariable(m.Environ, variables.Debug.Name(), "all")
	h.source = &machine.Source{Machine: h.machine, Program: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		h.source.Program, _ = filepath.Abs(real)
	}
	h.source.Class = binary.ProgramOf(&h.machine, h.source.Program).Class
	if h.answer, err = decision.Ask(h.source); err != nil {
		return err
	}
	found, err := launch.FindCulprit(h.trial, h.suspects)
	if err != nil {
		return exit.As(exit.CannotRun, err)
	}
	v := &verdict{Schema: culpritSchema, Program: args, Result: found.Result, Culprits: append([]launch.Suspect{}, found.Culprits...),
		Runs: found.Runs, What: found.First.What, Process: found.First.Program, Files: append([]string{}, found.First.Files...), Phase: found.First.Phase,
		Last: found.First.Last, Notes: append([]string{}, h.notes...)}
	var failed error
	if found.Result == launch.SearchUnloading {
		v.Fix = strings.Join(append([]string{"env", keepsLoaded}, quotedAll(args)...), " ")
	}
	if found.Result == launch.SearchFound {
		_, changes := h.without(found.Culprits)
		v.Fix = strings.Join(append(append([]string{"env"}, changes...), quotedAll(args)...), " ")
		if r.apply {
			app := term.Or(found.First.Program, h.source.Program)
			for _, c := range found.Culprits {
				if _, failed = addQuarantine(s, c.Name, app, found.First.What, length); failed != nil {
					break
				}
			}
			v.Applied = failed == nil
		}
	}
	if r.asJSON {
		err = writeJSON(s, v)
	} else {
		printVerdict(s, v, r.apply)
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case v.Result == launch.SearchStopped:
		return exit.With(exit.NotLooked)
	case v.Result != launch.SearchFine:
		return exit.With(exit.Problems)
	}
	return nil
}

func quotedAll(words []string) (list []string) {
	for _, w := range words {
		list = append(list, term.Quoted(w))
	}
	return list
}

// suspects are the layers and drivers of the program that can be left out.
func (h *hunt) suspects(first *launch.Seen) (layers, drivers []launch.Suspect) {
	for _, l := range h.answer.Layers {
		active := slices.ContainsFunc(h.answer.Active, func(a plan.Active) bool { return h.answer.Layers[a.Layer] == l }) ||
			slices.Contains(first.Layers, l.Name)
		if active && !l.Meta && !slices.ContainsFunc(layers, func(x launch.Suspect) bool { return x.Name == l.Name }) {
			layers = append(layers, launch.Suspect{Kind: "layer", Name: l.Name, Manifest: l.Manifest, Library: h.real(l.Library)})
		}
	}
	for _, d := range h.answer.Drivers {
		drivers = append(drivers, launch.Suspect{Kind: "driver", Name: search.BaseName(d.Path), Manifest: d.Path, Library: h.real(d.Library)})
	}
	// What stays in spite of the variables is no suspect that a run could tell of.
	keep := func(list []launch.Suspect) []launch.Suspect {
		return slices.DeleteFunc(list, func(x launch.Suspect) bool {
			environ, _ := h.without([]launch.Suspect{x})
			source := *h.source
			source.Environ = environ
			answer, err := decision.Ask(&source)
			stays := err != nil || slices.ContainsFunc(answer.Active, func(a plan.Active) bool { return answer.Layers[a.Layer].Name == x.Name }) ||
				slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return d.Path == x.Manifest })
			if stays {
				h.notes = append(h.notes, x.Name+" cannot be left out by variables; a settings file may hold it: vkloader settings show")
			}
			return stays
		})
	}
	return keep(layers), keep(drivers)
}

func (h *hunt) real(library string) string {
	if real, err := h.machine.Real(library); strings.Contains(library, "/") && err == nil {
		return real
	}
	return library
}

// without gives the environment in which suspects are left out, and its changes as NAME=VALUE.
func (h *hunt) without(list []launch.Suspect) (environ, changes []string) {
	environ = h.machine.Environ
	set := func(name, value string) {
		environ = machine.WithVariable(environ, name, value)
		changes = append(changes, term.Quoted(name+"="+value))
	}
	var layers, drivers []string
	for _, x := range list {
		at := slices.IndexFunc(h.answer.Layers, func(l *manifest.Layer) bool { return l.Name == x.Name && l.Manifest == x.Manifest })
		switch {
		case x.Kind == launch.Unloading:
			set(variables.DisableUnloading.Name(), "1")
		case x.Kind == "driver":
			drivers = append(drivers, x.Name)
		case at >= 0 && h.answer.Layers[at].Implicit && h.answer.Layers[at].DisableName != "":
			set(h.answer.Layers[at].DisableName, "1")
		default:
			layers = append(layers, x.Name)
		}
	}
	for _, filter := range []struct {
		variable variables.ID
		names    []string
	}{{variables.LayersDisable, layers}, {variables.DriversDisable, drivers}} {
		if len(filter.names) == 0 {
			continue
		}
		if before, _ := h.machine.Lookup(filter.variable.Name()); before != "" {
			filter.names = append([]string{before}, filter.names...)
		}
		set(filter.variable.Name(), strings.Join(filter.names, ","))
	}
	for variable, separator := range map[variables.ID]string{variables.InstanceLayers: ":", variables.LayersEnable: ","} {
		before, _ := h.machine.Lookup(variable.Name())
		names := strings.Split(before, separator)
		if left := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(list, func(x launch.Suspect) bool { return x.Kind == "layer" && x.Name == name })
		}); len(left) < len(names) {
			set(variable.Name(), strings.Join(left, separator))
		}
	}
	slices.Sort(changes)
	return environ, changes
}

// trial runs the program once.
func (h *hunt) trial(list []launch.Suspect) (*launch.Seen, error) {
	h.runs++
	what := "as it is"
	if len(list) > 0 {
		var names []string
		for _, x := range list {
			names = append(names, x.Name)
		}
		what = "without " + strings.Join(names, ", ")
	}
	program := h.program
	program.Environ, _ = h.without(list)
	progress := &loaderlog.Progress{}
	begun := time.Now()
	end, err := program.Trace(&launch.Splitter{Rest: h.s.errOut, Line: func(line string, _ time.Time) { progress.Line(line) }}, h.limits, h.out)
	if err != nil {
		return nil, err
	}
	seen := &launch.Seen{Good: !end.Hung && !end.Crashed(), Stopped: end.Interrupted, Phase: progress.Words(), Last: progress.Last,
		Layers: progress.Layers, What: ended(end)}
	if end.Fault != nil {
		seen.Files, seen.Program, seen.Nowhere = end.Fault.Files, end.Fault.Program, !end.Fault.Mapped
	}
	fmt.Fprintf(h.talk, "vkloader: run %d, %s: %s (%.1f s)\n", h.runs, term.OneLine(what), term.OneLine(seen.What), time.Since(begun).Seconds())
	return seen, nil
}

// ended is the end of a run in words.
func ended(end *launch.End) string {
	where := ""
	if f := end.Fault; f != nil {
		switch {
		case f.Mapped && len(f.Files) > 0:
			where = " in " + f.Files[0]
			// abort(3) and the like: who called it says more.
			if base := filepath.Base(f.Files[0]); len(f.Files) > 1 && (strings.HasPrefix(base, "libc.") || strings.HasPrefix(base, "libc-") || strings.HasPrefix(base, "ld-")) {
				where += ", called from " + f.Files[1]
			}
		default:
			where = " at an address where nothing is mapped"
			if len(f.Files) > 0 {
				where += ", called from " + f.Files[0]
			}
		}
	}
	switch {
	case end.Interrupted:
		return "broken off"
	case end.Hung:
		return "it hung" + where
	case end.Enough:
		return "it ran for as long as it had to"
	case end.Fault != nil:
		return "killed by " + unix.SignalName(end.Fault.Signal) + where
	case end.Status.Signaled():
		return "killed by " + unix.SignalName(end.Status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", end.Status.ExitStatus())
}

// printVerdict writes it for people, to standard error: standard output is the program's.
func printVerdict(s *invocation, v *verdict, apply bool) {
	style := term.StyleFor(s.errOut, s.getenv)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(s.errOut, "    %-4s  %s\n", name, term.OneLine(text))
		}
	}
	fmt.Fprintln(s.errOut)
	switch v.Result {
	case launch.SearchFine:
		fmt.Fprintf(s.errOut, "%s the program neither crashed nor hung: %s\n", style.Heading("No culprit:"), v.What)
		return
	case launch.SearchStopped:
		fmt.Fprintln(s.errOut, "No verdict: it was broken off.")
		return
	case launch.SearchFound:
		for _, c := range v.Culprits {
			fmt.Fprintf(s.errOut, "%s %s\n", style.Bad("Culprit: the "+c.Kind), style.Heading(term.OneLine(c.Name)))
			line("file", c.Manifest)
			line("lib", c.Library)
		}
	case launch.SearchUnloading:
		fmt.Fprintln(s.errOut, style.Bad("Culprit: a driver or layer that was unloaded, and left something to be called when a thread or the program ends"))
	case launch.SearchUnsteady:
		fmt.Fprintln(s.errOut, style.Bad("No verdict: without layers it worked once, and then not when each was left out"))
	default:
		fmt.Fprintln(s.errOut, style.Bad("No layer and no driver that could be left out is the culprit: it is the program, or the only driver"))
	}
	line("what", v.What)
	if len(v.Files) > 1 {
		line("from", "on the stack: "+strings.Join(v.Files[1:min(len(v.Files), 6)], ", "))
	}
	line("when", v.Phase)
	line("said", v.Last)
	for _, note := range v.Notes {
		line("note", note)
	}
	if v.Fix != "" {
		line("do", v.Fix)
		if !apply && v.Result == launch.SearchFound {
			line("", "or let the tool keep it out of this program: vkloader run --find-culprit --apply ...")
		}
	}
}
