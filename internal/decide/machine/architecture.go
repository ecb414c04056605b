package machine

import (
	"debug/elf"

	"vkloader/internal/machines"
)

// Architecture returns the row of the machine that a root directory was made for, if it is another one than this
// machine: an image of an ARM board on a PC. It looks for the C library, the Vulkan loader, Debian's directories of
// libraries and the dynamic linkers. A root that has files for this machine, or whose word size is another one, is this
// machine's.
func (m *Machine) Architecture() (row machines.Machine, other bool) {
	own, known := machines.Own()
	if !known || !m.Foreign() {
		return row, false
	}
	found := false
	for _, place := range []string{"/usr/lib64/", "/usr/lib/", "/lib64/", "/lib/"} {
		for _, name := range []string{"libc.so.6", "libvulkan.so.1"} {
			head := (&Source{Machine: *m}).head(place + name)
			if len(head) < 20 || string(head[:4]) != elf.ELFMAG {
				continue
			}
			// of little-endian files
			rows := machines.OfFiles(elf.Machine(uint16(head[18])|uint16(head[19])<<8), int(head[elf.EI_CLASS])*32)
			if len(rows) == 0 || rows[0].Bits != own.Bits {
				continue
			}
			if rows[0].Name == own.Name {
				return row, false
			}
			row, found = rows[0], true
		}
	}
	if has := func(r machines.Machine) bool {
		return m.Exists("/usr/lib/"+r.Multiarch) || m.Exists("/lib/"+r.Multiarch) || m.Exists(r.Linkers[0]) ||
			m.Exists(r.Linkers[1])
	}; !found && !has(own) {
		for _, r := range machines.All() {
			if r.Bits == own.Bits && has(r) {
				return r, true
			}
		}
	}
	return row, found
}
