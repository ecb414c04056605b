package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
)

// writtenBy returns the advice about a manifest of the user that a program wrote for itself, and the changes that remove it if that
// program is known to be gone. library is the manifest's library; "": unknown. It returns false for other files.
func (e *exam) writtenBy(manifest, library string) (do *Remedy, changes []explain.Change, is bool) {
	home := path.Clean(e.variable(variables.Home.Name()))
	if !path.IsAbs(home) || home == "/" || !strings.HasPrefix(path.Clean(manifest), home+"/") {
		return nil, nil, false
	}
	ofHost := func(what string) *Remedy {
		return newAdvice("Nothing, if the host shares this home directory and has " + what +
			": the file then belongs to the host.").withObstacle(outsideOnly)
	}
	for w := range slices.Chunk(nameLists()["writer"], 4) {
		if !slices.ContainsFunc(strings.Fields(w[1]), func(pattern string) bool {
			match, err := path.Match(pattern, path.Base(manifest))
			return match && err == nil
		}) {
			continue
		}
		_, unfound := e.machine.FindProgram(w[2])
		again, _ := e.system.follow(w[3], "writer", nil)
		switch is := slices.ContainsFunc(e.places(w[0]), e.machine.Exists) || unfound == nil; {
		case !is && e.sharesHome():
			return ofHost(w[0]), nil, true
		case is || e.ownDirectory(library): // an installation in another place
			return again, nil, true
		}
		return newAdvice(w[0] + " wrote the file and is not installed: remove " + manifest + "."), []explain.Change{explain.RemoveFile(path.Clean(manifest))}, true
	}
	switch {
	case library == "":
		return nil, nil, false
	case e.sharesHome():
		return ofHost("the library"), nil, true
	}
	return newAdvice("Build or install the library again, or remove " + manifest + "."), []explain.Change{explain.RemoveFile(path.Clean(manifest))}, true
}

// sharesHome reports whether the home directory may be that of another system: in a container, sandbox or chroot.
func (r *exam) sharesHome() bool {
	return r.isEntered() || r.variable("container") != "" || r.machine.Exists("/run/host") || r.machine.Exists("/etc/debian_chroot") ||
		slices.ContainsFunc(r.Sandboxes, func(s Sandbox) bool { return s.Kind != "wsl" })
}

// isOfHost reports whether a file is below the home directory of the host, whose programs read the file, too. Toolbox, Distrobox
// without a home directory of its own, and Flatpak share it.
func (e *exam) isOfHost(file string) bool {
	home := e.ownHome()
	if of := e.variable("DISTROBOX_HOST_HOME"); !e.isEntered() && e.kind("flatpak") == "" || of != "" && path.Clean(of) != home {
		return false
	}
	return strings.HasPrefix(file, home+"/") && !strings.HasPrefix(file, home+"/.var/app/")
}

// ownDirectory reports whether a library's directory exists and is no directory of the system.
func (e *exam) ownDirectory(library string) bool {
	directory := path.Dir(path.Clean(library))
	if !path.IsAbs(directory) || !e.machine.Exists(directory) {
		return false
	}
	parent := path.Dir(directory)
	shared := []string{"/", "/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib", "/usr/local/lib64"}
	return !slices.Contains(shared, directory) && !slices.Contains(shared, parent)
}
