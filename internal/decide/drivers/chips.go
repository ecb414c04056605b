package drivers

import (
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

//go:embed chips.txt
var chipLines string

// Chip describes a kind of chip.
type Chip struct {
	Name   string // for people
	Driver string // the family of Mesa's driver; "": no Vulkan driver exists
	Mesa   string // the first release of Mesa that serves it; "": none does
	Kernel string // the first Linux with a driver for it; "": any in use

	Maker       bool   // the maker has a driver outside of Mesa
	First, Last string // the releases of that driver that serve it; "": no bound
	Open        bool   // only the open kernel modules of that driver serve it

	Offers []Offer // the limits of its last drivers; none: drivers for it still gain features
}

// Suite is a source of newer packages for a release of a distribution.
type Suite struct {
	Name         string
	Mesa, Kernel string
	Of           string // the release of the distribution that has the same packages
}

// chipRange is a range of devices of one vendor.
type chipRange struct {
	vendor, first, last uint32
	chip                *Chip
}

// chipName is a name of the device tree, "*" and "?" for anything.
type chipName struct {
	pattern string
	chip    *Chip
}

// chipTable is the parsed text.
type chipTable struct {
	chips  map[string]*Chip
	pci    []chipRange
	of     []chipName
	suites map[string]Suite // by "ID VERSION"
	lacks  map[string][]string
	wrong  []string // lines that are not understood
}

// knownChips returns the table, read at the first call: nothing runs when the package is imported.
func knownChips() *chipTable {
	chipsOnce.once.Do(func() { chipsOnce.table = readChips(chipLines) })
	return chipsOnce.table
}

var chipsOnce struct {
	once  sync.Once
	table *chipTable
}

// readChips reads lines as chips.txt describes them.
func readChips(text string) *chipTable {
	t := &chipTable{chips: map[string]*Chip{}, suites: map[string]Suite{}, lacks: map[string][]string{}}
	for _, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		understood := true
		switch kind {
		case "", "#":
		case "chip":
			understood = t.readChip(columnsOf(rest))
		case "pci":
			understood = t.readPCI(strings.Fields(rest))
		case "of":
			understood = t.readCompatible(strings.Fields(rest))
		case "last":
			understood = t.readLast(columnsOf(rest))
		case "suite":
			words := strings.Fields(rest)
			if understood = len(words) == 6; understood {
				t.suites[words[0]+" "+words[1]] = Suite{words[2], words[3], words[4], words[5]}
			}
		case "lacks":
			words := strings.SplitN(rest, " ", 3)
			if understood = len(words) == 3; understood {
				t.lacks[words[0]+" "+strings.TrimPrefix(words[1], "-")] = strings.Split(words[2], ", ")
			}
		default:
			understood = false
		}
		if !understood {
			t.wrong = append(t.wrong, line)
		}
	}
	return t
}

// columnsOf returns the columns of a line, between "|"; "-" is an empty one.
func columnsOf(line string) []string {
	columns := strings.Split(line, "|")
	for i, c := range columns {
		if columns[i] = strings.TrimSpace(c); columns[i] == "-" {
			columns[i] = ""
		}
	}
	return columns
}

func (t *chipTable) readChip(columns []string) bool {
	if len(columns) != 7 {
		return false
	}
	c := &Chip{Name: columns[1], Driver: columns[2], Mesa: columns[3], Kernel: columns[4]}
	if c.Driver == "none" {
		c.Driver = ""
	}
	columns[5], c.Open = strings.CutSuffix(columns[5], " open")
	c.First, c.Last, c.Maker = strings.Cut(columns[5], "..")
	t.chips[columns[0]] = c
	return c.Name != "" && (c.Maker || columns[5] == "")
}

// readLast reads the columns of a line "last".
func (t *chipTable) readLast(columns []string) bool {
	if len(columns) != 5 || t.chips[columns[0]] == nil || columns[1] == "" || columns[3] == "" {
		return false
	}
	c := t.chips[columns[0]]
	c.Offers = append(c.Offers,
		Offer{Driver: columns[1], Release: columns[2], API: columns[3], Lacks: strings.Fields(columns[4])})
	return true
}

func (t *chipTable) readPCI(words []string) bool {
	if len(words) < 3 || t.chips[words[1]] == nil {
		return false
	}
	vendor, ok := hexadecimal(words[0])
	for _, word := range words[2:] {
		from, to, isRange := strings.Cut(word, "-")
		first, good := hexadecimal(from)
		last := first
		if isRange {
			var end bool
			last, end = hexadecimal(to)
			good = good && end
		}
		ok = ok && good && first <= last
		t.pci = append(t.pci, chipRange{vendor, first, last, t.chips[words[1]]})
	}
	return ok
}

func (t *chipTable) readCompatible(words []string) bool {
	if len(words) != 2 || t.chips[words[1]] == nil {
		return false
	}
	t.of = append(t.of, chipName{words[0], t.chips[words[1]]})
	_, err := path.Match(words[0], "")
	return err == nil
}

func hexadecimal(text string) (uint32, bool) {
	number, err := strconv.ParseUint(text, 16, 16)
	return uint32(number), err == nil
}

// ChipByPCI returns the chip of a PCI device; nil: not known.
func ChipByPCI(vendor, device uint32) *Chip {
	for _, p := range knownChips().pci {
		if p.vendor == vendor && p.first <= device && device <= p.last {
			return p.chip
		}
	}
	return nil
}

// ChipByCompatible returns the chip of a device by its name in the device tree; nil: not known.
func ChipByCompatible(name string) *Chip {
	for _, c := range knownChips().of {
		if hit, err := path.Match(c.pattern, name); hit && err == nil {
			return c.chip
		}
	}
	return nil
}

// NewerSuite returns the source of newer packages for a release of a distribution, by ID and VERSION_ID of
// os-release(5); false: none is known.
func NewerSuite(id, version string) (Suite, bool) {
	s, is := knownChips().suites[id+" "+version]
	return s, is
}

// LackedBy returns the families of drivers that a release of a distribution has no package for; version "" means every
// release.
func LackedBy(id, version string) []string {
	all := knownChips().lacks
	return append(append([]string{}, all[id+" "+version]...), all[id+" "]...)
}

// FirstMesa returns the first release of Mesa with a driver for a chip of the table; "": not known.
func FirstMesa(f *Family) (first string) {
	for _, c := range knownChips().chips {
		oldest := first == "" || binary.CompareVersions(c.Mesa, first) < 0
		if c.Driver == f.Name && c.Mesa != "" && oldest {
			first = c.Mesa
		}
	}
	return first
}

// HasVulkan reports whether any Vulkan driver serves the chip.
func (c *Chip) HasVulkan() bool { return c.Driver != "" }

// Serves reports whether a driver serves a device, by the device's kernel driver, vendor and, if known, chip. A device
// of an unknown kind is served by any driver that needs a device. The driver for Intel's older chips serves no other
// chips, though their kernel driver is the same.
func Serves(f *Family, kernel, vendor string, c *Chip) bool {
	if f == nil || f.Name == HASVK && c != nil && c.Driver != HASVK {
		return false
	}
	return f.WorksOn(kernel) || kernel == "" && vendor == "" && !f.Software()
}

// ChipOf finds a device's chip by its PCI numbers, or by the names in its directory in sysfs; nil: not known.
func ChipOf(m *machine.Machine, vendor, device, directory string) *Chip {
	if c := ChipByPCI(PCINumber(vendor), PCINumber(device)); c != nil || directory == "" {
		return c
	}
	text, _ := m.ReadFile(directory + "/uevent")
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasPrefix(name, "OF_COMPATIBLE_") {
			if c := ChipByCompatible(value); c != nil {
				return c
			}
		}
	}
	return nil
}

// VirtioFeatures returns the features of the virtio device in a directory of sysfs, a digit each; "": unknown.
func VirtioFeatures(m *machine.Machine, directory string) string {
	for _, name := range append([]string{""}, m.Names(directory)...) {
		features := m.Text(directory + "/" + name + "/features")
		if (name == "" || strings.HasPrefix(name, "virtio")) && len(features) >= 32 {
			return features
		}
	}
	return ""
}
