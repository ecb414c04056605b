package cli

import (
	"context"
	"errors"
	"runtime"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/doctor"
)

// triable returns false: no child process loads drivers and layers.
func triable(*subject) bool { return false }

// examine returns the doctor's report on a machine, by its files.
func examine(_ context.Context, s *invocation, about *subject, wanted examination) (*doctor.Report, error) {
	if wanted.how == everything {
		return nil, errors.New("--probe: this tool has no child process for macOS that loads drivers: " +
			"vulkaninfo loads them")
	}
	system, _ := systems.Find("macos")
	source := &systems.Foreign{System: system, Machine: about.source.Machine, Bits: "64",
		Elevated: about.source.Elevated,
		Program:  about.source.Program, Own: about.source.Elsewhere().Bundle(), Here: !about.source.Foreign()}
	if source.Here {
		source.Processors = []string{map[string]string{"amd64": binary.X86, "arm64": binary.ARM}[runtime.GOARCH]}
	}
	report, err := doctor.ExamineMacOS(source)
	if err != nil {
		return nil, examineError(err)
	}
	if source.Here {
		s.say("nothing is tried: this tool has no child process for macOS that loads drivers")
	}
	return report, nil
}

func (*doctoring) fixError(*invocation, *subject) error {
	return errors.New("--fix is not on macOS: make the changes that the findings name")
}

// step returns nil, because doctor makes no change.
func (*fixer) step(*doctor.Report) (*step, error) { return nil, nil }

func libraryOf(source *machine.Source) func(doctor.Entry) (doctor.Entry, []doctor.Finding) {
	system, _ := systems.Find("macos")
	return func(named doctor.Entry) (doctor.Entry, []doctor.Finding) {
		return doctor.ForeignLibrary(&systems.Foreign{System: system, Machine: source.Machine, Bits: "64",
			Here: !source.Foreign()}, named)
	}
}
