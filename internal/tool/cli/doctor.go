package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// doctoring holds the options of doctor.
type doctoring struct {
	output
	full, load, filesOnly, elevated bool
	app                             string
	limit                           time.Duration // of each child process
	other                           otherSystem
	repairing

	// For a running machine, if its system supports them:
	user string
	pid  int
}

// repairing holds the options of doctor for fixing a running machine and for printing its report.
type repairing struct {
	markdown              bool
	fix, undo, yes, force bool
	dry                   bool
	step                  string
}

func (r *repairing) options(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&r.markdown, "markdown", false, "print Markdown for a bug report, without names of people")
	flags.BoolVar(&r.fix, "fix", false, fixHelp)
	flags.BoolVar(&r.yes, "yes", false, "with --fix: do every step without asking")
	flags.BoolVar(&r.dry, "dry-run", false, "with --fix: show the steps, and make no change")
	flags.StringVar(&r.step, "step", "", "with --fix: only the step with this `LINE`, as --fix shows it")
	flags.BoolVar(&r.undo, "undo", false, undoHelp)
	flags.BoolVar(&r.force, "force", false, "with --undo: also restore files that have changed since")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "fix", "undo")
	needs(cmd, []string{"fix"}, "yes", "dry-run", "step")
	needs(cmd, []string{"undo"}, "force")
}

// sayUntried prints why drivers and layers are not tried.
func sayUntried(s *invocation, why error) {
	fmt.Fprintf(s.messages(), "vkloader: nothing is tried: %v\n", why)
}

// allowUntried returns nil, after a message, for the error of a probe that cannot run, unless trials were requested. It
// returns other errors unchanged.
func allowUntried(s *invocation, wanted examination, err error) error {
	if broken := (*probe.Unusable)(nil); wanted.how != everything && errors.As(err, &broken) {
		sayUntried(s, broken)
		return nil
	}
	return err
}

func newDoctor(s *invocation) *cobra.Command {
	d := &doctoring{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong between a program and its GPU, and fix it",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return d.run(s) },
	}
	flags := cmd.Flags()
	d.output.option(cmd, doctor.Schema)
	flags.BoolVar(&d.full, "full", false, "also show notes, and findings that follow from others")
	flags.StringVar(&d.app, "app", "", "examine for this `PROGRAM`, a path or a name in PATH")
	flags.BoolVar(&d.load, "probe", false,
		"also try drivers whose device sleeps, which wakes the device, and present frames on a surface")
	flags.BoolVar(&d.filesOnly, "no-probe", false, "load no driver and no layer; examine files only")
	excludes(cmd, "probe", "no-probe")
	addTimeout(flags, &d.limit, childLimit, "end a child process that tries drivers and layers after this `TIME`")
	d.repairing.options(cmd)
	d.systemFlags(s, cmd)
	addPlatform(cmd, &d.other)
	excludes(cmd, "platform", "fix", "undo", "probe", "markdown", "pid", "user")
	return cmd
}

// run examines this machine, or the one of --platform.
func (d *doctoring) run(s *invocation) error {
	if d.other.platform == "" {
		return d.here(s)
	}
	return d.elsewhere(s)
}

// here examines or fixes a running machine, or examines one below --root.
func (d *doctoring) here(s *invocation) error {
	if d.undo {
		return undoFix(s, d.force)
	}
	about, err := s.subject(d.app, d.elevated, d.pid)
	if err != nil {
		return err
	}
	if d.load && about.source.Foreign() {
		return errors.New("--probe loads drivers of this machine: not with --root")
	}
	if d.fix {
		return fixHere(s, about, d)
	}
	result, err := examine(context.Background(), s, about, examination{d.user, d.effort(about), d.limit, nil})
	if err != nil {
		return err
	}
	return d.judge(s, result, result.Has(diag.Problem), func() {
		if d.markdown {
			printMarkdown(s, about.source, result, d.full)
			return
		}
		printReport(s, result, d.full, !onWindows)
		d.namesFix(s, about, result)
	})
}

// elsewhere examines the files of a machine with another system.
func (d *doctoring) elsewhere(s *invocation) error {
	if s.root == "" && len(d.other.registry) == 0 {
		return errors.New("doctor --platform needs --root, or --registry: without files nothing can be examined")
	}
	source, answer, err := decideOther(s, &d.other, d.app, d.elevated)
	if err != nil {
		return err
	}
	report, err := doctor.ExamineForeign(source, answer)
	if err != nil {
		return err
	}
	return d.judge(s, report, report.Has(diag.Problem), func() { printReport(s, report, d.full, false) })
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
		Present: e.how == everything,
		Ended:   e.ended}
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
	case d.load && !(onWindows && (d.app != "" || d.elevated)):
		return everything
	case d.filesOnly || !triable(about) || d.pid != 0 || d.elevated || d.user != "" || onWindows && d.app != "":
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

func examineFiles(s *invocation, source *machine.Source) (*doctor.Report, error) {
	return examine(context.Background(), s, &subject{source: source}, examination{})
}

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
			fmt.Fprintf(s.messages(), "vkloader: trying drivers and layers, for at most %s\n", screenLimit)
		})
		defer waits.Stop()
	}
	return examine(ctx, s, about, examination{how: how, limit: childLimit, ended: s.tried})
}
