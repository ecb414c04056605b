package doctor

import (
	"strings"

	"vkloader/internal/tool/term"
)

// Facts about what keeps a driver from programs.
const (
	unsearched     = "its driver's manifest is %s, and %s leaves that directory out of the search"
	softwareOut    = "%s leaves out the software renderer, and no graphics device has a driver: programs get no device"
	unreadableFile = "%s may not be read"
	chosenSoftware = "programs compute on the processor, because %s names this driver"
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
	venusDriverMissing sentence = "it is a virtual machine's device, and no driver manifest is for it"
	venusMissing       sentence = "it is a virtual machine's device, and the host offers it no Vulkan"
)

// namesGone are files that a settings file names and that are not there.
func namesGone(files []string) fact {
	end := ", which does not exist"
	if len(files) > 1 {
		end = ", which do not exist"
	}
	return sentence("it names " + strings.Join(files, " and ") + end)
}

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
