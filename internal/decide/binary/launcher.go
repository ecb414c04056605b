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
	Program string   // its path, or that of a script that sets variables of an unknown program
	Through []string // the launchers before it, the first one first
	Paths   string   // the value of LD_LIBRARY_PATH that a launcher sets; "": none does

	Variables []Assignment // the other variables that launchers set, in order
}

// maxLaunchers is the greatest number of launchers that are followed.
const maxLaunchers = 4

// Launch follows the launchers of a bundle to the program that they start, and scripts to a program that gets variables
// from them or replaces the shell. It returns nil for an ordinary program, for a script that ends with another program
// and sets no variable for it, and for a directory with several programs.
func Launch(m *machine.Machine, name string) *Launched {
	l := &Launched{Program: name}
	for range maxLaunchers {
		next, paths := "", ""
		var set []Assignment
		switch info, err := m.Stat(l.Program); {
		case err != nil:
			return nil
		case info.IsDir():
			next = programIn(m, l.Program)
		default:
			next, paths, set = startedBy(m, l.Program)
		}
		l.Variables = append(l.Variables, set...)
		if next == "" || next == l.Program {
			break
		}
		l.Through, l.Program = append(l.Through, l.Program), next
		if paths != "" {
			l.Paths = paths
		}
	}
	if info, err := m.Stat(l.Program); len(l.Through)+len(l.Variables) == 0 || err != nil || info.IsDir() ||
		slices.Contains(l.Through, l.Program) {
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
			if next := readScript(m, file); next != nil && next.program != "" {
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

// appRunPaths lists the directories of libraries, below an AppDir, that the usual AppRun program puts into
// LD_LIBRARY_PATH.
var appRunPaths = []string{"usr/lib", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib/i386-linux-gnu",
	"usr/lib32", "usr/lib64",
	"lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/i386-linux-gnu", "lib32", "lib64"}

// startedBy returns the program that a launcher starts, its LD_LIBRARY_PATH, and the other variables that it gets; "":
// the program is unknown, or the file is no launcher.
func startedBy(m *machine.Machine, file string) (program, paths string, set []Assignment) {
	if s := readScript(m, file); s != nil {
		set = s.last.variables
		if program, paths = s.program, s.paths; program == "" && (len(set) > 0 || s.last.ends) {
			program = s.last.program
		}
	}
	if program != "" || path.Base(file) != "AppRun" {
		return program, paths, set
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
				return "", "", set
			}
			var list []string
			for _, place := range appRunPaths {
				if m.Exists(directory + "/" + place) {
					list = append(list, directory+"/"+place)
				}
			}
			return program, strings.Join(list, ":"), set
		}
	}
	return "", "", set
}

// readScript reads a shell script; nil: the file is none. It executes nothing.
func readScript(m *machine.Machine, file string) *script {
	data, err := m.ReadFile(file)
	text := string(data[:min(len(data), maxScript)])
	line, _, _ := strings.Cut(text, "\n")
	if err != nil || !strings.HasPrefix(line, "#!") ||
		!slices.ContainsFunc(strings.Fields(line[2:]), func(word string) bool {
			return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh"}, path.Base(word))
		}) {
		return nil
	}
	s := newScript(m, file)
	s.read(text)
	return s
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
	if n, _ := f.ReadAt(head[:], 0); n < len(head) || string(head[:4]) != elf.ELFMAG || head[8] != 'A' ||
		head[9] != 'I' || head[10] != 1 && head[10] != 2 {
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
