package doctor

import (
	"fmt"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/settings"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/term"
)

// fact is what was found, as values; say makes the sentence, here and nowhere else.
type fact interface{ say() string }

// plain is a fact to which its code adds no values.
type plain uint8

const (
	displayOnly plain = iota
	untaken
	takenByRadeon
	takenByNouveau
	asleep
	notServed
	foundTwice
)

var plainWords = [...]string{
	displayOnly:    "it only drives displays, and does not render",
	untaken:        "no kernel driver is bound to it",
	takenByRadeon:  "its kernel driver is radeon, and Vulkan drivers need amdgpu",
	takenByNouveau: "its kernel driver is nouveau, and NVIDIA's Vulkan driver is installed",
	asleep:         "it sleeps to save power, and every program that lists devices wakes it",
	notServed:      "no graphics device has a working driver: programs compute on the processor",
	foundTwice:     "the manifest is found twice",
}

func (p plain) say() string { return plainWords[p] }

// decided is what the library's decision found.
type decided struct{ diag.Finding }

func (d decided) say() string { return d.What }

// misled is what is wrong with a variable.
type misled struct{ environment.Finding }

func (m misled) say() string { return m.What() }

// stated is a variable in a state that needs looking at.
type stated struct{ environment.Variable }

func (s stated) say() string { return s.Why }

// otherwise is what a process has loaded otherwise than it would now.
type otherwise struct{ process.Difference }

func (o otherwise) say() string { return o.What }

// Facts about libraries.
type (
	// noName is a text where the name of a variable is wanted.
	noName struct{ text string }

	// unreadable is a library that cannot be read.
	unreadable struct {
		file string
		err  error
	}

	// forOthers is a library for other programs than those of a word size.
	forOthers struct {
		library string // as it was looked for, where only this file has its name; "" otherwise
		file    string
		class   int
		machine string
		wanted  int
	}

	// noInterface is a library without the functions that the loader looks for.
	noInterface struct{ file string }

	// anotherLoader is a Vulkan loader that a manifest names as a driver or layer: it would read the same manifests again.
	anotherLoader struct{ file, soname string }

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

	// lacksEGL is what the driver does not find where no display is: a library, or every file of a pattern.
	lacksEGL struct{ library, vendor string }

	// needsUnusable is a library that needs or opens one that cannot be read, or is for other programs (err nil).
	needsUnusable struct {
		by, through string
		opens       bool
		name, file  string
		err         error
	}

	// tooOld is a library in which a version of symbols is missing; newest: what it has.
	tooOld struct{ by, through, version, in, newest string }

	// undefined is a library with symbols that nothing defines.
	undefined struct {
		file, symbol string
		more         int
		atOnce       bool // the dynamic linker refuses the library
	}

	// namedAs is a driver that another manifest names, too.
	namedAs struct{ file, manifest string }
)

func (n noName) say() string { return fmt.Sprintf("%q is not a valid name of a variable", n.text) }

func (u unreadable) say() string { return fmt.Sprintf("%s: %v", u.file, u.err) }

func (f forOthers) say() string {
	if f.library != "" {
		return fmt.Sprintf("the only %s is %s, for %d-bit programs on %s; this is for %s", f.library, f.file, f.class, f.machine,
			programsOf(f.wanted))
	}
	return fmt.Sprintf("%s is a library for %d-bit programs on %s, not for %s", f.file, f.class, f.machine, programsOf(f.wanted))
}

// programsOf are the programs of a word size, in words.
func programsOf(class int) string {
	if class == 32 {
		return "32-bit programs on x86"
	}
	return "64-bit programs on x86-64"
}

func (n noInterface) say() string {
	return n.file + " exports none of the functions that the loader looks for"
}

func (a anotherLoader) say() string {
	return fmt.Sprintf("%s is a Vulkan loader (its SONAME is %s), so the loader leaves it out", a.file, a.soname)
}

func (a absent) say() string {
	what := a.file + " does not exist"
	if a.link {
		what = fmt.Sprintf("%s is a link to %s, which does not exist", a.file, a.target)
	}
	if a.beside != "" {
		what += "; " + a.beside + " is there"
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
	return ", though " + configured + " is there"
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
	what += " in no directory of the dynamic linker" + though(n.configured)
	for _, file := range n.beside {
		what += "; " + file + " is there"
	}
	for _, name := range n.also {
		what += "; so is " + name
	}
	return what + ofOwner(n.owner)
}

func (l lacksEGL) say() string {
	const what = "no display is set, and without one the driver initializes through EGL: "
	if l.library != "" {
		return what + l.library + " is in no directory of the dynamic linker"
	}
	return what + "no file " + l.vendor + " names the driver to EGL"
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
	return fmt.Sprintf("%s wants version %s of %s, %s", whoNeeds(t.by, t.through), t.version, t.in, has)
}

func (u undefined) say() string {
	and := ""
	if u.more > 0 {
		and = fmt.Sprintf(" and %d more", u.more)
	}
	what := fmt.Sprintf("%s uses %s%s, which none of its libraries defines", u.file, u.symbol, and)
	if u.atOnce {
		what += ": the dynamic linker refuses it"
	}
	return what
}

func (n namedAs) say() string { return n.file + " is named by " + n.manifest + " as well" }

// Facts about devices.
type (
	// reserved is a device that a driver of the kernel keeps for virtual machines.
	reserved struct{ kernel string }

	// nodeless is a device without a node; sandbox: what does not pass it on.
	nodeless struct {
		nvidia  bool
		sandbox string
	}

	// forbidden is a node that a user may not open.
	forbidden struct{ user, node string }

	// undriven is a device for which there is no driver.
	undriven struct {
		kernel     string // its driver of the kernel
		class      int    // of the program, where it is the rare one
		others     string // a manifest of a driver for programs of the other word size
		otherClass int
		elsewhere  string // a directory that has manifests and is not searched
		library    string // of a driver for it, which no manifest names
		lost       string // a manifest that is gone from an installed package
		lacks      string // the installed package that should have the driver and has not
	}

	// twoVersions are those of NVIDIA's module of the kernel and of its library.
	twoVersions struct{ kernel, library string }

	// rivals are two manifests of drivers for one device.
	rivals struct{ first, second string }

	// noDevice is a selection of a device that is not here.
	noDevice struct{ value string }

	// noNumber is a selection by number, of the devices beside the default one, of more than there are.
	noNumber struct{ number, count int }
)

func (r reserved) say() string {
	return "the kernel driver " + r.kernel + " reserves it for a virtual machine"
}

func (n nodeless) say() string {
	what := "it has no node in /dev/dri that a driver could open"
	if n.nvidia {
		what = "/dev/nvidiactl and /dev/nvidia0 are not there"
	}
	if n.sandbox != "" {
		what += ": " + sandboxWords[n.sandbox] + " does not pass it on"
	}
	return what
}

var sandboxWords = map[string]string{"flatpak": "the Flatpak sandbox", "snap": "the Snap sandbox",
	"docker": "the container",
	"podman": "the container", "kubernetes": "the pod", "container": "the container"}

func (f forbidden) say() string { return f.user + " may not read and write " + f.node }

func (u undriven) say() string {
	what := "its kernel driver is " + u.kernel + ", and no driver manifest is for it"
	if u.kernel == "" {
		what = "no driver manifest is for a graphics device"
	}
	if u.class != 0 {
		what = fmt.Sprintf("this is a %d-bit program, and there is no %d-bit driver for the device", u.class, u.class)
	}
	if u.others != "" {
		what += fmt.Sprintf("; %s is for %d-bit programs only", u.others, u.otherClass)
	}
	if u.elsewhere != "" {
		what += "; manifests lie in " + u.elsewhere + ", where programs do not look"
	}
	switch {
	case u.lost != "":
		what += "; " + u.lost + " is gone from its package, which is installed"
	case u.lacks != "":
		what += "; the package " + u.lacks + " is installed and has no driver for it"
	case u.library != "":
		what += "; its driver is there, " + u.library + ", and only the manifest is missing"
	}
	return what
}

func (t twoVersions) say() string {
	return "the kernel's module is " + t.kernel + ", the library is " + t.library
}

func (r rivals) say() string { return r.first + " and " + r.second + " are both for it" }

func (n noDevice) say() string { return "no device here is " + n.value }

func (n noNumber) say() string {
	return fmt.Sprintf("it selects device %d after the default one, and there is %s", n.number,
		term.Number(n.count, "such device"))
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
	// filteredOut is a layer that a filter leaves out.
	filteredOut struct{ by string }

	// unlisted is a device that its driver does not list.
	unlisted struct{ device string }
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
		what += "; manifests lie in " + d.elsewhere + ", where programs do not look"
	}
	return what + ", so it fails with VK_ERROR_INCOMPATIBLE_DRIVER"
}

func (h hides) say() string {
	return fmt.Sprintf("with the value %q, programs fail (%s); without the variable, they work", h.value, h.detail)
}

func (f filteredOut) say() string { return f.by + " leaves it out" }

func (u unlisted) say() string { return "it loads, and does not list " + u.device }

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

// Facts about leftovers and loaders.
type (
	// overriding is an override layer.
	overriding struct {
		force      bool
		components []string
		places     []string     // where alone explicit layers are looked for
		fault      diag.Finding // why it is not valid; of no code: nothing is known
		written    time.Time    // zero: not known
	}

	// overruling is a settings file in force.
	overruling struct {
		does             *settings.Settings
		ours, changes    bool
		expires, written time.Time
	}

	// loaderless is that no loader is found; own: the one that belongs to the tool.
	loaderless struct{ configured, own string }

	// noLoader is a file of the loader's name that is none; err: it cannot be read.
	noLoader struct {
		file string
		err  error
	}

	// bundled is a loader that comes with the program; got: the program gets it.
	bundled struct {
		Loader
		got bool
	}

	// older is a loader that programs get before a newer one.
	older struct{ first, newest Loader }

	// other is a loader beside the one that programs get.
	other struct {
		Loader
		got string
	}
)

func (o overriding) say() string {
	switch {
	case o.force:
		what := "it is in force and adds " + term.Count(len(o.components), "layer")
		if len(o.components) > 0 {
			what += ": " + strings.Join(o.components, ", ")
		}
		if len(o.places) > 0 {
			what += "; explicit layers are looked for in " + strings.Join(o.places, ", ") + " and nowhere else"
		}
		return what + since(o.written)
	case o.fault.Code != diag.None:
		return "it is not in force, because it is not valid: " + o.fault.What + since(o.written)
	}
	return "it is not in force" + since(o.written)
}

// since says when a file was written.
func since(written time.Time) string {
	if written.IsZero() {
		return ""
	}
	return "; written on " + written.Format("2006-01-02")
}

func (o overruling) say() string {
	var does []string
	s := o.does
	if s.ControlsLayers {
		does = append(does, "decides about "+term.Count(len(s.Layers), "layer"))
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
	what := "it is in force, but changes nothing"
	if does != nil && (o.changes || o.ours) {
		what = "it is in force, and " + strings.Join(does, ", ")
	}
	switch {
	case o.ours && o.expires.IsZero():
		what += "; vkloader wrote it, without expiry"
	case o.ours:
		what += "; vkloader wrote it, and it expires at " + o.expires.UTC().Format(time.RFC3339)
	}
	return what + since(o.written)
}

func (l loaderless) say() string {
	what := loaderName + " is in no directory of the dynamic linker" + though(l.configured)
	if l.own != "" {
		what += "; the one that belongs to this tool is " + l.own
	}
	return what
}

func (n noLoader) say() string {
	what := n.file + " is what programs get, and it is not a Vulkan loader"
	if n.err != nil {
		what += fmt.Sprintf(": %v", n.err)
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

func (b bundled) say() string {
	what := b.words() + ", and comes with the program"
	if b.got {
		what += ", which gets it"
	}
	return what
}

func (o older) say() string {
	return o.first.words() + ", and programs get it before " + o.newest.File + " for Vulkan " + o.newest.Vulkan
}

func (o other) say() string { return o.words() + "; programs get " + o.got }

// ofAbsentDevice is why a finding about a driver matters whose device is not here.
const ofAbsentDevice = "It is a leftover of a device that this machine does not have. The loader skips it."
