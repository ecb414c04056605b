package process

import (
	"time"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// Difference is a difference between the files that a process has loaded and those that it would load if it were
// started now.
type Difference struct {
	Kind     string `json:"kind"` // loader, driver or layer
	Name     string `json:"name"`
	File     string `json:"file,omitempty"` // the mapped file
	Manifest string `json:"manifest,omitempty"`
	What     string `json:"what"`

	Old  bool `json:"-"` // the process uses an old state of a file; a restart of the program fixes it
	Weak bool `json:"-"` // the difference may be intended
	Own  bool `json:"-"` // no manifest names the file; it may belong to the program
}

// Texts of differences.
const (
	notMapped   = "it is not mapped: the process does not use Vulkan, or no longer uses it"
	unnamed     = "it is loaded, but no manifest names it: it came with the program, or the variables have changed"
	noInstance  = "it is not loaded: the process has no instance at this moment"
	brought     = "it is loaded: the program brings it, and names it itself"
	closedAgain = "it is not loaded: it may have been closed again because it has no device"
	outNow      = "it is loaded, but a new process would not load it: "
	inNow       = "it is not loaded, but a new process would load it: "
)

var changeWords = map[FileState]string{
	Gone:     "its file has been removed since; the process still uses the old one",
	Replaced: "its file has been replaced since, for example by an update; the process still uses the old one",
	Written:  "its file has been written to since the process began",
}

// Differences compares the files that the process has mapped with a decision that was made now. It returns none if the
// caller may not see the mapped files.
func (p *Process) Differences(answer *plan.Answer) []Difference {
	list := []Difference{}
	if p.NoMaps {
		return list
	}
	loaders := p.Loaders()
	for i := range loaders {
		if c := p.StateOf(&loaders[i]); c != Same {
			list = append(list, Difference{Kind: "loader", Name: loaderName, File: loaders[i].Path,
				What: changeWords[c], Old: true})
		}
	}
	if len(loaders) == 0 {
		return append(list, Difference{Kind: "loader", Name: loaderName, What: notMapped, Weak: true})
	}
	drivers, layers := p.Modules(answer)
	return append(list, compare(answer, p.Program, drivers, layers)...)
}

// compare compares mapped drivers and layers with a decision that was made now.
func compare(answer *plan.Answer, program string, drivers, layers []MappedModule) (list []Difference) {
	type entry struct{ kind, manifest string }
	there := map[entry]bool{}
	for _, of := range []struct {
		kind    string
		modules []MappedModule
	}{{"layer", layers}, {"driver", drivers}} {
		for _, m := range of.modules {
			there[entry{of.kind, m.Manifest}] = true
			d := Difference{Kind: of.kind, Name: m.Name, File: m.File, Manifest: m.Manifest}
			if m.State != Same {
				d.What, d.Old = changeWords[m.State], true
				list = append(list, d)
			}
			d.Old = false
			switch own := machine.Style.Directory(m.File) == machine.Style.Directory(program); {
			case own && m.Item == nil:
				d.What, d.Weak = brought, true
				list = append(list, d)
			case m.Item == nil:
				d.What, d.Own = unnamed, true
				list = append(list, d)
			case !m.In:
				d.What = outNow + m.Item.Why
				list = append(list, d)
			}
		}
	}
	in, _ := explain.Of(answer)
	for _, item := range in {
		if item.Meta || item.NameOnly || there[entry{item.Kind, item.Manifest}] {
			continue
		}
		d := Difference{Kind: item.Kind, Name: item.Name, Manifest: item.Manifest, What: inNow + item.Why}
		switch {
		case len(drivers) == 0:
			d.What, d.Weak = noInstance, true
		case item.Kind == "driver":
			d.What, d.Weak = closedAgain, true
		}
		list = append(list, d)
	}
	return list
}

// FileState is the change of a file since a process mapped it.
type FileState string

// States of mapped files, compared with the file that has the name now.
const (
	Same     FileState = ""
	Gone     FileState = "gone"     // no file has the name
	Replaced FileState = "replaced" // another file has its name
	Written  FileState = "written"  // it was written to since the process began
)

// coarse is the error that a process's start time may have: the kernel states the time of the system's start in whole
// seconds.
const coarse = 3 * time.Second

// StateOf compares a mapped file with the present file of its name.
func (p *Process) StateOf(m *Mapping) FileState {
	info, err := p.Machine.Stat(m.Path)
	switch {
	case err != nil && m.Deleted:
		return Gone
	case err != nil:
		return Same // the file cannot be examined
	case m.Deleted:
		return Replaced
	case p.Started.IsZero():
		return Same
	}
	begun := p.Started.Add(coarse)
	numbers, ok := machine.NumbersOf(info)
	// overlayfs shows another inode in maps than stat does. A different inode alone is therefore no sign; the file must
	// also have changed since the process began.
	if ok && numbers.Inode != m.inode && m.inode != 0 && numbers.Changed > begun.Unix() {
		return Replaced
	}
	if info.ModTime().After(begun) && ok && numbers.Inode == m.inode {
		return Written
	}
	return Same
}
