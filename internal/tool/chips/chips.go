package chips

import (
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed chips.txt
var text string

// Chip is what is known of a kind of chip.
type Chip struct {
	Name   string // for people
	Driver string // the family of Mesa's driver; "": no Vulkan driver exists
	Mesa   string // the first release of Mesa that serves it; "": none does
	Kernel string // the first Linux whose driver takes it; "": any that is in use
	Note   string // what else has to be

	Maker       bool   // the maker has a driver outside of Mesa
	First, Last string // the releases of that driver that serve it; "": no bound
}

// Suite is where a release of a distribution has newer packages.
type Suite struct {
	Name         string
	Mesa, Kernel string
	Of           string // the release of the distribution that has the same packages
}

// pci is a range of devices of one vendor.
type pci struct {
	vendor, first, last uint32
	chip                *Chip
}

// compatible is a name of the device tree, "*" and "?" for anything.
type compatible struct {
	pattern string
	chip    *Chip
}

// table is the text, read.
type table struct {
	chips  map[string]*Chip
	pci    []pci
	of     []compatible
	suites map[string]Suite // by "ID VERSION"
	lacks  map[string][]string
	wrong  []string // lines that are not understood
}

// known is the table, read when somebody asks: nothing runs when the package is imported.
func known() *table {
	whole.once.Do(func() { whole.table = read(text) })
	return whole.table
}

var whole struct {
	once  sync.Once
	table *table
}

// read reads lines as chips.txt describes them.
func read(text string) *table {
	t := &table{chips: map[string]*Chip{}, suites: map[string]Suite{}, lacks: map[string][]string{}}
	for _, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		understood := true
		switch kind {
		case "", "#":
		case "chip":
			understood = t.readChip(strings.Split(rest, "|"))
		case "pci":
			understood = t.readPCI(strings.Fields(rest))
		case "of":
			understood = t.readCompatible(strings.Fields(rest))
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

func (t *table) readChip(columns []string) bool {
	if len(columns) != 7 {
		return false
	}
	for i, c := range columns {
		if columns[i] = strings.TrimSpace(c); columns[i] == "-" {
			columns[i] = ""
		}
	}
	c := &Chip{Name: columns[1], Driver: columns[2], Mesa: columns[3], Kernel: columns[4], Note: columns[6]}
	if c.Driver == "none" {
		c.Driver = ""
	}
	c.First, c.Last, c.Maker = strings.Cut(columns[5], "..")
	t.chips[columns[0]] = c
	return c.Name != "" && (c.Maker || columns[5] == "")
}

func (t *table) readPCI(words []string) bool {
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
		t.pci = append(t.pci, pci{vendor, first, last, t.chips[words[1]]})
	}
	return ok
}

func (t *table) readCompatible(words []string) bool {
	if len(words) != 2 || t.chips[words[1]] == nil {
		return false
	}
	t.of = append(t.of, compatible{words[0], t.chips[words[1]]})
	_, err := path.Match(words[0], "")
	return err == nil
}

func hexadecimal(text string) (uint32, bool) {
	number, err := strconv.ParseUint(text, 16, 16)
	return uint32(number), err == nil
}

// ByPCI is the chip of a PCI device; nil when it is not known.
func ByPCI(vendor, device uint32) *Chip {
	for _, p := range known().pci {
		if p.vendor == vendor && p.first <= device && device <= p.last {
			return p.chip
		}
	}
	return nil
}

// ByCompatible is the chip of a device by a name that the device tree has for it; nil when it is not known.
func ByCompatible(name string) *Chip {
	for _, c := range known().of {
		if hit, err := path.Match(c.pattern, name); hit && err == nil {
			return c.chip
		}
	}
	return nil
}

// Newer tells where a release of a distribution, by ID and VERSION_ID of os-release(5), has newer packages.
func Newer(id, version string) (Suite, bool) {
	s, is := known().suites[id+" "+version]
	return s, is
}

// Lacks are the families of drivers that the packages of a release of a distribution do not have; version "" stands for
// every release.
func Lacks(id, version string) []string {
	all := known().lacks
	return append(append([]string{}, all[id+" "+version]...), all[id+" "]...)
}

// HasVulkan tells whether any Vulkan driver serves it.
func (c *Chip) HasVulkan() bool { return c.Driver != "" }
