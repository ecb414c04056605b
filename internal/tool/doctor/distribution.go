package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// distribution is who made the system, and so how something is installed.
type distribution struct {
	name    string   // in words
	ids     []string // its own id and those that it is like, lower case
	version string   // of the release; "" for one that has none

	image imageKind // how its files are kept

	class   int  // word size of the programs that something is installed for
	foreign bool // packages for 32-bit programs have to be allowed first (dpkg)
}

// systemFor is the system, as programs of a word size are installed on it.
func systemFor(m *machine.Machine, class int) distribution {
	d := readDistribution(m)
	architectures, _ := m.ReadFile("/var/lib/dpkg/arch")
	d.class, d.foreign = class, strings.Contains(string(architectures), "i386")
	return d
}

// readDistribution reads os-release(5).
func readDistribution(m *machine.Machine) distribution {
	d := distribution{}
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

// is tells whether it is one distribution itself, not what it is like.
func (d distribution) is(id string) bool { return len(d.ids) > 0 && d.ids[0] == id }

// manager is how a family of distributions installs packages.
type manager struct {
	id       string
	install  string                   // before names of packages
	library  func(name string) string // the word that installs a library; nil: none is known
	provides bool                     // packages can be asked for by the library's name, with a mark for 64 bits
	loader   string                   // the package of the Vulkan loader
	again    string                   // before the name of an installed package of which a file is gone
}

// managers are asked in this order; the first whose id the system has is taken.
var managers = []manager{
	{"debian", "apt install", debianPackage, false, "libvulkan1", "apt install --reinstall"},
	{"fedora", "dnf install", provided, true, "vulkan-loader", "dnf reinstall"},
	{"rhel", "dnf install", provided, true, "vulkan-loader", "dnf reinstall"},
	{"suse", "zypper install", provided, true, "libvulkan1", "zypper install --force"},
	{"alpine", "apk add", func(name string) string { return "so:" + name }, false, "vulkan-loader", "apk fix"},
	{"arch", "pacman -S", nil, false, "vulkan-icd-loader", "pacman -S"},
	{"gentoo", "emerge", nil, false, "media-libs/vulkan-loader", "emerge --oneshot"},
	{"void", "xbps-install", nil, false, "vulkan-loader", "xbps-install --force"},
}

// provided is how packages of RPM say that they have a library for 64-bit programs.
func provided(name string) string { return "'" + name + "()(64bit)'" }

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

// debianLayers are Debian's packages of layers: their libraries have no version, and give their package no name.
var debianLayers = map[string]string{
	"libVkLayer_khronos_validation.so": "vulkan-validationlayers",
	"libVkLayer_MESA_device_select.so": "mesa-vulkan-drivers",
	"libVkLayer_MESA_overlay.so":       "mesa-vulkan-drivers",
	"libVkLayer_INTEL_nullhw.so":       "mesa-vulkan-drivers",
}

// debianPackage is the name that Debian's policy gives to the package of a library; "" for names of another form.
func debianPackage(soname string) string {
	if name := debianLayers[soname]; name != "" {
		return name
	}
	name, version, ok := strings.Cut(soname, ".so.")
	if !ok {
		name, ok = strings.CutSuffix(soname, ".so")
		ok = ok && name != "" && name[len(name)-1] >= '0' && name[len(name)-1] <= '9' // libfoo-1.2.so; others are no shared libraries
	}
	if !ok {
		return ""
	}
	if llvm, found := strings.CutPrefix(name, "libLLVM-"); found {
		return "libllvm" + llvm
	}
	if name == "libLLVM" {
		version, _, _ = strings.Cut(version, ".")
		return "libllvm" + version
	}
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if name == "" || strings.ContainsFunc(name+version, func(r rune) bool {
		return r != '-' && r != '.' && r != '+' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		return ""
	}
	if version != "" && name[len(name)-1] >= '0' && name[len(name)-1] <= '9' {
		name += "-"
	}
	return name + version
}

// forLibrary installs a library.
func (d distribution) forLibrary(name string) advice {
	if strings.Contains(name, "nvidia") {
		return nvidiaWhole
	}
	m := d.manager()
	if d.image == declarative {
		return librariesOnNixOS
	}
	if m != nil && d.class == 32 {
		if do := d.library32(m, name); do != nil {
			return do
		}
	} else if m != nil && m.library != nil {
		if word := m.library(name); word != "" {
			return d.run(m.install + " " + word)
		}
	}
	if m != nil && m.id == "arch" && d.image == steamOS {
		return ofSteamOS
	}
	if m != nil && m.id == "arch" {
		return typed("Ask which package has it, and install that: ", "pacman -F "+name)
	}
	return advised("Install the package that has " + name + ".")
}

// forFile is what to do about a manifest whose library is not there.
func (d distribution) forFile(library, manifest string) advice {
	if strings.Contains(library, "nvidia") {
		return nvidiaWhole
	}
	return advised("Install the package that has " + library + ", or remove " + manifest + ".")
}

// install installs the family's package.
func (d distribution) install(f *drivers.Family) advice {
	if d.class == 32 {
		return d.driver32(f)
	}
	if d.is("nixos") {
		if f.Name == drivers.NVIDIA {
			return nvidiaOnNixOS
		}
		return graphicsOnNixOS
	}
	if d.is("ubuntu") && f.Name == drivers.NVIDIA {
		return asRoot("ubuntu-drivers install")
	}
	if !d.reallyHas(f) {
		suite, has := d.suite()
		switch {
		case f.Name == dozen:
			return wslWithout
		case has && !slices.Contains(drivers.LackedBy(d.ids[0], suite.Of), f.Name):
			return fromSuite(suite.Name, "Mesa "+suite.Mesa, f.Packages["debian"])
		}
	}
	if m := d.manager(); m != nil && f.Packages[m.id] != "" && d.reallyHas(f) {
		return d.run(m.install + " " + f.Packages[m.id])
	}
	return installDriver(f.Name, "")
}

// imageKind is how a system is kept whose files no package manager changes while it runs.
type imageKind uint8

const (
	changeable  imageKind = iota
	ostree                // packages are put onto the image with rpm-ostree
	steamOS               // the image is all that there is
	microOS               // packages go into the next snapshot
	declarative           // the system's configuration says what there is
)

// imageOf recognises them.
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

// run is a line of the package manager, in the words of the system.
func (d distribution) run(line string) advice {
	m := d.manager()
	if m == nil {
		return asRoot(line)
	}
	names, again := strings.CutPrefix(line, m.again+" ")
	if !again || m.again == m.install {
		names, again = strings.TrimPrefix(line, m.install+" "), false
	}
	switch d.image {
	case ostree:
		if again {
			return ostreeAgain
		}
		return thenRestart("rpm-ostree install " + names)
	case microOS:
		if again {
			return thenRestart("transactional-update pkg install --force " + names)
		}
		return thenRestart("transactional-update pkg install " + names)
	case steamOS:
		return ofSteamOS
	}
	return asRoot(line)
}

// thenRestart is a line for root that counts from the next start of the machine on.
func thenRestart(command string) advice {
	do := asRoot(command)
	do.text += "; then restart the machine"
	return do
}
