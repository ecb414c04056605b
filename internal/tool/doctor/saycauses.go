package doctor

import (
	"strings"

	"vkloader/internal/tool/term"
)

// Facts about what keeps a driver from programs.
type (
	// leftOut is a device whose driver, by its manifest's name, is kept out; "": no driver for it is there.
	leftOut struct{ manifest, by string }

	// softwareOut is that the only driver that works without a device is kept out.
	softwareOut struct{ by string }

	// unsearched is a device whose driver's manifest is in a directory that is not searched.
	unsearched struct{ manifest, by string }

	// unreadableDirectory is a directory of manifests, or one above it.
	unreadableDirectory struct {
		directory string
		drivers   bool
	}

	// unreadableFile is a manifest or settings file.
	unreadableFile struct{ file string }

	// namesGone are files that a settings file names and that are not there.
	namesGone struct{ files []string }

	// chosenSoftware is that programs compute on the processor because a variable says so.
	chosenSoftware struct{ by string }
)

// Facts about chips.
type (
	// noVulkan is a device of a kind for which no Vulkan driver exists.
	noVulkan struct{ kind string }

	// needsNewer is a device that is younger than what is installed, of Mesa or of Linux.
	needsNewer struct{ of, device, first, have string }

	// untakenOf is a device that no driver of the kernel has, with what is known of its maker's driver.
	untakenOf struct{ releases string }

	// withoutNVK is a device of NVIDIA's that Mesa's driver does not list; last: of the releases of NVIDIA's driver for it.
	withoutNVK struct{ device, last string }

	// venusMissing is a virtual machine's device; driver: the machine's own driver is missing, otherwise the host's offer.
	venusMissing struct{ driver bool }
)

func (n noVulkan) say() string { return "it is " + n.kind + ", and no Vulkan driver exists for it" }

func (n needsNewer) say() string {
	return n.device + " needs " + n.of + " " + n.first + "; this is " + n.have
}

func (u untakenOf) say() string { return untaken.say() + "; " + u.releases }

func (w withoutNVK) say() string {
	return "Mesa's driver does not list " + w.device + ", and the kernel's driver is nouveau"
}

func (v venusMissing) say() string {
	if v.driver {
		return "it is a virtual machine's device, and no driver manifest is for it"
	}
	return "it is a virtual machine's device, and the host offers it no Vulkan"
}

func (l leftOut) say() string {
	if l.manifest == "" {
		return l.by + " names the drivers that programs get, and none of them is for it"
	}
	return "its driver " + l.manifest + " is left out by " + l.by
}

func (s softwareOut) say() string {
	return s.by + " leaves out the software renderer, and no graphics device has a driver: programs get no device"
}

func (u unsearched) say() string {
	return "its driver's manifest is " + u.manifest + ", and " + u.by + " leaves that directory out of the search"
}

func (u unreadableDirectory) say() string {
	what := "layers"
	if u.drivers {
		what = "drivers"
	}
	return u.directory + " may not be read, so the " + what + " in it are not found"
}

func (u unreadableFile) say() string { return u.file + " may not be read" }

func (n namesGone) say() string {
	what := "it names " + strings.Join(n.files, " and ")
	if len(n.files) > 1 {
		return what + ", which do not exist"
	}
	return what + ", which does not exist"
}

func (c chosenSoftware) say() string {
	return "programs compute on the processor, because " + c.by + " names this driver"
}

// opening is a file or directory that gets the right to be read; own: it is the user's.
type opening struct {
	place string
	own   bool
}

func (o opening) say() (string, []string) {
	command := "chmod a+rX " + term.Quoted(o.place)
	if o.own {
		return typed{command}.say()
	}
	return asRoot{command}.say()
}

// Where newer releases come from.
type (
	// fromSuite is a package of a suite of the distribution; what: the release that it has.
	fromSuite struct{ suite, what, name string }

	// newerRelease is a release of something that no package is known for.
	newerRelease struct{ of, first string }
)

func (f fromSuite) say() (string, []string) {
	command := "apt install -t " + f.suite + " " + f.name
	return f.suite + " has " + f.what + ". With that repository, run as root: " + command, []string{command}
}

func (n newerRelease) say() (string, []string) {
	return "Update the system to a release with " + n.of + " " + n.first + " or newer.", nil
}

// makersDriver is NVIDIA's driver of an older release.
type makersDriver struct{ last string }

func (m makersDriver) say() (string, []string) {
	return "Install NVIDIA's driver of release " + m.last + ", which is the last that serves the device.", nil
}
