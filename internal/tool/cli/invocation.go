package cli

import (
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
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// invocation is what a command is given: the process that it runs in, and the options of every command. Its methods read that
// and decide nothing; what a command does is in functions that get it.
type invocation struct {
	out, errOut io.Writer
	environ     []string
	executable  string
	self        string // this program, for children of it

	in       io.Reader // answers to questions
	terminal bool      // who answers sits before it

	root      string   // --root: the directory that is examined as a file system; "": this machine
	variables []string // --env: changes to the environment
	rules     bool     // --rules: with the ids of statements

	actAs string    // --as-user: the user whose rights the command has; "": this process's own
	args  []string  // the command line
	plain io.Writer // standard output without the wrapper

	// On Windows, where a program's word size is chosen, and its rights may be less than the tool's:
	class  int  // 32 or 64; 0: that of the program
	asUser bool // --elevated=false

	answered func(value any)                      // when not nil, is given every answer that is printed as JSON
	planned  func(path, text string, remove bool) // when not nil, is given every file that --dry-run does not write

	added   map[string]string // files that count as there, with what is in them: what a change would write
	without []string          // files that count as not there
	still   bool              // write nothing, not even what is over
}

// messages returns standard error for lines of the tool itself, which may name files: no control character of a name passes. A
// program that runs under the tool writes to errOut.
func (s *invocation) messages() io.Writer { return term.Cleaner{To: s.errOut, Plain: true} }

// plan says what --dry-run would have written, or removed.
func (s *invocation) plan(path, text string, remove bool) {
	if s.planned != nil {
		s.planned(path, text, remove)
	}
}

// options are the options of every command with which this one was called, for children of it.
func (s *invocation) options() (args []string) {
	if s.root != "" {
		args = append(args, "--root", s.root)
	}
	for _, v := range s.variables {
		args = append(args, "--env", v)
	}
	return args
}

// getenv is the value of a variable of the tool's own environment; the last one counts.
func (s *invocation) getenv(name string) string {
	value := ""
	for _, pair := range s.environ {
		if len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			value = pair[len(name)+1:]
		}
	}
	return value
}

// machine is what the command looks at: this machine and the tool's own environment, or what lies below --root, whose
// environment is empty; either changed by --env. An error is for the command to return.
func (s *invocation) machine() (machine.Machine, error) {
	m := machine.Machine{}
	if s.root != "" {
		// A link is not followed here: that of /proc/PID/root leads into the file system of another process, and says "/".
		root, err := filepath.Abs(s.root)
		if err != nil {
			return m, exit.Unable("--root: %w", err)
		}
		info, err := os.Stat(root)
		if err != nil {
			return m, exit.Unable("--root: %w", err)
		}
		m.Root = root
		if !info.IsDir() {
			return m, exit.Unable("--root %s: not a directory", s.root)
		}
	}
	if !m.Foreign() {
		m.Environ = s.environ
	}
	return m, s.change(&m)
}

// change makes the changes of --env.
func (s *invocation) change(m *machine.Machine) error {
	for _, variable := range s.variables {
		name, value, set := strings.Cut(variable, "=")
		if name == "" {
			return fmt.Errorf("--env needs NAME=VALUE, got %q", variable)
		}
		if set {
			m.Environ = machine.WithVariable(m.Environ, name, value)
		} else {
			m.Environ = machine.WithoutVariable(m.Environ, name)
		}
	}
	return nil
}

// thisMachine is for commands that need the running system.
func (s *invocation) thisMachine(command string) (machine.Machine, error) {
	m, err := s.machine()
	if err == nil && m.Foreign() {
		err = fmt.Errorf("%s examines the running machine only, not one below --root", command)
	}
	return m, err
}

// source gives the machine's facts for a program: its executable as it is found there ("": none in particular), with
// or without more rights than its user.
func (s *invocation) source(app string, elevated bool) (*machine.Source, error) {
	if onWindows && s.root != "" {
		return nil, errors.New("--root goes with --platform on Windows: the registry, by which everything is found, is this machine's")
	}
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	if app != "" {
		info, err := m.Stat(app)
		if errors.Is(err, fs.ErrNotExist) { // no file of the working directory
			if app, err = m.FindProgram(app); err == nil {
				info, err = m.Stat(app)
			}
		}
		if err != nil {
			return nil, exit.Unable("--app: %w", err)
		}
		if info.IsDir() {
			return nil, exit.Unable("--app %s: a directory, not a program", app)
		}
		if app, err = m.Real(app); err != nil { // the loader sees its program without links (GEN-13)
			return nil, exit.Unable("--app: %w", err)
		}
	}
	source := &machine.Source{Machine: m, Elevated: elevated || !s.asUser && elevatedHere(), AsUser: s.asUser, Program: app, Class: s.class, Added: s.added}
	source.Without = append(source.Without, s.without...)
	if app != "" && s.class == 0 {
		source.Class = binary.ProgramOf(&m, app).Class
	}
	if app != "" && !s.asUser && !onWindows {
		source.Elevated = source.Elevated || process.RightsOf(&m, app) != ""
	}
	return served(source), nil
}

// served lets a source ask the driver service, once at most.
func served(source *machine.Source) *machine.Source {
	source.Served = sync.OnceValue(func() facts.Service { return askService(source) })
	return source
}
