package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/term"
)

// Tool carries out command lines of this program, in this process, with the options --root and --env that it was started with.
type Tool interface {
	// Run carries out a command line, such as "explain", "--json", in this process.
	Run(ctx context.Context, args ...string) *Ran
	// Child starts this program with ChildOption, and returns its answer. The child and everything that it has started end with
	// the context.
	Child(ctx context.Context, told []byte) ([]byte, error)
	// With returns the tool for a machine with added files, by path and content, and without others.
	With(added map[string]string, without ...string) Tool
	// Machine returns the machine of the command lines.
	Machine() machine.Machine
	// Try loads drivers and layers in a child process, as a program gets them with these variables and this settings file.
	Try(variables []string, settings string) (*probe.Result, error)
}

// Ran is the output of a command line.
type Ran struct {
	Args     []string
	Out      string // standard output
	Messages string // standard error
	Code     int    // the exit code
	Value    any    `json:"-"` // the value of the JSON
	JSON     bool   // of a child: JSON was printed
	Planned  []File // what --dry-run says would be written
}

// File is one that a change writes or removes.
type File struct {
	Path   string
	Text   string
	Remove bool
}

// Decode reads what was printed as JSON. Without any, the error is what the command said.
func (r *Ran) Decode(into any) error {
	if r.Value == nil {
		return r.Failed()
	}
	if err := json.Unmarshal([]byte(r.Out), into); err != nil {
		return fmt.Errorf("%s: %w", r.Line(), err)
	}
	return nil
}

// Failed is what the command said to its end.
func (r *Ran) Failed() error {
	text := strings.TrimPrefix(strings.TrimSpace(r.Messages), "vkloader: ")
	return errors.New(term.Or(text, fmt.Sprintf("%s ended with exit code %d", r.Line(), r.Code)))
}

// Line is the command line for a shell.
func (r *Ran) Line() string { return Line(r.Args) }

// Line is a command line of the tool for a shell.
func Line(args []string) string {
	var out strings.Builder
	out.WriteString("vkloader")
	for _, arg := range args {
		out.WriteString(" " + term.Quoted(arg))
	}
	return out.String()
}
