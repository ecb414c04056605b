package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/drivers"
)

// lacks is the library that a finding is about; "" for a finding about something else.
func (f *Finding) lacks() string {
	switch what := f.fact.(type) {
	case absent:
		return what.file
	case nowhere:
		return what.name
	case unreadable:
		return what.file
	case needsUnusable:
		return what.name
	case tooOld:
		return what.in + " " + what.version
	}
	return ""
}

// oneCause marks findings that are there because of one that is said already: a library that several drivers and layers
// lack is one problem, and a device has no driver because the driver's manifest cannot be read.
func (e *exam) oneCause() {
	first := map[string]Kind{}
	for i := range e.Findings {
		f := &e.Findings[i]
		lacks := f.lacks()
		switch cause, said := first[lacks]; {
		case lacks == "" || f.Because != nil || f.Severity == diag.Note:
		case said:
			f.Because = cause
		default:
			first[lacks] = f.Code
		}
	}
	searched := e.searched()
	for i := range e.Findings {
		f := &e.Findings[i]
		at := slices.IndexFunc(e.gpus, func(g *GPU) bool { return g.Name == f.device })
		if f.Code != GPUNoDriver || f.Because != nil || at < 0 {
			continue
		}
		for j := range e.Findings {
			if o := &e.Findings[j]; searched.lack(o) && mayServe(o.Path, e.gpus[at]) {
				f.Because = o.Code
				break
			}
		}
	}
}

// places are where drivers' manifests are looked for.
type places struct {
	files       map[string]bool
	directories []string // each with a slash at its end
}

// searched are the places of this decision.
func (e *exam) searched() *places {
	p := &places{files: map[string]bool{}}
	for _, l := range e.plan.Searched[search.Drivers].List {
		p.files[l.Path] = true
		if !l.File {
			p.directories = append(p.directories, strings.TrimRight(l.Path, "/")+"/")
		}
	}
	return p
}

// lack tells whether a problem keeps the search from a driver: its manifest, or the directory of it, cannot be read.
func (p *places) lack(f *Finding) bool {
	if f.Severity != diag.Problem || f.Because != nil {
		return false
	}
	switch f.Code {
	case DirectoryUnreadable:
		return true
	case diag.FileOpen, diag.FileRead, diag.FileSyntax, diag.FileTop, diag.FileCost,
		diag.ManifestVersion, diag.DriverField, diag.DriverVariant:
	default:
		return false
	}
	return p.files[f.Path] || slices.ContainsFunc(p.directories, func(d string) bool { return strings.HasPrefix(f.Path, d) })
}

// mayServe tells whether a manifest, by its name, may be that of a driver for a device.
func mayServe(manifest string, g *GPU) bool {
	f := familyOf(manifest)
	return f == nil || f.WorksOn(g.Kernel) || f.Name == drivers.NVIDIA && g.Vendor == "0x10de"
}
