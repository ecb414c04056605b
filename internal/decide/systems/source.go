package systems

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// Foreign has the facts of a machine with another system.
type Foreign struct {
	System   System
	Machine  machine.Machine // its files; if Root is "" and there is no Tree, there are none
	Keys     *Registry       // the registry of Windows; nil: there are no registry files
	Bits     string          // word size of the program, "32" or "64"
	Elevated bool            // the program has more rights than its user
	Program  string          // its path; "": unknown
	Own      facts.Bundle    // the program's bundle
	Here     bool            // the machine is the running system

	Added    map[string]string // files that count as existing, with their contents, by their clean paths
	Released []string          // files that are treated as without the quarantine attribute
	// on macOS: the processors for which the program may run, named as in package binary; nil: unknown
	Processors []string

	Loader *loaders.Loader // the program's loader, set by Decide

	reads machine.OtherLoader // the loader that reads the facts; nil: this project's loader, which reads all of them
}

// files returns the machine's files.
func (s *Foreign) files() *machine.Source {
	return &machine.Source{Machine: s.Machine, Loader: s.reads, Added: s.Added}
}

// HasFiles reports whether the machine's files are available.
func (s *Foreign) HasFiles() bool { return s.Here || s.Machine.Foreign() }

func (s *Foreign) windows() bool { return s.System.Name == "windows" }

// Var implements facts.Provider. On Windows, names are compared without regard to case, and the core decides which
// variables count (WIN-057). On other systems, secure variables of an elevated program count as unset.
func (s *Foreign) Var(name string, secure bool) facts.Var {
	if secure && s.Elevated && !s.windows() {
		return facts.Var{}
	}
	if s.reads != nil && !s.reads.Reads(name) {
		return facts.Var{}
	}
	if s.windows() {
		for _, pair := range s.Machine.Environ {
			if key, value, ok := strings.Cut(pair, "="); ok && strings.EqualFold(key, name) {
				return facts.Var{Value: value, Set: true}
			}
		}
		return facts.Var{}
	}
	value, set := s.Machine.Lookup(name)
	return facts.Var{Value: value, Set: set}
}

// Directory implements facts.Provider.
func (s *Foreign) Directory(name string) facts.Directory {
	at, ok := s.Place(name)
	if !ok {
		return facts.Directory{}
	}
	return s.files().Directory(at)
}

// File implements facts.Provider.
func (s *Foreign) File(name string) facts.File {
	at, ok := s.Place(name)
	if !ok {
		return facts.File{Status: facts.FileNotOpened}
	}
	return s.files().File(at)
}

// Exists implements facts.Provider.
func (s *Foreign) Exists(name string) bool {
	at, ok := s.Place(name)
	return ok && s.files().Exists(at)
}

// WrongMachine implements facts.Provider. On Windows it compares a library with the word size of the program, on macOS
// with the program's processors. On other systems it returns false.
func (s *Foreign) WrongMachine(name string) bool {
	at, ok := s.Place(name)
	switch {
	case !ok:
		return false
	case s.windows():
		class, _ := strconv.Atoi(s.Bits)
		return s.files().WrongWindowsMachine(at, class)
	case s.System.Name == "macos":
		return s.files().WrongMacMachine(at, s.ProgramProcessors())
	}
	return false
}

// ProgramProcessors returns the processors of macOS for which the program is made. If the machine's processors are
// known, the others are left out. nil: unknown.
func (s *Foreign) ProgramProcessors() []string {
	if s.Program == "" {
		return s.Processors
	}
	file, err := s.Open(s.Program)
	if err != nil {
		return s.Processors
	}
	defer file.Close()
	program, err := binary.ReadMachO(file)
	if err != nil {
		return s.Processors
	}
	all := program.Machines()
	if runs := slices.DeleteFunc(slices.Clone(all),
		func(p string) bool { return !slices.Contains(s.Processors, p) }); len(runs) > 0 {
		return runs
	}
	return all
}

// Exe implements facts.Provider (MAC-022).
func (s *Foreign) Exe() facts.Exe {
	if s.System.Program == "" || s.Program == "" || len(s.Program) > s.System.longest {
		return facts.Exe{}
	}
	return facts.Exe{Path: s.Program, Known: true}
}

// Graphics implements facts.Provider.
func (s *Foreign) Graphics() facts.Graphics { return facts.Graphics{} }

// Service implements facts.Provider.
func (s *Foreign) Service() facts.Service { return facts.Service{State: facts.ServiceNone} }

// Elsewhere implements facts.Provider.
func (s *Foreign) Elsewhere() facts.Elsewhere { return s }

// at returns the location of a machine's path in the given files; false: it has none. On Windows, drive C is the
// directory c, or drive_c as in Wine, or the root if that has a directory Windows. Another drive is the directory named
// by its letter, and a share is unc/SERVER/SHARE. Names of Windows are compared without regard to case.
func (s *Foreign) at(name string) (string, bool) {
	if !s.HasFiles() || name == "" {
		return "", false
	}
	if !s.windows() {
		return path.Join("/", name), true
	}
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "//?/")
	var tops []string
	switch {
	case len(name) > 1 && name[1] == ':':
		letter := name[:1]
		name = name[2:]
		tops = []string{letter}
		if strings.EqualFold(letter, "c") {
			tops = append(tops, "drive_c")
			if _, ok := s.below("/", "Windows"); ok {
				tops = append(tops, "")
			}
		}
	case strings.HasPrefix(name, "//"):
		tops = []string{"unc"}
	default: // a relative path: its directory is unknown
		return "", false
	}
	for _, top := range tops {
		at, found := "/", true
		for _, part := range strings.FieldsFunc(path.Join("/", top, path.Join("/", name)),
			func(r rune) bool { return r == '/' }) {
			if at, found = s.below(at, part); !found {
				break
			}
		}
		if found {
			return at, true
		}
	}
	return "", false
}

// below finds an entry of a directory: the exact name, or else the first name that differs only in case.
func (s *Foreign) below(directory, name string) (string, bool) {
	at := path.Join(directory, name)
	if _, err := s.Machine.Lstat(at); err == nil {
		return at, true
	}
	entries, err := s.Machine.ReadDir(directory)
	if err != nil {
		return "", false
	}
	for _, e := range machine.ByName(entries) {
		if strings.EqualFold(e.Name(), name) {
			return path.Join(directory, e.Name()), true
		}
	}
	return "", false
}

// classes is the key of device classes, below a control set of Windows.
const classes = `\Control\Class\`

// values returns the values of a key.
func (s *Foreign) values(key string) ([]facts.Value, bool) {
	if s.Keys == nil {
		return nil, false
	}
	return s.Keys.Values(key)
}

// Registry implements facts.Elsewhere. A 32-bit program sees its own view of HKEY_LOCAL_MACHINE\SOFTWARE (WIN-038).
func (s *Foreign) Registry(h facts.Hive, key string) facts.Key {
	if rest, ok := strings.CutPrefix(key, `SOFTWARE\`); ok && s.Bits == "32" && h == facts.LocalMachine {
		key = `SOFTWARE\WOW6432Node\` + rest
	}
	values, ok := s.values(h.String() + `\` + key)
	return facts.Key{Opened: ok, Values: values}
}

// Adapters implements facts.Elsewhere. No file has the kernel's answer, so the status is AdaptersUnknown. The core then
// reads the devices' keys, which have the same values.
func (s *Foreign) Adapters(string) facts.Adapters {
	return facts.Adapters{Status: facts.AdaptersUnknown}
}

// class returns the software keys of a device class, by their paths.
func (s *Foreign) class(guid string) (keys []string) {
	if s.Keys == nil {
		return nil
	}
	for _, set := range []string{"CurrentControlSet", "ControlSet001"} {
		top := `HKEY_LOCAL_MACHINE\SYSTEM\` + set + classes + guid
		for _, name := range s.Keys.Below(top) {
			if len(name) == 4 && strings.Trim(name, "0123456789") == "" {
				keys = append(keys, top+`\`+name)
			}
		}
		if keys != nil {
			break
		}
	}
	return keys
}

// Devices implements facts.Elsewhere. No registry file has the device tree. Every display device in the registry
// therefore counts as present, and every software component as a child of the last device.
func (s *Foreign) Devices(name string) facts.Devices {
	all := facts.Devices{Listed: s.Keys != nil}
	for _, guid := range []string{windows.DisplayClass, windows.ComponentClass} {
		for _, key := range s.class(guid) {
			d := facts.Device{ID: key[strings.LastIndexByte(key, '{'):], Child: guid == windows.ComponentClass,
				Class: guid, Value: facts.SoftwareNoValue}
			values, _ := s.values(key)
			for _, v := range values {
				if strings.EqualFold(v.Name, name) {
					d.Value, d.Type, d.Data = facts.SoftwareValue, v.Type, v.Data
				}
			}
			if !d.Child || len(all.List) > 0 {
				all.List = append(all.List, d)
			}
		}
	}
	return all
}

// Packages implements facts.Elsewhere: store packages are in the system's directory for them.
func (s *Foreign) Packages(family string) (paths []string) {
	const store = `C:\Program Files\WindowsApps`
	at, ok := s.Place(store)
	if !ok {
		return nil
	}
	entries, err := s.Machine.ReadDir(at)
	if err != nil {
		return nil
	}
	name, publisher, _ := strings.Cut(family, "_")
	for _, e := range machine.ByName(entries) {
		if strings.HasPrefix(e.Name(), name+"_") && strings.HasSuffix(e.Name(), "_"+publisher) {
			paths = append(paths, store+`\`+e.Name())
		}
	}
	return paths
}

// DXGI implements facts.Elsewhere: the vendors of the display devices, or all vendors if the registry names none.
func (s *Foreign) DXGI() facts.DXGI {
	all := facts.DXGI{Made: true}
	var ids []string
	for _, key := range s.class(windows.DisplayClass) {
		values, _ := s.values(key)
		for _, v := range values {
			if id := strings.ToLower(v.Data); strings.EqualFold(v.Name, "MatchingDeviceId") &&
				strings.HasPrefix(id, `pci\ven_`) && len(id) >= 12 {
				ids = append(ids, id[8:12])
			}
		}
	}
	if ids == nil {
		ids = []string{"1002", "10de", "8086"}
	}
	// the vendors that the core compares drivers with (WIN-039)
	vendors := map[string]uint32{"8086": 0x8086, "10de": 0x10de, "1002": 0x1002}
	for _, id := range ids {
		if number, ok := vendors[id]; ok &&
			!slices.ContainsFunc(all.List, func(d facts.Display) bool { return d.Vendor == number }) {
			all.List = append(all.List, facts.Display{Vendor: number})
		}
	}
	return all
}

// Process implements facts.Elsewhere.
func (s *Foreign) Process() facts.Process {
	level := uint32(0x2000)
	if s.Elevated {
		level = facts.HighIntegrity
	}
	return facts.Process{Known: true, Level: level, WOW64: s.Bits == "32"}
}

// Bundle implements facts.Elsewhere.
func (s *Foreign) Bundle() facts.Bundle { return s.Own }
