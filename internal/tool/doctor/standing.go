package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/term"
)

// stood enters the stage that a trial showed for a driver or layer.
func (r *Report) stood(a *alone) {
	modules := term.Either(a.Kind != "driver", r.Layers, r.Drivers)
	for i := range modules {
		m := &modules[i]
		if m.Manifest != a.Manifest || a.Kind != "driver" && m.Name != a.Name || m.But != "" || m.Stage == "" {
			continue
		}
		switch a.Result {
		case ProbeOK:
			m.Standing = standing.Standing{Stage: standing.ShowsDevices}
		case ProbeNoDevice:
			m.Standing = standing.Standing{Stage: standing.Answered, But: "it lists no device", Fault: DriverNoDevice.Name, Harmless: true}
		case ProbeFails, ProbeCrashes, ProbeHangs, ProbeExits:
			code := trialCodes(a.Kind)[a.Result]
			m.Standing = standing.Standing{Stage: standing.Loadable, But: a.Detail, Fault: code.Name}
			if wasOpened(a.saw) {
				m.Stage = standing.Opened
			}
		case ProbeWaits, ProbeAsleep:
		}
	}
}

// trialCodes returns the codes of the failures of a trial.
func trialCodes(kind string) map[ProbeResult]*Code {
	if kind == "layer" {
		return map[ProbeResult]*Code{ProbeCrashes: LayerCrashes, ProbeHangs: LayerHangs, ProbeFails: LayerFails, ProbeExits: LayerExits}
	}
	return map[ProbeResult]*Code{ProbeCrashes: DriverCrashes, ProbeHangs: DriverHangs, ProbeFails: DriverFails, ProbeExits: DriverExits,
		ProbeNoDevice: DriverNoDevice}
}

// wasOpened reports whether a child process opened its driver: it died in it, a call reached it, or the loader says so.
func wasOpened(saw *probe.Result) bool {
	if saw == nil {
		return false
	}
	called := slices.ContainsFunc(saw.Phases, func(p probe.Phase) bool { return p.Name == probe.CreateInstance && p.Result >= 0 })
	skipped := slices.ContainsFunc(loaders.ReadLog(saw.Log).Messages, func(m loaders.LogMessage) bool { return m.Kind == loaders.DriverSkipped })
	return called || skipped || saw.Died()
}

// absentDevices makes the failure of a driver a note if its device is absent and another driver works: the loader skips the
// driver, and programs lose nothing.
func (e evidence) absentDevices() evidence {
	e = e.next()
	if !slices.ContainsFunc(e.Probes, func(p Probe) bool { return p.Kind == "driver" && p.Result == ProbeOK }) {
		return e
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		at := slices.IndexFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path })
		if f.Code != DriverFails || at < 0 || !e.deviceAbsent(drivers.Of(e.Drivers[at].Library)) {
			continue
		}
		f.Severity, f.advice, f.harmless, e.Drivers[at].Harmless = diag.Note, doNothing, true, true
		for n := range e.Findings {
			if o := &e.Findings[n]; o.Path == f.Path && slices.Contains(fatal, o.Code) {
				o.Severity, o.advice, o.harmless = diag.Note, doNothing, true
			}
		}
	}
	return e
}

// absentHeadless makes findings about what drivers of absent devices open at run time notes.
func (e *driverExam) absentHeadless() {
	served := slices.ContainsFunc(e.gpus, func(g *GPU) bool { return len(g.Drivers) > 0 && len(g.Nodes) > 0 })
	for i := range e.Findings {
		f := &e.Findings[i]
		at := slices.IndexFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path })
		if !served || at < 0 || !slices.Contains(fatal, f.Code) {
			continue
		}
		family := drivers.Of(e.Drivers[at].Library)
		if !family.Software() && !slices.ContainsFunc(e.gpus, func(g *GPU) bool { return family.MayServe(g.Kernel, g.Vendor) }) {
			f.soften(diag.Note)
			f.harmless, f.advice = true, doNothing
		}
	}
}

// deviceAbsent reports whether the kernel lists its devices, and none is one of a family's.
func (r *Report) deviceAbsent(family *drivers.Family) bool {
	return family != nil && !family.Software() && (host{&r.source.Machine}).machine.Exists("/sys/class") &&
		!slices.ContainsFunc(r.GPUs, func(g GPU) bool { return family.MayServe(g.Kernel, g.Vendor) })
}

// Limits of a driver's lines in a report.
const (
	maxWritten = 5   // lines
	maxLine    = 500 // bytes of one line
)

// written returns a driver's first lines on a child's standard error, without the loader's lines. older means that the loader
// marks none of its lines.
func written(log string, older bool) (lines []string) {
	if older {
		log = loaders.OlderLog(log)
	}
	for _, line := range strings.Split(log, "\n") {
		_, ofLoader := loaders.ParseLog(line)
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + " … (cut)"
		}
		if ofLoader || strings.TrimSpace(line) == "" || slices.Contains(lines, line) {
			continue
		}
		if lines = append(lines, line); len(lines) == maxWritten {
			break
		}
	}
	return lines
}
