package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/selector"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// Choice holds the selections in the options of "run".
type Choice struct {
	Drivers  []string `option:"driver"`
	Devices  []string `option:"device"`
	Layers   []string `option:"layer"`
	NoLayers bool     `option:"no-layers"`
}

func filterList(option string, names []string) (string, error) {
	joined := strings.Join(names, ",")
	if n := strings.Count(joined, ",") + 1; n > plan.FilterEntries {
		return "", fmt.Errorf("%s: %d names, and the loader takes at most %d", option, n, plan.FilterEntries)
	}
	return joined, nil
}

// Changes returns the changes of the loader's variables that make the choice of drivers and layers (ENV-2, ENV-15 to
// ENV-20, ENV-45 to ENV-59). m has the environment to change.
func (c *Choice) Changes(m *machine.Machine) ([]explain.Change, error) {
	var out []explain.Change
	set := func(v variables.ID, value string) { out = append(out, explain.SetVariable(v.Name(), value)) }
	unset := func(list ...variables.ID) {
		for _, v := range list {
			if _, has := m.Lookup(v.Name()); has {
				out = append(out, explain.UnsetVariable(v.Name()))
			}
		}
	}
	files := slices.DeleteFunc(slices.Clone(c.Drivers), func(d string) bool { return !isPath(d) })
	switch {
	case len(files) > 0 && len(files) < len(c.Drivers):
		return nil, fmt.Errorf("--driver: use only paths (with a slash) or only file names")
	case len(files) > 0:
		for i, file := range files {
			path := file
			if !m.Foreign() {
				var err error
				if path, err = filepath.Abs(file); err != nil {
					return nil, err
				}
			}
			if strings.Contains(path, machine.ListSeparator) {
				return nil, fmt.Errorf("--driver %s: VK_DRIVER_FILES cannot contain a path with %s", file,
					machine.ListSeparatorName)
			}
			files[i] = path
		}
		set(variables.DriverFiles, strings.Join(files, machine.ListSeparator))
		unset(variables.DriversSelect, variables.DriversDisable)
	case len(c.Drivers) > 0:
		names, err := filterList("--driver", c.Drivers)
		if err != nil {
			return nil, err
		}
		set(variables.DriversSelect, names)
	}
	enable := c.Layers
	if c.NoLayers {
		set(variables.LayersDisable, "~all~")
		unset(variables.LayersAllow, variables.InstanceLayers)
		if len(enable) == 0 {
			unset(variables.LayersEnable)
		}
	} else if before, has := m.Lookup(variables.LayersEnable.Name()); has && before != "" && len(enable) > 0 {
		enable = append([]string{before}, enable...)
	}
	if len(enable) > 0 {
		names, err := filterList("--layer", enable)
		if err != nil {
			return nil, err
		}
		set(variables.LayersEnable, names)
	}
	return out, nil
}

func isPath(driver string) bool { return machine.Style.Directory(driver) != "" }

// Check makes the decision with the choice in force, and returns warnings about parts of the choice without effect. A
// driver's file or a layer that does not exist is an error.
func (c *Choice) Check(source *machine.Source) (warnings []string, err error) {
	for _, driver := range c.Drivers {
		if _, err := source.Stat(driver); isPath(driver) && err != nil {
			return nil, exit.Unable("--driver: %w", err)
		}
	}
	made, err := decide.Explain(source)
	if err != nil {
		return nil, err
	}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	in, out, answer := made.In, made.Out, made.Plan
	meant := func(name, kind string) string {
		var names []string
		for _, e := range append(slices.Clone(in), out...) {
			if e.Kind == kind {
				names = append(names, e.Name)
			}
		}
		return term.DidYouMean(name, names)
	}
	why := func(wanted, kind string, matches func(e explain.Item) bool) (text string) {
		at := slices.IndexFunc(out, func(e explain.Item) bool { return e.Kind == kind && matches(e) })
		if at >= 0 {
			text = ": " + out[at].Name + " is not: " + out[at].Why
		}
		return text + selector.StarHint(wanted) + meant(wanted, kind)
	}
	for _, wanted := range splitLists(c.Drivers) {
		matches := func(path string) bool {
			if isPath(wanted) {
				return machine.Style.Base(path) == machine.Style.Base(wanted)
			}
			return plan.Matches(wanted, machine.Style.Base(path))
		}
		if !slices.ContainsFunc(answer.Drivers, func(d *manifest.Driver) bool { return matches(d.Path) }) {
			warn("--driver %s: no driver of this name is used%s", wanted,
				why(wanted, "driver", func(e explain.Item) bool { return matches(e.Manifest) }))
		}
	}
	active := explain.Active(answer)
	for _, wanted := range splitLists(c.Layers) {
		if !slices.ContainsFunc(answer.Layers, func(l *manifest.Layer) bool { return plan.Matches(wanted, l.Name) }) &&
			!slices.ContainsFunc(out,
				func(e explain.Item) bool { return e.Kind == "layer" && plan.Matches(wanted, e.Name) }) {
			return nil, &NoLayer{wanted, selector.StarHint(wanted) + meant(wanted, "layer")}
		}
		if !slices.ContainsFunc(active, func(l *manifest.Layer) bool { return plan.Matches(wanted, l.Name) }) {
			warn("--layer %s: no layer of this name is active%s", wanted,
				why(wanted, "layer", func(e explain.Item) bool { return plan.Matches(wanted, e.Name) }))
		}
	}
	for _, layer := range active {
		if c.NoLayers && !plan.Matches(strings.Join(c.Layers, ","), layer.Name) {
			warn("--no-layers: %s stays active (%s)", layer.Name, layer.Manifest)
		}
	}
	return warnings, nil
}

// NoLayer is the error for a layer that is not installed. Hint continues its message.
type NoLayer struct{ Name, Hint string }

func (n *NoLayer) Error() string {
	return "--layer " + n.Name + ": no such layer is installed" + n.Hint
}

// splitLists splits comma-separated lists in the values of an option.
func splitLists(names []string) []string {
	return strings.FieldsFunc(strings.Join(names, ","), func(r rune) bool { return r == ',' })
}

// DeviceChanges returns the changes of variables that leave a program only the requested devices (ENV-92 to ENV-99).
// list lists the devices; if it is nil, each request must be VENDOR:DEVICE. m has the environment to change. program is
// for suggested commands.
func (c *Choice) DeviceChanges(m *machine.Machine, program string,
	list func() (*survey.Devices, error)) (changes []explain.Change, warnings []string, err error) {
	if len(c.Devices) == 0 {
		return nil, nil, nil
	}
	if list == nil {
		filters := newFilters()
		for _, wanted := range c.Devices {
			vendor, device, ok := drivers.PCIPair(wanted)
			if !ok {
				return nil, nil, fmt.Errorf(
					"with --root, --device needs VENDOR:DEVICE, got %s: the devices are not those of this machine",
					wanted)
			}
			filters.add(&survey.Device{Device: discover.Device{VendorID: vendor, DeviceID: device}})
		}
		return filters.changes(m), nil, nil
	}
	all, err := list()
	if err != nil {
		return nil, nil, err
	}
	if len(all.List) == 0 {
		return nil, nil, exit.Unable("--device: no device could be listed: %s", all.Problem)
	}
	listed := all.Selectable()
	places, err := selector.FindEach(c.Devices, listed)
	if err != nil {
		return nil, nil, fmt.Errorf("--device: %w", err)
	}
	// The choice replaces the filters.
	isHidden := func(d *survey.Device) bool { return !d.In && d.HiddenBy != survey.Filters }
	filters := newFilters()
	for _, at := range places {
		d := &all.List[at]
		if filters.add(d); isHidden(d) {
			return nil, nil, fmt.Errorf("--device: the program would not see %s: %s", selector.Describe(&d.Device),
				d.Why)
		}
	}
	filters.addDriverFilter(all.List, places)
	for i := range all.List {
		if slices.Contains(places, i) || isHidden(&all.List[i]) || !filters.pass(&all.List[i]) {
			continue
		}
		warning := fmt.Sprintf(
			"--device: the program also gets %s: variables select devices only by vendor and device number",
			selector.Describe(&listed[i]))
		if all.List[places[0]].DeviceUUID != "" {
			line := "vkloader settings set --app " + shell.Quoted(program)
			for _, at := range places {
				line += " --device " + shell.Quoted(selector.Best(listed, at))
			}
			warning += string("; settings can select one of them: " + line)
		}
		warnings = append(warnings, warning)
	}
	return filters.changes(m), warnings, nil
}

// idFilter is the value of an ID filter. A device must match each non-empty filter.
type idFilter struct {
	v      variables.ID
	format string
	of     func(d *survey.Device) uint32
	ids    []uint32
}

// idFilters are the filters of vendors, devices and drivers.
type idFilters [3]idFilter

func newFilters() *idFilters {
	return &idFilters{
		{variables.VendorIDFilter, "0x%x", func(d *survey.Device) uint32 { return d.VendorID }, nil},
		{variables.DeviceIDFilter, "0x%x", func(d *survey.Device) uint32 { return d.DeviceID }, nil},
		{variables.DriverIDFilter, "%d", func(d *survey.Device) uint32 { return d.DriverID }, nil}}
}

// add lets a device pass the filters of vendors and devices.
func (f *idFilters) add(d *survey.Device) {
	for i := range f[:2] {
		if id := f[i].of(d); !slices.Contains(f[i].ids, id) {
			f[i].ids = append(f[i].ids, id)
		}
	}
}

// addDriverFilter adds the driver filter if it excludes another driver's device with equal IDs and no chosen device. A
// Vulkan 1.1 device may not report its driver.
func (f *idFilters) addDriverFilter(all []survey.Device, chosen []int) {
	ids := term.Words(chosen, func(at int) uint32 { return all[at].DriverID })
	slices.Sort(ids)
	for i := range all {
		if ids[0] != 0 && !slices.Contains(chosen, i) && f.pass(&all[i]) && !slices.Contains(ids, all[i].DriverID) {
			f[2].ids = slices.Compact(ids)
			return
		}
	}
}

func (f *idFilters) pass(d *survey.Device) bool {
	return !slices.ContainsFunc(f[:],
		func(one idFilter) bool { return one.ids != nil && !slices.Contains(one.ids, one.of(d)) })
}

func (f *idFilters) changes(m *machine.Machine) (changes []explain.Change) {
	for _, one := range f {
		texts := term.Words(one.ids, func(id uint32) string { return fmt.Sprintf(one.format, id) })
		if texts != nil {
			changes = append(changes, explain.SetVariable(one.v.Name(), strings.Join(texts, ",")))
		} else if _, has := m.Lookup(one.v.Name()); has {
			changes = append(changes, explain.UnsetVariable(one.v.Name()))
		}
	}
	return changes
}
