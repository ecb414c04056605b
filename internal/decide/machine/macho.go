package machine

import (
	"debug/macho"
	"encoding/binary"
	"path"
	"strings"
)

// machoCPU returns the processor of Mach-O files with Go's name or that of package binary; 0: there is none.
func machoCPU(name string) macho.Cpu {
	switch name {
	case "amd64", "x86-64":
		return macho.CpuAmd64
	case "arm64":
		return macho.CpuArm64
	}
	return 0
}

// mostSlices is how many parts of a universal file are read (spine/process/macos/slice.c).
const mostSlices = 16

// ForeignMachO reports whether the first bytes of a file are those of a Mach-O file without a part for a processor, by
// Go's name of it or that of package binary.
func ForeignMachO(head []byte, processor string) bool {
	own := machoCPU(processor)
	if len(head) < 8 {
		return false
	}
	switch binary.BigEndian.Uint32(head) {
	case macho.MagicFat, magicFat64:
		size := 20
		if binary.BigEndian.Uint32(head) == magicFat64 {
			size = 32
		}
		parts := min(binary.BigEndian.Uint32(head[4:]), mostSlices)
		for i := range int(parts) {
			at := 8 + i*size
			if at+size > len(head) {
				return false
			}
			if macho.Cpu(binary.BigEndian.Uint32(head[at:])) == own {
				return false
			}
		}
		return true
	}
	switch binary.LittleEndian.Uint32(head) {
	case macho.Magic32:
		return true
	case macho.Magic64:
		return macho.Cpu(binary.LittleEndian.Uint32(head[4:])) != own
	}
	return false
}

// magicFat64 is the magic number of a universal file with offsets of 64 bits.
const magicFat64 = macho.MagicFat + 1

// BundleResources returns the resource directory of the bundle of a program for macOS, by the program's path alone; ""
// if it is in no bundle. spine/core/macos/bundle.c has the same rule.
func BundleResources(program string) string {
	directory := path.Dir(program)
	above := path.Dir(directory)
	switch {
	case path.Base(directory) == "MacOS" && path.Base(above) == "Contents":
		return above + "/Resources"
	case path.Base(above) == "Versions" && strings.HasSuffix(path.Dir(above), ".framework"):
		return directory + "/Resources"
	}
	return ""
}
