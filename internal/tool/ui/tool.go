package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// Tool runs command lines of this program in this process, with the --root and --env options of its start. Pages read
// the output of commands, and a change is the command line of a command.
type Tool interface {
	// Settings finds the settings files. It removes the expired ones.
	Settings() (*settings.FileSet, error)
	// Run runs a command line, such as "explain", "--json", in this process.
	Run(ctx context.Context, args ...string) *Ran
	// Child starts this program with ChildOption and further variables. The end of the context ends the child and all
	// its processes.
	Child(ctx context.Context, told []byte, variables []string, out, messages io.Writer) error
	// Exec runs a command line in a directory ("": the present one), with the output of this process, which ends with
	// it.
	Exec(directory string, args ...string) error
	// With returns the tool for a machine with added files, by path and content, and without others.
	With(added map[string]string, without ...string) Tool
	// Machine returns the machine of the command lines.
	Machine() machine.Machine
	// Try loads drivers and layers in a child process with these variables and this settings file.
	Try(variables []string, settings string) (*probe.Result, error)
}

// Ran is the output of a command line.
type Ran struct {
	Args     []string
	Out      string      // standard output
	Messages string      // standard error
	Code     int         // the exit code
	Value    any         `json:"-"` // the value printed as JSON
	JSON     bool        // in a child process: JSON was printed
	Planned  []edit.Edit // the edits that --dry-run would make
}

// Decode reads the printed JSON. Without JSON, it returns the command's error.
func (r *Ran) Decode(into any) error {
	if r.Value == nil {
		return r.Failed()
	}
	if err := json.Unmarshal([]byte(r.Out), into); err != nil {
		return fmt.Errorf("%s: %w", r.Line(), err)
	}
	return nil
}

// Failed returns the command's error message.
func (r *Ran) Failed() error {
	text := strings.TrimSpace(term.Or(r.Messages, r.Out))
	return errors.New(term.Or(strings.TrimPrefix(text, "vkloader: "),
		fmt.Sprintf("%s ended with exit code %d", r.Line(), r.Code)))
}

// Line returns the command line for a shell.
func (r *Ran) Line() shell.Line { return Line(r.Args) }

// Line returns a command line of the tool for a shell.
func Line(args []string) shell.Line {
	return shell.Words(append([]string{"vkloader"}, args...)...)
}
