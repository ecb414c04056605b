package decide

import (
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// protonFile matches a script or Wine of Proton. The directory's name has the number of the release; the newest has
// none.
var protonFile = machine.Pattern{Text: `(?i)/(?:ge-)?proton[^/\d]*(\d*)[^/]*/(?:.*/)?(?:proton|wine[^/]*)$`}

// WantOf returns a program's requirements on a device by the names of its file, its needed libraries and its imported
// DLLs; nil: unknown. program is a path, or a name.
func WantOf(m *machine.Machine, program string) *drivers.Want {
	if program == "" {
		return nil
	}
	name := program
	if found := protonFile.Form().FindStringSubmatch(program); found != nil {
		name = "proton" + found[1]
	}
	if want := drivers.WantOf(name); want != nil {
		return want
	}
	f, err := m.Open(program)
	if err != nil {
		return nil
	}
	defer f.Close()
	if l, err := binary.ReadELF(f); err == nil {
		return drivers.WantOf(l.Needed...)
	}
	return drivers.WantOf(binary.Imports(f)...)
}
