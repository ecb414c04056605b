package doctor

import (
	"fmt"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/settings"
	"vkloader/internal/decide/binary"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// fact is what was found, as values; say makes the sentence. The words of all facts stand in this package's files of that name.
type fact interface{ say() string }

// sentence is a fact of which nothing is asked but its words.
type sentence string

func (s sentence) say() string { return string(s) }

// said is a sentence with values in it.
func said(format string, values ...any) sentence { return sentence(fmt.Sprintf(format, values...)) }

// Facts without values.
const (
	displayOnly    sentence = "it only drives displays, and does not render"
	untaken        sentence = "no kernel driver is bound to it"
	takenByRadeon  sentence = "its kernel driver is radeon, and Vulkan drivers need amdgpu"
	takenByNouveau sentence = "its kernel driver is nouveau, and NVIDIA's Vulkan driver is installed"
	asleep         sentence = "it sleeps to save power, and every program that lists devices wakes it"
	notServed      sentence = "no graphics device has a working driver: programs compute on the CPU"
	foundTwice     sentence = "the manifest is found twice"
)

// Facts with values, of which nothing else is asked.
const (
	noName        = "%q is not a valid name of a variable"
	noInterface   = "%s exports none of the functions that the loader looks for"
	anotherLoader = "%s is a Vulkan loader (its SONAME is %s), so the loader leaves it out" // it would read the same manifests again
	namedAs       = "%s is named by %s as well"                                             // a driver, by another manifest
	noLibraryEGL  = withoutEGL + "%s is in no directory that the dynamic linker searches"
	noVendorEGL   = withoutEGL + "no file %s names the driver to EGL"
	withoutEGL    = "no display is set, and without one the driver initializes through EGL: "

	reserved    = "the kernel driver %s reserves it for a virtual machine"
	forbidden   = "%s lacks read or write permission on %s" // a user, a node
	twoVersions = "the kernel's module is %s, the library is %s"
	rivals      = "%s and %s are both for it"
	noDevice    = "no device here is %s"
	noNumber    = "it selects device %d after the default one, and there is %s"
	filteredOut = "%s leaves it out"
	unlisted    = "it loads, and does not list %s"
)

// decided is what the library's decision found.
type decided struct{ diag.Finding }

func (d decided) say() string { return d.What }

// misled is what is wrong with a variable.
type misled struct{ environment.Finding }

func (m misled) say() string { return m.What() }

// Facts about libraries.
type (
	// unreadable is a library that cannot be read.
	unreadable struct {
		file string
		err  error
	}

	// absent is a library that a manifest names by its path; target: it is a link there; beside: the library in the directory
	// for another word size.
	absent struct {
		file, target string
		link         bool
		beside       string
		owner        string // the installed package that it belongs to
	}

	// nowhere is a library that the dynamic linker does not find.
	nowhere struct {
		by         string   // who needs or opens it; "": the manifest names it
		through    string   // the driver or layer that needs who needs it
		opens      bool     // by itself, when it runs
		name       string   // of the library
		configured string   // where ldconfig would find it
		beside     []string // where it lies, in directories that nobody looks into
		also       []string // more names like it
		places     []string // directories of the dynamic linker
		owner      string   // the installed package that it belongs to
	}

	// needsUnusable is a library that needs or opens one that cannot be read, or is for other programs (err nil).
	needsUnusable struct {
		by, through string
		opens       bool
		name, file  string
		err         error
	}

	// tooOld is a library in which a version of symbols is missing; newest: what it has.
	tooOld struct{ by, through, version, in, newest string }
)

func (u unreadable) say() string { return fmt.Sprintf("%s: %v", u.file, u.err) }

// forOthers is a library for other programs than those of a word size, wanted; library is how it was looked for, where only
// this file has its name, and "" otherwise.
func forOthers(library string, f *binary.File, file string, wanted int) fact {
	if library != "" {
		return said("the only %s is %s, for %d-bit programs on %s; this is for %s", library, file, f.Class, f.MachineName(), programsOf(wanted))
	}
	return said("%s is a library for %d-bit programs on %s, not for %s", file, f.Class, f.MachineName(), programsOf(wanted))
}

// programsOf are the programs of a word size, in words.
func programsOf(class int) string {
	if class == 32 {
		return "32-bit programs on x86"
	}
	return "64-bit programs on x86-64"
}

func (a absent) say() string {
	what := a.file + " does not exist"
	if a.link {
		what = fmt.Sprintf("%s is a link to %s, which does not exist", a.file, a.target)
	}
	if a.beside != "" {
		what += "; " + a.beside + " exists"
	}
	return what + ofOwner(a.owner)
}

// ofOwner says that a file is gone from a package.
func ofOwner(owner string) string {
	if owner == "" {
		return ""
	}
	return "; the package " + owner + ", which is installed, should have it"
}

// whoNeeds is a library in words, with the driver or layer that needs it.
func whoNeeds(by, through string) string {
	if through == "" {
		return by
	}
	return by + ", which " + through + " needs,"
}

// though says where a library lies that the dynamic linker would find after ldconfig.
func though(configured string) string {
	if configured == "" {
		return ""
	}
	return ", though " + configured + " exists"
}

func (n nowhere) say() string {
	what := n.name + " is"
	if n.by != "" {
		verb := " needs "
		if n.opens {
			verb = " opens "
		}
		what = whoNeeds(n.by, n.through) + verb + n.name + ", which is"
	}
	what += " in no directory that the dynamic linker searches" + though(n.configured)
	for _, file := range n.beside {
		what += "; " + file + " exists"
	}
	for _, name := range n.also {
		what += "; so is " + name
	}
	return what + ofOwner(n.owner)
}

func (n needsUnusable) say() string {
	verb := "needs"
	if n.opens {
		verb = "opens"
	}
	what := fmt.Sprintf("%s %s %s, and ", whoNeeds(n.by, n.through), verb, n.name)
	if n.err == nil {
		return what + "there is only " + n.file + ", for other programs"
	}
	return fmt.Sprintf("%s%s cannot be read: %v", what, n.file, n.err)
}

func (t tooOld) say() string {
	has := "which defines no such version"
	if t.newest != "" {
		has = "which has versions up to " + t.newest
	}
	return fmt.Sprintf("%s needs version %s of %s, %s", whoNeeds(t.by, t.through), t.version, t.in, has)
}

// undefined is a library with symbols that nothing defines; atOnce: the dynamic linker refuses the library.
func undefined(file, symbol string, more int, atOnce bool) fact {
	and := ""
	if more > 0 {
		and = fmt.Sprintf(" and %d more", more)
	}
	what := said("%s uses %s%s, which none of its libraries defines", file, symbol, and)
	if atOnce {
		what += ": the dynamic linker refuses it"
	}
	return what
}

// undriven is a device for which there is no driver.
type undriven struct {
	kernel     string // its driver of the kernel
	class      int    // of the program, where it is the rare one
	others     string // a manifest of a driver for programs of the other word size
	otherClass int
	elsewhere  string // a directory that has manifests and is not searched
	library    string // of a driver for it, which no manifest names
	lost       string // a manifest that is gone from an installed package
	lacks      string // the installed package that should have the driver and has not
}

// nodeless is a device without a node; sandbox: what does not pass it on.
func nodeless(nvidia bool, sandbox string) fact {
	what := sentence("it has no node in /dev/dri that a driver could open")
	if nvidia {
		what = "/dev/nvidiactl and /dev/nvidia0 are not there"
	}
	if sandbox != "" {
		what += sentence(": " + sandboxWords[sandbox] + " does not pass it on")
	}
	return what
}

var sandboxWords = map[string]string{"flatpak": "the Flatpak sandbox", "snap": "the Snap sandbox",
	"docker": "the container",
	"podman": "the container", "kubernetes": "the pod", "container": "the container"}

func (u undriven) say() string {
	what := "its kernel driver is " + u.kernel + ", but no Vulkan driver manifest covers this device"
	if u.kernel == "" {
		what = "no Vulkan driver manifest covers a graphics device"
	}
	if u.class != 0 {
		what = fmt.Sprintf("this is a %d-bit program, and there is no %d-bit driver for the device", u.class, u.class)
	}
	if u.others != "" {
		what += fmt.Sprintf("; %s is for %d-bit programs only", u.others, u.otherClass)
	}
	if u.elsewhere != "" {
		what += "; manifests are in " + u.elsewhere + ", which programs do not search"
	}
	switch {
	case u.lost != "":
		what += "; " + u.lost + " is gone from its package, which is installed"
	case u.lacks != "":
		what += "; the package " + u.lacks + " is installed and has no driver for it"
	case u.library != "":
		what += "; its driver " + u.library + " is installed, only the manifest is missing"
	}
	return what
}

// Facts about drivers and programs.
type (
	// driverless is that programs find no driver.
	driverless struct {
		why   lack
		count int    // of drivers that are there
		class int    // of the program
		by    string // the variable that replaces the search, or leaves a directory out

		manifest string // in that directory, or gone from its package

		elsewhere string // a directory that has manifests and is not searched
	}

	// misbehaved is what became of a driver or layer in a child; said: the loader's own message; with: the layer that it needs
	// for that.
	misbehaved struct{ detail, said, with string }

	// hides is a variable without which a device is there.
	hides struct{ value, detail string }
)

// lack is why programs find no driver.
type lack uint8

const (
	noManifest lack = iota
	allBad
	allPortability
	allOff
	wrongClass
	replacedSearch
	unsearchedPlace
	lostManifest
)

func (d driverless) say() string {
	what := "no driver manifest is in the directories that are searched"
	switch d.why {
	case allBad:
		if what = "none of " + term.Count(d.count, "driver") + " can be loaded"; d.count == 1 {
			what = "the only driver cannot be loaded"
		}
	case allPortability:
		if what = "all " + term.Count(d.count, "driver") + " found are portability drivers"; d.count == 1 {
			what = "the only driver found is a portability driver"
		}
		return what + ", so it fails with VK_ERROR_INCOMPATIBLE_DRIVER unless the program enables VK_KHR_portability_enumeration"
	case allOff:
		what = term.Count(d.count, "driver") + " found, each switched off by a variable"
	case wrongClass:
		what = fmt.Sprintf("this is a %d-bit program, and there is no %d-bit driver", d.class, d.class)
	case replacedSearch:
		what = "no driver manifest is where " + d.by + " says"
	case unsearchedPlace:
		what = "no driver manifest is in the directories that are searched; " + d.manifest + " is in a directory that " + d.by + " leaves out"
	case lostManifest:
		what = "no driver manifest is in the directories that are searched; " + d.manifest + " is gone, though its package is installed"
	}
	if d.elsewhere != "" {
		what += "; manifests are in " + d.elsewhere + ", which programs do not search"
	}
	return what + ", so it fails with VK_ERROR_INCOMPATIBLE_DRIVER"
}

func (h hides) say() string {
	return fmt.Sprintf("with the value %q, programs fail (%s); without the variable, they work", h.value, h.detail)
}

func (m misbehaved) say() string {
	text := m.detail
	if m.with != "" {
		text += ", with " + m.with + " alone: each of the two without the other does no harm"
	}
	if m.said != "" {
		text += "; the loader says: " + m.said
	}
	return text
}

// overriding is an override layer in force; places: where alone explicit layers are looked for.
func overriding(components, places []string) sentence {
	what := "it is in force and adds " + term.Count(len(components), "layer")
	if len(components) > 0 {
		what += ": " + strings.Join(components, ", ")
	}
	if len(places) > 0 {
		what += "; explicit layers are looked for in " + strings.Join(places, ", ") + " and nowhere else"
	}
	return sentence(what)
}

// since says when a file was written; zero: it is not known.
func since(written time.Time) sentence {
	if written.IsZero() {
		return ""
	}
	return sentence("; written on " + written.Format("2006-01-02"))
}

// overruling is a settings file in force; ours: this tool has written it, and it lasts until expires.
func overruling(s *settings.Settings, ours, changes bool, expires time.Time) sentence {
	var does []string
	if s.ControlsLayers {
		does = append(does, "controls "+term.Count(len(s.Layers), "layer"))
		if !s.Merged() {
			does = append(does, "keeps every other layer out")
		}
	}
	if n := len(s.Drivers); n > 0 {
		does = append(does, "adds "+term.Count(n, "driver"))
	}
	if s.Exclusively {
		does = append(does, "keeps every other driver out")
	}
	if n := len(s.Devices); n > 0 {
		does = append(does, "orders devices by "+term.Count(n, "configuration"))
	}
	if s.HasLevel {
		does = append(does, "sets what is logged")
	}
	if s.Hardware != settings.AnyHardware || s.Service != settings.ServiceLast {
		does = append(does, "sets a policy")
	}
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

// loaderless is that no loader is found; own: the one that belongs to the tool.
func loaderless(configured, own string) fact {
	what := said("%s is in no directory that the dynamic linker searches%s", loaderName, though(configured))
	if own != "" {
		what += sentence("; the one that belongs to this tool is " + own)
	}
	return what
}

// words are a loader in words.
func (l *Loader) words() string {
	exactly := ""
	if l.Version != "" {
		exactly = " (" + l.Version + ")"
	}
	return fmt.Sprintf("%s is a loader for Vulkan %s%s", l.File, l.Vulkan, exactly)
}

// bundled is a loader that comes with the program; got: the program gets it.
func bundled(l *Loader, got bool) fact {
	what := l.words() + "; it comes with the program"
	if got {
		what += ", and the program loads it"
	}
	return sentence(what)
}

const (
	olderLoader = "%s, and programs get it before %s for Vulkan %s"
	otherLoader = "%s; programs get %s"
)

// ofAbsentDevice is why a finding about a driver matters whose device is not here.
const ofAbsentDevice = "The driver is for a device that this machine does not have. The loader cannot load the driver, and skips it."

// Facts about what keeps a driver from programs.
const (
	unsearched     = "its driver's manifest is %s, and %s leaves that directory out of the search"
	softwareOut    = "%s leaves out the software renderer, and no graphics device has a driver: programs get no device"
	unreadableFile = "%s may not be read"
	chosenSoftware = "programs compute on the CPU, because %s names this driver"
	othersChosen   = "%s names the drivers that programs get, and none of them is for it"
	leftOut        = "its driver %s is left out by %s"
	unreadableKind = "%s may not be read, so the %s in it are not found" // a directory of manifests, or one above it
)

// Facts about chips.
const (
	noVulkan   = "it is %s, and no Vulkan driver exists for it"
	needsNewer = "%[2]s needs %[1]s %[3]s; this is %[4]s" // of Mesa or of Linux
	withoutNVK = "Mesa's driver does not list %s, and the kernel's driver is nouveau"

	// The driver of a virtual machine's device is missing, or what the host has to offer.
	venusDriverMissing sentence = "it is a virtual machine's device, and no Vulkan driver manifest covers it"
	venusMissing       sentence = "it is a virtual machine's device, and the host offers it no Vulkan"
)

// opening gives a file or directory the right to be read; own: it is the user's.
func opening(place string, own bool) advice {
	line := "chmod a+rX " + term.Quoted(place)
	if !own {
		return asRoot(line)
	}
	do := typed("", line)
	do.left = "--fix changes no permissions: run the line yourself"
	return do
}

// fromSuite is a package of a suite of the distribution; what: the release that it has.
func fromSuite(suite, what, name string) advice {
	do := asRoot("apt install -t " + suite + " " + name)
	do.text = suite + " has " + what + ". With that repository, run as root: " + do.commands[0]
	return do
}

// newerRelease is a release of something that no package is known for.
func newerRelease(of, first string) advice {
	return advised("Update the system to a release with " + of + " " + first + " or newer.")
}

// makersDriver is NVIDIA's driver of an older release.
func makersDriver(last string) advice {
	return advised("Install NVIDIA's driver of release " + last + ", which is the last that serves the device.")
}
