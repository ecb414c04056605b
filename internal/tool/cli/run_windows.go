package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

// launched is what run is asked to do.
type launched struct {
	anywhere
	findsCulprit
	times bool
}

func newRun(s *invocation) *cobra.Command {
	var r launched
	cmd := &cobra.Command{
		Use:   "run [options] [--] PROGRAM [ARGUMENT]...",
		Short: "Run a program with drivers, devices and layers chosen for it",
		Long: "run starts PROGRAM with the loader's own variables; nothing is written anywhere and no other program is concerned.\n" +
			"The program gets the vulkan-1.dll that Windows finds for it. The tool waits for it, and ends with its exit code; 126\n" +
			"when it cannot be run, 127 when it is not found, 2 wrong usage, 3 the examination could not run. With --log and --time the loader's\n" +
			"lines are taken out of its standard error.\n\n" + culpritHelp + strings.TrimSuffix(gpus.Help, "\n\n"),
		Example: "  vkloader run --driver nv-vk64.json --no-layers -- vkcube.exe\n" +
			"  vkloader run --find-culprit --fine-after 20s -- C:\\Games\\game.exe -windowed",
		Args: namesProgram,
		RunE: func(_ *cobra.Command, args []string) error { return r.run(s, args) },
	}
	flags := r.anywhere.options(s, cmd)
	flags.BoolVar(&r.times, "time", false, "print at the end how long opening each driver and layer took")
	flags.BoolVar(&r.asJSON, "json", false, fmt.Sprintf("with --dry-run: print JSON (schema %d); with --find-culprit: the verdict as JSON (schema %d)", dryRunSchema, culpritSchema))
	r.findsCulprit.options(cmd)
	return cmd
}

func (r *launched) run(s *invocation, args []string) error {
	if r.asJSON && !r.dry && !r.culprit {
		return errors.New("--json goes with --dry-run and --find-culprit")
	}
	if err := r.check(r.dry || r.log != "" || r.times); err != nil {
		return err
	}
	m, err := s.thisMachine("run")
	if err != nil {
		return err
	}
	path, err := programPath(args[0])
	if err != nil {
		return err
	}
	changes, warnings, err := r.prepare(s, &m, path)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(s.errOut, "vkloader: warning: %s\n", w)
	}
	if r.dry {
		return r.print(s, changes, warnings, args)
	}
	if r.culprit {
		return r.find(s, &m, path, args, r.asJSON)
	}
	program := launch.Program{Path: path, Args: args, Environ: m.Environ}
	if r.log == "" && !r.times {
		code, err := program.Wait(nil)
		return ended(code, err)
	}
	return r.watch(s, &program)
}

// watch runs the program as a child that the loader's lines are taken from, and ends as the child ended.
func (r *launched) watch(s *invocation, program *launch.Program) error {
	var log io.Writer = io.Discard
	if r.log != "" {
		file, err := machine.Output(r.log, 0o666)
		if err != nil {
			return exit.Unable("--log: %w", err)
		}
		defer file.Close()
		log = file
	}
	times := loaderlog.NewTimes(time.Now())
	var failed error
	code, err := program.Wait(&launch.Splitter{Rest: s.errOut, Line: func(line string, _ time.Time) {
		line = strings.TrimSuffix(line, "\r")
		times.Line(line, time.Now()) // when it is read: Windows does not say when it was written
		if _, err := io.WriteString(log, line+"\n"); err != nil && failed == nil {
			failed = fmt.Errorf("--log %s: %w", r.log, err)
		}
	}})
	if failed != nil {
		fmt.Fprintf(s.errOut, "vkloader: %s\n", failed)
	}
	switch {
	case err != nil || !r.times:
	case times.Seen:
		printTimes(s, times)
	default:
		fmt.Fprintf(s.errOut, "vkloader: warning: no loader wrote a line in %s\n", program.Path)
	}
	return ended(code, err)
}

// ended ends the tool as the program ended.
func ended(code int, err error) error {
	switch {
	case err != nil:
		return exit.As(exit.CannotRun, err)
	case code != 0:
		return exit.With(code)
	}
	return nil
}

// prepare decides on the variables, puts them into the machine's environment, and says what will come to nothing.
func (r *launched) prepare(s *invocation, m *machine.Machine, program string) ([]launch.Change, []string, error) {
	changes, err := r.Changes(m)
	if err != nil {
		return nil, nil, err
	}
	if debug, _ := m.Lookup(variables.Debug.Name()); r.times || r.log != "" && debug == "" {
		changes = append(changes, launch.SetVariable(variables.Debug.Name(), "all"))
	}
	m.Environ = launch.Apply(m.Environ, changes)
	source := &machine.Source{Machine: *m, Program: program, AsUser: s.asUser}
	if full, err := filepath.Abs(program); err == nil {
		source.Program = full
	}
	source.Class = binary.ProgramOf(&source.Machine, source.Program).Class
	loader := loaders.Decide(source, "")
	warnings, err := r.Check(source)
	if err != nil {
		return nil, nil, exit.As(exit.NotLooked, err)
	}
	more, also, err := r.forDevices(source, m, program, func() (probe.Place, error) { return probe.Find(s.executable, "") })
	if err != nil {
		return nil, nil, err
	}
	changes = append(changes, more...)
	return changes, append(append(warnings, also...), ignoredBy(loader, source.Program, changes)...), nil
}

// ignoredBy says what the loader that a program brings along makes nothing of; nil: the program gets the system's.
func ignoredBy(loader *loaders.Loader, program string, changes []launch.Change) []string {
	if loader == nil {
		return nil
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.Name)
	}
	if names = loader.Ignored(names); len(names) == 0 {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": " + loader.NotInForce(program)}
}

// commandLine are lines for a prompt that start the program with the variables.
func commandLine(changes []launch.Change, args []string) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, `set "`+c.Name+"="+c.Value+`"`)
	}
	words := make([]string, len(args))
	for i, arg := range args {
		if words[i] = arg; arg == "" || strings.ContainsAny(arg, " \t&|<>^()") {
			words[i] = `"` + strings.ReplaceAll(arg, `"`, `\"`) + `"`
		}
	}
	return strings.Join(append(lines, strings.Join(words, " ")), "\n")
}
