package doctor

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/term"
)

// foreignWindows adapts a Windows source to the interface Windows.
type foreignWindows struct{ *systems.Foreign }

// Seen implements Windows.
func (p foreignWindows) Seen(bits string) Windows { return foreignWindows{p.Foreign.For(bits)} }

// ExamineForeign reports the faults of drivers and layers on a machine with another system, by its files. Fuchsia opens
// libraries through a service, and its files tell nothing about them.
func ExamineForeign(source *systems.Foreign, answer *plan.Answer) (*Report, error) {
	switch source.System.Name {
	case "windows":
		return ExamineWindows(foreignWindows{source})
	case "macos":
		return ExamineMacOS(source)
	}
	r := newReport(source.System.Title)
	r.Answer = answer
	for f := range each(answer.Diagnostics) {
		if !isOrdinary(f) {
			r.takenOver(f)
		}
	}
	r.examineEntries(func(m *Entry) { m.Good = true })
	if len(answer.Drivers) == 0 {
		r.takenOver(&diag.Diagnostic{Code: diag.DriverNone, Subject: source.System.Title, What: string(noDriverFound)})
	}
	r.judge = verdictWithoutKernel
	return r.finish(), nil
}

// verdictWithoutKernel returns a report in one line, as verdict does, on a machine whose kernel lists no devices in files.
func verdictWithoutKernel(r *Report) string {
	names := term.Words(r.Devices, func(d probe.Device) string { return d.Name })
	does := term.Either(len(names) == 1, " works", " work")
	switch broken := r.misbehaving(); {
	case len(broken) > 0:
		return fit(r.end(), brokenTexts(broken))
	case !r.someGood():
		return fit(r.end(), []string{"No driver works, and no program gets Vulkan"})
	case r.Works:
		return fit(r.end(), []string{strings.Join(names, " and ") + does, term.Count(len(names), "device") + does})
	case r.Tried && !r.Unfinished():
		return fit(r.end(), []string{"No driver lists a device"})
	}
	return fit(r.end(), []string{"A driver is installed"})
}

// header is the content of a library's header.
type header struct {
	class   int
	machine string
	needs   []string
	exports func(function string) bool // nil: unknown
}

// Faults of a library by its header.
const (
	notThere    = "%s is not there"
	otherBits   = "%s is for %d-bit programs, and not for %s-bit programs"
	exportsNone = "%s exports no %s"
)

// examineHeader examines the library of a driver or layer for programs of a word size: l is its header, or the text about a file without
// one. foreign is what programs lose by a library of another word size. It returns the finding about a library that is not usable at all.
func (r *Report) examineHeader(m *Entry, bits string, l *header, none fact, foreign loss) *Finding {
	add := func(code Code, file string, what fact, lost loss) *Finding {
		m.Good = false
		return r.add(code, m.Name, file, what, nil, term.Either(m.Used || lost == nothing, lost, little))
	}
	switch {
	case m.File == "":
		return add(LibraryMissing, m.Library, textf(notThere, m.Library), usual)
	case l == nil:
		return add(LibraryUnreadable, m.File, none, usual)
	}
	m.Class, m.Machine, m.Needs, m.Good = l.class, l.machine, len(l.needs), true
	if l.class != classOf(bits) {
		return add(LibraryForeign, m.File, textf(otherBits, m.File, l.class, bits), foreign)
	}
	if is, usually, misfit := m.functions(); l.exports != nil && !is(l.exports) {
		add(misfit, m.File, textf(exportsNone, m.File, usually), usual)
	}
	return nil
}

func classOf(bits string) int { return term.Either(bits == "32", 32, 64) }
