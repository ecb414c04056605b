package survey

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// Device is a device and its visibility to programs. Hidden devices have numbers after the visible ones.
type Device struct {
	discover.Device
	In  bool   `json:"in"`
	Why string `json:"why,omitempty"` // why the device is not listed

	HiddenBy Hider `json:"-"`
	Brought  bool  `json:"-"` // a variable adds its driver
}

// Hider is a cause for a hidden device.
type Hider uint8

// Hiders, in the order of their removal.
const (
	Nothing Hider = iota
	MesaLayer
	Filters   // the ID filter variables
	Variables // variables that choose drivers
	Settings  // the settings file
)

// Devices are a machine's devices.
type Devices struct {
	List    []Device
	Order   []OrderReason // the reasons for the order of visible devices
	Problem string        // of the child process
	Died    bool          // a driver or layer ended the child process
}

// maxLook is the time limit of a child process that looks for hidden devices.
const maxLook = 10 * time.Second

var (
	deviceFilters = []variables.ID{variables.DeviceIDFilter, variables.VendorIDFilter, variables.DriverIDFilter}
	driverFilters = []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.DriversSelect, variables.DriversDisable}
)

// DriverVariables are the variables that choose drivers.
var DriverVariables = append(slices.Clone(driverFilters), variables.AddDriverFiles)

// LookAtDevices asks the probe for the devices of programs, and repeats the question without each cause that hides devices
// or changes their order.
func LookAtDevices(found probe.Companions, source *machine.Source, limit time.Duration) (*Devices, error) {
	environ := machine.WithoutVariable(source.Environ, variables.Debug.Name())
	seen, err := ProbeDevices(found, environ, limit)
	if err != nil {
		return nil, err
	}
	answer, err := explain.Decide(&machine.Source{Machine: source.Machine, Program: found.Child})
	if err != nil {
		return nil, err
	}
	devices := &Devices{List: []Device{}, Problem: seen.Problem, Died: seen.Died}
	for _, d := range seen.Devices {
		devices.List = append(devices.List, Device{Device: d, In: true})
	}
	base := seen.Devices // below Mesa's layer
	in := len(seen.Devices)
	for _, l := range lifts(source, answer) {
		environ = l.lift(environ)
		more, err := look(found, environ, l.hider == Settings, min(limit, maxLook))
		if err != nil {
			return nil, err
		}
		if l.hider == MesaLayer && more.Outcome != discover.Crashed && more.Outcome != discover.Hung {
			base = more.Devices
		}
		there := make([]bool, len(devices.List))
		for _, d := range more.Devices {
			at := -1
			for i := range there {
				if !there[i] && sameDevice(&d, &devices.List[i].Device) {
					at = i
					break
				}
			}
			if at >= 0 {
				there[at] = true
				continue
			}
			d.Index = uint32(len(devices.List))
			devices.List = append(devices.List, Device{Device: d, Why: l.why, HiddenBy: l.hider})
		}
		for i := range there {
			devices.List[i].Brought = devices.List[i].Brought || l.hider == Variables && !there[i] && more.Outcome == discover.Fine
		}
	}
	devices.Order = orderOf(source, answer, devices.List[:in], base)
	return devices, nil
}

// ProbeDevices runs one child, which asks the drivers for their devices. environ has the child's variables; nil: none. The error
// says why the child did not run.
func ProbeDevices(at probe.Companions, environ []string, limit time.Duration) (*discover.Report, error) {
	if environ == nil {
		environ = []string{} // not the variables of this process
	}
	ctx, done := probe.Interruptible()
	defer done()
	return discover.Probe(ctx, discover.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: limit, Whole: true})
}

// look runs the probe; silent: without any settings file.
func look(found probe.Companions, environ []string, silent bool, limit time.Duration) (*discover.Report, error) {
	if silent {
		changed, remove, err := explain.ShadowSettings(environ, explain.SilentSettings)
		if err != nil {
			return nil, err
		}
		defer remove()
		environ = changed
	}
	return ProbeDevices(found, environ, limit)
}

// lift is the removal of one cause that hides devices.
type lift struct {
	hider Hider
	why   string // the reason for the devices that appear without the cause
	lift  func(environ []string) []string
}

const driverExcluded = "its driver is excluded by "

// lifts returns the active causes in the order of their removal. Each run removes all earlier causes too.
func lifts(source *machine.Source, answer *plan.Answer) (list []lift) {
	if layer := layerOf(answer); layer >= 0 {
		off := answer.Layers[layer].DisableName
		list = append(list, lift{MesaLayer, "hidden by " + drivers.MesaLayer + term.Enclosed(" ", wishesOf(source), ""), func(environ []string) []string {
			for _, v := range drivers.MesaVariables {
				environ = machine.WithoutVariable(environ, v.Name)
			}
			if off == "" {
				return environ
			}
			return machine.WithVariable(environ, off, "1")
		}})
	}
	without := func(list []variables.ID) func([]string) []string {
		return func(environ []string) []string {
			for _, v := range list {
				environ = machine.WithoutVariable(environ, v.Name())
			}
			return environ
		}
	}
	if set, _ := effectiveVariables(source, answer, deviceFilters); set != "" {
		list = append(list, lift{Filters, "hidden by " + set, without(deviceFilters)})
	}
	if all, _ := effectiveVariables(source, answer, DriverVariables); all != "" {
		set, _ := effectiveVariables(source, answer, driverFilters)
		list = append(list, lift{Variables, driverExcluded + set, without(DriverVariables)})
	}
	same := func(environ []string) []string { return environ }
	switch {
	case answer.Settings == nil:
	case answer.Settings.HasDevices:
		list = append(list, lift{Settings, "hidden by the device configurations of " + answer.Settings.File, same})
	case answer.Settings.Exclusively:
		list = append(list, lift{Settings, driverExcluded + answer.Settings.File, same})
	}
	return list
}

// effectiveVariables returns the effective variables of a list, as NAME=VALUE and by name.
func effectiveVariables(source *machine.Source, answer *plan.Answer, list []variables.ID) (text string, names []string) {
	var set []string
	for _, v := range list {
		value, has := source.Lookup(v.Name())
		empty := v == variables.DriverFiles || v == variables.ICDFilenames // ENV-8
		if !has || value == "" && !empty || slices.ContainsFunc(answer.Diagnostics, func(f diag.Diagnostic) bool {
			return f.Code == diag.VariableIgnored && f.Subject == v.Name()
		}) {
			continue
		}
		names = append(names, v.Name())
		set = append(set, v.Name()+"="+value)
	}
	return strings.Join(set, " "), names
}

// layerOf returns the index of Mesa's layer in a decision; -1 if it is not active.
func layerOf(answer *plan.Answer) int {
	for _, a := range answer.Active {
		if answer.Layers[a.Layer].Name == drivers.MesaLayer {
			return int(a.Layer)
		}
	}
	return -1
}

// wishesOf returns the effective requests in the variables of Mesa's layer, as NAME=VALUE; "" for none.
func wishesOf(source *machine.Source) string {
	var list []string
	for _, v := range drivers.MesaVariables {
		value, _ := source.Lookup(v.Name)
		if w := drivers.ReadMesa(v.Name, value); w.Does() != "" {
			list = append(list, w.Name+"="+w.Value)
		}
	}
	return strings.Join(list, " ")
}

// InForce returns the names of the effective variables that choose drivers.
func InForce(source *machine.Source) ([]string, error) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	_, names := effectiveVariables(source, answer, DriverVariables)
	return names, nil
}

// ManifestOf returns the manifest of a device's driver if only a variable names the manifest; "" otherwise.
func ManifestOf(found probe.Companions, source *machine.Source, d *discover.Device, limit time.Duration) (string, error) {
	with, err := explain.Decide(source)
	if err != nil {
		return "", err
	}
	without, err := explain.Decide(explain.Without(source, DriverVariables...))
	if err != nil {
		return "", err
	}
	environ := source.Environ
	for _, v := range append(append(slices.Clone(DriverVariables), deviceFilters...), variables.Debug) {
		environ = machine.WithoutVariable(environ, v.Name())
	}
	for _, driver := range with.Drivers {
		if slices.ContainsFunc(without.Drivers, func(o *manifest.Driver) bool { return o.Path == driver.Path }) {
			continue
		}
		path, err := filepath.Abs(driver.Path)
		if err != nil {
			return "", err
		}
		alone, err := look(found, machine.WithVariable(environ, variables.DriverFiles.Name(), path), true, limit)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(alone.Devices, func(o discover.Device) bool { return sameDevice(d, &o) }) {
			return path, nil
		}
	}
	return "", nil
}

// Try runs the probe with a settings file in place of any other. It disables Mesa's layer and the ID filters, which act on
// the result of the settings.
func Try(found probe.Companions, source *machine.Source, text string, limit time.Duration) (*discover.Report, error) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	environ := machine.WithoutVariable(source.Environ, variables.Debug.Name())
	for _, l := range lifts(source, answer) {
		if l.hider <= Filters {
			environ = l.lift(environ)
		}
	}
	environ, remove, err := explain.ShadowSettings(environ, text)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	defer remove()
	return ProbeDevices(found, environ, limit)
}

// Same reports whether two runs gave the same devices in the same order.
func Same(a, b []discover.Device) bool {
	return slices.EqualFunc(a, b, func(x, y discover.Device) bool { return sameDevice(&x, &y) })
}

// sameDevice compares two devices of different runs and ignores their numbers.
func sameDevice(a, b *discover.Device) bool {
	return a.Name == b.Name && a.VendorID == b.VendorID && a.DeviceID == b.DeviceID && a.DriverVersion == b.DriverVersion &&
		a.DeviceUUID == b.DeviceUUID && a.DriverUUID == b.DriverUUID && a.PCI == b.PCI
}

// Selected returns the devices in the form for selectors.
func (d *Devices) Selected() []drivers.Device {
	return settings.Selectable(term.Words(d.List, func(one Device) discover.Device { return one.Device }))
}

// Options are the options of an inspection.
type Options struct {
	Library string           // the loader library to use; "": the tool's own
	Loader  *discover.Loader // the loader in Library; nil: unknown, so there is no decision for it
	Limit   time.Duration    // for each child process
}

// Look inspects this machine through the tool's library or another one. It returns an error if the inspection is impossible.
func Look(executable string, m machine.Machine, o Options) (*discover.Inspection, error) {
	at, err := probe.Find(executable, o.Library)
	if err != nil {
		return nil, err
	}
	environ := m.Environ
	if environ == nil {
		environ = []string{}
	}
	ctx, done := probe.Interruptible()
	defer done()
	return discover.Inspect(ctx, discover.InspectOptions{ProbeOptions: discover.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: o.Limit},
		Loader: o.Loader, Undecided: o.Library != "" && o.Loader == nil})
}
