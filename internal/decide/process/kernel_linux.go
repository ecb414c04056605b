package process

import (
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// Kernel reads the processes of a kernel from its proc file system.
type Kernel struct {
	Proc string // "/proc"
}

// Here is the running kernel.
var Here = Kernel{Proc: "/proc"}

// Exists reports whether a process runs. A zombie has ended.
func (k Kernel) Exists(pid int) bool {
	status, err := os.ReadFile(filepath.Join(k.Proc, strconv.Itoa(pid), "status"))
	return err == nil && !strings.Contains(string(status), "\nState:\tZ") &&
		!strings.Contains(string(status), "\nState:\tX")
}

// Look returns one process. The error wraps ErrHidden if the caller may not inspect it.
func (k Kernel) Look(pid int) (*Process, error) {
	p := &Process{PID: pid, directory: filepath.Join(k.Proc, strconv.Itoa(pid))}
	status, err := os.ReadFile(p.file("status"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("process %d does not exist", pid)
	} else if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	p.readStatus(string(status))
	root, program := "", ""
	if root, err = os.Readlink(p.file("root")); err == nil {
		program, err = os.Readlink(p.file("exe"))
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("process %d: %w", pid, ErrHidden)
	} else if err != nil {
		// a thread of the kernel, or an ended process
		return nil, fmt.Errorf("process %d is not a program: %w", pid, err)
	}
	if p.Machine.Root = k.root(p); p.Machine.Root != "" || int(p.User) != os.Geteuid() {
		p.Machine.Bound = &machine.Bound{Of: fmt.Sprintf("process %d", pid)}
	}
	inside := func(path string) string { // of a process below a chroot the kernel tells the whole path
		if rest, below := strings.CutPrefix(path, root+"/"); below && root != "/" {
			return "/" + rest
		}
		return path
	}
	p.Program = inside(strings.TrimSuffix(program, deleted))
	p.Command = split(p.text("cmdline"))
	p.Machine.Environ = split(p.text("environ"))
	p.Started = k.startTime(p.text("stat"))
	p.Class, p.Elevated = 0, secure(p.text("auxv"), encoding.NativeEndian)
	p.Mapped, err = readMappings(p.file("maps"))
	p.NoMaps = err != nil
	for i := range p.Mapped {
		p.Mapped[i].Path = inside(p.Mapped[i].Path)
	}
	p.Class = p.class()
	return p, nil
}

// Family returns a process and its descendants, parents first: at most 256 processes.
func (k Kernel) Family(pid int) []int {
	const most = 256
	family := []int{pid}
	for i := 0; i < len(family); i++ {
		lists, _ := filepath.Glob(filepath.Join(k.Proc, strconv.Itoa(family[i]), "task/*/children"))
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for _, word := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(word); err == nil && len(family) < most {
					family = append(family, child)
				}
			}
		}
	}
	return family
}

// LoadersOf returns the loader files that a process has mapped, without the process's other facts.
func (k Kernel) LoadersOf(pid int) []Mapping {
	p := &Process{PID: pid, directory: filepath.Join(k.Proc, strconv.Itoa(pid))}
	if may, _ := mayHaveLoader(p.file("maps")); !may {
		return nil
	}
	p.Mapped, _ = readMappings(p.file("maps"))
	return p.Loaders()
}

// List returns every process that has a Vulkan loader mapped. hidden is the number of processes that the caller may not
// inspect.
func (k Kernel) List() (found []*Process, hidden int, err error) {
	entries, err := os.ReadDir(k.Proc)
	if err != nil {
		return nil, 0, err
	}
	totals := map[uint32]*machine.Bound{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		// The list of mappings is read first: most processes have no loader.
		may, err := mayHaveLoader(filepath.Join(k.Proc, entry.Name(), "maps"))
		switch {
		case errors.Is(err, fs.ErrPermission):
			hidden++
		case err != nil || !may:
		default:
			if p, err := k.Look(pid); err == nil && len(p.Loaders()) > 0 {
				found = append(found, p)
				if totals[p.User] == nil {
					totals[p.User] = &machine.Bound{}
				}
				if p.Machine.Bound != nil {
					p.Machine.Bound.Total = totals[p.User]
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b *Process) int { return a.PID - b.PID })
	return found, hidden, nil
}

// root returns the directory that stands for the process's "/"; "": the process has the caller's mounts and root.
func (k Kernel) root(p *Process) string {
	same := func(name string) bool {
		mine, err := os.Stat(filepath.Join(k.Proc, "self", name))
		theirs, err2 := os.Stat(p.file(name))
		return err == nil && err2 == nil && os.SameFile(mine, theirs)
	}
	if same("ns/mnt") && same("root") {
		return ""
	}
	return p.file("root")
}

func (p *Process) file(name string) string { return filepath.Join(p.directory, name) }

// text returns the content of one of the kernel's files about the process; "": it cannot be read.
func (p *Process) text(name string) string {
	data, _ := os.ReadFile(p.file(name))
	return string(data)
}

// Entries of the auxiliary vector (getauxval(3)).
const (
	atNull, atSecure = 0, 23
)

// secure reads AT_SECURE from an auxiliary vector: pairs of words, of the process's own word size.
func secure(auxv string, order encoding.ByteOrder) bool {
	data, word := []byte(auxv), 8
	// The first key is a small number. If the first eight bytes are a larger one, they are a 32-bit key and a 32-bit
	// value.
	if len(data) >= 8 && order.Uint64(data) > math.MaxUint32 {
		word = 4
	}
	number := func(at []byte) uint64 {
		if word == 4 {
			return uint64(order.Uint32(at))
		}
		return order.Uint64(at)
	}
	for ; len(data) >= 2*word; data = data[2*word:] {
		switch number(data) {
		case atSecure:
			return number(data[word:]) != 0
		case atNull:
			return false
		}
	}
	return false
}

// ticks is the number of units a second in the kernel's times (USER_HZ), the same on all machines.
const ticks = 100

// startTime returns the start time of a process, from field 22 of /proc/PID/stat. The fields are counted after the last
// ")", because the name may contain any character.
func (k Kernel) startTime(stat string) time.Time {
	at := strings.LastIndexByte(stat, ')')
	fields := strings.Fields(stat[at+1:])
	if at < 0 || len(fields) < 20 {
		return time.Time{}
	}
	since, err := strconv.ParseInt(fields[19], 10, 64)
	if err != nil {
		return time.Time{}
	}
	system, _ := os.ReadFile(filepath.Join(k.Proc, "stat"))
	for _, line := range strings.Split(string(system), "\n") {
		if text, ok := strings.CutPrefix(line, "btime "); ok {
			boot, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if err == nil {
				return time.Unix(boot, 0).Add(time.Duration(since) * time.Second / ticks)
			}
		}
	}
	return time.Time{}
}

// deleted is the kernel's suffix for the name of a deleted file.
const deleted = " (deleted)"

// class returns the word size of the mapped loader, or else of the executable. The loader comes first, because Wine's
// executable may have another word size than the program that it runs.
func (p *Process) class() int {
	for _, m := range p.Loaders() {
		if class := classOf(p.Machine.Open(m.Path)); class != 0 {
			return class
		}
	}
	return classOf(os.Open(p.file("exe")))
}

// classOf returns the word size of an open file, and closes it; 0: it is no library and no executable.
func classOf(f *os.File, err error) int {
	if err != nil {
		return 0
	}
	defer f.Close()
	l, err := binary.ReadELF(f)
	if err != nil {
		return 0
	}
	return l.Class
}
