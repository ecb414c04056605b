package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// launched holds the options of run.
type launched struct {
	run.Choice
	findsCulprit
	Log   string        `option:"log"` // the file for the loader's log
	Dry   bool          `option:"dry-run"`
	Times bool          `option:"time"`
	Limit time.Duration `option:"timeout" default:"30s"` // of the child process that lists devices
	JSON  bool          `option:"json" needs:"dry-run find-culprit"`
}

func newRun(s *invocation) *cobra.Command {
	var r launched
	cmd := newCommand("run [options] [--] PROGRAM [ARGUMENT]...", &r, 0,
		func(args []string) error { return r.run(s, args) })
	cmd.Args, cmd.ValidArgsFunction = cobra.MinimumNArgs(1), completePrograms(s)
	cmd.Annotations = map[string]string{"dry": fmt.Sprint(dryRunSchema), "verdict": fmt.Sprint(culpritSchema)}
	cmd.Flags().SetInterspersed(false) // the words after the program belong to the program
	return cmd
}

func (r *launched) run(s *invocation, args []string) error {
	m, err := s.machine()
	if err != nil {
		return err
	}
	if m.Foreign() && (onWindows || !r.Dry) {
		return errors.New("run starts only programs of this machine" +
			term.Either(onWindows, "", "; --root works only with --dry-run"))
	}
	if !r.Dry {
		expireSettings(s, &m)
	}
	brought, err := bring(s)
	if err != nil {
		return err
	}
	program := run.Program{Path: args[0], Args: args}
	if !m.Foreign() {
		if program.Path, err = programPath(args[0]); err != nil {
			return err
		}
	}
	plain := m.Environ
	changes, warnings, err := r.prepare(s, brought, &m, program.Path)
	if err != nil {
		return err
	}
	if brought.Library != "" {
		r.usual = explain.Apply(plain,
			slices.DeleteFunc(slices.Clone(changes), func(c explain.Change) bool { return c.Variable == libraryPath }))
	}
	for _, w := range warnings {
		s.say("warning: %s", w)
	}
	program.Environ = m.Environ
	if r.Dry {
		return (&output{r.JSON}).print(s, struct {
			Schema    int              `json:"schema"`
			Program   []string         `json:"program"`
			Variables []explain.Change `json:"variables"`
			Warnings  []string         `json:"warnings"`
		}{dryRunSchema, args, changes, append([]string{}, warnings...)}, func() {
			fmt.Fprintln(term.Raw(s.out), commandLine(changes, args, "\n"))
		})
	}
	switch {
	case r.Culprit:
		return r.find(s, &m, program.Path, args, r.JSON)
	case r.Log == "" && !r.Times:
		return becomeProgram(&program)
	}
	return r.watch(s, &program, brought)
}

// fullNames replaces short names of layers by the whole ones.
func (r *launched) fullNames(m *machine.Machine) error {
	if len(r.Layers) == 0 {
		return nil
	}
	source := &machine.Source{Machine: *m}
	answer, err := explain.Decide(explain.Without(source, variables.LayersEnable, variables.LayersDisable,
		variables.LayersAllow))
	if err != nil {
		return examineError(err)
	}
	r.Layers = term.Words(r.Layers, func(word string) string { return explain.FullLayerName(answer.Layers, word) })
	return nil
}

// prepare decides on the variables, adds them to the machine's environment, and returns warnings about options without
// effect. brought is the place of the tool's loader if the program gets it.
func (r *launched) prepare(s *invocation, brought probe.Companions, m *machine.Machine,
	program string) ([]explain.Change, []string, error) {
	err := r.fullNames(m)
	if err != nil {
		return nil, nil, err
	}
	changes, err := r.Changes(m)
	if err != nil {
		return nil, nil, err
	}
	if brought.Library != "" {
		directory := filepath.Dir(brought.Library)
		if before, _ := m.Lookup(libraryPath); before != "" {
			directory += ":" + before
		}
		changes = append([]explain.Change{explain.SetVariable(libraryPath, directory)}, changes...)
	}
	if debug, _ := m.Lookup(variables.Debug.Name()); r.Times || r.Log != "" && debug == "" {
		changes = append(changes, explain.SetVariable(variables.Debug.Name(), "all"))
	}
	m.Environ = explain.Apply(m.Environ, changes)
	source := &machine.Source{Machine: *m, Program: program, AsUser: s.asUser}
	if !m.Foreign() {
		source.Program = fullPath(program)
	}
	source.Class = binary.ProgramOf(&source.Machine, source.Program).Class
	var loader *loaders.Loader // the program's own
	if brought.Library == "" {
		loader = loaders.Decide(source)
	}
	warnings, err := r.Check(source)
	if missing := (*run.NoLayer)(nil); errors.As(err, &missing) {
		if where := doctor.MissingLayer(source, missing.Name); where != "" && missing.Hint == "" {
			err = fmt.Errorf("%w. %s", err, where)
		}
		return nil, nil, exit.As(exit.CannotRun, err)
	}
	if err != nil {
		return nil, nil, examineError(err)
	}
	warnings = append(warnings, unfit(source, program, brought.Library)...)
	ask := func() (*survey.Devices, error) { return devicesOf(s, source, r.Limit) }
	if m.Foreign() {
		ask = nil
	}
	more, also, err := r.DeviceChanges(m, program, ask)
	changes, m.Environ = append(changes, more...), explain.Apply(m.Environ, more)
	return changes, slices.Concat(warnings, ignoredByRights(source, program, changes), also,
		ignoredBy(loader, source.Program, changes)), err
}

// ignoredBy returns warnings about changes that the program's own loader ignores. loader is nil if the program gets
// another one.
func ignoredBy(loader *loaders.Loader, program string, changes []explain.Change) []string {
	if loader == nil {
		return nil
	}
	names := term.Words(changes, func(c explain.Change) string { return c.Variable })
	if names = loader.Ignored(names); len(names) == 0 {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": " + loader.NotInForce(program)}
}

// watch runs the program as a child process, separates the loader's lines, and ends as the program ended.
func (r *launched) watch(s *invocation, program *run.Program, brought probe.Companions) error {
	var log io.Writer = io.Discard
	var file *os.File
	if r.Log != "" {
		var err error
		if file, err = machine.Output(r.Log, 0o666); err != nil {
			return exit.Unable("--log: %w", err)
		}
		defer file.Close()
		log = file
	}
	if brought.Library != "" {
		program.Opened = &run.LoaderUse{Own: brought.Library}
	}
	times := loaders.NewLogTimes(time.Now())
	var failed error
	end, err := watchProgram(s, program, &run.Splitter{Rest: s.errOut, Line: func(line string, at time.Time) {
		times.Line(line, at)
		if _, err := fmt.Fprintln(log, line); err != nil && failed == nil {
			failed = fmt.Errorf("--log %s: %w", r.Log, err)
		}
	}}, r.Times, file)
	if err != nil {
		return exit.As(exit.CannotRun, err)
	}
	if failed != nil {
		s.say("%s", failed)
	}
	if other := program.Opened.Warning(program.Path); other != "" {
		s.say("warning: %s", other)
	} else if why := r.unheard(program, brought); !times.Seen && why != "" {
		s.say("warning: %s", why)
	} else if r.Times {
		printTimes(s, times)
	}
	return end(brought)
}

// unheard returns a warning that the program loaded no loader with log lines; "" if none is expected.
func (r *launched) unheard(program *run.Program, brought probe.Companions) string {
	switch debug, _ := (&machine.Machine{Environ: program.Environ}).Lookup(variables.Debug.Name()); {
	case debug != "all":
	case brought.Library != "":
		return program.Path + " has not loaded " + brought.Library
	case r.Times:
		return "no loader wrote a line in " + program.Path
	}
	return ""
}

// programPath finds a program. Its errors have the exit codes of run.
func programPath(name string) (string, error) {
	path, err := lookUp(name)
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", exit.As(exit.NotFound, fmt.Errorf("%s: not found", name))
	case err != nil:
		return "", exit.As(exit.CannotRun, err)
	}
	return path, nil
}

// lookUp finds a program as a shell does: also in the current directory on Windows, and in relative directories of
// PATH, both of which exec.LookPath refuses.
func lookUp(name string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		return filepath.Abs(path)
	}
	return path, err
}

// fullPath returns a program's path as the loader sees it: absolute and without symbolic links (GEN-13).
func fullPath(program string) string {
	real, err := (&machine.Machine{}).Real(program)
	return term.Either(err == nil, real, program)
}

// printTimes prints the times to standard error, because standard output is the program's.
func printTimes(s *invocation, t *loaders.LogTimes) {
	us := func(d time.Duration) string { return term.Microseconds(float64(d.Microseconds())) }
	style := term.StyleFor(s.errOut, s.getenv)
	table := term.NewTable("opened", "name", ">times", ">first", ">all")
	var all time.Duration
	for _, o := range t.Opened {
		name := term.Either(o.Name != "", o.Name+" ("+o.Library+")", o.Library)
		table.Row(o.Kind, name, strconv.Itoa(o.Times), us(o.First), us(o.Total))
		all += o.Total
	}
	s.say("the loader wrote its first line %s after the start of the program; opening drivers and layers took %s",
		us(t.Loaded), us(all))
	if len(t.Opened) > 0 {
		table.Print(s.talk(), "  ", style)
	}
}
