package decide

import (
	"cmp"
	"strings"

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
	if want := drivers.WantOf(name); want == drivers.WantOf("wine") {
		return cmp.Or(wantOfPrefix(m), want)
	} else if want != nil {
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
	want := drivers.WantOf(binary.Imports(f)...)
	if (want == nil || want == drivers.WantOf("dxvk2")) && strings.HasSuffix(strings.ToLower(program), ".exe") {
		return cmp.Or(wantOfPrefix(m), want)
	}
	return want
}

// dxvkRelease matches the release in the text of DXVK's libraries (doitsujin/dxvk issue 5791).
var dxvkRelease = machine.Pattern{Text: `DXVK:? \x00?v((\d+)\.\d+)`}

// wantOfPrefix returns the requirements of the DXVK that is installed in Wine's prefix; nil: none is. Many programs
// open Direct3D's libraries without importing them (doitsujin/dxvk issues 496 and 3789).
func wantOfPrefix(m *machine.Machine) *drivers.Want {
	for _, name := range []string{"d3d11.dll", "d3d9.dll"} {
		text := m.Whole(binary.WinePrefix(m) + "/drive_c/windows/system32/" + name)
		if v := dxvkRelease.Form().FindStringSubmatch(text); v != nil {
			return drivers.WantOf("dxvk-"+v[1], "dxvk-"+v[2])
		}
	}
	return nil
}
