package doctor

import "vkloader/internal/tool/term"

// Facts about what keeps a driver from programs.
type (
	// leftOut is a device whose driver, by its manifest's name, is kept out; "": no driver for it is there.
	leftOut struct{ manifest, by string }

	// unsearched is a device whose driver's manifest is in a directory that is not searched.
	unsearched struct{ manifest, by string }

	// unreadableDirectory is a directory of manifests, or one above it.
	unreadableDirectory struct {
		directory string
		drivers   bool
	}

	// unreadableFile is a manifest or settings file.
	unreadableFile struct{ file string }

	// chosenSoftware is that programs compute on the processor because a variable says so.
	chosenSoftware struct{ by string }
)

func (l leftOut) say() string {
	if l.manifest == "" {
		return l.by + " names the drivers that programs get, and none of them is for it"
	}
	return "its driver " + l.manifest + " is left out by " + l.by
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
