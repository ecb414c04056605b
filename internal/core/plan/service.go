package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/served"
	"vkloader/internal/core/variables"
)

// Served is how the paths of manifests begin that the driver service has sent. There is no such file.
const Served = "service:/"

// wantsService tells whether the driver service is to be asked: only where nothing else gives a driver, and nobody has
// said which ones there should be (PRO-049).
func (d *decider) wantsService(w *weighing) bool {
	if len(d.a.Drivers) > 0 || w.wished || !d.q.Platform.Linux || d.q.App.DirectList || d.set != nil && (d.set.HasDevices || d.set.Exclusively) {
		return false
	}
	return !d.f.Variable(variables.DriverFiles).Set && !d.f.Variable(variables.ICDFilenames).Set
}

// fromService takes the drivers that the driver service offers.
func (d *decider) fromService(w *weighing) {
	s, known := d.f.Service()
	if !known || s.State == facts.ServiceNone {
		return
	}
	drivers, why := []served.Driver(nil), refusal(s.State)
	if why == "" {
		drivers, why = served.Read(s.Answer, s.Index)
	}
	if why != "" {
		d.say(diag.Warn|diag.Driver, diag.ServiceRefused, s.Place, s.Place, "The driver service at "+s.Place+" is not used: "+why)
		return
	}
	d.say(diag.Info|diag.Driver, diag.ServiceUsed, s.Place, s.Place, "The driver service at "+s.Place+" offers "+
		decimal(uint32(len(drivers)))+" drivers")
	for i := range drivers {
		one := &drivers[i]
		path := Served + one.Name
		if one.Why != "" {
			d.say(diag.Warn|diag.Driver, diag.DriverNotServed, path, path, "Driver "+path+" is not used: "+one.Why)
			continue
		}
		if repeated(drivers[:i], one.Name) { // the first of a name counts
			continue
		}
		driver := d.driverOf(path, facts.File{Content: one.Manifest})
		if driver == nil {
			continue
		}
		driver.Files = one.Files
		driver.Library, driver.HasSlash = Served+one.Files[len(one.Files)-1].Name, false
		d.weigh(w, driver, "the driver service at "+s.Place)
	}
}

func repeated(list []served.Driver, name string) bool {
	for i := range list {
		if list[i].Name == name {
			return true
		}
	}
	return false
}

// refusal says why a service is not used that was asked for its drivers; empty when it has answered.
func refusal(state facts.ServiceState) string {
	switch state {
	case facts.ServiceAnswered:
		return ""
	case facts.ServiceForeign:
		return "it belongs to another user"
	case facts.ServiceLate:
		return "it does not answer in time"
	case facts.ServiceEnded:
		return "it ends the connection"
	case facts.ServiceForbidden:
		return "it may not be connected to"
	}
	return "what it sends is not of the protocol"
}
