package doctor

import (
	"cmp"
	"debug/elf"
	"debug/macho"
	"io"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/term"
)

// foreignWindows adapts a Windows source to the interface Windows.
type foreignWindows struct{ *systems.Foreign }

// Seen implements Windows.
func (p foreignWindows) Seen(bits string) Windows { return foreignWindows{p.Foreign.For(bits)} }

// foreign is a machine with another system.
type foreign struct{ *systems.Foreign }

// ExamineForeign reports the faults of drivers and layers on a machine with another system, by its files: the findings of
// the decision, and libraries that are missing or have another word size.
func ExamineForeign(source *systems.Foreign, answer *plan.Answer) (*Report, error) {
	if source.System.Name == "windows" {
		return ExamineWindows(foreignWindows{source})
	}
	if source.System.Name == "macos" {
		return ExamineMacOS(source)
	}
	s := foreign{source}
	r := newReport(s.System.Title)
	r.Answer = answer
	for f := range each(answer.Diagnostics) {
		if f.Code == diag.DriverUsed || f.Code == diag.LayerActive || f.Code == diag.LayerInactive || f.Code == diag.LocationMissing {
			continue // the normal state, no finding
		}
		r.takenOver(f)
	}
	r.modules(answer, func(m Module, _ required) Module { return s.module(r, m) })
	if len(answer.Drivers) == 0 {
		r.takenOver(&diag.Diagnostic{Code: diag.DriverNone, Subject: s.System.Title, What: string(noDriverFound)})
	}
	r.judge = verdictOfFiles
	return r.finish(), nil
}

// required are the functions of which a library exports at least one, and the code of a library without them.
type required struct {
	code      Code
	functions []string
}

// ofDriver and ofLayer are the functions by which a loader finds those of a driver and of a layer.
var (
	ofDriver = required{DriverInterface, []string{"vk_icdGetInstanceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion", "vkGetInstanceProcAddr"}}
	ofLayer  = required{LayerInterface, []string{"vkNegotiateLoaderLayerInterfaceVersion", "vkGetInstanceProcAddr"}}
)

// examineWith returns the library of one manifest, as examined by a function.
func (n Named) examineWith(examine func(Module, required) Module) Module {
	is := ofDriver
	if n.Layer {
		is = required{ofLayer.code, []string{cmp.Or(n.Negotiate, ofLayer.functions[0]), cmp.Or(n.GetInstance, ofLayer.functions[1])}}
	}
	return examine(Module{Name: n.Name, Manifest: n.Manifest, Library: n.Library, Used: true}, is)
}

// verdictOfFiles returns the report in one line.
func verdictOfFiles(r *Report) string {
	switch {
	case !r.someGood():
		return "Vulkan will not work: no driver with an existing library was found."
	case r.Has(diag.Problem):
		return "Vulkan should work, but there are problems."
	}
	return "No problems found in the files."
}

// module examines the library of a driver or layer.
func (s foreign) module(r *Report, m Module) Module {
	if s.System.Opening.Asks(systems.Service) { // a service provides the driver; files tell nothing about it
		m.Good = true
		return m
	}
	at, place := "", ""
	for _, candidate := range s.candidates(m.Library) {
		if p, ok := s.Place(candidate); ok && s.Machine.Exists(p) {
			at, place = candidate, p
			break
		}
	}
	if at == "" {
		r.add(LibraryMissing, m.Name, m.Library, textf(notThere, m.Library), nil)
		return m
	}
	m.File = at
	bits, ok := s.bits(place)
	switch {
	case !ok:
		r.add(LibraryUnreadable, m.Name, at, textf("%s is no library of %s", at, s.System.Title), nil)
	case bits != s.Bits:
		r.add(LibraryForeign, m.Name, at, textf("%s is for %s-bit programs, and not for %s-bit programs", at, bits, s.Bits), nil)
	default:
		m.Good = true
	}
	return m
}

// candidates returns the possible paths of a library: its path, or a bare name in each directory that the system searches.
func (s foreign) candidates(library string) []string {
	if strings.Contains(library, "/") {
		return []string{library}
	}
	lib := term.Either(s.Bits == "64", "lib64/", "lib/")
	return term.Words([]string{"/usr/local/lib/", "/usr/lib/", "/lib/", "/system/" + lib, "/vendor/" + lib, "/usr/pkg/lib/"},
		func(directory string) string { return directory + library })
}

// bits returns the word size of a library; false if the file is no library of the system.
func (s foreign) bits(place string) (string, bool) {
	file, err := s.Machine.Open(place)
	if err != nil {
		return "", false
	}
	defer file.Close()
	return bitsOf(s.System.Name, file, s.Bits)
}

// bitsOf reads a library's header. For a universal library it returns wanted if the library contains that word size.
func bitsOf(system string, file io.ReaderAt, wanted string) (string, bool) {
	switch system {
	case "macos":
		if fat, err := macho.NewFatFile(file); err == nil {
			word := ""
			for _, a := range fat.Arches {
				if word = machoBits(a.Magic); word == wanted {
					break
				}
			}
			return word, true
		}
		f, err := macho.NewFile(file)
		if err != nil {
			return "", false
		}
		return machoBits(f.Magic), true
	}
	f, err := elf.NewFile(file)
	if err != nil {
		return "", false
	}
	return map[elf.Class]string{elf.ELFCLASS64: "64", elf.ELFCLASS32: "32"}[f.Class], true
}

func machoBits(magic uint32) string {
	return term.Either(magic == macho.Magic64, "64", "32")
}
