package doctor

import "vkloader/internal/diag"

// Code is a stable name of a kind of finding of the doctor; those of the library's decision are diag.Code.
type Code uint8

// Entry is a code's line of the table.
type Entry struct {
	Name      string
	Severity  diag.Severity // the usual one; a finding about what no program uses is a warning at most
	Statement string        // the statement that it goes back to; "" for what lies outside the library
	Means     string        // why it matters
	Do        string        // what to do, where a finding has nothing more exact
}

// Codes.
const (
	none Code = iota
	LibraryMissing
	LibraryUnreadable
	LibraryForeign
	LibraryNeeds
	LibraryVersion
	LibrarySymbol
	LibraryTwice
	DriverInterface
	LayerInterface
	codeCount
)

var table = [codeCount]Entry{
	LibraryMissing: {"library-missing", diag.Problem, "DRV-042",
		"The manifest names a library that is nowhere: the loader skips the driver or layer.",
		"Install the package that has the library, or remove the manifest."},
	LibraryUnreadable: {"library-unreadable", diag.Problem, "DRV-042",
		"The file is no library that could be read: the loader skips the driver or layer.",
		"Install the package of the library again."},
	LibraryForeign: {"library-foreign", diag.Problem, "DRV-041",
		"The library is for programs of another word size or for another processor; this loader skips it.",
		"Install the driver or layer for this architecture."},
	LibraryNeeds: {"library-needs", diag.Problem, "DRV-042",
		"The dynamic linker refuses a library when one that it needs is not there.",
		"Install the package that has the needed library."},
	LibraryVersion: {"library-version", diag.Problem, "DRV-042",
		"The library was built against a newer version of another one than this machine has; the dynamic linker refuses it.",
		"Install versions of the two libraries that belong together."},
	LibrarySymbol: {"library-symbol", diag.Warning, "DRV-044",
		"Nothing that comes with the library defines a symbol that it uses: the program dies at the first use, or the " +
			"dynamic linker refuses the library at once.",
		"Install versions of the libraries that belong together."},
	LibraryTwice: {"library-twice", diag.Warning, "PATH-20",
		"Manifests are not compared: a driver that two of them name is loaded twice, and its devices are listed twice.",
		"Remove one of the manifests, or the variable that adds it."},
	DriverInterface: {"driver-interface", diag.Problem, "DRV-059",
		"A driver has to export vk_icdGetInstanceProcAddr, or the functions of the oldest interface.",
		"Correct library_path in the manifest: it names a library that is no driver."},
	LayerInterface: {"layer-interface", diag.Problem, "LAY-293",
		"A layer has to export vkNegotiateLoaderLayerInterfaceVersion or vkGetInstanceProcAddr.",
		"Correct library_path in the manifest: it names a library that is no layer."},
}

// Entry gives the code's line of the table.
func (c Code) Entry() *Entry { return &table[c] }

func (c Code) String() string { return table[c].Name }

// Codes calls f for every code, in order; the documentation is made of it.
func Codes(f func(Code, *Entry)) {
	for c := none + 1; c < codeCount; c++ {
		f(c, &table[c])
	}
}
