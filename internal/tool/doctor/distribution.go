package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

// distribution describes the system's distribution and the way to install packages on it.
type distribution struct {
	name    string   // PRETTY_NAME, or NAME
	ids     []string // ID and ID_LIKE, in lower case
	version string   // of the release; "" for a rolling release

	image imageKind // the kind of system image

	class   int    // the word size of the programs to install for
	narrow  string // Debian's name of the machine's 32-bit architecture; "": the machine has none
	foreign bool   // dpkg installs packages of that architecture
	kernel  string // Debian's package of the kernel; "": unknown

	sandbox, detail string // the sandbox around the program, when it has its own files
	container       string // the container around the program; "": none
	kept            bool   // a container that keeps its packages
	machine         *machine.Machine
	packages        *packages
}

// systemFor returns the system's distribution, for installing programs of a word size.
func systemFor(m *machine.Machine, class int, known *packages) distribution {
	d := readDistribution(m)
	d.packages = known
	narrow, _ := machines.Running(32)
	own, _ := machines.Own()
	architectures, _ := m.ReadFile("/var/lib/dpkg/arch")
	d.class, d.narrow, d.kernel = class, narrow.Target, kernelPackage(own.Target)
	d.foreign = narrow.Target != "" && strings.Contains(string(architectures), narrow.Target)
	return d
}

// readDistribution reads os-release(5).
func readDistribution(m *machine.Machine) distribution {
	d := distribution{machine: m}
	data, err := m.ReadFile("/etc/os-release")
	if err != nil {
		if data, err = m.ReadFile("/usr/lib/os-release"); err != nil {
			return d
		}
	}
	for _, line := range strings.Split(string(data), "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch name {
		case "PRETTY_NAME":
			d.name = value
		case "ID":
			d.ids = append([]string{strings.ToLower(value)}, d.ids...)
		case "VERSION_ID":
			d.version = value
		case "ID_LIKE":
			d.ids = append(d.ids, strings.Fields(strings.ToLower(value))...)
		}
	}
	d.image = imageOf(m, &d)
	return d
}

// within enters the sandbox around the program.
func (d *distribution) within(e *exam) {
	d.sandbox = e.kind("flatpak", "snap", "steam", "docker", "podman", "kubernetes")
	d.detail, d.kept, d.container = e.detail(d.sandbox), e.isEntered(), e.containerKind()
	for place, content := range map[string]string{"/gpu-2404": "mesa-2404", "/graphics": "mesa-core22"} {
		if d.sandbox == "snap" && e.machine.Exists(e.variable("SNAP")+place+"/usr/share/vulkan") {
			d.detail = content // the snap that the program's snap takes the drivers from
		}
	}
}

// is reports whether the system's ID is id. ID_LIKE does not count.
func (d distribution) is(id string) bool { return len(d.ids) > 0 && d.ids[0] == id }

// families are the families of package managers.
var families = []string{"debian", "fedora", "rhel", "suse", "alpine", "arch", "gentoo", "void"}

// family returns the family of the system's package manager, by its first known ID; "": unknown.
func (d distribution) family() string {
	for _, id := range d.ids {
		switch {
		case id == "ubuntu":
			return "debian"
		case strings.HasPrefix(id, "opensuse"):
			return "suse"
		case slices.Contains(families, id):
			return id
		}
	}
	return ""
}

// fileAdvice returns advice for a manifest whose library does not exist.
func (d distribution) fileAdvice(library, manifest string) *Remedy {
	if strings.Contains(library, "nvidia") {
		return d.libraryAdvice(library)
	}
	if strings.HasPrefix(manifest, "/usr/local/") { // no package has files there
		command := "rm -- " + shell.Quoted(manifest)
		do := &Remedy{text: "Build or install the library again. To remove the manifest instead, run as root: " +
			string(command), lines: []shell.Line{command}, root: true}
		do.effect = effectOf(explain.RemoveFile(manifest))
		return do
	}
	return newAdvice("Install the package that has " + library + ", or remove " + manifest + ".").withObstacle(ofPackage)
}

// install returns advice to get a family's driver. lacks reports whether the package is installed, and does not contain the driver.
func (d distribution) install(f *drivers.Family, lacks bool) *Remedy {
	name, ofMaker := packageOf(f.Name, d.family()), f.Name == drivers.NVIDIA
	if d.class == 32 {
		name = term.Either(d.has32() && (!ofMaker || d.narrow == "i386"), name, "")
		return d.by(term.Either(ofMaker, "driver32-of-maker", "driver32"), with("p", name, "family", f.Name))
	}
	args := with("file", "nvidia_icd.json", "family", f.Name, "card", f.VideoCard)
	if ofMaker {
		args["compute"] = []string{d.computeOnly()}
	}
	switch suite, newer := d.suite(); {
	case !lacks && d.reallyHas(f):
		args["p"] = []string{name}
	case newer && name != "" && !slices.Contains(drivers.LackedBy(d.ids[0], suite.Of), f.Name):
		args = with("suite", suite.Name, "what", "Mesa "+suite.Mesa, "p", name)
	case f.Name == dozen:
		args["dozen"] = []string{dozen}
	}
	return d.by(term.Either(ofMaker, "driver-of-maker", "driver-of-mesa"), args)
}

// has32 reports whether the package manager has packages for 32-bit programs: of i386, on Debian also of ARM.
func (d distribution) has32() bool {
	return d.narrow == "i386" || d.family() == "debian" && d.narrow != ""
}

// imageKind is the kind of a system whose files the package manager does not change while it runs.
type imageKind uint8

const (
	changeable  imageKind = iota
	ostree                // rpm-ostree layers packages on the image
	steamOS               // the image cannot be extended
	microOS               // packages go into the next snapshot
	declarative           // the system's configuration lists the packages
)

// imageOf returns the image kind of a system.
func imageOf(m *machine.Machine, d *distribution) imageKind {
	switch {
	case d.is("nixos"):
		return declarative
	case d.is("steamos"):
		return steamOS
	case slices.ContainsFunc([]string{"opensuse-microos", "opensuse-aeon", "opensuse-kalpa", "sle-micro", "sl-micro"}, d.is):
		return microOS
	case m.Exists("/run/ostree-booted"):
		return ostree
	}
	return changeable
}
