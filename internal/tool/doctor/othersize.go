package doctor

import (
	"fmt"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/loaders"
)

// OtherSize is what programs of the other word size get, where the machine has a loader for them.
type OtherSize struct {
	Class    int             `json:"class"`
	Loader   *loaders.Loader `json:"loader,omitempty"` // absent: it cannot be read
	Drivers  []string        `json:"drivers"`          // those with which nothing is wrong
	Problems int             `json:"problems"`
	Verdict  string          `json:"verdict"` // all of it in one line
	Idle     bool            `json:"-"`       // some of the drivers have no device here
}

// Line says it in one sentence.
func (o *OtherSize) Line() string {
	if o.Loader == nil {
		return fmt.Sprintf("%d-bit programs get no Vulkan loader that can be read", o.Class)
	}
	line := fmt.Sprintf("%d-bit programs get %s", o.Class, o.Loader.Title())
	if len(o.Drivers) == 0 {
		return line + ", and no driver"
	}
	return line + ", with " + strings.Join(o.Drivers, ", ")
}

// bothWordSizes examines for the other word size as well, where no program is named and the machine has a loader for 32-bit
// programs. One without is no fault: 64-bit programs are all that it is for.
func (e *exam) bothWordSizes() error {
	if e.class != ProcessClass || e.class == 32 || e.source.Class != 0 || e.source.Program != "" || e.options.Plugin != "" || e.options.Mapped != "" {
		return nil
	}
	linker := binary.NewLinker(e.machine, binary.LinkerOptions{Class: 32, Machine: binary.I386, Elevated: e.source.Elevated, Share: e.linker})
	if linker.Find(loaderName).File == nil {
		return nil
	}
	source, options := *e.source, e.options
	source.Class, source.Loader, options.Library = 32, nil, ""
	other, err := look(&source, options)
	if err != nil {
		return err
	}
	other.settle()
	o := &OtherSize{Class: 32, Loader: other.Loader, Drivers: []string{}, Verdict: other.verdict(), Idle: other.has(DriverIdle)}
	for _, m := range other.Drivers {
		if m.Good {
			o.Drivers = append(o.Drivers, m.Name)
		}
	}
	for i := range other.Findings {
		if f := &other.Findings[i]; f.Severity == diag.Problem && f.Because == nil {
			o.Problems++
		}
	}
	e.Other = o
	if e.someGood() && len(o.Drivers) == 0 {
		e.found(OtherSizeLacks, "32-bit programs", "", sentence(o.Line()), e.forOther(other))
	}
	return nil
}

// forOther is what brings drivers for programs of the other word size.
func (e *exam) forOther(other *exam) advice {
	for i := range other.Findings {
		if f := &other.Findings[i]; f.Severity == diag.Problem && f.Because == nil && f.advice != nil {
			return f.advice
		}
	}
	return typed("", "vkloader doctor --bits 32")
}
