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
func (d *distribution) within(e *record) {
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

// manager is the package manager of a family of distributions.
type manager struct {
	id       string
	library  func(name string) string // returns the word that installs a library; nil: the manager has none
	provides bool                     // the manager installs by library name, with a mark for 64-bit
	loader   string                   // the package of the Vulkan loader
	lists    bool                     // the tool reads its lists of packages
}

// managers lists the package managers. The first whose ID the system has is used.
var managers = []manager{
	{"debian", nil, false, "libvulkan1", true}, {"fedora", capability64, true, "vulkan-loader", false}, {"rhel", capability64, true, "vulkan-loader", false},
	{"suse", capability64, true, "libvulkan1", false}, {"alpine", func(name string) string { return "so:" + name }, false, "vulkan-loader", true},
	{"arch", nil, false, "vulkan-icd-loader", true}, {"gentoo", nil, false, "media-libs/vulkan-loader", false}, {"void", nil, false, "vulkan-loader", false},
}

// capability64 returns the capability under which RPM packages provide a 64-bit library.
func capability64(name string) string { return name + "()(64bit)" }

func (d distribution) manager() *manager {
	for _, id := range d.ids {
		for i := range managers {
			if managers[i].id == id || id == "ubuntu" && managers[i].id == "debian" ||
				strings.HasPrefix(id, "opensuse") && managers[i].id == "suse" {
				return &managers[i]
			}
		}
	}
	return nil
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

// install returns advice to install a family's package.
func (d distribution) install(f *drivers.Family) *Remedy {
	if d.class == 32 {
		return d.driver32(f)
	}
	ofMaker := f.Name == drivers.NVIDIA
	if name := d.computeOnly(); ofMaker && d.sandbox == "" && name != "" {
		return d.choose(name)
	}
	if do, is := d.remedy(term.Either(ofMaker, "driver-of-maker", "driver-of-mesa"), with("file", "nvidia_icd.json")); is {
		return do
	}
	if !d.reallyHas(f) {
		suite, has := d.suite()
		switch {
		case f.Name == dozen:
			return wslWithout
		case has && packageOf(f.Name, "debian") != "" && !slices.Contains(drivers.LackedBy(d.ids[0], suite.Of), f.Name):
			return d.fromSuite(suite.Name, "Mesa "+suite.Mesa, packageOf(f.Name, "debian"))
		}
	}
	m := d.manager()
	switch {
	case m != nil && m.id == "gentoo" && f.VideoCard != "":
		const command = "emerge --oneshot media-libs/mesa"
		do := asRoot(command).withObstacle(ofPackage)
		do.text = "Add " + f.VideoCard + " to VIDEO_CARDS and vulkan to USE in /etc/portage/make.conf. Then run as root: " + command
		return do
	case m != nil && packageOf(f.Name, m.id) != "" && d.reallyHas(f):
		return d.choose(packageOf(f.Name, m.id))
	}
	return installDriver(f.Name, "")
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
