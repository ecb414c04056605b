package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/launch"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"
)

// launched is what run is asked to do.
type launched struct {
	anywhere
	findsCulprit
	times   bool
	program launch.Program
}

func newRun(s *invocation) *cobra.Command {
	var r launched
	cmd := &cobra.Command{
		Use:   "run [options] [--] PROGRAM [ARGUMENT]...",
		Short: "Run a program with drivers, devices and layers chosen for it",
		Long: "run starts PROGRAM with the libvulkan.so.1 of this tool and with the loader's variables set as the\n" +
			"options say. It writes no file and affects no other program. Without --log and --time the program\n" +
			"replaces the tool's process. With them the tool waits, removes the loader's lines from standard\n" +
			"error, and exits as the program does.\n\n" +
			"Exit codes: the program's own; 126 it cannot be run, 127 it is not found, 2 wrong usage, 3 the\n" +
			"examination could not run.\n\n" +
			culpritHelp + strings.TrimSuffix(gpus.Help, "\n\n"),
		Example: "  vkloader run --device 0 --no-layers vkcube\n" +
			"  vkloader run --find-culprit --fine-after 20s -- /opt/game/game -windowed\n" +
			"  vkloader run --find-culprit --hangs-after 1m --apply -- /opt/game/game",
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
	m, err := s.machine()
	if err != nil {
		return err
	}
	if m.Foreign() && !r.dry {
		return fmt.Errorf("run starts programs of this machine only; with --root only --dry-run works")
	}
	if !r.dry {
		if err := expireSettings(s, &m); err != nil {
			return err
		}
	}
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	path := args[0]
	if !m.Foreign() {
		if path, err = programPath(args[0]); err != nil {
			return err
		}
	}
	plain := m.Environ
	changes, warnings, err := r.prepare(found, &m, path)
	if err != nil {
		return err
	}
	r.usual = launch.Apply(plain, slices.DeleteFunc(slices.Clone(changes), func(c launch.Change) bool { return c.Name == "LD_LIBRARY_PATH" }))
	for _, w := range warnings {
		fmt.Fprintf(s.errOut, "vkloader: warning: %s\n", w)
	}
	if r.dry {
		return r.print(s, changes, warnings, args)
	}
	if r.culprit {
		return r.find(s, &m, path, args, r.asJSON)
	}
	r.program = launch.Program{Path: path, Args: args, Environ: m.Environ}
	if r.log == "" && !r.times {
		return exit.As(exit.CannotRun, r.program.Become())
	}
	return r.watch(s, found)
}

// prepare decides on the variables, puts them into the machine's environment, and says what will come to nothing.
func (r *launched) prepare(found probe.Place, m *machine.Machine, program string) ([]launch.Change, []string, error) {
	changes, err := r.Changes(m)
	if err != nil {
		return nil, nil, err
	}
	directory := filepath.Dir(found.Library)
	if before, _ := m.Lookup("LD_LIBRARY_PATH"); before != "" {
		directory += ":" + before
	}
	changes = append([]launch.Change{launch.SetVariable("LD_LIBRARY_PATH", directory)}, changes...)
	if debug, _ := m.Lookup(variables.Debug.Name()); r.times || r.log != "" && debug == "" {
		changes = append(changes, launch.SetVariable(variables.Debug.Name(), "all"))
	}
	m.Environ = launch.Apply(m.Environ, changes)

	source := &machine.Source{Machine: *m, Program: program}
	if !m.Foreign() {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			source.Program, _ = filepath.Abs(real)
		}
	}
	source.Class = binary.ProgramOf(&source.Machine, source.Program).Class
	warnings, err := r.Check(source)
	if err != nil {
		return nil, nil, exit.As(exit.NotLooked, err)
	}
	if static := loaders.StaticOf(loaders.Linker(source, "")); !static.Gets() {
		warnings = append(warnings, static.Line(program))
	}
	if l := loaders.For(source, loaders.Linker(source, ""), nil); l != nil && l.Inside {
		warnings = append(warnings, loaders.Line(l, program))
	}
	if !m.Foreign() {
		warnings = append(warnings, launch.Unfit(source.Program)...)
	}
	warnings = append(warnings, withoutDriver32(source)...)
	more, also, err := r.forDevices(source, m, program, func() (probe.Place, error) { return found, nil })
	return append(changes, more...), append(warnings, also...), err
}

// withoutDriver32 says of a 32-bit program that no driver is for it, and what brings one.
func withoutDriver32(source *machine.Source) (warnings []string) {
	if source.Class != 32 {
		return nil
	}
	report, err := doctor.Examine(source, doctor.Options{})
	if err != nil {
		return nil
	}
	for _, f := range report.Findings {
		if f.Code == doctor.NoDriver {
			warnings = append(warnings, f.What+". "+f.Do)
		}
	}
	return warnings
}

// commandLine is a line for a shell that starts the program with the variables.
func commandLine(changes []launch.Change, args []string) string {
	words := []string{"env"}
	for _, c := range changes {
		if !c.Set {
			words = append(words, "-u", c.Name)
		}
	}
	for _, c := range changes {
		if c.Set {
			words = append(words, term.Quoted(c.Name+"="+c.Value))
		}
	}
	for _, arg := range args {
		words = append(words, term.Quoted(arg))
	}
	return strings.Join(words, " ")
}
