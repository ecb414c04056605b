package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/machines"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// invocation is the context of a command: its process and the options common to all commands. Its methods read this
// data; commands are functions that receive it.
type invocation struct {
	out, errOut io.Writer
	style       term.Style // of out
	environ     []string
	executable  string
	self        string // this program, for starting it as a child process, even if its file has been replaced

	in       io.Reader // input for answers to questions
	terminal bool      // in is a terminal

	Root  string   `option:"root"`                    // the directory to examine as a file system; "": this machine
	Env   []string `option:"env"`                     // changes to the environment
	Rules bool     `option:"rules"`                   // print the IDs of statements
	ActAs string   `option:"as-user" systems:"linux"` // the user whose rights the command has; "": the process's own

	args  []string  // the command line
	plain io.Writer // standard output without the wrapper

	// On Windows, where a program's word size is an option, and a program may have fewer rights than the tool:
	class  int  // 32 or 64; 0: the program's
	asUser bool // --elevated=false
	// elevated is --elevated, for commands without a value of their own.
	elevated bool

	answered  func(value any)  // if not nil, receives every answer printed as JSON
	bundle    doctor.StartFile // of the examined program
	temporary []string         // directories to remove at the end
	planned   func(edit.Edit)  // if not nil, receives every edit that --dry-run does not make

	// if not nil, receives the results of the first screen's trials, which then have no limit together
	tried func(doctor.Probe)

	added   map[string]string // files to treat as existing, with their content: the result of a planned change
	without []string          // files to treat as missing
	still   bool              // write nothing, and remove no expired file
	bound   *machine.Bound    // of the files of the examined process; nil: there is none
}

// messages returns standard error for lines of the tool itself, which may name files: no control character of a name
// passes. A program that runs under the tool writes to errOut.
func (s *invocation) messages() io.Writer { return term.Cleaner{To: s.errOut, Plain: true} }

// say prints a message, in which each text stays in its line.
func (s *invocation) say(format string, args ...any) {
	for i := range args {
		if text, is := args[i].(string); is {
			args[i] = term.OneLine(text)
		}
	}
	fmt.Fprintf(s.messages(), "vkloader: "+format+"\n", args...)
}

// talk returns standard error for tables and verdicts, with line breaking and the tool's own colours.
func (s *invocation) talk() io.Writer {
	coloured := term.StyleFor(s.errOut, s.getenv).Coloured
	return term.Cleaner{To: term.NewWrapper(s.errOut, s.getenv), Plain: !coloured}
}

// plan prints an edit that --dry-run does not make, or passes it on.
func (s *invocation) plan(e edit.Edit) {
	switch {
	case s.planned != nil:
		s.planned(e)
	case e.Remove:
		fmt.Fprintf(s.messages(), "vkloader: would remove %s\n", e.Path)
	default:
		_, _ = io.WriteString(term.Data(s.out), e.Text)
	}
}

// options returns the given options that are common to all commands, for child processes.
func (s *invocation) options() (args []string) {
	if s.Root != "" {
		args = append(args, "--root", s.Root)
	}
	for _, v := range s.Env {
		args = append(args, "--env", v)
	}
	return args
}

// getenv returns the value of a variable in the tool's environment. The last entry counts.
func (s *invocation) getenv(name string) string {
	value := ""
	for _, pair := range s.environ {
		if given, is := strings.CutPrefix(pair, name+"="); is {
			value = given
		}
	}
	return value
}

// machine returns the machine to examine: this machine with the tool's environment, or the one below --root with an
// empty environment. --env changes the environment.
func (s *invocation) machine() (machine.Machine, error) {
	m := machine.Machine{}
	if s.Root != "" {
		// Symbolic links stay unresolved: the target of /proc/PID/root reads "/" but leads to another process's file
		// system.
		root, err := filepath.Abs(s.Root)
		if err != nil {
			return m, exit.Unable("--root: %w", err)
		}
		info, err := os.Stat(root)
		if err != nil {
			return m, exit.Unable("--root: %w", err)
		}
		m.Root = root
		if !info.IsDir() {
			return m, exit.Unable("--root %s: not a directory", s.Root)
		}
	}
	m.Bound = s.boundOf(&m)
	if !m.Foreign() {
		m.Environ = s.environ
	} else if row, other := m.Architecture(); other {
		machines.Examine(row.Name)
	}
	return m, s.change(&m)
}

// boundOf returns the bound of the files of other machines: nil for this machine.
func (s *invocation) boundOf(m *machine.Machine) *machine.Bound {
	if !m.Foreign() {
		return nil
	}
	if s.bound == nil {
		s.bound = &machine.Bound{Of: term.OneLine(m.Root)}
	}
	return s.bound
}

func (s *invocation) change(m *machine.Machine) error {
	for _, variable := range s.Env {
		name, value, set := strings.Cut(variable, "=")
		if name == "" {
			return fmt.Errorf("--env needs NAME=VALUE, got %q", variable)
		}
		spawn.Add(name)
		if set {
			m.Environ = machine.WithVariable(m.Environ, name, value)
		} else {
			m.Environ = machine.WithoutVariable(m.Environ, name)
		}
	}
	return nil
}

func (s *invocation) thisMachine(command string) (machine.Machine, error) {
	m, err := s.machine()
	if err == nil && m.Foreign() {
		err = fmt.Errorf("%s examines the running machine only, not one below --root", command)
	}
	return m, err
}

// source returns the machine's facts for a program: its path or name there ("": no specific program), elevated or not.
func (s *invocation) source(app string, elevated bool) (*machine.Source, error) {
	if onWindows && s.Root != "" {
		return nil, errors.New(
			"on Windows, --root needs --platform: the registry, which names all files, is this machine's")
	}
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	if app != "" {
		if app, err = findProgram(&m, app); err == nil {
			app, err = realProgram(&m, app)
		}
		if err != nil {
			return nil, err
		}
	}
	source := &machine.Source{Machine: m, Elevated: elevated || s.elevated || !s.asUser && elevatedHere(),
		AsUser: s.asUser, Program: app, Class: s.class, Added: s.added}
	source.Without = append(source.Without, s.without...)
	if app != "" && s.class == 0 {
		source.Class = binary.ProgramOf(&m, app).Class
	}
	if app != "" && !s.asUser && !onWindows {
		source.Elevated = source.Elevated || process.RightsOf(&m, app) != ""
	}
	return askOnce(source), nil
}

// findProgram returns the path of a program: a file in the working directory, or one in PATH.
func findProgram(m *machine.Machine, app string) (string, error) {
	_, err := m.Stat(app)
	if errors.Is(err, fs.ErrNotExist) {
		if app, err = m.FindProgram(app); err == nil {
			_, err = m.Stat(app)
		}
	}
	if err != nil {
		err = exit.Unable("--app: %w", err)
	}
	return app, err
}

// realProgram returns the path of a program as its loader sees it: without symbolic links (GEN-13).
func realProgram(m *machine.Machine, app string) (string, error) {
	info, err := m.Stat(app)
	if err == nil && info.IsDir() {
		return "", directoryError(m, app)
	}
	real, err := m.Real(app)
	if err != nil {
		return "", exit.Unable("--app: %w", err)
	}
	return real, nil
}

// askOnce lets a source ask the driver service, at most once.
func askOnce(source *machine.Source) *machine.Source {
	source.Served = sync.OnceValue(func() facts.Service { return askService(source) })
	return source
}

// Schema versions of the JSON outputs, each with its commands. A removed field or a new meaning of a field raises the
// version.
const (
	bundleSchema        = 1 // bundle
	cdiListSchema       = 1 // cdi list
	cdiVerifySchema     = 2 // cdi verify
	cdiWhySchema        = 2 // cdi why
	culpritSchema       = 2 // run --find-culprit
	devicesSchema       = 2 // list devices
	dryRunSchema        = 1 // run --dry-run
	explainSchema       = 1 // explain
	graphSchema         = 3 // explain --picture
	layerSettingsSchema = 1 // settings layer
	listSchema          = 1 // list drivers, layers and paths
	ociSchema           = 2 // cdi check
	psSchema            = 1 // ps
	serviceSchema       = 1 // service status
	validateSchema      = 2 // validate
	variableSchema      = 1 // list variables
	versionSchema       = 3 // version
)

// output prints a command's answer as text or JSON.
type output struct {
	JSON bool `option:"json"`
}

// section prints the heading of a part of an answer.
func (s *invocation) section(title string) {
	fmt.Fprintf(s.out, "\n%s\n", s.style.Heading(term.OneLine(title)))
}

// text prints a text after a title; nothing for an empty text.
func (s *invocation) text(title, text string) {
	if text != "" {
		s.style.Lines(s.out, title, nil, text)
	}
}

// print prints an answer. text prints it as text.
func (o *output) print(s *invocation, answer any, text func()) error {
	if err := s.bound.Err(); err != nil {
		return examineError(err)
	}
	if o.JSON {
		return writeJSON(s, answer)
	}
	text()
	return nil
}

// judge prints an answer and returns the error of the exit code "problems" if there are problems.
func (o *output) judge(s *invocation, answer any, problems bool, text func()) error {
	err := o.print(s, answer, text)
	if err == nil && problems {
		err = exit.With(exit.Problems)
	}
	return err
}

// examineError adds the exit code "could not examine" to an error.
func examineError(err error) error { return exit.As(exit.NotLooked, err) }

// writeJSON prints an answer as JSON.
func writeJSON(s *invocation, value any) error {
	if s.answered != nil {
		s.answered(value)
	}
	text, err := encodeJSON(value)
	if err == nil {
		_, err = io.WriteString(term.Raw(s.out), text)
	}
	return err
}

// encodeJSON returns readable JSON: indented, without escapes for HTML, and with characters that control a terminal
// escaped.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return term.Escaped(text.String()), err
}
