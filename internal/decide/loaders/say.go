package loaders

import (
	"fmt"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// Title names the loader with its version: "libvulkan.so.1.3.239 of Debian (libvulkan1 1.3.239.0-1)".
func (l *Loader) Title() string {
	name := l.base(l.File)
	if l.Inside {
		return "the loader linked into " + name + l.version()
	}
	if l.Ours() { // its release says more than the version
		return name + " of vkloader " + l.Release
	}
	switch {
	case l.Package != "" && l.System != "":
		name += fmt.Sprintf(" of %s (%s)", l.System, strings.TrimSpace(l.Package+" "+l.PackageVersion))
	case l.Package != "":
		name += strings.TrimRight(" of the package "+l.Package+" "+l.PackageVersion, " ")
	default:
		name = l.Path
	}
	if l.From != FromName || l.Package == "" {
		name += l.version()
	}
	return name
}

// base returns the last part of a path: a path of Windows if the loader is for Windows, otherwise one of the running
// system.
func (l *Loader) base(path string) string {
	if l != nil && (l.rule == binary.ByProgram || l.rule == binary.BySystem) {
		return pathname.Backslash.Base(path)
	}
	return machine.Style.Base(path)
}

// version returns the version for the end of a name; "": unknown.
func (l *Loader) version() string {
	if l.Version == "" {
		return ""
	}
	return ", version " + l.Version
}

// Line describes the loader that a program gets in one sentence; nil: it gets none. The program "": any ordinary
// program.
func Line(l *Loader, program string) string {
	who, verb := "Programs", "get"
	if program != "" {
		who, verb = l.base(program), "gets"
	}
	if l == nil {
		return who + " " + verb + " no Vulkan loader"
	}
	if l.Static == OpensItself {
		return l.Static.Line(program) + ": " + l.Title()
	}
	if l.Inside {
		return who + " has a Vulkan loader linked in" + l.version() + ", and uses no " + Name
	}
	line := who + " " + verb + " " + l.Title()
	if why := l.Why(); why != "" {
		line += ": " + why
	}
	return line
}

// Short returns the loader's version for a sentence: "1.3.239", or "of an unknown version".
func (l *Loader) Short() string {
	if l.Version == "" {
		return "of an unknown version"
	}
	return l.Version
}

// Why returns the reason why the program gets this file; "": it is the system's usual one.
func (l *Loader) Why() string { return Reason(l.rule) }

// Reason returns why a rule takes a file before the system's usual one; "" for the rules that find the usual one.
func Reason(rule binary.Rule) string {
	return map[binary.Rule]string{
		binary.ByPreload: "it is preloaded (LD_PRELOAD or /etc/ld.so.preload)",
		binary.ByRPath:   "the path built into the program (DT_RPATH) names its directory",
		binary.ByProgram: "it is in the program's directory", binary.ByVariable: "LD_LIBRARY_PATH names its directory",
		binary.ByRunPath: "the path built into the program (DT_RUNPATH) names its directory",
	}[rule]
}

// settingCondition returns when a setting that this loader ignores is in force, after the rule by which the program
// gets the loader.
func (l *Loader) settingCondition() string {
	const run = "in force with \"vkloader run\""
	switch l.rule {
	case binary.ByPreload, binary.ByPath, binary.ByRPath, binary.ByProgram, binary.BySystem:
		return "in force only once the program does not get " + l.Path
	case binary.ByVariable, binary.ByRunPath:
		return run
	}
	return run + ", or after \"vkloader system use vkloader\""
}

// NotInForce returns the statement that a setting is not in force for a program. The program "": any ordinary program.
func (l *Loader) NotInForce(program string) string {
	who := "programs"
	if program != "" {
		who = l.base(program)
	}
	text := "not in force for " + who + ", whose loader is " + l.Short()
	if l.Inside {
		return text + " and linked into it"
	}
	return text + "; " + l.settingCondition()
}
