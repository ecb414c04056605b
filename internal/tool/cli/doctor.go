package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// doctoring holds the options of doctor.
type doctoring struct {
	output
	Full      bool          `option:"full"`
	Load      bool          `option:"probe" excludes:"no-probe platform"`
	FilesOnly bool          `option:"no-probe"`
	Elevated  bool          `option:"elevated" excludes:"fix probe"`
	App       string        `option:"app"`
	Limit     time.Duration `option:"timeout" default:"10s"` // of each child process
	User      string        `option:"user" systems:"linux" excludes:"fix probe pid platform"`
	PID       int           `option:"pid" systems:"linux windows" excludes:"fix probe platform"`
	otherSystem
	repairing
}

// repairing holds the options of doctor for fixing a running machine and for printing its report.
type repairing struct {
	Markdown bool   `option:"markdown" excludes:"json platform"`
	Fix      bool   `option:"fix" excludes:"json markdown undo platform"`
	Yes      bool   `option:"yes" needs:"fix"`
	Dry      bool   `option:"dry-run" needs:"fix"`
	Step     string `option:"step" needs:"fix"`
	Undo     bool   `option:"undo" excludes:"json markdown platform"`
	Force    bool   `option:"force" needs:"undo"`
}

func newDoctor(s *invocation) *cobra.Command {
	d := &doctoring{}
	cmd := newCommand("doctor", d, doctor.Schema, func([]string) error { return d.run(s) })
	addPlatforms(cmd, &d.otherSystem)
	return cmd
}

// run examines this machine, or the one of --platform.
func (d *doctoring) run(s *invocation) error {
	if d.Platform == "" {
		return d.here(s)
	}
	return d.elsewhere(s)
}

// here examines or fixes a running machine, or examines one below --root.
func (d *doctoring) here(s *invocation) error {
	if d.Undo {
		return undoFix(s, d.Force)
	}
	about, err := s.subject(d.App, d.Elevated, d.PID)
	if err != nil {
		return err
	}
	if d.Load && about.source.Foreign() {
		return errors.New("--probe loads drivers of this machine: not with --root")
	}
	if d.Fix {
		return d.fixHere(s, about)
	}
	result, err := examine(context.Background(), s, about, examination{d.User, d.effort(about), d.Limit, nil})
	if err != nil {
		return err
	}
	return d.judge(s, result, result.Has(diag.Problem), func() {
		if d.Markdown {
			printMarkdown(s, about.source, result, d.Full)
			return
		}
		printReport(s, result, reportExtent{full: d.Full, devices: !onWindows})
		d.namesFix(s, about, result)
	})
}

// elsewhere examines the files of a machine with another system.
func (d *doctoring) elsewhere(s *invocation) error {
	if s.Root == "" && len(d.Registry) == 0 {
		return errors.New("doctor --platform needs --root, or --registry: without files nothing can be examined")
	}
	source, answer, err := decideOther(s, &d.otherSystem, d.App, d.Elevated)
	if err != nil {
		return err
	}
	report, err := doctor.ExamineForeign(source, answer)
	if err != nil {
		return err
	}
	return d.judge(s, report, report.Has(diag.Problem), func() { printReport(s, report, reportExtent{full: d.Full}) })
}

// examination holds the subject and the extent of an examination. The zero value examines all files and tries nothing.
type examination struct {
	user  string // "": this user
	how   effort
	limit time.Duration // of each child process
	ended func(doctor.Probe)
}

func (e *examination) tries(at probe.Companions, about *subject) doctor.Tries {
	return doctor.Tries{At: at, Environ: about.source.Environ, Limit: e.limit, Wake: e.how == everything,
		Present: e.how == everything, Ended: e.ended}
}

// try adds the wanted trials to a report. The files are examined even if nothing can be tried; only trials that were
// requested then return an error.
func (e *examination) try(ctx context.Context, s *invocation, about *subject,
	report *doctor.Report) (*doctor.Report, error) {
	if e.how == filesOnly {
		return report, nil
	}
	found, err := probe.Find(s.executable, "")
	untried := err // why nothing can be tried
	if err == nil {
		report, err = report.Try(ctx, e.tries(found, about))
		if broken := (*probe.Unusable)(nil); errors.As(err, &broken) {
			untried = broken
		}
	}
	switch text := trust.Refusal("tried", err); {
	case e.how == everything:
	case untried != nil:
		s.say("nothing is tried: %v", untried)
		err = nil
	case text != "":
		s.say("warning: %s", text)
		err = nil
	}
	return report, err
}

// effort is the extent of the trials.
type effort uint8

const (
	filesOnly  effort = iota // load nothing
	tryAwake                 // load everything except drivers whose device sleeps
	everything               // load everything and present frames
)

// effort returns the requested extent. By default, it is tryAwake for this machine and user, and filesOnly otherwise.
func (d *doctoring) effort(about *subject) effort {
	switch {
	case d.Load && !(onWindows && (d.App != "" || d.Elevated)):
		return everything
	case d.FilesOnly || !triable(about) || d.PID != 0 || d.Elevated || d.User != "" || onWindows && d.App != "":
		return filesOnly
	}
	return tryAwake
}

// Time limits of trials: of each child process, and of all trials on the first screen.
const (
	childLimit  = 10 * time.Second
	screenLimit = 30 * time.Second
)

// quietTime is the delay of the first screen's message about its trials.
const quietTime = time.Second

// examineHere returns the report on this machine for the first screen. It waits for the trials.
func examineHere(s *invocation, how effort) (*doctor.Report, error) {
	ctx := context.Background()
	if s.tried == nil {
		limited, cancel := context.WithTimeout(ctx, screenLimit)
		defer cancel()
		ctx = limited
	}
	source, err := s.source("", false)
	if err != nil {
		return nil, err
	}
	about := &subject{source: source}
	if !triable(about) {
		how = filesOnly
	}
	if term.IsTerminal(s.errOut) {
		waits := time.AfterFunc(quietTime, func() {
			s.say("trying drivers and layers, for at most %s", screenLimit)
		})
		defer waits.Stop()
	}
	return examine(ctx, s, about, examination{how: how, limit: childLimit, ended: s.tried})
}
