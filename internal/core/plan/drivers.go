package plan

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// discover lists the drivers to open, each after the lines of its manifest (DRV-006, DRV-035, SYS-014 to SYS-017).
func (d *decider) discover(portability bool) {
	noVariables := d.set != nil && d.set.HasDevices // SET-98
	found := d.search(search.Drivers, noVariables, nil)
	found = d.addSettingsDrivers(found)
	w := &weighing{portability: portability}
	if noVariables {
		d.ignored("the device configurations of "+d.set.File, variables.DriverFiles, variables.ICDFilenames,
			variables.AddDriverFiles, variables.DriversSelect, variables.DriversDisable)
	} else {
		w.choose = parseFilter(d.f.Variable(variables.DriversSelect).Value, false)
		w.refuse = parseFilter(d.f.Variable(variables.DriversDisable).Value, false)
	}
	for _, file := range found {
		if driver := d.readDriver(file.Path, file.Listed); driver != nil {
			d.weigh(w, driver, file.From)
		}
	}
	d.applyPolicy(w.left)
	if d.wantsService(w) {
		d.fromService(w)
	}
}

// weighing is what drivers are judged by, and what became of them.
type weighing struct {
	choose, refuse filter
	portability    bool      // drivers for portability count
	left           []leftOut // by the hardware policy
	wished         bool      // there is a driver that is left out because somebody wants it so
}

// weigh says what there is to say about a driver, and has it opened when nothing is against it; from says what led to it.
func (d *decider) weigh(w *weighing, driver *manifest.Driver, from string) {
	path := driver.Path
	for i := range driver.Lines {
		d.line(path, &driver.Lines[i])
	}
	if !driver.Usable {
		return
	}
	if driver.Portability && !w.portability {
		w.wished = true
		d.skippedPortability++
		d.find(diag.DriverPortability, path, path, "a portability driver, and the program does not enumerate them")
		return
	}
	if driver.WrongArch {
		line := driver.WrongArchitecture()
		d.line(path, &line)
		return
	}
	name := d.base(path)
	selected := w.choose.matches(name)
	if w.refuse.matches(name) && !selected {
		w.wished = true
		d.say(diag.Warn|diag.Driver, diag.DriverDisabled, name, path,
			"Driver \""+name+"\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'")
		return
	}
	if w.choose.any() && !selected {
		w.wished = true
		d.say(diag.Warn|diag.Driver, diag.DriverNotSelected, name, path,
			"Driver \""+name+"\" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'")
		return
	}
	if l, out := d.byHardware(driver); out {
		l.from = from
		w.left = append(w.left, l)
		return
	}
	d.use(driver, from)
}

// use has a driver opened; from says what led to it.
func (d *decider) use(driver *manifest.Driver, from string) {
	d.find(diag.DriverUsed, d.base(driver.Path), driver.Path, foundBy(from)+", library "+driver.Library)
	d.a.Steps = append(d.a.Steps, Step{Kind: StepDriver, Driver: len(d.a.Drivers)})
	d.a.Drivers = append(d.a.Drivers, driver)
}

// foundBy says how a place led to a driver: a variable, value or file names manifests or directories of them.
func foundBy(from string) string {
	switch {
	case from == "default":
		return "found in a default directory"
	case from == variables.Home.Name(), strings.HasPrefix(from, "XDG_"):
		return "found in a directory of " + from
	case from == "the settings file", strings.HasPrefix(from, "VK_"), strings.HasPrefix(from, "VulkanDriverName"):
		return "named by " + from
	case strings.HasPrefix(from, "the driver service"), from == "the loader service":
		return "offered by " + from
	}
	return "found in " + from
}

// addSettingsDrivers puts the drivers of the settings file in front, each later one before the earlier ones (SET-83).
func (d *decider) addSettingsDrivers(found []search.Found) []search.Found {
	if d.set == nil || len(d.set.Drivers) == 0 && !d.set.Exclusively {
		return found
	}
	paths := d.set.Drivers
	if n := len(paths); n > 0 && !search.IsManifestName(paths[n-1]) { // SET-86
		return nil
	}
	var all []search.Found
	for i := len(paths) - 1; i >= 0; i-- {
		if search.IsManifestName(paths[i]) {
			all = append(all, search.Found{Path: paths[i], From: "the settings file"})
		}
	}
	if d.set.Exclusively {
		return all
	}
	return append(all, found...)
}
