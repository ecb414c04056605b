package plan

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/served"
	"vkloader/internal/core/variables"
)

// Served is the prefix of the paths of manifests from the driver service. No such files exist.
const Served = "service:/"

// wantsService reports whether to query the driver service: only if no other driver is found and no variable or
// settings file names drivers (PRO-049).
func (s *driverSearch) wantsService() bool {
	if !s.q.Platform.Linux || s.q.App.DirectList || len(s.list) > 0 || s.wished ||
		s.file.set != nil && (s.file.set.Exclusively || s.file.set.HasDevices) {
		return false
	}
	return !s.f.Variable(variables.DriverFiles).Set && !s.f.Variable(variables.ICDFilenames).Set
}

// fromService adds the drivers that the driver service offers.
func (s *driverSearch) fromService() {
	said, known := s.f.Service()
	if !known || said.State == facts.ServiceNone {
		return
	}
	drivers, why := []served.Driver(nil), refusal(said.State)
	if why == "" {
		drivers, why = served.Read(said.Answer, said.Index)
	}
	if why != "" {
		s.say(diag.Warn|diag.Driver, diag.ServiceRefused, said.Place, said.Place, "The driver service at "+said.Place+
			" is not used: "+why)
		return
	}
	s.say(diag.Info|diag.Driver, diag.ServiceUsed, said.Place, said.Place, "The driver service at "+said.Place+
		" offers "+
		decimal(uint32(len(drivers)))+" drivers")
	for i := range drivers {
		one := &drivers[i]
		path := Served + one.Name
		if one.Why != "" {
			s.say(diag.Warn|diag.Driver, diag.DriverNotServed, path, path, "Driver "+path+" is not used: "+one.Why)
			continue
		}
		hasName := func(d served.Driver) bool { return d.Name == one.Name }
		if slices.ContainsFunc(drivers[:i], hasName) { // the first driver of a name counts
			continue
		}
		driver := s.files.driverOf(path, facts.File{Content: one.Manifest})
		if driver == nil {
			continue
		}
		driver.Files = one.Files
		driver.Library, driver.HasSlash = Served+one.Files[len(one.Files)-1].Name, false
		s.weigh(driver, origin{diag.ByService, said.Place})
	}
}

// refusal returns the reason why the driver service is not used; "" if it answered.
func refusal(state facts.ServiceState) string {
	switch state {
	case facts.ServiceAnswered:
		return ""
	case facts.ServiceForeign:
		return "another user can change its socket, or a directory of the socket's path"
	case facts.ServiceLate:
		return "it does not answer in time"
	case facts.ServiceEnded:
		return "it ends the connection"
	case facts.ServiceForbidden:
		return "the process may not connect to it"
	case facts.ServiceResting:
		return "it did not answer in time a moment ago, and is not asked again so soon"
	case facts.ServiceNoProc:
		return "/proc is not mounted, and drivers of a service are opened through /proc/self/fd"
	}
	return "its answer does not follow the protocol"
}
