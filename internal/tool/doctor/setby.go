package doctor

import (
	"strings"

	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// fromStart is the value that a variable had when the container's first process was started, by its image or its runtime's
// options; known is whether that can be told.
func (e *exam) fromStart(name string) (value string, set, known bool) {
	if e.machine.Tree != nil { // an image: its variables are all that there are
		value, set = e.machine.Lookup(name)
		return value, set, true
	}
	first := e.whole("/proc/1/environ")
	if first == "" {
		return "", false, false
	}
	value, set = (&machine.Machine{Environ: strings.Split(first, "\x00")}).Lookup(name)
	return value, set, true
}

// byShell tells whether a variable of a program in a container was set after the container's start, as a shell does.
func (e *exam) byShell(name string) bool {
	now, set := e.machine.Lookup(name)
	if !set {
		return false
	}
	value, had, known := e.fromStart(name)
	if !known {
		return !e.machine.Foreign()
	}
	return !had || value != now
}

// inContainer tells whether a sandbox is a container whose variables its runtime sets.
func inContainer(kind string) bool {
	return kind == "docker" || kind == "podman" || kind == "kubernetes"
}

// without starts a container's program without a variable that its image or its runtime sets.
func without(kind, name string) told {
	switch kind {
	case "podman":
		return startWith(kind, "--unsetenv="+name)
	case "kubernetes":
		return advised(`Begin the container's command in the pod with: ["env", "-u", "` + name + `", ...]`)
	}
	return advised("Start the container with: docker run ... env -u " + name + " PROGRAM")
}

// Unfixed says why "doctor --fix" does nothing about the finding; "" when a change of files or variables is known that it can
// try.
func (f *Finding) Unfixed() string {
	switch do := f.advice.(type) {
	case tried:
		switch {
		case inContainer(do.kind):
			return "the variable is set when the container starts"
		case do.kind != "":
			return "the variable is set outside, by " + term.Or(sandboxWords[do.kind], "Steam")
		case do.aim == byHand:
			return "another program wrote the file"
		case do.aim == forUnasked:
			return "it shows the driver to programs that may use what it lacks: run the line yourself"
		case do.File != "":
			return do.File + " is not yours, or belongs to a package"
		}
		return "no file of yours sets the variable"
	case told:
		switch {
		case do.root:
			return "it takes root"
		case do.left != "":
			return do.left
		}
	}
	return "no change of a file or variable is known that ends it"
}
