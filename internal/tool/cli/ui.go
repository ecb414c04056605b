package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/ui"
)

// page holds the options of ui.
type page struct {
	Port     int           `option:"port"`
	ReadOnly bool          `option:"read-only"`
	Open     bool          `option:"open"`
	Idle     time.Duration `option:"idle" default:"30m"`
	Child    bool          `option:"child" hidden:"yes"` // ui.ChildOption: work for one request of the page
}

func newUI(s *invocation) *cobra.Command {
	o := &page{}
	return newCommand("ui", o, 0, func([]string) error { return o.serve(s) })
}

func (o *page) serve(s *invocation) error {
	if o.Port < 0 || o.Port > 65535 {
		return fmt.Errorf("--port needs a number up to 65535, got %d", o.Port)
	}
	m, err := s.machine()
	if err != nil {
		return err
	}
	options := ui.Options{Port: o.Port, ReadOnly: o.ReadOnly, System: os.Geteuid() == 0, Idle: o.Idle,
		Messages: s.messages()}
	tool := &commandLines{s, m}
	tool.s = tool.invocation()
	tool.s.in, tool.s.terminal, tool.s.still = strings.NewReader(""), false, o.ReadOnly
	if o.Child {
		tool.s.tried = ui.TrialWriter(term.Raw(s.out))
		return examineError(ui.Child(context.Background(), tool, options, s.in, term.Raw(s.out)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	again := make(chan struct{}, 1)
	options.Again = again
	if !listens(cancel, again) {
		options.Again = nil
	}
	forget := func() {}
	defer func() { forget() }()
	started := false
	options.Started = func(address string) {
		if started { // the user has requested another address
			fmt.Fprintf(term.Raw(s.out), "%s\n", address)
			return
		}
		started = true
		o.announce(s, address, options.System, options.Again != nil)
		if o.Open {
			if forget, err = openPage(s.environ, address); err != nil {
				s.say("no browser was started: %v", err)
			}
		}
	}
	options.Used = func() { forget() }
	return examineError(ui.Serve(ctx, tool, options))
}

// terminalPause is the interval at which a background process tries to read from its terminal again.
const terminalPause = time.Second

// listens watches standard input. It calls end after a hang-up of the terminal or the close of a pipe, and sends a
// value to again for each line. It returns false for a standard input without another end, such as /dev/null.
func listens(end func(), again chan<- struct{}) bool {
	terminal := term.IsTerminal(os.Stdin)
	info, err := os.Stdin.Stat()
	if err != nil || !terminal && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return false
	}
	refuseReads()
	go func() {
		defer end()
		var text [256]byte
		for {
			n, err := os.Stdin.Read(text[:])
			switch {
			case slices.Contains(text[:n], '\n'):
				select {
				case again <- struct{}{}:
				default:
				}
			case err != nil && !(terminal && term.IsTerminal(os.Stdin)):
				return
			case err != nil: // Ctrl-D, or another process has the terminal
				time.Sleep(terminalPause)
			}
		}
	}()
	return true
}

// announce prints the address with remarks. system means that the page changes files of the system, again that Enter
// prints another address.
func (o *page) announce(s *invocation, address string, system, again bool) {
	fmt.Fprintf(term.Raw(s.out), "%s\n", address)
	if system {
		s.say("as root, the page changes files of the system only, for all users")
	}
	if o.ReadOnly {
		s.say("read only: the page changes nothing")
	}
	if s.terminal && again {
		s.say("the address works once; press Enter for a new one")
	}
	if line := o.forward(s, address); line != "" {
		s.say("on the machine with the browser, first run:\n  %s", line)
	}
}

// forward returns the line that forwards the page to the origin of an SSH session; "" without a session.
func (o *page) forward(s *invocation, address string) shell.Line {
	connection := strings.Fields(s.getenv("SSH_CONNECTION"))
	if len(connection) != 4 {
		return ""
	}
	host := connection[2]
	if user := s.getenv("USER"); user != "" {
		host = user + "@" + host
	}
	port := address[strings.LastIndexByte(address[:strings.Index(address, "/#")], ':')+1 : strings.Index(address, "/#")]
	line := "ssh -N -L " + shell.Quoted(port+":127.0.0.1:"+port)
	if connection[3] != "22" {
		line += " -p " + shell.Quoted(connection[3])
	}
	return line + " " + shell.Quoted(host)
}

// commandLines runs command lines of the tool for its page.
type commandLines struct {
	s       *invocation // without an input
	machine machine.Machine
}

// With implements ui.Tool.
func (c *commandLines) With(added map[string]string, without ...string) ui.Tool {
	s := c.invocation()
	s.added, s.without, s.still, s.tried = added, without, true, nil
	return &commandLines{s, c.machine}
}

// Machine implements ui.Tool.
func (c *commandLines) Machine() machine.Machine { return c.machine }

func (c *commandLines) invocation() *invocation {
	s := *c.s
	s.Env = slices.Clone(c.s.Env)
	return &s
}

// Settings implements ui.Tool.
func (c *commandLines) Settings() (*settings.FileSet, error) {
	s := c.invocation()
	s.errOut = io.Discard
	return s.settings()
}

// Run implements ui.Tool.
func (c *commandLines) Run(_ context.Context, args ...string) *ui.Ran {
	s := c.invocation()
	var out, messages bytes.Buffer
	s.out, s.errOut = &out, &messages
	ran := &ui.Ran{Args: append(c.s.options(), args...)}
	s.answered = func(value any) { ran.Value = value }
	s.planned = func(e edit.Edit) { ran.Planned = append(ran.Planned, e) }
	ran.Code = runLine(s, ran.Args)
	ran.Out, ran.Messages = out.String(), messages.String()
	return ran
}

// Child implements ui.Tool.
func (c *commandLines) Child(ctx context.Context, told []byte, changes []string, out, messages io.Writer) error {
	args := append([]string{"ui", ui.ChildOption}, c.s.options()...)
	if c.s.still {
		args = append(args, "--read-only")
	}
	child := spawn.New(ctx, spawn.Tool, c.s.self, args...)
	child.Env = append(slices.Clone(c.s.environ), changes...)
	child.Stdin, child.Stdout, child.Stderr, child.WaitDelay = bytes.NewReader(told), out, messages, childEnd
	return runGroup(child)
}

// Exec implements ui.Tool. This process ends with the command line's exit code.
func (c *commandLines) Exec(directory string, args ...string) error {
	if directory != "" {
		if err := os.Chdir(directory); err != nil {
			return err
		}
	}
	s := c.invocation()
	os.Exit(runLine(s, append(c.s.options(), args...)))
	return nil
}

// childEnd is the time limit for the end of a child process after its termination signal.
const childEnd = 2 * time.Second

// tryLimit is the time limit of a trial's child process.
const tryLimit = 30 * time.Second

// Try implements ui.Tool.
func (c *commandLines) Try(changes []string, settings string) (*probe.Result, error) {
	s := c.invocation()
	s.Env = append(s.Env, changes...)
	m, err := s.thisMachine("a trial")
	if err != nil {
		return nil, err
	}
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return nil, err
	}
	environ := machine.WithoutVariable(m.Environ, variables.Debug.Name())
	environ, remove, err := explain.ShadowSettings(environ, settings)
	if err != nil {
		return nil, err
	}
	defer remove()
	return probe.Run(context.Background(), probe.Short, found, environ, tryLimit)
}
