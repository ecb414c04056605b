// Package spawn is the only package of the tool that starts processes and becomes other users. Start, Replace and Fork
// ask two judges before each start: a hook, with which the page's server refuses every start that is not the action of
// a person on the page, and package trust, which refuses files that another user can change. A child gets only what its
// Kind allows: no descriptor from 3 on, no terminal of this process, a working directory that is not this process's,
// and variables of the list in environment.go. The package knows no particular program.
package spawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
)

// Kind says which code a child runs. It decides about the files to check, and about what the child gets.
type Kind uint8

// Kinds.
const (
	Tool   Kind = iota // this tool's own code, which gets what the caller gives it
	Helper             // a program of the system, with the variables that the caller gives it
	Trial              // the child that loads drivers and layers through a loader
	Chosen             // a program that a person starts; it gets what a shell would give it
)

// Child is a program to start. Its Start, Run and Output hide those of exec.Cmd.
type Child struct {
	*exec.Cmd
	Kind    Kind
	Library string   // the library that a Trial opens
	Linked  string   // the program that Path, a dynamic linker, starts; "": Path is the program
	Names   []string // patterns of further variables for a Trial
	User    *User    // the user that the child becomes; nil: this process's
	// Filter cleans what a child of another user writes to this process's terminal; nil: all of it passes.
	Filter func(terminal io.Writer) io.Writer
	Guest  bool // this process is another program than the tool, so its descriptors stay as they are

	relay relay
}

// User is a user with the groups of a login.
type User struct {
	UID, GID uint32
	Groups   []uint32
}

// New returns a program to start, which ends with the context.
func New(ctx context.Context, kind Kind, program string, args ...string) *Child {
	return &Child{Cmd: exec.CommandContext(ctx, program, args...), Kind: kind}
}

// Hook decides whether a program may start. If it returns an error, the process is not started.
type Hook func(program string, args []string) error

// hook is the installed Hook; nil: none.
var hook atomic.Pointer[Hook]

// Judge installs a hook for all later starts of this process. It returns the function that removes the hook.
func Judge(h Hook) (remove func()) {
	before := hook.Swap(&h)
	return func() { hook.Store(before) }
}

// Trusted returns an error if this process is privileged and another user can change a file that the child loads.
// Package trust sets it. Without that package, root starts nothing.
var Trusted = func(c *Child) error {
	if os.Geteuid() == 0 {
		return errors.New("not run as root: who can change its files is unknown")
	}
	return nil
}

// judge returns the error of a judge that refuses the child.
func (c *Child) judge() error {
	if h := hook.Load(); h != nil {
		if err := (*h)(c.Path, c.Args); err != nil {
			return fmt.Errorf("%s is not started: %w", c.Path, err)
		}
	}
	if c.User != nil {
		return nil // the child has no more rights than that user
	}
	return Trusted(c)
}

// starting protects the flags of descriptors, which all starts share.
var starting sync.Mutex

// Start starts the child, if the judges allow it, with what its kind gets.
func (c *Child) Start() error {
	if err := c.judge(); err != nil {
		return err
	}
	c.restrict()
	if c.User != nil {
		if err := c.become(); err != nil {
			return err
		}
	}
	starting.Lock()
	unseal := func() {}
	if c.Kind != Chosen && !c.Guest {
		unseal = seal()
	}
	err := c.Cmd.Start()
	unseal()
	starting.Unlock()
	c.relay.begin(c, err)
	return err
}

// restrict takes from the child what its kind does not get.
func (c *Child) restrict() {
	if c.Kind == Chosen {
		return
	}
	if c.Env == nil {
		c.Env = []string{} // nil means the variables of this process
	}
	switch {
	case c.User != nil:
		c.Env = onlyNamed(c.Env, terminalNames)
	case c.Kind == Trial:
		c.Env = onlyNamed(c.Env, c.Names)
	}
	if c.Dir == "" && c.Kind != Tool && !c.needsDirectory() || c.User != nil {
		c.Dir = rootDirectory
	}
	if c.Kind != Tool || c.User != nil {
		c.newSession()
	}
}

// Wait waits for the end of the child, and of its output.
func (c *Child) Wait() error {
	err := c.Cmd.Wait()
	c.relay.wait()
	if c.User != nil && errors.Is(err, exec.ErrWaitDelay) {
		return nil // processes that the child left running have lost their output
	}
	return err
}

// Run starts the child and waits for it.
func (c *Child) Run() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

// Output runs the child and returns its standard output.
func (c *Child) Output() ([]byte, error) {
	var out output
	c.Stdout = &out
	err := c.Run()
	return out.text, err
}

// output collects the output of a child.
type output struct{ text []byte }

func (o *output) Write(data []byte) (int, error) {
	o.text = append(o.text, data...)
	return len(data), nil
}
