package survey

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// Device is a device and its visibility to programs. Hidden devices have numbers after the visible ones.
type Device struct {
	discover.Device
	In  bool   `json:"in"`
	Why string `json:"why,omitempty"` // why the device is not listed

	HiddenBy Hider `json:"-"`
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
	List    []Device      `json:"devices"`
	Order   []OrderReason `json:"order"`             // the reasons for the order of visible devices
	Problem string        `json:"problem,omitempty"` // one sentence, if the child process did not end well
	Died    bool          `json:"-"`                 // a driver or layer ended the child process
}

// maxLook is the time limit of a child process that looks for hidden devices.
const maxLook = 10 * time.Second

var (
	deviceFilters = []variables.ID{variables.DeviceIDFilter, variables.VendorIDFilter, variables.DriverIDFilter}
	driverFilters = []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.DriversSelect,
		variables.DriversDisable}
)

// DriverVariables are the variables that choose drivers.
var DriverVariables = append(slices.Clone(driverFilters), variables.AddDriverFiles)

// LookAtDevices asks the probe for the devices of programs, and repeats the question without each cause that hides
// devices or changes their order.
func LookAtDevices(found probe.Companions, source *machine.Source, limit time.Duration) (*Devices, error) {
	environ := source.Environ
	seen, err := ProbeDevices(found, environ, limit)
	if err != nil {
		return nil, err
	}
	answer, err := explain.Decide(&machine.Source{Machine: source.Machine, Program: found.Child})
	if err != nil {
		return nil, err
	}
	devices := &Devices{List: []Device{}, Order: []OrderReason{}, Problem: seen.Problem, Died: seen.Died}
	for _, d := range seen.Devices {
		devices.List = append(devices.List, Device{Device: d, In: true})
	}
	base := seen.Devices // below Mesa's layer
	in := len(seen.Devices)
	for _, l := range lifts(source, answer) {
		environ = l.lift(environ)
		more, err := look(found, environ, term.Either(l.hider == Settings, explain.SilentSettings, ""),
			min(limit, maxLook))
		if err != nil {
			return nil, err
		}
		if l.hider == MesaLayer && more.Outcome != discover.Crashed && more.Outcome != discover.Hung {
			base = more.Devices
		}
		missing := slices.Clone(devices.List) // from this run, so far
		for _, d := range more.Devices {
			if at := indexOf(missing, &d); at >= 0 {
				missing = slices.Delete(missing, at, at+1)
				continue
			}
			d.Index = uint32(len(devices.List))
			devices.List = append(devices.List, Device{Device: d, Why: l.why, HiddenBy: l.hider})
		}
	}
	devices.Order = append(devices.Order, orderOf(source, answer, devices.List[:in], base)...)
	return devices, nil
}

// ProbeDevices runs one child without the loader's log, which asks the drivers for their devices. environ has the
// child's variables; nil: none. The error says why the child did not run.
func ProbeDevices(at probe.Companions, environ []string, limit time.Duration) (*discover.Report, error) {
	if environ == nil {
		environ = []string{} // not the variables of this process
	}
	ctx, done := probe.Interruptible(context.Background())
	defer done()
	return discover.Probe(ctx, discover.ProbeOptions{Env: environ, Library: at.Library, Child: at.Child, Limit: limit})
}

// look runs the probe with a settings file in place of any other; "": with those in force.
func look(found probe.Companions, environ []string, settings string, limit time.Duration) (*discover.Report, error) {
	if settings != "" {
		changed, remove, err := explain.ShadowSettings(environ, settings)
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
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
	if layer := explain.ActiveLayer(answer, drivers.MesaLayer); layer != nil {
		off := layer.DisableName
		list = append(list, lift{MesaLayer, "hidden by " + drivers.MesaLayer + term.Enclosed(" ", wishesOf(source), ""),
			func(environ []string) []string {
				for _, v := range drivers.MesaVariables {
					environ = machine.WithoutVariable(environ, v.Name)
				}
				return term.Either(off == "", environ, machine.WithVariable(environ, off, "1"))
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
func effectiveVariables(source *machine.Source, answer *plan.Answer, list []variables.ID) (text string,
	names []string) {
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

// Try runs the probe with a settings file in place of any other. It disables Mesa's layer and the ID filters, which act
// on the result of the settings.
func Try(found probe.Companions, source *machine.Source, text string, limit time.Duration) (*discover.Report, error) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	environ := source.Environ
	for _, l := range lifts(source, answer) {
		if l.hider <= Filters {
			environ = l.lift(environ)
		}
	}
	return look(found, environ, text, limit)
}

// Same reports whether two runs gave the same devices in the same order.
func Same(a, b []discover.Device) bool {
	return slices.EqualFunc(a, b, func(x, y discover.Device) bool { return sameDevice(&x, &y) })
}

// sameDevice compares two devices of different runs and ignores their numbers.
func sameDevice(a, b *discover.Device) bool {
	return a.Name == b.Name && a.VendorID == b.VendorID && a.DeviceID == b.DeviceID &&
		a.DriverVersion == b.DriverVersion &&
		a.DeviceUUID == b.DeviceUUID && a.DriverUUID == b.DriverUUID && a.PCI == b.PCI
}

// indexOf returns the index of a device in a list; -1 if it is not there.
func indexOf(list []Device, d *discover.Device) int {
	return slices.IndexFunc(list, func(o Device) bool { return sameDevice(d, &o.Device) })
}

// Selectable returns the devices in the form for selectors.
func (d *Devices) Selectable() []discover.Device {
	return term.Words(d.List, func(one Device) discover.Device { return one.Device })
}

// Sources of the device order.
const (
	ByDrivers  = "drivers"
	ByLoader   = "loader"
	BySettings = "settings"
	ByLayer    = "layer"
)

// OrderReason is a reason for the order of devices.
type OrderReason struct {
	By        string `json:"by"` // drivers, loader, settings or layer
	What      string `json:"what"`
	Statement string `json:"statement,omitempty"`
}

const inOwnOrder = "the last driver found comes first; each driver lists its devices in its own order"

// orderOf returns the reasons for the order of devices. list has the devices of programs, base those below Mesa's
// layer.
func orderOf(source *machine.Source, answer *plan.Answer, list []Device, base []discover.Device) (steps []OrderReason) {
	names, unnamed := []string{}, slices.Clone(list) // a device that is listed twice has two numbers, in the same order
	for i := range base {
		name := base[i].Name
		if at := indexOf(unnamed, &base[i]); at >= 0 {
			name, unnamed = unnamed[at].numberAndName(), slices.Delete(unnamed, at, at+1)
		}
		names = append(names, name)
	}
	off, _ := source.Lookup(variables.DisableSelect.Name())
	switch {
	case answer.Settings != nil && answer.Settings.HasDevices:
		steps = append(steps, OrderReason{BySettings, "the order is that of the device configurations of " +
			answer.Settings.File, "SET-93"})
	// on Windows, DXGI gives the order, and the probe does not report it
	case len(base) < 2, answer.Style == pathname.Backslash:
	case environment.IsOn(off):
		steps = append(steps, OrderReason{ByDrivers, variables.DisableSelect.Name() + "=" + off +
			": nothing is sorted; " + inOwnOrder, "PHY-026"})
	default:
		value, chosen := choosesFirst(source, base)
		for i := range base[:len(base)-1] {
			rule, statement := ruleOf(&base[i], &base[i+1])
			if chosen && i == 0 {
				rule, statement = variables.DeviceSelect.Name()+"="+value+" names it", "PHY-033"
			}
			steps = append(steps, OrderReason{ByLoader, names[i] + " before " + names[i+1] + ": " + rule, statement})
		}
		// a release without the variable has no order for it to switch off
		l := loaders.For(source, loaders.Linker(source), nil)
		if l != nil && !l.Reads(variables.DisableSelect.Name()) {
			steps = append(steps, OrderReason{ByDrivers, "this is the order of vkloader; programs get " + l.Title() +
				", which sorts nothing: " + inOwnOrder, ""})
		}
	}
	for _, what := range []string{mesaStep(source, answer, list, base), optimusStep(source, answer)} {
		if what != "" {
			steps = append(steps, OrderReason{ByLayer, what, "PHY-032"})
		}
	}
	return steps
}

func (d *Device) numberAndName() string { return fmt.Sprint(d.Index, " ", d.Name) }

// choosesFirst returns the value of VK_LOADER_DEVICE_SELECT, and whether it puts the first device there (PHY-033).
func choosesFirst(source *machine.Source, base []discover.Device) (value string, is bool) {
	value, _ = source.Lookup(variables.DeviceSelect.Name())
	text := strings.TrimLeft(value, " \t\n\v\f\r")
	if end := strings.IndexFunc(text,
		func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEFxX:", r) }); end >= 0 {
		text = text[:end] // text after the second number is ignored (ENV-86)
	}
	vendor, device, ok := drivers.PCIPair(text)
	return value, ok && base[0].VendorID == vendor && base[0].DeviceID == device
}

// typeRank returns the rank of a device type (PHY-027). Unknown types are last.
func typeRank(t discover.DeviceType) int {
	return slices.Index([]discover.DeviceType{2, 1, 3, 0, 4, t}, t)
}

// ruleOf returns the rule that puts a device before another (PHY-027), and its statement.
func ruleOf(a, b *discover.Device) (rule, statement string) {
	same := typeRank(a.Type) == typeRank(b.Type)
	switch {
	case typeRank(a.Type) < typeRank(b.Type):
		return a.TypeText + " comes before " + b.TypeText, "PHY-027"
	case same && a.PCI != "" && b.PCI == "":
		return "its PCI address is known, and the other device's is not", "PHY-027"
	case same && a.PCI != "" && (len(a.PCI) < len(b.PCI) || len(a.PCI) == len(b.PCI) && a.PCI < b.PCI):
		// a longer domain is a larger number
		return "PCI address " + a.PCI + " comes before " + b.PCI, "PHY-027"
	case same && a.PCI == b.PCI && a.VendorID^a.DeviceID < b.VendorID^b.DeviceID:
		return fmt.Sprintf("vendor xor device is %x; the other device's is %x", a.VendorID^a.DeviceID,
			b.VendorID^b.DeviceID), "PHY-027"
	}
	return "no sort rule distinguishes them: " + inOwnOrder, "PHY-023"
}

// mesaStep returns the effect of Mesa's layer on the order, or its variables without effect; "" for neither.
func mesaStep(source *machine.Source, answer *plan.Answer, list []Device, base []discover.Device) string {
	wishes := wishesOf(source)
	if explain.ActiveLayer(answer, drivers.MesaLayer) == nil {
		return term.Enclosed("", wishes, " moves nothing: "+drivers.MesaLayer+", which reads it, is not used here")
	}
	left := slices.DeleteFunc(slices.Clone(base), func(d discover.Device) bool {
		return indexOf(list, &d) < 0
	})
	same := len(left) == len(list)
	moved := same && len(list) > 0 && !sameDevice(&left[0], &list[0].Device)
	for i := range list {
		same = same && sameDevice(&left[i], &list[i].Device)
	}
	why := ": " + cmp.Or(wishes, "none of its variables is set: it puts the device of the display first")
	switch {
	case len(list) < len(base) && len(list) > 0:
		return drivers.MesaLayer + " hides all but " + list[0].numberAndName() + why
	case moved:
		return drivers.MesaLayer + " puts " + list[0].numberAndName() + " first, which the loader has after " +
			left[0].Name + why
	case !same:
		return drivers.MesaLayer + " has changed the order" + why
	case wishes != "" && len(list) > 1:
		return drivers.MesaLayer + " has changed nothing" + why
	}
	return ""
}

// optimusStep returns the effect of NVIDIA's layer on the order; "" without its variables.
func optimusStep(source *machine.Source, answer *plan.Answer) string {
	offload, _ := source.Lookup(drivers.OptimusOffload)
	filter, _ := source.Lookup(drivers.OptimusFilter)
	text := strings.TrimSpace(term.Enclosed(drivers.OptimusOffload+"=", offload, " ") +
		term.Enclosed(drivers.OptimusFilter+"=", filter, ""))
	switch {
	case text == "":
		return ""
	case explain.ActiveLayer(answer, drivers.OptimusLayer) == nil:
		return text + " moves nothing: " + drivers.OptimusLayer + ", which reads it, is not used here; it comes with " +
			"NVIDIA's driver, in nvidia_layers.json"
	case filter == "NVIDIA_only":
		return drivers.OptimusLayer + " hides every device that is not of NVIDIA's driver: " + text
	case filter == "non_NVIDIA_only":
		return drivers.OptimusLayer + " hides the devices of NVIDIA's driver: " + text
	}
	return drivers.OptimusLayer + " puts the devices of NVIDIA's driver before all others: " + text
}
