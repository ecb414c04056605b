package ask

import (
	"context"
	"errors"
	"time"

	"vkloader/discover"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// Decision is the answer of package discover, with what it was made of.
type Decision struct {
	*discover.Answer
	explain.Made
}

// Decide asks for the program of a source, which enables nothing itself and shows pictures.
func Decide(source *machine.Source) (*Decision, error) {
	return decide(about(source), discover.Program{Path: source.Program})
}

// DecideOn asks for a program that enables nothing itself, on a machine with another system.
func DecideOn(platform search.Platform, source facts.Source, m *machine.Machine) (*Decision, error) {
	return decide(&explain.Question{Source: source, Machine: m, Platform: platform}, discover.Program{})
}

// Paths asks where drivers, layers and settings are looked for.
func Paths(source *machine.Source) (*discover.PathList, error) {
	return discover.Paths(context.Background(), discover.Files(about(source)), discover.Program{})
}

// PathsOn asks that about a machine with another system.
func PathsOn(platform search.Platform, source facts.Source, m *machine.Machine) (*discover.PathList, error) {
	return discover.Paths(context.Background(), discover.Files(&explain.Question{Source: source, Machine: m, Platform: platform}), discover.Program{})
}

// Host is the machine of a source, for the other questions that package discover answers.
func Host(source *machine.Source) *discover.Host { return discover.Files(about(source)) }

func about(source *machine.Source) *explain.Question {
	return &explain.Question{Source: source, Local: source, Machine: &source.Machine, Platform: explain.Platform(source)}
}

func decide(q *explain.Question, program discover.Program) (*Decision, error) {
	answer, err := discover.Decide(context.Background(), discover.Files(q), program)
	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
		return nil, exit.As(exit.NotLooked, err)
	}
	return &Decision{answer, q.Made}, nil
}

// only is decide where only the decision itself is wanted.
func only(q *explain.Question, program discover.Program) (*plan.Answer, error) {
	q.Only = true
	d, err := decide(q, program)
	if err != nil {
		return nil, err
	}
	return d.Plan, nil
}

// Plan is Decide where only the decision itself is wanted.
func Plan(source *machine.Source) (*plan.Answer, error) {
	return PlanFor(source, discover.Program{})
}

// PlanFor is Plan for a program by what it gives to vkCreateInstance; the rest of it is the source's.
func PlanFor(source *machine.Source, program discover.Program) (*plan.Answer, error) {
	program.Path = source.Program
	return only(about(source), program)
}

// Probe is the child that asks drivers for their devices, as a program.
var Probe = discover.Program{Portability: true, API: discover.V1_2, Headless: true}

// Changed is Plan with facts that are tried in place of a machine's own, such as those of explain.Without.
func Changed(facts facts.Source) (*plan.Answer, error) { return ChangedFor(facts, discover.Program{}) }

// ChangedFor is Changed for a program by what it gives to vkCreateInstance.
func ChangedFor(facts facts.Source, program discover.Program) (*plan.Answer, error) {
	return ChangedOn(explain.Platform(facts), facts, program)
}

// ChangedOn is ChangedFor on another system.
func ChangedOn(platform search.Platform, facts facts.Source, program discover.Program) (*plan.Answer, error) {
	return only(&explain.Question{Source: facts, Machine: &machine.Machine{}, Platform: platform}, program)
}

// Devices asks the drivers for their devices, in one child. The error is for what kept it from running.
func Devices(at probe.Place, environ []string, limit time.Duration) (*discover.Report, error) {
	if environ == nil {
		environ = []string{} // and not this process's
	}
	ctx, done := probe.Interruptible()
	defer done()
	return discover.Probe(ctx, discover.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: limit, Whole: true})
}

// Selected is a device as a selector is compared with it.
func Selected(d *discover.Device) drivers.Device {
	return drivers.Device{Index: int(d.Index), Name: d.Name, PCI: d.PCI, Vendor: d.VendorID, ID: d.DeviceID, UUID: d.DeviceUUID,
		DriverUUID: d.DriverUUID, DriverVersion: d.DriverVersion, Driver: d.DriverName}
}

// SelectedAll are several.
func SelectedAll(devices []discover.Device) []drivers.Device {
	return term.Words(devices, func(d discover.Device) drivers.Device { return Selected(&d) })
}
