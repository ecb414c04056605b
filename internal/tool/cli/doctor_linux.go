package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
)

const doctorHelp = "doctor examines devices, manifests, libraries and their dependencies, leftovers and variables. Each finding has a code.\n" +
	"Most also say why it matters (why) and what to do (do).\n\n" +
	"Then doctor tries drivers and layers. Child processes load each driver alone, and all drivers and layers as programs\n" +
	"get them, and submit work to each device. doctor reports each crash, hang and failure. If only the combination\n" +
	"fails, it searches for the layer or driver that causes the failure. It does not load a driver whose device sleeps. --probe also loads that driver,\n" +
	"and presents a few frames. With --no-probe, --root, --pid, --user or --elevated, doctor loads no driver and no layer.\n" +
	"With --app or --plugin, it loads them only with --probe. --markdown writes the report for a bug tracker, and replaces\n" +
	"names of people and of the machine as bundle does.\n\n" +
	"--fix makes tested changes to your own files, and asks before each. It removes manifests, sets variables in\n" +
	"~/.config/environment.d, and with --probe quarantines drivers and layers that crash or hang. With --full it also disables drivers for\n" +
	"absent hardware and layers that make programs start slowly. It lists the problems that it did not fix. --undo restores the files.\n\n" +
	drivers.DeviceHelp +
	"For --device with a number or a UUID, a child process asks the drivers; for the other forms, the kernel is enough.\n\n"

const (
	onlyHere = "--fix, --undo, --probe, --markdown, --pid, --user, --device or --plugin" // options for a running machine
	fixPlace = "your own files"
	fixHelp  = "fix problems in your own files; asks before each step"
	undoHelp = "restore the files to their state before --fix"
)

func (d *doctoring) systemFlags(s *invocation, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&d.device, "device", "", "examine only this `DEVICE` and, with --probe, only its drivers: "+drivers.DeviceForms)
	completes(cmd, map[string]completion{"device": completeDevices(s)})
	addPID(cmd, &d.pid)
	addPlugin(cmd, &d.plugin)
	flags.BoolVar(&d.keepOut, "quarantine", false, "quarantine each driver or layer that crashes or hangs, until its file changes: for all programs, or with --probe and --app for that program only")
	flags.StringVar(&d.user, "user", "", "check the permissions of this user, a name or number (default: you)")
	flags.BoolVar(&d.elevated, "elevated", false, "examine for an elevated program, which has more rights than its user (setuid)")
}

// check returns an error for incompatible options.
func (d *doctoring) check() error {
	if err := d.repairing.check(); err != nil {
		return err
	}
	if d.fix && (d.pid != 0 || d.elevated || d.user != "" || d.keepOut) {
		return errors.New("--fix is for programs that you start, and asks before each quarantine: not with --pid, " +
			"--elevated, --user or --quarantine")
	}
	return nil
}

// triable reports whether child processes can load the program's drivers and layers.
func triable(about *subject) bool {
	return !about.source.Foreign() && about.process == nil && (about.source.Class == 0 || about.source.Class == machine.OwnClass)
}

// examine returns the doctor's report on a machine. It stops unfinished trials at the end of the context.
func examine(ctx context.Context, s *invocation, about *subject, wanted examination) (*doctor.Report, error) {
	source := about.source
	options := doctor.Options{User: wanted.user, Device: wanted.device, Plugin: about.plugin, Bundle: s.bundle}
	if p := about.process; p != nil {
		options.User, options.Groups = strconv.FormatUint(uint64(p.User), 10), p.Groups
		groups, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", p.PID)) // a process that has ended belongs to no service
		options.ControlGroup = string(groups)
		if mapped := p.Loaders(); len(mapped) > 0 {
			options.Mapped = mapped[0].Path
		}
	}
	found, missing := probe.Find(s.executable, "")
	if missing == nil {
		if real, err := filepath.EvalSymlinks(found.Library); err == nil {
			options.Library = real
		}
	}
	result, err := doctor.Examine(source, options)
	switch {
	case err != nil || wanted.how == filesOnly:
	case missing != nil && wanted.how == everything:
		err = missing
	case missing != nil:
		fmt.Fprintf(s.messages(), "vkloader: nothing is tried: %v\n", missing)
	default:
		err = result.Try(ctx, wanted.tries(found, about))
		if text := trust.Refusal("tried", err); text != "" && wanted.how != everything { // the files are examined anyway
			fmt.Fprintf(s.messages(), "vkloader: warning: %s\n", text)
			err = nil
		}
	}
	if told := (*exit.Error)(nil); errors.As(err, &told) {
		return nil, err
	}
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	if about.process != nil {
		result.Process(about.process.PID, about.process.Differences(result.Answer))
	}
	return result, nil
}

// systemPart is the name of a bundle's description of the system.
const systemPart = "distribution and kernel"

// otherViews returns the sources for programs of the other word size on systems with different keys for them.
func otherViews(*machine.Source) []*machine.Source { return nil }

// exportsOf returns the parts of a bundle that contain a registry. Linux has none.
func exportsOf(*machine.Source) map[string]func() (string, error) { return nil }
