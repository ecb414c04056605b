package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/launch"
)

// failure is what the user calls one, beside a crash and a hang.
type failure struct {
	with string // "exit": any exit code but 0
	when string // a text on standard error
}

func (f *failure) options(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.with, "fails-with", "crash", "with --find-culprit: what is a failure, beside a hang: `crash` or exit, which is any exit code but 0")
	cmd.Flags().StringVar(&f.when, "fails-when", "", "with --find-culprit: a run that writes this `TEXT` to standard error fails, too")
	completes(cmd, map[string]completion{"fails-with": completeWith("crash", "exit")})
}

// check says what does not go together.
func (f *failure) check(searching bool) error {
	switch {
	case f.with != "crash" && f.with != "exit":
		return fmt.Errorf("--fails-with wants crash or exit, got %q", f.with)
	case !searching && (f.with != "crash" || f.when != ""):
		return errors.New("--fails-with and --fails-when go with --find-culprit")
	}
	return nil
}

// listener passes on what the program writes to standard error, and listens for the text.
func (f *failure) listener(to io.Writer) *listener { return &listener{to: to, text: []byte(f.when)} }

// of is why a run failed that neither crashed nor hung; "": it did not.
func (f *failure) of(end *launch.End, heard *listener) string {
	switch {
	case heard.heard:
		return fmt.Sprintf("it wrote %q; %s", f.when, endOf(end))
	case f.with == "exit" && !end.Enough && end.Code > 0:
		return endOf(end)
	}
	return ""
}

// listener is a writer that knows whether a text has come through it.
type listener struct {
	to    io.Writer
	text  []byte
	tail  []byte // what may be the beginning of the text
	heard bool
}

func (l *listener) Write(p []byte) (int, error) {
	if len(l.text) > 0 && !l.heard {
		l.tail = append(l.tail, p...)
		l.heard = bytes.Contains(l.tail, l.text)
		l.tail = l.tail[max(0, len(l.tail)-len(l.text)+1):]
	}
	return l.to.Write(p)
}
