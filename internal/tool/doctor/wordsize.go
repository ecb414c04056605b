package doctor

import (
	"strings"

	"vkloader/internal/core/diag"
)

// install32 is the line that installs a package for 32-bit programs beside that for 64-bit ones.
func (d distribution) install32(m *manager, name string) string {
	switch m.id {
	case "debian":
		if !d.foreign {
			return "Run as root: dpkg --add-architecture i386 && apt update && apt install " + name + ":i386"
		}
		return "Run as root: apt install " + name + ":i386"
	case "fedora", "rhel":
		if !strings.Contains(name, ".so") { // the name of a library, without a mark, is that of the 32-bit one
			name += ".i686"
		}
	case "suse":
		if !strings.Contains(name, ".so") {
			name += "-32bit"
		}
	case "arch":
		return "Run as root, with the repository multilib: pacman -S lib32-" + name
	case "void":
		name += "-32bit"
	case "alpine":
		return "Nothing: Alpine has no 32-bit libraries beside the 64-bit ones; use a container of another distribution."
	}
	return "Run as root: " + m.install + " " + name
}

// packages32 are those whose names for 32-bit programs are not made from the other ones.
var packages32 = map[string]string{"debian NVIDIA": "nvidia-driver-libs", "fedora NVIDIA": "xorg-x11-drv-nvidia-libs"}

// driver32 is the line that brings a family's driver for 32-bit programs.
func (d distribution) driver32(f *family) string {
	m := d.manager()
	switch {
	case d.is("nixos"):
		return "Add hardware.graphics.enable32Bit = true; to the system's configuration."
	case d.is("gentoo"):
		return `Build media-libs/mesa, or NVIDIA's driver, for both word sizes: ABI_X86="64 32"`
	case m == nil || f.packages[m.id] == "":
		return "Install the package that has the 32-bit Vulkan driver " + f.name + "."
	case d.is("ubuntu") && f.name == "NVIDIA":
		return "Install libnvidia-gl:i386 of the driver's version: ubuntu-drivers list shows it."
	}
	if name := packages32[m.id+" "+f.name]; name != "" {
		return d.install32(m, name)
	}
	return d.install32(m, f.packages[m.id])
}

// other is what to do about a driver that is there for programs of the other word size only; "" where the table says it.
func (e *exam) other(m *Module) string {
	if f := familyOf(m.Library); f != nil && e.class == 32 {
		return e.system.install(f)
	}
	return ""
}

// otherWordSize makes less of drivers and layers for programs of the other word size where the program is the one that is
// rare: 64-bit ones are always there, and what counts is that it has one of its own.
func (e *exam) otherWordSize() {
	if e.class == ProcessClass {
		return
	}
	good := false
	for _, m := range e.Drivers {
		good = good || m.Good
	}
	for i := range e.Findings {
		if f := &e.Findings[i]; f.Code == LibraryForeign.String() {
			f.soften(diag.Warning)
			if good {
				f.soften(diag.Note)
			}
		}
	}
}

// WordSize is that of the program that was examined for.
func (r *Report) WordSize() int {
	if r.Class != 0 {
		return r.Class
	}
	return ProcessClass
}
