package doctor

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/tool/term"
)

// Registry keys that loaders read.
const (
	vulkanKey   = `SOFTWARE\Khronos\Vulkan\`
	driversKey  = vulkanKey + "Drivers"
	settingsKey = vulkanKey + "LoaderSettings"
)

// values calls f for every value of the keys that loaders read, once for each view.
func (e *windowsExam) values(f func(at entry, v facts.Value)) {
	for _, hive := range []facts.Hive{facts.LocalMachine, facts.CurrentUser} {
		for i, bits := range e.windows.Views {
			if hive == facts.CurrentUser && i > 0 { // the user's keys have one view
				break
			}
			keys := e.windows.Seen(bits).Elsewhere()
			for _, key := range []string{driversKey, vulkanKey + "ImplicitLayers", vulkanKey + "ExplicitLayers",
				settingsKey} {
				for _, v := range keys.Registry(hive, key).Values {
					if v.Name != "" {
						f(entry{Hive: hive, Bits: bits, Key: key, Name: v.Name}, v)
					}
				}
			}
		}
	}
}

// offerRemoval offers to remove the values that name a manifest and are at a place.
func (e *windowsExam) offerRemoval(f *Finding, manifest string, is func(at entry) bool) {
	e.values(func(at entry, v facts.Value) {
		if is(at) && sameName(v.Name, manifest) {
			f.prefer(windowsChange{entry: at}.remedy())
		}
	})
}

// registry adds findings for values that name missing files or that loaders reject.
func (e *windowsExam) registry() {
	e.values(func(at entry, v facts.Value) {
		code, subject, change := RegistryStale, v.Name, windowsChange{entry: at}
		gone := e.windows.Files && !strings.Contains(v.Name, ";") && !e.windows.Seen(at.Bits).Exists(v.Name)
		switch {
		case at.Hive == facts.CurrentUser && at.Key == driversKey:
			code = RegistryUnread
		case at.Key != settingsKey && v.Data != zero:
			code, subject, change.on = RegistryOff, pathname.Backslash.Base(v.Name), !gone
			if v.Type == facts.RegDWORD && len(v.Data) == len(zero) {
				code = RegistrySwitchedOff
			}
		case !gone || at.Key == settingsKey && !sameName(pathname.Backslash.Base(v.Name), "vk_loader_settings.json"):
			return
		default:
			e.named[v.Name] = true
		}
		f := e.add(code, subject, v.Name, valueIn{at, v.Type, code == RegistryStale}, nil)
		if code != RegistrySwitchedOff {
			f.prefer(change.remedy())
		}
	})
}

// libraries examines the libraries of used drivers and listed layers.
func (e *windowsExam) libraries() {
	e.examineEntries(e.examineLibrary)
	e.sameDrivers()
}

// addNoDriver adds a finding if programs find no driver.
func (e *windowsExam) addNoDriver() {
	if len(e.Answer.Drivers) == 0 {
		e.add(NoDriver, e.windows.Title, "", noDriverFound, nil)
	}
}

// sameDrivers adds a finding for each driver whose library an earlier manifest names, too.
func (e *windowsExam) sameDrivers() {
	for i, d := range e.Drivers {
		first := find(e.Drivers[:i], func(o *Entry) bool {
			return o.Good && o.Used && d.Good && d.Used && sameFile(o.File, d.File)
		})
		if first != nil {
			f := e.add(LibraryTwice, d.Name, d.Manifest, namedTwice(d.File, d.Manifest, first.Manifest), nil)
			e.offerRemoval(f, d.Manifest,
				func(at entry) bool { return at.Key == driversKey && at.Bits == e.windows.Bits })
		}
	}
}

// sameFile reports whether two paths of Windows are the same.
func sameFile(a, b string) bool {
	clean := func(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }
	return sameName(clean(a), clean(b))
}

// examineFile finds and reads the library of a driver or layer. It returns the header, or the finding about its fault.
func (e *windowsExam) examineFile(m *Entry) (l *binary.PE, fault *Finding) {
	m.File = e.place(m.Library)
	h := (*header)(nil)
	if l = e.read(m.File); l != nil {
		h = &header{l.Class, l.Machine, l.Needs, l.Exports}
	}
	lost := term.Either(e.isOfAllSizes(m), nothing, usual)
	return l, e.examineHeader(m, e.windows.Bits, h, textf(noLibrary, m.File), lost)
}

// examineLibrary examines the library of a driver or layer.
func (e *windowsExam) examineLibrary(m *Entry) {
	bits := e.windows.Bits
	switch l, fault := e.examineFile(m); {
	case fault != nil && fault.Code == LibraryMissing:
		e.offerRemoval(fault, m.Manifest, func(at entry) bool { // of a value of an uninstalled program
			return at.Hive == facts.CurrentUser || at.Bits == bits
		})
	case fault != nil && fault.Code == LibraryForeign:
		// from the view of programs that cannot load the library
		e.offerRemoval(fault, m.Manifest, func(at entry) bool {
			return at.Hive == facts.LocalMachine && at.Bits == bits
		})
	case fault == nil:
		if missing := e.missing(m.File, l); len(missing) > 0 {
			what := textf("it needs %s: neither in its directory nor where the system searches",
				strings.Join(missing, ", "))
			e.add(LibraryNeeds, m.Name, m.File, what, nil, term.Either(m.Used, usual, little))
			m.Good = false
		}
	}
}

// isOfAllSizes reports whether programs of every word size read the entry for a driver or layer, and so also the one
// for the other word size: an entry in the user's key, which has one view, or an entry of the Compatibility Pack.
func (e *windowsExam) isOfAllSizes(m *Entry) bool {
	all := e.translates(m)
	e.values(func(at entry, v facts.Value) {
		all = all || at.Hive == facts.CurrentUser && sameName(v.Name, m.Manifest)
	})
	return all
}

// place returns the path of a manifest's library: as written, or, for a bare name, in the system's search directories.
func (e *windowsExam) place(library string) string {
	if base := pathname.Backslash.Base(library); !strings.Contains(base, ".") && base != "" {
		library += ".dll" // as Windows does
	}
	if pathname.Backslash.Directory(library) != "" || strings.Contains(library, ":") {
		if e.windows.Exists(library) {
			return library
		}
		return ""
	}
	directories := e.windows.Directories
	if app := e.windows.App; app != "" {
		directories = append([]string{strings.TrimRight(pathname.Backslash.Directory(app), `\/`)}, directories...)
	}
	for _, directory := range directories {
		if at := directory + `\` + library; e.windows.Exists(at) {
			return at
		}
	}
	return ""
}

func (e *windowsExam) read(file string) *binary.PE {
	f, err := e.windows.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	l, err := binary.ReadPE(f)
	if err != nil {
		return nil
	}
	return l
}

// missing returns the dependencies of a library that are neither in its directory nor in the search directories. It
// returns nothing for a partial copy of a machine. API set names ("api-ms-win-...") are not files.
func (e *windowsExam) missing(file string, l *binary.PE) (list []string) {
	if !e.windows.Whole {
		return nil
	}
	for _, name := range l.Needs {
		small := strings.ToLower(name)
		if strings.HasPrefix(small, "api-ms-") || strings.HasPrefix(small, "ext-ms-") || e.place(name) != "" ||
			e.windows.Exists(pathname.Backslash.Directory(file)+name) {
			continue
		}
		list = append(list, name)
	}
	return list
}

// addLayered adds a finding for a driver that translates to Direct3D 12 and lists the devices of other drivers again.
func (e *windowsExam) addLayered() {
	others := contains(e.Drivers, func(d *Entry) bool { return d.Good && !e.translates(d) })
	for d := range each(e.Drivers) {
		if others && d.Good && e.translates(d) {
			f := e.add(DriverTranslates, d.Name, d.Manifest,
				sentence(
					"it translates to Direct3D 12, and another driver exists: programs may list the same device twice"),
				nil)
			list := d.Name
			if before := e.windows.Var(variables.DriversDisable.Name(), false).Value; before != "" {
				list = before + "," + list
			}
			f.prefer(windowsChange{Change: explain.SetVariable(variables.DriversDisable.Name(), list)}.remedy())
		}
	}
}

func (e *windowsExam) translates(d *Entry) bool {
	return isNamed(strings.ToLower(pathname.Backslash.Base(d.Library)), "translating")
}

// loaders finds the loader that programs get, in the system's directory or in the program's.
func (e *windowsExam) loaders() {
	const name = "vulkan-1.dll"
	system := ""
	if directories := e.windows.Directories; len(directories) > 0 {
		if at := directories[0] + `\` + name; e.windows.Exists(at) {
			system = at
		} else if e.windows.Whole {
			e.add(LoaderAbsent, name, at, textf(notThere, at), nil)
		}
	}
	beside := pathname.Backslash.Directory(e.windows.App) + name
	if e.windows.App == "" || !e.windows.Exists(beside) || sameFile(beside, system) {
		beside = ""
	}
	titles := map[string]string{beside: beside, system: system} // with their versions, makers and signers
	for _, file := range []string{beside, system} {
		if file == "" {
			continue
		}
		l := e.read(file)
		loader := Loader{File: file, Name: name, First: len(e.Loaders) == 0}
		if l != nil {
			loader.Version, loader.Signer, loader.Altered = l.Version, l.Signer, l.Changed
			words := []string{l.Version, l.Company, term.Or(loader.Signature(), "no signature")}
			titles[file] += " (" + strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }),
				", ") + ")"
		}
		e.Loaders = append(e.Loaders, loader)
		switch {
		case l == nil:
			e.add(LoaderDamaged, name, file, textf(noLibrary, file), nil)
		case l.Class != classOf(e.windows.Bits):
			e.add(LoaderDamaged, name, file, textf(otherBits, file, l.Class, e.windows.Bits), nil)
		}
	}
	if beside != "" {
		e.add(LoaderShadows, name, beside,
			sentence("the program gets "+titles[beside]+term.Enclosed(" instead of ", titles[system], "")), nil)
	}
}

// addIgnored adds a finding for variables that have no effect because the loader does not read them.
func (e *windowsExam) addIgnored() {
	if e.Loader == nil || e.Loader.Ours() {
		return
	}
	values := map[string]string{}
	for _, pair := range e.windows.Variables {
		name, value, _ := strings.Cut(pair, "=")
		values[strings.ToUpper(name)] = value // Windows compares names case-insensitively
	}
	e.addIgnoredVariables(func(name string) string { return values[name] })
}

// otherView adds a finding if only programs of one word size get drivers.
func (e *windowsExam) otherView() {
	answer := e.other
	if answer == nil {
		return
	}
	here, there := len(e.Answer.Drivers), len(answer.Drivers)
	if !e.windows.Files {
		here, there = len(e.Answer.Searched[search.Drivers].List), len(answer.Searched[search.Drivers].List)
	}
	switch {
	case here == 0 && there > 0:
		e.add(ViewLacksDriver, e.windows.Bits+"-bit programs", "", textf(viewLacks, e.windows.Bits, e.otherBits), nil)
	case here > 0 && there == 0:
		e.add(ViewLacksDriver, e.otherBits+"-bit programs", "", textf(viewLacks, e.otherBits, e.windows.Bits),
			nil, nothing)
	}
}

// addElevatedFindings adds a finding for the variables and keys that an elevated program ignores.
func (e *windowsExam) addElevatedFindings() {
	process := e.windows.Elsewhere().Process()
	if !process.Known || process.Level < facts.HighIntegrity {
		return
	}
	for f := range each(e.Answer.Diagnostics) {
		if f.Code == diag.VariableElevated {
			e.add(ElevatedVariable, f.Subject, "", sentence(f.What), nil)
		}
	}
	count, acts := 0, false
	e.values(func(at entry, v facts.Value) {
		if at.Hive == facts.CurrentUser && at.Key != driversKey && (v.Data == zero || at.Key == settingsKey) {
			count++
			acts = acts || at.Key != vulkanKey+"ExplicitLayers" && e.windows.Files && e.windows.Exists(v.Name)
		}
	})
	if count > 0 {
		lost := term.Either(acts, something, usual) // other programs get a layer or settings that this one does not
		e.add(ElevatedUserKey, `HKEY_CURRENT_USER\`+strings.TrimSuffix(vulkanKey, `\`), "",
			textf("an elevated program does not read %s there", term.Count(count, "value")), nil, lost)
	}
}

// valueIn is a value of the registry.
type valueIn struct {
	at    entry
	kind  uint32
	stale bool // the value names a missing file
}

const (
	noDriverFound sentence = "no driver is found"

	noLibrary = "%s is not a Windows library"
	viewLacks = "%s-bit programs find no driver; %s-bit programs do"
)

// kinds are the registry's type names in the reg command.
var kinds = map[uint32]string{0: "REG_NONE", 1: "REG_SZ", 2: "REG_EXPAND_SZ", 3: "REG_BINARY", 4: "REG_DWORD",
	5: "REG_DWORD_BIG_ENDIAN", 7: "REG_MULTI_SZ", 11: "REG_QWORD"}

func (v valueIn) say() string {
	kind := cmp.Or(kinds[v.kind], fmt.Sprintf("the type %d", v.kind))
	where := v.at.Hive.String() + `\` + v.at.Key
	if v.at.Hive == facts.LocalMachine {
		where += ", in the view of " + v.at.Bits + "-bit programs"
	}
	text := "a value (" + kind + ") in " + where
	if !v.stale {
		return text
	}
	text = "the file does not exist, and is named by " + text
	file := strings.ToLower(v.at.Name)
	if owner := pairValue("left-by", func(name string) bool { return strings.Contains(file, name) }); owner != "" {
		text += "; a file of this name belongs to " + owner
	}
	return text
}

// Signature describes the signer of the loader; "" for one without a signature. The tool does not check whether the
// system trusts the certificate.
func (l *Loader) Signature() string {
	switch {
	case l.Signer == "":
		return ""
	case l.Altered:
		return "changed since " + l.Signer + " signed it"
	}
	return "signed by " + l.Signer
}
