package doctor

import (
	"vkloader/internal/core/diag"

	"vkloader/internal/tool/drivers"
)

// install32 installs a package for 32-bit programs beside that for 64-bit ones.
func (d distribution) install32(m *manager, name string) advice {
	switch m.id {
	case "debian":
		if !d.foreign {
			return asRoot("dpkg --add-architecture i386 && apt update && apt install " + name + ":i386")
		}
		return asRoot("apt install " + name + ":i386")
	case "fedora", "rhel":
		name += ".i686"
	case "suse", "void":
		name += "-32bit"
	case "arch":
		if d.image == steamOS {
			return ofSteamOS
		}
		return multilib("pacman -S lib32-" + name)
	case "alpine":
		return noneOnAlpine
	}
	return d.run(m.install + " " + name)
}

// library32 installs the package that has a library for 32-bit programs; nil where its name is not known.
func (d distribution) library32(m *manager, name string) advice {
	switch {
	case m.provides: // the name of a library, without a mark, is that of the 32-bit one
		return d.run(m.install + " " + name)
	case m.library == nil:
		return nil
	}
	if word := m.library(name); word != "" {
		return d.install32(m, word)
	}
	return nil
}

// packages32 are those whose names for 32-bit programs are not made from the other ones.
var packages32 = map[offered]string{{"debian", drivers.NVIDIA}: "nvidia-driver-libs", {"fedora", drivers.NVIDIA}: "xorg-x11-drv-nvidia-libs"}

// offered is a family of drivers as a package manager installs it.
type offered struct{ manager, family string }

// driver32 brings a family's driver for 32-bit programs.
func (d distribution) driver32(f *drivers.Family) advice {
	m := d.manager()
	switch {
	case d.is("nixos"):
		return graphics32OnNixOS
	case d.is("gentoo"):
		return bothOnGentoo
	case m == nil || f.Packages[m.id] == "":
		return installDriver(f.Name, "32-bit ")
	case d.is("ubuntu") && f.Name == drivers.NVIDIA:
		return nvidia32OnUbuntu
	}
	if name := packages32[offered{m.id, f.Name}]; name != "" {
		return d.install32(m, name)
	}
	return d.install32(m, f.Packages[m.id])
}

// other is what to do about a driver that is there for programs of the other word size only; nil where the table says it.
func (e *exam) other(m *Module) advice {
	if f := drivers.Of(m.Library); f != nil && e.class == 32 {
		return e.system.install(f)
	}
	return nil
}

// otherWordSize makes less of drivers and layers for programs of the other word size where the program is the one that is
// rare: 64-bit ones are always there, and what counts is that it has one of its own.
func (e *exam) otherWordSize() {
	if e.class == ProcessClass {
		return
	}
	good := e.someGood()
	for i := range e.Findings {
		if f := &e.Findings[i]; f.Code == LibraryForeign {
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
