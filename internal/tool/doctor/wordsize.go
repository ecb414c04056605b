package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/term"
)

// other returns advice about a driver that exists for the other word size only; nil to use the table's.
func (e *exam) other(m *Entry) *Remedy {
	if f := drivers.Of(m.Library); f != nil && e.class == 32 {
		return e.system.install(f, false)
	}
	return nil
}

// WordSize returns the word size of the examined program.
func (r *Report) WordSize() int {
	if r.Class != 0 {
		return r.Class
	}
	return ProcessClass
}

// OtherSize describes the Vulkan of programs of the other word size on a machine with a loader for them.
type OtherSize struct {
	Class    int             `json:"class"`
	Loader   *loaders.Loader `json:"loader,omitempty"` // absent: unreadable
	Drivers  []string        `json:"drivers"`          // the drivers without a fault
	Problems int             `json:"problems"`
	Verdict  string          `json:"verdict"` // the result in one line
	Idle     bool            `json:"-"`       // some drivers have no device here

	first  string  // the problem of a device that programs of this word size have; "": none
	advice *Remedy // to install drivers for these programs
}

// Line returns the result in one sentence.
func (o *OtherSize) Line() string {
	if o.Loader == nil {
		return fmt.Sprintf("%d-bit programs get no Vulkan loader that can be read", o.Class)
	}
	line := fmt.Sprintf("%d-bit programs get %s", o.Class, o.Loader.Title())
	return term.Either(len(o.Drivers) == 0, line+", and no driver", line+", with "+strings.Join(o.Drivers, ", "))
}

// otherSize examines the other word size, if no program is named and the machine has a 32-bit loader; nil otherwise. The lack of
// one is no fault: a machine may run only 64-bit programs.
func (e *exam) otherSize() (*OtherSize, error) {
	if e.class != ProcessClass || e.class == 32 || e.source.Class != 0 || e.source.Program != "" ||
		e.options.Mapped != "" {
		return nil, nil
	}
	linker := binary.NewLinker(e.machine, binary.LinkerOptions{Class: 32, Machine: binary.Processor(32), Elevated: e.source.Elevated, Share: e.linker})
	if linker.Find(loaderName).File == nil {
		return nil, nil
	}
	source, options := *e.source, e.options
	source.Class, source.Loader, options.Library = 32, nil, ""
	other, err := examineSize(&source, options)
	if err != nil {
		return nil, err
	}
	if e.Loader == nil && other.Loader == nil { // one unreadable file for both word sizes, which the examination names
		return nil, nil
	}
	o := &OtherSize{Class: 32, Loader: other.Loader, Drivers: []string{}, Verdict: verdict(other.Report), Idle: has(other.Findings, DriverIdle),
		advice: otherSizeAdvice(other.Report)}
	for _, m := range other.Drivers {
		if m.Good {
			o.Drivers = append(o.Drivers, m.Name)
		}
	}
	for f := range each(other.Findings) {
		if f.Severity == diag.Problem && f.Because == nil {
			if o.Problems++; f.Code == NvidiaVersion && o.first == "" && !has(e.Findings, NvidiaVersion) {
				o.first = Headed(f.Subject, f.fact.say())
			}
		}
	}
	return o, nil
}

// otherSizeAdvice returns advice to install drivers for programs of the other word size: those of the devices, else any.
func otherSizeAdvice(other *Report) *Remedy {
	var does []*Remedy
	for f := range each(other.Findings) {
		if f.Code == NvidiaVersion && f.Because == nil {
			return f.last()
		}
		at := slices.IndexFunc(other.Drivers, func(m Entry) bool { return m.Manifest == f.Path })
		if at < 0 || f.Because != nil || f.last() == nil || f.Severity == diag.Note {
			continue
		}
		family := drivers.Of(other.Drivers[at].Library)
		if family != nil && slices.ContainsFunc(other.GPUs, func(g GPU) bool { return family.MayServe(g.Kernel, g.Vendor) }) {
			does = append(does, f.last())
		}
	}
	if len(does) > 0 {
		return allOf(does)
	}
	for f := range each(other.Findings) {
		if f.Severity == diag.Problem && f.Because == nil && f.last() != nil && f.Code != NoDriver {
			return f.last()
		}
	}
	return shellAdvice("", "vkloader doctor --bits 32")
}

// allOf returns the advice to follow several others.
func allOf(list []*Remedy) *Remedy {
	all := *list[0]
	for _, one := range list[1:] {
		if all.change == nil && one.change == nil && !strings.Contains(all.text, one.text) {
			all.text += ". For another device: " + one.text
			all.lines, all.root = slices.Concat(all.lines, one.lines), all.root || one.root
		}
	}
	return &all
}

// sizeless returns a layer's name without its word size.
func sizeless(name string) string {
	for _, end := range []string{"_x86_64", "_32", "_64", "_i386", "_i686", "_x86", "32", "64"} {
		if rest, is := strings.CutSuffix(name, end); is {
			return rest
		}
	}
	return name
}
