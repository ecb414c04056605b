package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/loaderlog"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"
)

// probeAll loads each driver that a program would get, and then each layer on the first driver that works, in a child
// of its own, and enters in the report what became of it. The error is for what kept it from looking.
func probeAll(l probe.Place, environ []string, r *doctor.Report, limit time.Duration) error {
	drivers, layers := r.ToProbe()
	base := ""
	for i := range drivers {
		d := &drivers[i]
		if err := probeOne(l, environ, d, limit); err != nil {
			return err
		}
		if base == "" && d.Result == doctor.ProbeOK {
			base = d.Manifest
		}
		r.Probed(d)
	}
	for i := range layers {
		if base == "" {
			return nil // without a driver, every layer looks broken
		}
		a := &layers[i]
		a.Variables = append(a.Variables, [2]string{variables.DriverFiles.Name(), base},
			[2]string{variables.DriversSelect.Name()}, [2]string{variables.DriversDisable.Name()})
		if err := probeOne(l, environ, a, limit); err != nil {
			return err
		}
		r.Probed(a)
	}
	return nil
}

// probeOne runs a result on the library with one driver or layer alone.
func probeOne(l probe.Place, environ []string, a *doctor.Alone, limit time.Duration) error {
	for _, v := range a.Variables {
		if environ = machine.WithoutVariable(environ, v[0]); v[1] != "" {
			environ = machine.WithVariable(environ, v[0], v[1])
		}
	}
	result, err := probe.Run(l, machine.WithVariable(environ, variables.Debug.Name(), "error,warn,driver,layer"), limit)
	if err != nil {
		return err
	}
	for _, p := range result.Phases {
		a.Millis += p.Micros / 1000
	}
	for _, d := range result.Devices {
		a.Devices = append(a.Devices, d.Name)
	}
	a.Detail = result.Problem
	switch result.Outcome {
	case probe.Fine:
		a.Result = doctor.ProbeOK
	case probe.Crashed:
		a.Result = doctor.ProbeCrashes
	case probe.Hung:
		a.Result = doctor.ProbeHangs
	default:
		a.Result = doctor.ProbeFails
		if a.Kind == "driver" && withoutDevice(result) {
			a.Result, a.Detail = doctor.ProbeNoDevice, "it works, and lists no device"
			return nil
		}
	}
	if a.Result != doctor.ProbeOK {
		a.Said = firstWords(result, a.Library)
	}
	return nil
}

// noDevices is what the loader says, first of all, when no driver failed and none has a device (the list of devices
// then fails).
const noDevices = "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config"

// withoutDevice tells whether everything worked and there was nothing to use.
func withoutDevice(l *probe.Result) bool {
	listed := false
	for _, p := range l.Phases {
		if p.Result < 0 && !(p.Name == "list devices" && firstWords(l, "") == noDevices) {
			return false
		}
		listed = listed || p.Name == "list devices"
	}
	return listed && len(l.Devices) == 0
}

// firstWords is what the loader said of the trouble: the first error or warning that names the library, otherwise the
// first error, otherwise the first warning.
func firstWords(l *probe.Result, library string) string {
	messages := slices.DeleteFunc(loaderlog.Read(l.Log).Messages, func(m loaderlog.Message) bool { // what the probe itself has caused
		return strings.Contains(m.Text, variables.LayersDisable.Name()) ||
			strings.Contains(m.Text, variables.LayersEnable.Name())
	})
	for _, m := range messages {
		if library != "" && strings.Contains(m.Text, library) {
			return m.Text
		}
	}
	for _, severity := range []string{"error", "warning"} {
		for _, m := range messages {
			if m.Severity == severity {
				return m.Text
			}
		}
	}
	return ""
}

// printProbes is the table of what became of each.
func printProbes(s *surroundings, style term.Style, probes []doctor.Probe) {
	if len(probes) == 0 {
		return
	}
	fmt.Fprintln(s.out, style.Heading("Probes, each in a process of its own"))
	table := term.NewTable("", "name", ">time", "with")
	for _, p := range probes {
		table.Row(p.Result, p.Name, term.Microseconds(p.Millis*1000), term.Or(p.Detail, strings.Join(p.Devices, ", ")))
	}
	table.Print(s.out, "  ", style)
	fmt.Fprintln(s.out)
}
