package decide

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// Severity returns the severity of a decision's finding. An excluded driver or a missing manifest of a driver costs
// programs nothing while another driver works.
func (s *Standings) Severity(f *diag.Diagnostic) diag.Severity {
	severity := f.Code.Entry().Severity
	switch {
	case f.Code == diag.DriverDisabled && f.Path != "" && f.Path == s.SoftwareOut():
		return diag.Problem
	case f.Code == diag.DriverDisabled || f.Code == diag.DriverNotSelected:
		if s.AnyDriver() {
			return diag.Note
		}
	case f.Code == diag.FileOpen:
		if s.isListed(f.Path) && s.source.Absent(f.Path) && s.AnyDriver() {
			return diag.Warning
		}
	case f.Code == diag.MetaInvalid && f.Subject == manifest.OverrideName: // programs get the other layers
		return diag.Warning
	}
	return severity
}

// AnyDriver reports whether a driver of the decision can be loaded.
func (s *Standings) AnyDriver() bool { return slices.ContainsFunc(s.made.Drivers, s.canLoad) }

// AnyDevice reports whether a driver of the decision can be loaded and is for a device of this machine: a software
// renderer, an unknown driver, or one of a family with a device here.
func (s *Standings) AnyDevice() bool {
	return slices.ContainsFunc(s.made.Drivers, func(d *manifest.Driver) bool {
		family := drivers.Of(d.Library)
		return (family == nil || family.Software() || s.serves(family)) && s.canLoad(d)
	})
}

// canLoad reports whether a driver can be loaded, and judges each driver once.
func (s *Standings) canLoad(d *manifest.Driver) bool {
	works, known := s.works[d]
	if !known {
		works = len(d.Files) > 0 || !machine.ELF ||
			drivers.Judged(s.machine, s.linker, d.Library, drivers.DriverInterface).Works()
		s.works[d] = works
	}
	return works
}

func (s *Standings) excludedSoftware() string {
	if s.source.Var(variables.DriversDisable.Name(), true).Value == "" || s.AnyDevice() {
		return ""
	}
	all, err := explain.Decide(explain.Without(s.source, variables.DriversDisable, variables.DriversSelect))
	if err != nil {
		return ""
	}
	for _, d := range all.Drivers {
		if drivers.Of(d.Library).Software() && s.canLoad(d) {
			return d.Path
		}
	}
	return ""
}

// serves reports whether a device of this machine has a node and is of a driver's family.
func (s *Standings) serves(family *drivers.Family) bool {
	return slices.ContainsFunc(s.devices(), func(g *drivers.GPU) bool {
		return len(g.Nodes) > 0 && drivers.Serves(family, g.Kernel, g.Vendor,
			drivers.ChipByPCI(drivers.PCINumber(g.Vendor), drivers.PCINumber(g.Device)))
	})
}

// isListed reports whether a variable with the list of all drivers names a manifest.
func (s *Standings) isListed(file string) bool {
	return slices.ContainsFunc(s.made.Searched[search.Drivers].List, func(l search.Location) bool {
		return l.File && l.Path == file && OnlyDrivers(l.From)
	})
}

// OnlyDrivers reports whether a variable lists all drivers. An entry without a driver costs programs nothing while
// another driver of the list works.
func OnlyDrivers(variable string) bool {
	return variable == variables.DriverFiles.Name() || variable == variables.ICDFilenames.Name()
}
