package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// causes lists the unmet requirements in the order of their exit codes: from 10 on, except for the first.
var causes = []discover.UnmetCode{discover.UnmetHealth, discover.UnmetDriver, discover.UnmetDevice,
	discover.UnmetNotCPU, discover.UnmetVendor, discover.UnmetType,
	discover.UnmetAPI, discover.UnmetVRAM, discover.UnmetExtension, discover.UnmetCount}

func causeExit(code discover.UnmetCode) int {
	if at := slices.Index(causes, code); at > 0 {
		return 9 + at
	}
	return exit.Problems
}

func newCheck(s *invocation) *cobra.Command {
	var o struct {
		output
		Require []string      `option:"require"`
		Library string        `option:"library"`
		Limit   time.Duration `option:"timeout" default:"30s"`
	}
	const use = "check [PROGRAM] [--require api=1.3,type=discrete,...]"
	cmd := newCommand(use, &o, discover.VerdictSchema, func(args []string) error {
		required, err := discover.ParseRequirement(strings.Join(o.Require, ","))
		if err != nil {
			return fmt.Errorf("--require: %w", err)
		}
		m, err := s.thisMachine("check")
		if err != nil {
			return err
		}
		found, err := probe.Find(s.executable, o.Library)
		if err != nil {
			return examineError(err)
		}
		var want *drivers.Want
		if len(args) > 0 {
			if want, err = wantOf(&m, args[0]); err != nil {
				return err
			}
			if required, err = requirementWith(required, want); err != nil {
				return err
			}
		}
		if o.Library == "" && !onWindows {
			source := &machine.Source{Machine: m}
			linker := loaders.Linker(source)
			found = loaders.For(source, linker, nil).Place(&m, found, linker.OwnInterpreter())
		}
		report, err := survey.ProbeDevices(found, m.Environ, o.Limit)
		if err != nil {
			return examineError(err)
		}
		required.NotCPU = required.NotCPU || want != nil && // the program takes a graphics device
			slices.ContainsFunc(report.Devices, func(d discover.Device) bool { return d.Type != discover.CPU })
		verdict := verdictOn(&required, want, report)
		err = o.print(s, verdict, func() { printChecked(s, verdict) })
		if err == nil && !verdict.Met {
			err = exit.With(causeExit(verdict.Code))
		}
		return err
	})
	cmd.Args = cobra.MaximumNArgs(1)
	return cmd
}

func printChecked(s *invocation, v *checked) {
	s.text("", term.Enclosed("", v.Program, " requires "+v.Wants+"."))
	if v.Met {
		s.style.Lines(s.out, "", nil, "All requirements are met.")
	} else {
		s.style.Lines(s.out, "Not met: ", s.style.Bad, v.What)
	}
	for _, d := range v.Devices {
		mark := term.Either(d.Meets, "yes", "no ")
		s.style.Lines(s.out, fmt.Sprintf("  %s %d ", mark, d.Index), nil, term.OneLine(d.Name))
	}
	for _, line := range v.Limits {
		s.style.Lines(s.out, "", nil, term.OneLine(line))
	}
}

// checked is the answer of check.
type checked struct {
	discover.Verdict
	Program string `json:"program,omitempty"` // the program whose requirements are checked
	Wants   string `json:"wants,omitempty"`   // its requirements in words
	// the limits of each device by its last drivers, and a release within them
	Limits []string `json:"limits,omitempty"`
}

// wantOf returns the requirements of a program by its name or path.
func wantOf(m *machine.Machine, word string) (*drivers.Want, error) {
	want := decide.WantOf(m, word)
	if path, err := programPath(word); want == nil && err == nil {
		want = decide.WantOf(m, path)
	}
	if want == nil {
		return nil, fmt.Errorf("the requirements of %s are unknown: name them with --require", term.OneLine(word))
	}
	return want, nil
}

// verdictOn returns the verdict on a requirement: of a program, or with want nil of --require alone.
func verdictOn(required *discover.Requirement, want *drivers.Want, report *discover.Report) *checked {
	v := &checked{Verdict: *required.Verdict(report)}
	if want != nil {
		v.Program, v.Wants = want.Name, want.Text()
	}
	for i := range report.Devices {
		d := &report.Devices[i]
		chip := drivers.ChipByPCI(d.VendorID, d.DeviceID)
		if chip == nil || required.Meets(d) {
			continue
		}
		unmet := &drivers.Want{}
		if want != nil {
			unmet.Older = want.Older
		}
		if d.APIVersion < required.API {
			unmet.API = strings.TrimSuffix(required.API.String(), ".0")
		}
		for _, name := range required.Extensions {
			if !slices.Contains(d.Extensions, name) {
				unmet.Extensions = append(unmet.Extensions, name)
			}
		}
		v.Limits = append(v.Limits, limitsOf(chip, d.Name, unmet)...)
	}
	return v
}

func requirementWith(n discover.Requirement, want *drivers.Want) (discover.Requirement, error) {
	if want.API != "" {
		api, err := discover.ParseVersion(want.API)
		if err != nil {
			return n, err
		}
		n.API = max(n.API, api)
	}
	n.Extensions = slices.Concat(n.Extensions, want.Extensions)
	return n, nil
}

// limitsOf returns in sentences why the last drivers of a device's chip never meet requirements, and an older release
// of the program within their limits; nil: they may meet them.
func limitsOf(c *drivers.Chip, device string, want *drivers.Want) (list []string) {
	text, never := c.Limit(want)
	if text == "" {
		return nil
	}
	list = append(list, device+": "+text+".")
	if older := c.Instead(want); older != nil && never {
		list = append(list, older.Name+" works with it, and requires "+older.Text()+".")
	}
	return list
}

// wantsOf returns the requirements of a program, with the limits of the machine's devices; nil: unknown.
func wantsOf(about *subject) *survey.Wants {
	m := &about.source.Machine
	want := decide.WantOf(m, about.source.Program)
	if want == nil {
		return nil
	}
	answer := &survey.Wants{Program: want.Name, Text: want.Text(), API: want.API, Extensions: want.Extensions}
	for _, g := range drivers.GPUs(m) {
		if c := drivers.ChipOf(m, g.Vendor, g.Device, g.Directory); c != nil {
			answer.Limits = append(answer.Limits, limitsOf(c, g.Label(m), want)...)
		}
	}
	return answer
}
