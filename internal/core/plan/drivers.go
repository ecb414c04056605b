package plan

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// driverSearch selects the drivers that the library opens.
type driverSearch struct {
	call
	files          *manifests
	file           *settingsFile
	finder         *finder
	choose, refuse filter
	portability    bool               // portability drivers count
	skipped        int                // the number of portability drivers that do not count
	left           []leftOut          // drivers excluded by the hardware policy
	wished         bool               // a variable of the user excludes a driver
	list           []*manifest.Driver // to be opened
}

// discover lists the drivers to open, each after the log lines of its manifest (DRV-006, DRV-035, SYS-014 to SYS-017).
func (s *driverSearch) discover(portability bool) {
	noVariables := s.file.set != nil && s.file.set.HasDevices // SET-98
	found := s.finder.search(search.Drivers, noVariables, nil)
	found = s.withSettings(found)
	s.portability = portability
	if noVariables {
		s.ignored("the device configurations of "+s.file.set.File, variables.DriverFiles, variables.ICDFilenames,
			variables.AddDriverFiles, variables.DriversSelect, variables.DriversDisable)
	} else {
		s.choose = parseFilter(s.f.Variable(variables.DriversSelect).Value, false)
		s.refuse = parseFilter(s.f.Variable(variables.DriversDisable).Value, false)
	}
	for _, file := range found {
		if driver := s.files.driver(file.Path, file.Listed); driver != nil {
			s.weigh(driver, file.From)
		}
	}
	s.applyPolicy(s.left)
	if s.wantsService() {
		s.fromService()
	}
}

// weigh logs the manifest's messages and selects the driver unless a rule excludes it. from is its origin.
func (s *driverSearch) weigh(driver *manifest.Driver, from string) {
	path := driver.Path
	for i := range driver.Lines {
		s.line(path, &driver.Lines[i])
	}
	if !driver.Usable {
		return
	}
	if driver.Portability && !s.portability {
		s.wished = true
		s.skipped++
		s.find(diag.DriverPortability, path, path, "a portability driver, and the program does not enumerate them")
		return
	}
	if driver.WrongArch {
		line := driver.WrongArchitecture()
		s.line(path, &line)
		return
	}
	name := s.q.base(path)
	selected := s.choose.matches(name)
	if s.refuse.matches(name) && !selected {
		s.wished = true
		s.say(diag.Warn|diag.Driver, diag.DriverDisabled, name, path,
			"Driver \""+name+"\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'")
		return
	}
	if s.choose.any() && !selected {
		s.wished = true
		s.say(diag.Warn|diag.Driver, diag.DriverNotSelected, name, path,
			"Driver \""+name+"\" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'")
		return
	}
	if l, out := s.byHardware(driver); out {
		l.from = from
		s.left = append(s.left, l)
		return
	}
	s.use(driver, from)
}

// use selects a driver; from is its origin.
func (s *driverSearch) use(driver *manifest.Driver, from string) {
	s.find(diag.DriverUsed, s.q.base(driver.Path), driver.Path, foundBy(from)+", library "+driver.Library)
	s.steps = append(s.steps, Step{Kind: StepDriver, Driver: len(s.list)})
	s.list = append(s.list, driver)
}

// foundBy describes the origin of a driver: a variable, value or file names manifests, or directories of them.
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

// withSettings puts the drivers of the settings file first, in reverse order (SET-83).
func (s *driverSearch) withSettings(found []search.Found) []search.Found {
	if s.file.set == nil || len(s.file.set.Drivers) == 0 && !s.file.set.Exclusively {
		return found
	}
	paths := s.file.set.Drivers
	if n := len(paths); n > 0 && !search.IsManifestName(paths[n-1]) { // SET-86
		return nil
	}
	var all []search.Found
	for i := len(paths) - 1; i >= 0; i-- {
		if search.IsManifestName(paths[i]) {
			all = append(all, search.Found{Path: paths[i], From: "the settings file"})
		}
	}
	if s.file.set.Exclusively {
		return all
	}
	return append(all, found...)
}
