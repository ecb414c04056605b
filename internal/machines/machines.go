// Package machines is the table of the machines that the library is built for. machines.txt has the rows; the Makefile and
// the scripts in tools/ read the same file.
package machines

import (
	"debug/elf"
	_ "embed"
	"runtime"
	"strconv"
	"strings"
	"sync"
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
}

//go:embed machines.txt
var table string

var (
	once sync.Once // a variable without initialization: the programs that import discover start as fast as before
	rows []Machine
)

// All returns the rows in their order.
func All() []Machine {
	once.Do(func() {
		for line := range strings.Lines(table) {
			f := strings.Fields(line)
			if len(f) != 11 || strings.HasPrefix(line, "#") {
				continue
			}
			number, _ := strconv.Atoi(f[2])
			bits, _ := strconv.Atoi(f[3])
			rows = append(rows, Machine{Target: f[0], Name: f[1], ELF: elf.Machine(number), Bits: bits, BigEndian: f[4] == "big", Triplet: f[6],
				Multiarch: f[7], GOARCH: f[8], Emulator: f[9], Linkers: strings.Split(f[10], ",")})
		}
	})
	return rows
}

func find(fits func(Machine) bool) (Machine, bool) {
	for _, m := range All() {
		if fits(m) {
			return m, true
		}
	}
	return Machine{}, false
}

// Of returns the row of a target of make.
func Of(target string) (Machine, bool) {
	return find(func(m Machine) bool { return m.Target == target })
}

// Named returns the row with a name.
func Named(name string) (Machine, bool) {
	return find(func(m Machine) bool { return m.Name == name })
}

// Own returns the row of the machine that this program was built for. Go's one port for 32-bit ARM counts as armhf.
func Own() (Machine, bool) {
	return find(func(m Machine) bool { return m.GOARCH == runtime.GOARCH })
}
