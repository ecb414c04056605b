package plan

import (
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
	portability    bool               // portability drivers are used
	skipped        int                // number of portability drivers that are not used
	left           []excludedDriver   // drivers excluded by the hardware policy
	wished         bool               // a variable set by the user excludes a driver
	list           []*manifest.Driver // to be opened
}

// discover lists the drivers to open, each after the log lines of its manifest (DRV-006, DRV-035, SYS-014 to SYS-017).
func (s *driverSearch) discover(portability bool) {
	noVariables := s.file.set != nil && s.file.set.HasDevices // SET-98
	found := s.finder.search(search.Drivers, noVariables, nil)
	found = s.withSettings(found)
	s.portability = portability
	if noVariables {
		s.reportIgnored(diag.DeviceList, s.file.set.File, variables.DriverFiles, variables.ICDFilenames,
			variables.AddDriverFiles, variables.DriversSelect, variables.DriversDisable)
	} else {
		s.choose = parseFilter(s.f.Variable(variables.DriversSelect).Value, false)
		s.refuse = parseFilter(s.f.Variable(variables.DriversDisable).Value, false)
	}
	for _, file := range found {
		if driver := s.files.driver(file.Path, file.Listed); driver != nil {
			s.weigh(driver, originOf(file.From))
		}
	}
	s.applyPolicy(s.left)
	if s.wantsService() {
		s.fromService()
	}
}

// origin tells where a driver was found: diag.BySettings, diag.ByService or diag.ByPlace with the name of the location.
type origin struct {
	cause diag.Cause
	name  string
}

// bySettings is the origin of files that the settings file names. No location has this name.
const bySettings = ""

func originOf(from string) origin {
	if from == bySettings {
		return origin{cause: diag.BySettings}
	}
	return origin{diag.ByPlace, from}
}

// weigh logs the manifest's messages and selects the driver unless a rule excludes it.
func (s *driverSearch) weigh(driver *manifest.Driver, from origin) {
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
		s.find(diag.DriverPortability, path, path, diag.Plain, "")
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
	if l, out := s.hardwareExclusion(driver); out {
		l.from = from
		s.left = append(s.left, l)
		return
	}
	s.use(driver, from)
}

// use selects a driver.
func (s *driverSearch) use(driver *manifest.Driver, from origin) {
	if s.explain {
		s.diagnostics = append(s.diagnostics, diag.Diagnostic{Code: diag.DriverUsed, Cause: from.cause,
			Subject: s.q.base(driver.Path),
			Path:    driver.Path, Detail: from.name, More: driver.Library})
	}
	s.steps = append(s.steps, Step{Kind: StepDriver, Driver: len(s.list)})
	s.list = append(s.list, driver)
}

// withSettings puts the drivers of the settings file first, in reverse order (SET-83).
func (s *driverSearch) withSettings(found []search.ManifestFile) []search.ManifestFile {
	if s.file.set == nil || len(s.file.set.Drivers) == 0 && !s.file.set.Exclusively {
		return found
	}
	paths := s.file.set.Drivers
	if n := len(paths); n > 0 && !search.IsManifestName(paths[n-1]) { // SET-86
		return nil
	}
	var all []search.ManifestFile
	for i := len(paths) - 1; i >= 0; i-- {
		if search.IsManifestName(paths[i]) {
			all = append(all, search.ManifestFile{Path: paths[i], From: bySettings})
		}
	}
	if s.file.set.Exclusively {
		return all
	}
	return append(all, found...)
}
