// Package machines is the table of the machines that the library is built for. machines.txt has the rows; the Makefile
// and the scripts in tools/ read the same file.
package machines

import (
	"debug/elf"
	_ "embed"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Machine is one row.
type Machine struct {
	Target    string // of make, and Debian's name of the architecture
	Name      string // in the protocol of the driver service, and in the tool's output
	ELF       elf.Machine
	Bits      int // of a pointer
	BigEndian bool
	Triplet   string   // of its compiler
	Multiarch string   // Debian's directory of libraries
	GOARCH    string   // "-": Go has no port
	Emulator  string   // of QEMU
	Linkers   []string // glibc's and musl's dynamic linker
	Flags     uint32   // of its ELF files
	Calls     uint32   // type of the relocations of calls; 0: unknown
	Cache     []uint32 // flags of its libraries in glibc's ld.so.cache
	Platforms []string // values of $PLATFORM

	other string // name of the machine with the other word size on the same processors; "-": none
}

// Musl returns the machine's name in the names of musl's files.
func (m Machine) Musl() string {
	return strings.TrimSuffix(strings.TrimPrefix(m.Linkers[1], "/lib/ld-musl-"), ".so.1")
}

//go:embed machines.txt
var table string

var (
	// the table is read at the first call, because importing package discover must not delay a program's start
	once sync.Once
	rows []Machine
)

// All returns the rows in their order.
func All() []Machine {
	once.Do(func() {
		for line := range strings.Lines(table) {
			f := strings.Fields(line)
			if len(f) != 16 || strings.HasPrefix(line, "#") {
				continue
			}
			number, _ := strconv.Atoi(f[2])
			bits, _ := strconv.Atoi(f[3])
			flags, _ := strconv.ParseUint(f[11], 0, 32)
			calls, _ := strconv.Atoi(f[12])
			m := Machine{Target: f[0], Name: f[1], ELF: elf.Machine(number), Bits: bits, BigEndian: f[4] == "big",
				Triplet: f[6], Multiarch: f[7],
				GOARCH: f[8], Emulator: f[9], Linkers: words(f[10]), Flags: uint32(flags), Calls: uint32(calls),
				other: f[14], Platforms: words(f[15])}
			for _, text := range words(f[13]) {
				flags, _ := strconv.ParseUint(text, 0, 32)
				m.Cache = append(m.Cache, uint32(flags))
			}
			rows = append(rows, m)
		}
	})
	return rows
}

func words(field string) []string {
	if field == "-" {
		return nil
	}
	return strings.Split(field, ",")
}

func find(fits func(Machine) bool) (Machine, bool) {
	for _, m := range All() {
		if fits(m) {
			return m, true
		}
	}
	return Machine{}, false
}

// Of returns the row with a target of make; false: there is none.
func Of(target string) (Machine, bool) {
	return find(func(m Machine) bool { return m.Target == target })
}

// Named returns the row with a name; false: there is none.
func Named(name string) (Machine, bool) {
	return find(func(m Machine) bool { return m.Name == name })
}

// examined is the name of the machine that Own returns instead of this one.
var examined atomic.Pointer[string]

// Examine makes Own return another machine's row: the one that a root directory was made for. This process then only
// examines files.
func Examine(name string) { examined.Store(&name) }

// Own returns the row of the machine that this program was built for. Go's one port for 32-bit ARM counts as armhf.
func Own() (Machine, bool) {
	if name := examined.Load(); name != nil {
		return Named(*name)
	}
	return find(func(m Machine) bool { return m.GOARCH == runtime.GOARCH })
}

// Running returns the row of the programs with a word size, 32 or 64, that the processors of this machine run.
func Running(bits int) (Machine, bool) {
	own, known := Own()
	if known && own.Bits != bits {
		return Named(own.other)
	}
	return own, known
}

// OfFiles returns the rows whose ELF files have this processor number and word size.
func OfFiles(number elf.Machine, bits int) []Machine {
	return slices.DeleteFunc(slices.Clone(All()), func(m Machine) bool { return m.ELF != number || m.Bits != bits })
}
