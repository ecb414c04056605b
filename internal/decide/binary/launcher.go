package binary

import (
	"debug/elf"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
)

// Launched is the program that a bundle starts: an AppDir, a directory with a program, or a launcher script.
type Launched struct {
	Program string   // its path
	Through []string // the launchers before it, the first one first
	Paths   string   // the value of LD_LIBRARY_PATH that a launcher sets; "": none does
}

// maxLaunchers is the greatest number of launchers that are followed.
const maxLaunchers = 4

// Launch follows the launchers of a bundle to the program that they start. It returns nil for an ordinary program, for a script
// that starts no program beside it, and for a directory with several programs.
func Launch(m *machine.Machine, name string) *Launched {
	l := &Launched{Program: name}
	for range maxLaunchers {
		next, paths := "", ""
		switch info, err := m.Stat(l.Program); {
		case err != nil:
			return nil
		case info.IsDir():
			next = programIn(m, l.Program)
		default:
			next, paths = startedBy(m, l.Program)
		}
		if next == "" || next == l.Program {
			break
		}
		l.Through, l.Program = append(l.Through, l.Program), next
		if paths != "" {
			l.Paths = paths
		}
	}
	if info, err := m.Stat(l.Program); len(l.Through) == 0 || err != nil || info.IsDir() || slices.Contains(l.Through, l.Program) {
		return nil
	}
	return l
}

// programIn returns the launcher or the only program of a directory; "": there is none, or several.
func programIn(m *machine.Machine, directory string) string {
	if m.Exists(directory + "/AppRun") {
		return directory + "/AppRun"
	}
	for _, place := range []string{directory, directory + "/bin", directory + "/usr/bin"} {
		var scripts, programs []string
		for _, name := range m.Names(place) {
			file := place + "/" + name
			info, err := m.Stat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if next, _ := fromScript(m, file); next != "" {
				scripts = append(scripts, file)
			} else if isProgram(m, file) {
				programs = append(programs, file)
			}
		}
		for _, list := range [][]string{scripts, programs} {
			if len(list) == 1 {
				return list[0]
			}
		}
	}
	return ""
}

// isProgram reports whether a file is an ELF program, and no library.
func isProgram(m *machine.Machine, file string) bool {
	f, err := m.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	l, err := ReadELF(f)
	return err == nil && l.Interp != ""
}

// appRunPaths lists the directories of libraries, below an AppDir, that the usual AppRun program puts into LD_LIBRARY_PATH.
var appRunPaths = []string{"usr/lib", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib/i386-linux-gnu", "usr/lib32", "usr/lib64",
	"lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/i386-linux-gnu", "lib32", "lib64"}

// startedBy returns the program that a launcher starts, and its LD_LIBRARY_PATH; "": the file is no launcher.
func startedBy(m *machine.Machine, file string) (program, paths string) {
	if program, paths = fromScript(m, file); program != "" || path.Base(file) != "AppRun" {
		return program, paths
	}
	directory := path.Dir(file)
	for _, name := range m.Names(directory) {
		if !strings.HasSuffix(name, ".desktop") {
			continue
		}
		text, _ := m.ReadFile(directory + "/" + name)
		for _, line := range strings.Split(string(text), "\n") {
			value, is := strings.CutPrefix(strings.TrimSpace(line), "Exec=")
			words := strings.Fields(value)
			if !is || len(words) == 0 {
				continue
			}
			program = directory + "/usr/bin/" + path.Base(strings.Trim(words[0], `"`))
			if !m.Exists(program) {
				return "", ""
			}
			var list []string
			for _, place := range appRunPaths {
				if m.Exists(directory + "/" + place) {
					list = append(list, directory+"/"+place)
				}
			}
			return program, strings.Join(list, ":")
		}
	}
	return "", ""
}

// fromScript returns the program beside a shell script that the script starts, and its LD_LIBRARY_PATH. It executes nothing.
func fromScript(m *machine.Machine, file string) (program, paths string) {
	data, err := m.ReadFile(file)
	text := string(data[:min(len(data), maxScript)])
	line, _, _ := strings.Cut(text, "\n")
	if err != nil || !strings.HasPrefix(line, "#!") || !slices.ContainsFunc(strings.Fields(line[2:]), func(word string) bool {
		return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh"}, path.Base(word))
	}) {
		return "", ""
	}
	s := newScript(m, file)
	s.read(text)
	if s.program == "" || !strings.HasPrefix(s.program, s.root()+"/") || !m.Exists(s.program) {
		return "", ""
	}
	return s.program, s.paths
}

// Image is an AppImage: a program, followed by a file system.
type Image struct {
	Type   int   // 1: an ISO 9660 image, 2: a squashfs
	Offset int64 // of the file system
}

// ReadImage reads the header of an AppImage; nil: the file is none.
func ReadImage(m *machine.Machine, file string) *Image {
	f, err := m.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var head [64]byte
	if n, _ := f.ReadAt(head[:], 0); n < len(head) || string(head[:4]) != elf.ELFMAG || head[8] != 'A' || head[9] != 'I' || head[10] != 1 && head[10] != 2 {
		return nil
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[elf.EI_DATA] == byte(elf.ELFDATA2MSB) {
		order = binary.BigEndian
	}
	image := &Image{Type: int(head[10])}
	if elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS64 { // the table of sections is the last part of the program
		image.Offset = int64(order.Uint64(head[40:])) + int64(order.Uint16(head[58:]))*int64(order.Uint16(head[60:]))
	} else {
		image.Offset = int64(order.Uint32(head[32:])) + int64(order.Uint16(head[46:]))*int64(order.Uint16(head[48:]))
	}
	return image
}
