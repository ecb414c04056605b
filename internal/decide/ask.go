package decide

import (
	"context"
	"errors"
	"time"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Decision is an Answer, with the core's decision that it was made from.
type Decision struct {
	*Answer
	Made
}

// Of returns the decision for a source's program. The program is taken to enable no layer and no extension, and to show
// pictures on a screen. A decision without a driver is no error.
func Of(source *machine.Source) (*Decision, error) {
	return decide(about(source), Program{Path: source.Program})
}

// OfKind is Of for a list of one kind: it examines only the files of drivers, or only those of layers.
func OfKind(source *machine.Source, kind explain.Kind) (*Decision, error) {
	q := about(source)
	q.judged = kind.One
	return decide(q, Program{Path: source.Program})
}

// On is Of for a machine with another system.
func On(platform search.Platform, source facts.Provider, m *machine.Machine) (*Decision, error) {
	return decide(&question{source: source, machine: m, platform: platform}, Program{})
}

func decide(q *question, program Program) (*Decision, error) {
	made, err := q.decide(context.Background(), &program)
	if err != nil {
		return nil, err
	}
	return &Decision{answerOf(program, made), *made}, nil
}

// PathsOf lists where a source's program looks for drivers, layers and settings.
func PathsOf(source *machine.Source) (*PathList, error) {
	return about(source).paths(context.Background(), &Program{})
}

// PathsOn is PathsOf for a machine with another system.
func PathsOn(platform search.Platform, source facts.Provider, m *machine.Machine) (*PathList, error) {
	q := question{source: source, machine: m, platform: platform}
	return q.paths(context.Background(), &Program{})
}

// HostOf returns the machine of a source as a host.
func HostOf(source *machine.Source) *Host {
	return &Host{name: nameOf(&source.Machine), asked: about(source)}
}

// Devices runs one child, which asks the drivers for their devices. environ has the child's variables; nil: none. The error
// says why the child did not run.
func Devices(at probe.Companions, environ []string, limit time.Duration) (*Report, error) {
	if environ == nil {
		environ = []string{} // not the variables of this process
	}
	ctx, done := probe.Interruptible()
	defer done()
	return Probe(ctx, ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: limit, Whole: true})
}

// errNoHost is the error of a question about no host.
var errNoHost = errors.New("no host: it is nil")

// Selected returns a device in the form that device selectors are compared with.
func Selected(d *Device) drivers.Device {
	return drivers.Device{Index: int(d.Index), Name: d.Name, PCI: d.PCI, Vendor: d.VendorID, ID: d.DeviceID, UUID: d.DeviceUUID,
		DriverUUID: d.DriverUUID, DriverVersion: d.DriverVersion, Driver: d.DriverName}
}

// SelectedAll is Selected for a list.
func SelectedAll(devices []Device) []drivers.Device {
	list := make([]drivers.Device, len(devices))
	for i := range devices {
		list[i] = Selected(&devices[i])
	}
	return list
}
