package plan

import (
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
	var choose, refuse filter
	if noVariables {
		d.ignored("the device configurations of "+d.set.File, variables.DriverFiles, variables.ICDFilenames,
			variables.AddDriverFiles, variables.DriversSelect, variables.DriversDisable)
	} else {
		choose = parseFilter(d.f.Variable(variables.DriversSelect).Value, false)
		refuse = parseFilter(d.f.Variable(variables.DriversDisable).Value, false)
	}
	var left []leftOut
	for _, file := range found {
		driver := d.readDriver(file.Path, file.Listed)
		if driver == nil {
			continue
		}
		for i := range driver.Lines {
			d.line(file.Path, &driver.Lines[i])
		}
		if !driver.Usable {
			continue
		}
		if driver.Portability && !portability {
			d.skippedPortability++
			d.find(diag.DriverPortability, file.Path, file.Path, "a portability driver, and the program does not enumerate them")
			continue
		}
		if driver.WrongArch {
			line := driver.WrongArchitecture()
			d.line(file.Path, &line)
			continue
		}
		name := search.BaseName(file.Path)
		selected := choose.matches(name)
		if refuse.matches(name) && !selected {
			d.say(diag.Warn|diag.Driver, diag.DriverDisabled, name, file.Path,
				"Driver \""+name+"\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'")
			continue
		}
		if choose.any() && !selected {
			d.say(diag.Warn|diag.Driver, diag.DriverNotSelected, name, file.Path,
				"Driver \""+name+"\" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'")
			continue
		}
		if l, out := d.byHardware(driver); out {
			l.from = file.From
			left = append(left, l)
			continue
		}
		d.use(driver, file.From)
	}
	d.applyPolicy(left)
}

// use has a driver opened; from says what led to it.
func (d *decider) use(driver *manifest.Driver, from string) {
	d.find(diag.DriverUsed, search.BaseName(driver.Path), driver.Path, "found through "+from+", library "+driver.Library)
	d.a.Steps = append(d.a.Steps, Step{Kind: StepDriver, Driver: len(d.a.Drivers)})
	d.a.Drivers = append(d.a.Drivers, driver)
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
