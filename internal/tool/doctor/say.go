package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/settings"
	"vkloader/internal/decide/binary"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// fact is the data of a finding. say returns its sentence. The texts of all facts are in this package's files with "say" in
// the name.
type fact interface{ say() string }

// sentence is a fact without data.
type sentence string

func (s sentence) say() string { return string(s) }

// said returns a formatted sentence.
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

// Formats of facts without a type.
const (
	noName        = "%q is not a valid name of a variable"
	noInterface   = "%s exports none of the functions that the loader looks for"
	anotherLoader = "%s is a Vulkan loader (its SONAME is %s), so the loader skips it" // the loader would search the same manifests again
	namedAs       = "%s is named by %s as well"                                        // a driver, by another manifest
	noLibraryEGL  = withoutEGL + "%s is in no directory that the dynamic linker searches"
	noVendorEGL   = withoutEGL + "no file %s names the driver to EGL"
	withoutEGL    = "no display is set, and without one the driver initializes through EGL: "

	reserved    = "the kernel driver %s reserves it for a virtual machine"
	forbidden   = "%s lacks read or write permission on %s" // a user, a node
	twoVersions = "the kernel's module is %s, the library is %s"
	rivals      = "%s and %s are both for this device"
	noDevice    = "this machine has no device %s"
	noNumber    = "it selects device %d after the default one, and there is %s"
	filteredOut = "%s excludes it"
	notMounted  = "%s is not mounted"
	unlisted    = "it works, but does not list %s"
)

// decided is a finding of the library's decision.
type decided struct{ diag.Diagnostic }

func (d decided) say() string { return plain(d.What, d.Path) }

// plain returns a line of the loader's log as a sentence about the file that it names: without the loader's function, and with a
// pronoun for the file.
func plain(line, file string) string {
	function, text, is := strings.Cut(line, ": ")
	if !is || file == "" || !strings.HasPrefix(function, "loader_") {
		return line
	}
	for _, name := range []string{"Driver's ICD JSON ", "ICD JSON file ", "ICD JSON ", "manifest JSON file ", "Manifest ", ""} {
		text = strings.ReplaceAll(text, name+file+" '", "its '")
		text = strings.ReplaceAll(text, name+file, "it")
	}
	for _, end := range []string{".  Skipping ICD JSON.", ". Skipping ICD JSON.", ". Skipping ICD JSON", " Skipping ICD JSON"} {
		if rest, is := strings.CutSuffix(text, end); is {
			text = rest + "; the loader skips the file"
		}
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// misled is a fault of a variable.
type misled struct {
	environment.Problem
	more    string // where the missing layer or directory is
	further int    // missing files of the same list
}

func (m misled) say() string {
	what := m.What() + m.more
	if m.further > 0 {
		what += "; " + term.Count(m.further, "further file") + " of its list " + term.Either(m.further == 1, "is", "are") + " missing"
	}
	return what
}

// Facts about libraries.
type (
	// unreadable is a library that cannot be read.
	unreadable struct {
		file string
		err  error
	}

	// absent is a library path in a manifest without a file. target is the end of a symbolic link. beside is the library in
	// the directory for another word size.
	absent struct {
		file, target string
		link         bool
		beside       string
		owner        string // the installed package with the file
	}

	// nowhere is a library that the dynamic linker does not find.
	nowhere struct {
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

	// needsUnusable is a library with an unusable dependency: unreadable, or for other programs (err is nil).
	needsUnusable struct {
		by, through string
		opens       bool
		name, file  string
		err         error
	}

	// tooOld is a library without a required symbol version. newest is its newest version.
	tooOld struct{ by, through, version, in, newest string }
)

func (u unreadable) say() string { return fmt.Sprintf("%s: %v", u.file, u.err) }

// forOthers is a library for programs of another word size than wanted. library is the searched name if this file is its
// only match; "" otherwise.
func forOthers(library string, f *binary.File, file string, wanted int) fact {
	if library != "" {
		return said("the only %s is %s, for %d-bit programs on %s; this is for %s", library, file, f.Class, f.MachineName(), programsOf(wanted))
	}
	return said("%s is a library for %d-bit programs on %s, not for %s", file, f.Class, f.MachineName(), programsOf(wanted))
}

// programsOf describes the programs of a word size.
func programsOf(class int) string {
	return term.Either(class == 32, "32-bit programs on x86", "64-bit programs on x86-64")
}

func (a absent) say() string {
	what := term.Either(a.link, fmt.Sprintf("%s is a link to %s, which does not exist", a.file, a.target), a.file+" does not exist")
	what += term.Enclosed("; ", a.beside, " exists")
	return what + ofOwner(a.owner)
}

// ofOwner describes the package that lost a file.
func ofOwner(owner string) string {
	return term.Enclosed("; the package ", owner, ", which is installed, should contain the file")
}

// whoNeeds describes a library and the driver or layer that needs it.
func whoNeeds(by, through string) string {
	if through == "" {
		return by
	}
	return by + ", which " + through + " needs,"
}

// though describes the place where ldconfig would make the dynamic linker find a library.
func though(configured string) string {
	return term.Enclosed(", but ", configured, " exists")
}

func (n nowhere) say() string {
	names, is := n.name, " is"
	if len(n.also) > 0 {
		all := append([]string{n.name}, n.also...)
		names, is = strings.Join(all[:len(all)-1], ", ")+" and "+all[len(all)-1], " are"
	}
	what := names + is
	if n.by != "" {
		verb := term.Either(n.opens, " opens ", " needs ")
		what = whoNeeds(n.by, n.through) + verb + names + ", which" + is
	}
	what += " in no directory that the dynamic linker searches" + though(n.configured)
	for _, file := range n.beside {
		what += "; " + file + " exists"
	}
	return what + ofOwner(n.owner)
}

func (n needsUnusable) say() string {
	verb := term.Either(n.opens, "opens", "needs")
	what := fmt.Sprintf("%s %s %s, and ", whoNeeds(n.by, n.through), verb, n.name)
	if n.err == nil {
		return what + "there is only " + n.file + ", for other programs"
	}
	return fmt.Sprintf("%s%s cannot be read: %v", what, n.file, n.err)
}

func (t tooOld) say() string {
	has := term.Either(t.newest != "", "which has versions up to "+t.newest, "which defines no such version")
	return fmt.Sprintf("%s needs version %s of %s, %s", whoNeeds(t.by, t.through), t.version, t.in, has)
}

// undefined is a library with undefined symbols. atOnce means that the dynamic linker refuses the library.
func undefined(file *binary.File, symbol string, more int, atOnce bool) fact {
	and, from := "", ""
	if more > 0 {
		and = fmt.Sprintf(" and %d more", more)
	}
	if own := slices.DeleteFunc(slices.Clone(file.Needed), ofLibC); len(own) > 0 {
		from = " (" + strings.Join(own[:min(len(own), 3)], ", ") + ")"
	}
	what := said("%s uses %s%s, which no dependency%s defines", file.Path, symbol, and, from)
	if atOnce {
		what += ": the dynamic linker refuses the library"
	}
	return what
}

// ofLibC reports whether a library comes with the C library or the compiler.
func ofLibC(library string) bool {
	return binary.OfCLibrary(library) || strings.HasPrefix(library, "libgcc_s.so")
}

// undriven is a device without a driver.
type undriven struct {
	kernel     string // the kernel driver
	class      int    // the program's word size, if it is not the default
	others     string // the manifest of a driver for the other word size
	otherClass int
	elsewhere  string // a directory with manifests that is not searched
	library    string // a driver's library without a manifest
	lost       string // a manifest missing from an installed package
	lacks      string // the installed package that lacks the driver in this release
}

// nodeless returns the fact that a device has no node, with the sandbox that does not pass the node on.
func (e *deviceExam) nodeless(g *GPU) fact {
	what := sentence("it has no node in /dev/dri")
	for _, name := range e.machine.Names("/dev/dri") {
		if info, err := e.machine.Stat("/dev/dri/" + name); err == nil && info.IsDir() && strings.HasPrefix(name, "renderD") {
			what = sentence("/dev/dri/" + name + " is a directory, not a device: a container tool makes a directory in place of a file that the host does not have")
			return what
		}
	}
	if g.Kernel == "nvidia" {
		missing := slices.DeleteFunc([]string{"/dev/nvidiactl", "/dev/nvidia0"}, e.machine.Exists)
		what = "its node below /dev, nvidia with a number, does not exist"
		if len(missing) > 0 {
			what = sentence(strings.Join(missing, " and ") + term.Either(len(missing) == 1, " does", " do") + " not exist")
		}
	}
	if kind := e.kind("flatpak", "snap", "docker", "podman", "kubernetes", "container"); kind != "" {
		what += sentence(": " + sandboxWords[kind] + " does not pass the node")
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
	what += term.Enclosed("; manifests are in ", u.elsewhere, ", which programs do not search")
	switch {
	case u.lost != "":
		what += "; " + u.lost + " is missing, although its package is installed"
	case u.lacks != "":
		what += "; the package " + u.lacks + " is installed, but contains no driver for the device"
	case u.library != "":
		what += "; its driver " + u.library + " is installed, only the manifest is missing"
	}
	return what
}

// Facts about drivers and programs.
type (
	// driverless is the lack of any driver for programs.
	driverless struct {
		why   lack
		count int    // the number of installed drivers
		class int    // the program's word size
		by    string // the variable that replaces the search or excludes a directory

		manifest string // in that directory, or missing from its package

		elsewhere string // a directory with manifests that is not searched
	}

	// misbehaved is the failure of a driver or layer in a child process. said is the loader's message. with is the layer
	// that is needed for the failure.
	misbehaved struct{ detail, said, with string }

	// hides is a variable that hides a device. others are further ones, with their values.
	hides struct {
		value, detail string
		others        []string
	}
)

// lack is the reason for programs to find no driver.
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
		what = "no driver manifest is in the places that " + d.by + " names"
	case unsearchedPlace:
		what = "no driver manifest is in the directories that are searched; " + d.manifest + " is in a directory that " + d.by + " excludes"
	case lostManifest:
		what = "no driver manifest is in the directories that are searched; " + d.manifest + " is missing, although its package is installed"
	}
	what += term.Enclosed("; manifests are in ", d.elsewhere, ", which programs do not search")
	return what + ", so it fails with VK_ERROR_INCOMPATIBLE_DRIVER"
}

func (h hides) say() string {
	if len(h.others) > 0 {
		return fmt.Sprintf("with the value %q, and with %s, programs fail (%s); without these variables, they work", h.value, strings.Join(h.others, " and "), h.detail)
	}
	return fmt.Sprintf("with the value %q, programs fail (%s); without the variable, they work", h.value, h.detail)
}

func (m misbehaved) say() string {
	text := m.detail
	text += term.Enclosed(", with ", m.with, " alone: each alone does no harm")
	text += term.Enclosed("; the loader says: ", m.said, "")
	return text
}

// overriding is an override layer in force. places are its only search directories for explicit layers.
func overriding(components, places []string) sentence {
	what := "it is in force, and adds " + term.Count(len(components), "layer")
	what += term.Enclosed(": ", strings.Join(components, ", "), "")
	what += term.Enclosed("; explicit layers are searched for only in ", strings.Join(places, ", "), "")
	return sentence(what)
}

// since describes the time at which a file was written; zero: unknown.
func since(written time.Time) sentence {
	if written.IsZero() {
		return ""
	}
	return sentence("; written on " + written.Format("2006-01-02"))
}

// overruling is a settings file in force. ours means that this tool wrote the file, which lasts until expires.
func overruling(s *settings.Settings, ours, changes bool, expires time.Time) sentence {
	var does []string
	if s.ControlsLayers {
		does = append(does, "controls "+term.Count(len(s.Layers), "layer"))
		if !s.Merged() {
			does = append(does, "excludes every other layer")
		}
	}
	if n := len(s.Drivers); n > 0 {
		does = append(does, "adds "+term.Count(n, "driver"))
	}
	if s.Exclusively {
		does = append(does, "excludes every other driver")
	}
	if n := len(s.Devices); n > 0 {
		does = append(does, "orders devices by "+term.Count(n, "configuration"))
	} else if s.HasDevices { // SET-92, SET-93
		does = append(does, "hides every device")
	}
	if s.HasLevel || s.LogFile != "" {
		does = append(does, "sets the log")
	}
	if s.Hardware != settings.AnyHardware || s.Service != settings.ServiceLast || s.Compute != settings.AllLayers {
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

// loaderless is the lack of a loader. own is the tool's loader.
func loaderless(configured, own string) fact {
	what := said("%s is in no directory that the dynamic linker searches%s", loaderName, though(configured))
	what += sentence(term.Enclosed("; this tool's loader is ", own, ""))
	return what
}

// words describes a loader.
func (l *Loader) words() string {
	exactly := term.Enclosed(" (", l.Version, ")")
	return fmt.Sprintf("%s is a loader for Vulkan %s%s", l.File, l.Vulkan, exactly)
}

// bundled is a loader that comes with the program. got means that the program loads it.
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

// ofAbsentDevice is the meaning of a finding about a driver whose device is absent.
const ofAbsentDevice = "The driver is for a device that this machine does not have. The loader cannot load the driver, and skips it."

// Formats of facts about excluded drivers.
const (
	unsearched     = "its driver's manifest is %s, and %s excludes that directory from the search"
	softwareOut    = "%s excludes the software renderer, and no graphics device has a driver: programs get no device"
	unreadableFile = "%s may not be read"
	chosenSoftware = "programs compute on the CPU, because %s names this driver"
	othersChosen   = "%s names the drivers that programs get, and none of these is for the device"
	leftOut        = "its driver %s is excluded by %s"
	unreadableKind = "%s may not be read, so the %s in it are not found" // a manifest directory, or a directory above it
)

// Facts about chips.
const (
	noVulkan   = "it is %s, and no Vulkan driver exists for it"
	needsNewer = "%[2]s needs %[1]s %[3]s; this is %[4]s" // a release of Mesa or Linux
	withoutNVK = "Mesa's driver does not list %s, and the kernel's driver is nouveau"

	// Facts about a virtual machine's device without a driver or without the host's support.
	venusDriverMissing sentence = "it is a virtual machine's device, and no Vulkan driver manifest covers it"
	venusMissing       sentence = "it is a virtual machine's device, and the host does not offer Vulkan to the machine"
)

// opening returns the command that makes a file or directory readable. own means that the user owns it.
func opening(place string, own bool) advice {
	line := "chmod a+rX " + term.Quoted(place)
	if !own {
		return asRoot(line).untried(whileClosed)
	}
	do := typed("", line).untried(whileClosed)
	do.left = "--fix changes no permissions: run the line yourself"
	return do
}

// fromSuite returns advice to install a package from a suite. what names the release in the suite.
func (d *distribution) fromSuite(suite, what, name string) advice {
	if inContainer(d.sandbox) && !d.kept && !strings.HasPrefix(name, "linux-") {
		return typed(suite+" has "+what+". With that repository, in the image's Dockerfile: RUN ", "apt-get update && apt-get install -y -t "+suite+" "+name).untried(ofPackage)
	}
	do := installing("apt install -t " + suite + " " + name)
	do.text = suite + " has " + what + ". With that repository, run as root: " + do.commands[0]
	return do
}

// newerRelease returns advice to update the system when no package is known.
func newerRelease(of, first string) advice {
	return advised("Update the system to a release with " + of + " " + first + " or newer.").untried(ofPackage)
}
