package systems

import (
	"slices"
	"strconv"
)

// androidPackage is an installed package that has a driver.
type androidPackage struct {
	Preinstalled bool
	TargetSDK    int
	LibraryPath  string // nativeLibraryDir
	APK          string // its file
	Fits         bool   // it has libraries for the instruction set of the program
}

// androidSelection is a program's driver package, and the rule that selected it.
type androidSelection struct {
	Package string // "": the system's own driver
	Path    string // directories with its libraries
	Why     string
}

// minimumSDK is the lowest target SDK of a driver package (AND-021).
const minimumSDK = 26

// Select returns a program's driver package, from the settings at its start (AND-016 to AND-026). installed finds a
// package.
func (a *Android) Select(installed func(name string) (androidPackage, bool)) androidSelection {
	system := func(why string) androidSelection { return androidSelection{Why: why} }
	production, prerelease := a.Properties["ro.gfx.driver.0"], a.Properties["ro.gfx.driver.1"]
	if a.Package == "" { // AND-023
		if value, _ := a.Machine.Lookup("UPDATABLE_GFX_DRIVER"); value != "1" {
			return system("the process is no app")
		}
		return androidSelection{Package: "the GPU service's", Path: a.libraryPath + "/" + a.abi(),
			Why: "UPDATABLE_GFX_DRIVER is 1"}
	}
	switch {
	case production == "" && prerelease == "":
		return system("the system has no updatable driver")
	case a.privileged || a.system:
		return system("the program is a part of the system")
	}
	named := func(setting string) bool { return slices.Contains(splitList(a.Properties[setting], ","), a.Package) }
	allowed := prerelease != "" && (a.debuggable() || a.developer) // AND-020
	chosen, why := "", ""
	all, _ := strconv.Atoi(a.Properties["updatable_driver_all_apps"])
	allow := splitList(a.Properties["updatable_driver_production_allowlist"], ",")
	switch {
	case all == 3:
		return system("the settings turn updatable drivers off")
	case all == 1:
		chosen, why = production, "the settings want the production driver for all"
	case all == 2:
		if allowed {
			chosen = prerelease
		}
		why = "the settings want the prerelease driver for all"
	case named("updatable_driver_production_opt_out_apps"):
		return system("the settings keep the program off updatable drivers")
	case named("updatable_driver_prerelease_opt_in_apps"):
		if allowed {
			chosen = prerelease
		}
		why = "the settings want the prerelease driver for the program"
	case production == "":
		return system("there is no production driver")
	case named("updatable_driver_production_opt_in_apps"):
		chosen, why = production, "the settings want the production driver for the program"
	case !slices.Contains(allow, a.Package) && (len(allow) == 0 || allow[0] != "*"):
		return system("the program is not on the list of those that are allowed")
	case named("updatable_driver_production_denylist"):
		return system("the program is on the list of those that are denied")
	default:
		chosen, why = production, "the program is on the list of those that are allowed"
	}
	if chosen == "" {
		return system(why + ", which it cannot have")
	}
	return a.usable(chosen, why, installed)
}

// usable reports whether a package can be used (AND-021, AND-022).
func (a *Android) usable(name, why string, installed func(name string) (androidPackage, bool)) androidSelection {
	pack, ok := installed(name)
	switch {
	case !ok || !pack.Preinstalled:
		return androidSelection{Why: name + " is not installed with the system"}
	case pack.TargetSDK < minimumSDK:
		return androidSelection{Why: name + " is for systems older than 26"}
	case !pack.Fits:
		return androidSelection{Why: name + " has no libraries for " + a.abi()}
	}
	return androidSelection{Package: name, Path: pack.LibraryPath + ":" + pack.APK + "!/lib/" + a.abi(), Why: why}
}
