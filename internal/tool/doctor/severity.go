package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/standing"
)

// loss is what a program loses by the subject of a finding, as far as it is known when the finding is made.
type loss uint8

const (
	usual      loss = iota // as the code says
	nothing                // a note
	little                 // a warning, or less
	something              // a warning
	everything             // a problem
)

// severity returns the severity of a finding with a loss, whose code has a usual severity.
func (l loss) severity(of diag.Severity) diag.Severity {
	switch l {
	case nothing:
		return diag.Note
	case little:
		return min(of, diag.Warning)
	case something:
		return diag.Warning
	case everything:
		return diag.Problem
	case usual:
	}
	return of
}

// exemption is the reason why a fault costs programs nothing.
type exemption uint8

const (
	notExempt     exemption = iota
	absentDevice            // it is for devices that this machine does not have
	beside                  // programs have the same one for their word size
	otherPrograms           // it is for programs of the other word size, and a driver for these programs works
	otherDevices            // programs get a device, and perhaps not every one
)

// exemptAdvice is the advice for findings that cost nothing.
var exemptAdvice = [...]*Remedy{absentDevice: doNothing, beside: newAdvice("Nothing: programs have a driver or layer for their word size. " +
	"With library_arch in the manifest, the loader would skip this one without a message."), otherPrograms: nil, otherDevices: nil}

// weigh sets the severity of each finding, and is the only function that does: what its making knows, unless its fault costs nothing here.
// confirmed reports whether a trial has confirmed a finding. A cause of a problem is a problem, too: a warning from which a problem follows
// is what programs suffer from. The lack of a driver that may not exist stays a warning, and so does what follows from it.
func weigh(list []Finding, exempt func(*Finding) exemption, confirmed func(at int) bool) {
	severities := make([]diag.Severity, len(list))
	for i := range list {
		f := &list[i]
		f.exempt = exempt(f)
		switch {
		case f.exempt != notExempt: // a note
		case confirmed(i):
			severities[i] = diag.Problem
		default:
			severities[i] = f.usual
		}
	}
	root := func(code Kind, severity diag.Severity) int { // of no other finding
		for i := range list {
			if list[i].Code == code && list[i].Because == nil && severities[i] == severity {
				return i
			}
		}
		return -1
	}
	for i := range list {
		f := &list[i]
		if f.Because == nil || severities[i] != diag.Problem || slices.Contains(failures, f.Code) {
			continue
		}
		if first := slices.IndexFunc(list, func(o Finding) bool { return o.Code == GPUNoDriver }); f.Code == SoftwareOnly && f.Because == GPUNoDriver &&
			first >= 0 && severities[first] == diag.Warning {
			severities[i] = diag.Warning
		} else if at := root(f.Because, diag.Warning); at >= 0 && root(f.Because, diag.Problem) < 0 {
			severities[at] = diag.Problem
		}
	}
	for i := range list {
		list[i].Severity = severities[i]
	}
}

// weigh sets the severities of the findings so far.
func (e *exam) weigh() { weigh(e.Findings, e.exempter(), func(int) bool { return false }) }

// exempter returns the function that decides whether a finding costs programs nothing, by the drivers, layers and devices.
func (e *exam) exempter() func(*Finding) exemption {
	bad := e.manifests(func(m *Entry) bool { return m.Harmless && m.Fault != standing.FaultForeign })
	served := contains(e.GPUs, func(g *GPU) bool { return len(g.Drivers) > 0 && len(g.Nodes) > 0 })
	good := e.someGood()
	return func(f *Finding) exemption {
		ofLibrary := slices.Contains(ofLibraries, f.Code)
		switch d := e.driverAt(f.Path); {
		case ofLibrary && bad[f.Path] != nil, ofLibrary && slices.ContainsFunc(e.Answer.Layers, func(l *manifest.Layer) bool { // it comes with a driver of absent devices
			return f.Path == l.Manifest && f.Subject == l.Name && e.deviceAbsent(drivers.Of(l.Library))
		}),
			slices.Contains(fatal, f.Code) && served && d != nil && e.deviceAbsent(drivers.Of(d.Library)):
			return absentDevice
		case f.Code == LibraryForeign && e.hasOwnSize(f):
			return beside
		case f.Code == LibraryForeign && e.class != ProcessClass && good:
			return otherPrograms
		}
		return notExempt
	}
}

// driverAt returns the driver with a manifest; nil: none.
func (r *Report) driverAt(manifest string) *Entry {
	return find(r.Drivers, func(m *Entry) bool { return m.Manifest == manifest })
}

// hasOwnSize reports whether the library of a driver or layer for other programs exists for these programs, too. A driver has a library of
// the same name in another directory, as in distributions. A layer has the same name except for the word size, as with Steam and overlays.
func (r *Report) hasOwnSize(f *Finding) bool {
	stem := func(m *Entry) string {
		name, _, _ := strings.Cut(search.BaseName(m.Library), ".so")
		return name
	}
	if d := r.driverAt(f.Path); d != nil {
		return slices.ContainsFunc(r.Drivers, func(m Entry) bool { return m.Good && stem(&m) == stem(d) })
	}
	return slices.ContainsFunc(r.Layers, func(m Entry) bool {
		return m.Good && sizeless(m.Name) == sizeless(f.Subject)
	})
}
