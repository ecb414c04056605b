package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/settings"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// fact is the data of a finding. say returns its sentence.
type fact interface{ say() string }

// sentence is a fact without data.
type sentence string

func (s sentence) say() string { return string(s) }

// textf returns a formatted sentence.
func textf(format string, values ...any) sentence { return sentence(fmt.Sprintf(format, values...)) }

// Facts that several findings have.
const (
	untaken        sentence = "no kernel driver is bound to it"
	takenByNouveau sentence = "its kernel driver is nouveau, and NVIDIA's Vulkan driver is installed"

	unreadable = "%s may not be read"
	withoutEGL = "%s, and without one the driver initializes through EGL: "
	forbidden  = "%s lacks read or write permission on %s" // a user, a node
	needsNewer = "%[2]s needs %[1]s %[3]s; this is %[4]s"  // a release of Mesa or Linux
)

// misled is a fault of a variable.
type misled struct {
	environment.Problem
	more    string // where the missing layer or directory is
	closed  string // the part of the path that may not be read
	further int    // missing files of the same list
}

func (m misled) say() string {
	what := m.What() + m.more
	if m.further > 0 {
		what += "; " + term.Count(m.further, "further file") + " of its list " +
			term.Either(m.further == 1, "is", "are") + " missing"
	}
	return what
}

// lacking is a fact about a library that programs do not find or cannot load.
type lacking struct {
	sentence
	library string // its name or path
}

// nowhere is a library that the dynamic linker does not find.
type nowhere struct {
	by         string   // the library that needs or opens it; "": the manifest names it
	through    string   // the driver or layer that needs by
	opens      bool     // by opens the library at run time
	name       string   // the library's name
	configured string   // the path where ldconfig would find it
	beside     []string // directories with the library that the dynamic linker does not search
	also       []string // further missing libraries
	places     []string // the dynamic linker's directories
	owner      string   // the installed package with the library
}

// foreignLibrary is a library for other programs, in the words of its standing.
func foreignLibrary(f *binary.File) fact {
	return textf("its library %s is for %d-bit %s programs", f.Path, f.Class, f.MachineName())
}

// ownerText describes the package that lost a file.
func ownerText(owner string) string {
	return term.Enclosed("; the package ", owner, ", which is installed, should contain the file")
}

// whoNeeds describes a library and the driver or layer that needs it.
func whoNeeds(by, through string) string {
	if through == "" {
		return by
	}
	return by + " (needed by " + through + ")"
}

// though describes the place where ldconfig would make the dynamic linker find a library.
func though(configured string) string {
	return term.Enclosed(", but ", configured, " exists")
}

// names returns the names of all libraries that are missing.
func (n nowhere) names() []string {
	return slices.DeleteFunc(append([]string{n.name}, n.also...), func(name string) bool { return name == "" })
}

// enumeration joins names: A, B and C.
func enumeration(names []string) string {
	last := len(names) - 1
	return term.Enclosed("", strings.Join(names[:last], ", "), " and ") + names[last]
}

func (n nowhere) say() string {
	names, is := enumeration(n.names()), term.Either(len(n.also) == 0, " is", " are")
	what := names + is
	if n.by != "" {
		verb := term.Either(n.opens, " opens ", " needs ")
		what = whoNeeds(n.by, n.through) + verb + names + ", which" + is
	}
	what += " in no directory that the dynamic linker searches" + though(n.configured)
	for _, file := range n.beside {
		what += "; " + file + " exists"
	}
	return what + ownerText(n.owner)
}

// unusable is a library that another one needs or opens, as verb says, and that programs cannot use.
func unusable(by, verb string, l *drivers.Library) lacking {
	subject := "it"
	if l.File != nil {
		subject = l.File.Path
	}
	return lacking{textf("%s %s %s, and %s", by, verb, l.Name, l.Why(subject)), l.Name}
}

// tooOld is a library without a version of symbols that another one needs.
func tooOld(by string, old *binary.Old) lacking {
	has := term.Either(old.Newest != "", "which has versions up to "+old.Newest, "which defines no such version")
	return lacking{textf("%s needs version %s of %s, %s", by, old.Version, old.In.Path, has), old.In.Path + " " +
		old.Version}
}

// undefinedSymbol is a library with undefined symbols. atOnce means that the dynamic linker refuses the library.
func undefinedSymbol(file *binary.File, symbol string, more int, atOnce bool) fact {
	and, from := "", ""
	if more > 0 {
		and = fmt.Sprintf(" and %d more", more)
	}
	if own := slices.DeleteFunc(slices.Clone(file.Needed), isOfLibC); len(own) > 0 {
		from = " (" + strings.Join(own[:min(len(own), 3)], ", ") + ")"
	}
	what := textf("%s uses %s%s, which no dependency%s defines", file.Path, symbol, and, from)
	if atOnce {
		what += ": the dynamic linker refuses the library"
	}
	return what
}

// isOfLibC reports whether a library comes with the C library or the compiler.
func isOfLibC(library string) bool {
	return binary.OfCLibrary(library) || strings.HasPrefix(library, "libgcc_s.so")
}

// nodeless returns the fact that a device has no node, with the sandbox that does not pass the node on.
func (e *exam) nodeless(g *GPU) fact {
	what := "it has no node in /dev/dri"
	if file := e.fileForNode(); file != "" && g.Kernel != "nvidia" {
		return textf(
			"%s is a file or directory, not a device: container tools make one in place of a node that the host does not have", file)
	}
	if g.Kernel == "nvidia" {
		missing := e.missingNodes()
		what = "its node below /dev, nvidia with a number, does not exist"
		if len(missing) > 0 {
			what = strings.Join(missing, " and ") + term.Either(len(missing) == 1, " does", " do") + " not exist"
		}
	}
	kind := e.kind("flatpak", "snap", "docker", "podman", "kubernetes", "container")
	if kind == "flatpak" && e.system.holds("granted", nil) {
		return sentence(what + ": Flatpak passes the host's nodes, and the host had none when the program started")
	}
	return sentence(what + term.Enclosed(": ", sandboxWords[kind], " does not pass the node"))
}

// missingNodes returns the missing ones of the nodes that a driver of NVIDIA needs for the first device.
func (h host) missingNodes() []string {
	return slices.DeleteFunc([]string{"/dev/nvidiactl", "/dev/nvidia0"}, h.machine.Exists)
}

var sandboxWords = map[string]string{"flatpak": "the Flatpak sandbox", "snap": "the Snap sandbox",
	"docker": "the container", "podman": "the container", "kubernetes": "the pod", "container": "the container"}

// Facts about drivers and programs.
type (
	// misbehaved is the failure of a driver or layer in a child process. said is the loader's message. with is the
	// layer that is needed for the failure.
	misbehaved struct {
		detail, said, with string
		only               string // the version of the only loader with which it does so
	}

	// hides is a variable that hides a device. others are further ones, with their values.
	hides struct {
		value, detail string
		others        []string
	}
)

func (h hides) say() string {
	return fmt.Sprintf("with the value %q%s, programs fail (%s); without %s, they work", h.value,
		term.Enclosed(", and with ", strings.Join(h.others, " and "), ""),
		h.detail, term.Either(len(h.others) > 0, "these variables", "the variable"))
}

func (m misbehaved) say() string {
	return m.detail + term.Enclosed(", with ", m.with, " alone: each alone does no harm") +
		term.Enclosed("; the loader says: ", m.said, "")
}

// overruling is a settings file in force. ours means that this tool wrote the file, which lasts until expires.
func overruling(s *settings.Settings, ours, changes bool, expires time.Time) sentence {
	var does []string
	add := func(is bool, what string) { does = append(does, term.Either(is, []string{what}, nil)...) }
	add(s.ControlsLayers, "controls "+term.Count(len(s.Layers), "layer"))
	add(s.ControlsLayers && !s.Merged(), "excludes every other layer")
	add(len(s.Drivers) > 0, "adds "+term.Count(len(s.Drivers), "driver"))
	add(s.Exclusively, "excludes every other driver")
	add(len(s.Devices) > 0, "orders devices by "+term.Count(len(s.Devices), "configuration"))
	add(s.HasDevices && len(s.Devices) == 0, "hides every device") // SET-92, SET-93
	add(s.HasLevel || s.LogFile != "", "sets the log")
	add(s.Hardware != settings.AnyHardware, "sets a policy")
	what := sentence("it is in force, but changes nothing")
	if does != nil && (changes || ours) {
		what = sentence("it is in force, and " + strings.Join(does, ", "))
	}
	switch {
	case ours && expires.IsZero():
		what += "; vkloader wrote it, without expiry"
	case ours:
		what += sentence("; vkloader wrote it, and it expires at " + expires.UTC().Format(time.RFC3339))
	}
	return what
}

// loaderless is the lack of a loader. own is the tool's loader.
func loaderless(configured, own string) fact {
	return textf("%s is in no directory that the dynamic linker searches%s%s", loaderName, though(configured),
		term.Enclosed("; this tool's loader is ", own, ""))
}

// words describes a loader.
func (l *Loader) words() string {
	exactly := term.Enclosed(" (", l.Version, ")")
	return fmt.Sprintf("%s is a loader for Vulkan %s%s", l.File, l.Vulkan, exactly)
}
