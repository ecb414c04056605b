package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/machines"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// choosers are the variables that choose among the installed drivers. The first three name the drivers to use.
var choosers = []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.DriversSelect,
	variables.DriversDisable}

// directions are the variables that set the search directories for manifests.
var directions = []variables.ID{variables.DataDirs, variables.ConfigDirs, variables.DataHome, variables.ConfigHome}

// keptOut is a working driver that programs do not get.
type keptOut struct {
	driver *manifest.Driver
	by     variables.ID // the variable that excludes the driver by itself; nil: the settings file does
	file   string       // the settings file that excludes the driver
}

// name returns the variable or settings file that excludes the driver.
func (k *keptOut) name() string {
	if k.by != nil {
		return k.by.Name()
	}
	return path.Clean(k.file)
}

// isUnsearched reports whether the driver's manifest is outside the search directories.
func (k *keptOut) isUnsearched() bool { return slices.Contains(directions, k.by) }

// excludedDrivers returns the working drivers that a variable or the settings file excludes. It repeats the decision
// without each variable and without the settings file.
func (e *exam) excludedDrivers() []keptOut {
	if e.leftOutDrivers != nil {
		return e.leftOutDrivers
	}
	list := []keptOut{}
	add := func(source facts.Provider, out keptOut) {
		answer, err := explain.Decide(source)
		if err != nil {
			return
		}
		for _, d := range answer.Drivers {
			known := slices.ContainsFunc(e.Answer.Drivers, func(o *manifest.Driver) bool { return o.Path == d.Path }) ||
				contains(list, func(o *keptOut) bool { return o.driver.Path == d.Path })
			if !known && len(d.Files) == 0 &&
				drivers.Judged(e.machine, e.linker, d.Library, drivers.DriverInterface).Works() {
				one := out
				one.driver = d
				list = append(list, one)
			}
		}
	}
	var set []variables.ID
	for _, v := range append(slices.Clone(choosers), directions...) {
		if e.source.Var(v.Name(), v.Secure()).Value != "" {
			set = append(set, v)
			add(explain.Without(e.source, v), keptOut{by: v})
		}
	}
	if len(set) > 1 { // any of several variables may exclude the driver: the first is named
		add(explain.Without(e.source, set...), keptOut{by: set[0]})
	}
	if e.Answer.Settings != nil {
		file := e.Answer.Settings.File
		add(explain.Lacking(e.source, []string{path.Clean(file)}), keptOut{file: file})
	}
	e.leftOutDrivers = list
	return list
}

// someGood reports whether the program gets a working driver.
func (r *Report) someGood() bool {
	return contains(r.Drivers, func(m *Entry) bool { return m.Good })
}

// searchAgain offers a change that adds the directory of a manifest to the search.
func (e *exam) searchAgain(found *Finding, kept *keptOut) {
	value := e.source.Var(kept.name(), kept.by.Secure()).Value
	missing := path.Dir(path.Dir(path.Dir(path.Clean(kept.driver.Path)))) // without vulkan/icd.d/NAME
	if kept.by == variables.DataDirs || kept.by == variables.ConfigDirs {
		found.offer(fixing, explain.SetVariable(kept.name(), value+":"+missing))
	}
	e.unsetting(found, kept.name())
}

// leftOut adds a finding about the variable or file that excludes a device's driver; false: no driver is excluded.
func (e *exam) leftOut(g *GPU) bool {
	kept := find(e.excludedDrivers(), func(k *keptOut) bool {
		return drivers.Serves(drivers.Of(k.driver.Library), g.Kernel, g.Vendor, e.chip(g))
	})
	if name := pinnedBy(e.source); kept == nil && name != "" && e.someGood() { // another device needs no driver
		what := textf("%s names the drivers that programs get, and none of these is for the device", name)
		e.add(GPULeftOut, g.Title(), "", what, nil).excludedBy = name
		return true
	} else if kept == nil {
		return false
	}
	if kept.isUnsearched() {
		found := e.add(GPUNoDriver, g.Title(), kept.driver.Path,
			textf("its driver's manifest is %s, and %s excludes that directory from the search", kept.driver.Path,
				kept.name()), e.orSteam(kept.name(), nil))
		e.searchAgain(found, kept)
		return true
	}
	if !e.someGood() {
		return true // the finding "no driver" names the cause
	}
	by := ""
	if kept.by != nil {
		by = e.setterText(kept.name())
	}
	why, lost := forDevice, usual
	others := contains(e.GPUs, func(o *GPU) bool { return o != g && len(o.Drivers) > 0 && len(o.Nodes) > 0 })
	switch software, unknown, _ := e.driversWithoutDevice(); {
	case others:
	case len(software)+len(unknown) == 0: // the drivers that programs get are for no device here
		why, lost = fixing, everything
	case (kept.by == nil || kept.by == variables.DriversDisable) &&
		!explain.SettingsOurs(e.machine, path.Clean(kept.file)):
		why, lost = fixing, something
	}
	found := e.add(GPULeftOut, g.Title(), kept.driver.Path, textf("its driver %s is excluded by %s%s",
		search.BaseName(kept.driver.Path), kept.name(), by), nil, lost)
	found.excludedBy = kept.name()
	if kept.by == nil {
		return true
	}
	switch kept.by {
	case variables.DriversDisable, variables.DriversSelect:
		found.offer(why, explain.DropFromFilter(e.source, kept.by, search.BaseName(kept.driver.Path))...)
	default:
		found.offer(why, explain.UnsetVariable(kept.name()))
	}
	return true
}

// pinnedBy returns the variable that names the drivers of programs; "" for none.
func pinnedBy(source *machine.Source) string {
	for _, v := range choosers[:3] {
		if source.Var(v.Name(), v.Secure()).Value != "" {
			return v.Name()
		}
	}
	return ""
}

// standings returns the standings of the decision's drivers and layers.
func (e *exam) standings() *decide.Standings {
	if e.judged == nil {
		e.judged = decide.StandingsOf(e.source, e.linker, e.Answer)
	}
	return e.judged
}

// addClosedDirectories adds findings for manifest directories that the user may not read. Their manifests count as not
// installed.
func (e *exam) addClosedDirectories() {
	for kind, lost := range []loss{search.Drivers: usual, search.ImplicitLayers: little,
		search.ExplicitLayers: little} {
		for _, location := range e.Answer.Searched[kind].List {
			if location.File {
				continue
			}
			place := e.closedAt(location.Path)
			if place != "" && !contains(e.Findings,
				func(f *Finding) bool { return f.Code == DirectoryUnreadable && f.Path == place }) {
				what := term.Either(search.Kind(kind) == search.Drivers, "drivers", "layers")
				if e.addForeignHome(place) {
					continue
				}
				e.add(DirectoryUnreadable, place, place,
					textf("%s may not be read, so the %s in it are not found", place, what), e.opening(place), lost)
			}
		}
	}
}

// addForeignHome adds a finding if HOME is in a place that the user may not read, and reports whether it is: it is the
// directory of another user, so no driver or layer in it is known to be missing.
func (e *exam) addForeignHome(place string) bool {
	home := e.variable(variables.Home.Name())
	if home == "" || !strings.HasPrefix(path.Clean(home)+"/", place+"/") {
		return false
	}
	found := e.add(DirectoryUnreadable, place, place, textf("HOME is %s, which %s may not read", home, e.user.name),
		newAdvice("Set HOME to a directory of "+e.user.name+"."), little)
	if own := e.field("/etc/passwd", 5, 0, e.user.name); own != "" && own != home {
		found.offer(fixing, explain.SetVariable(variables.Home.Name(), own))
	}
	return true
}

// closedAt returns the part of a directory's path that the user may not read; "" if the directory is readable or
// missing.
func (h host) closedAt(directory string) string {
	if _, err := h.machine.ReadDir(directory); !isDenied(err) {
		return ""
	}
	return h.closedPart(path.Clean(directory))
}

// closedPart returns the part of a path that refuses access: the file itself, or a directory above it.
func (h host) closedPart(place string) string {
	for parent := path.Dir(place); parent != place; place, parent = parent, path.Dir(parent) {
		if _, err := h.machine.Stat(place); !isDenied(err) {
			return place
		}
	}
	return place
}

// unreadable returns the fact, the fix and its changes for a manifest or settings file: for an unreadable file, the
// command that makes it readable; for a damaged file, the reinstallation of its package. For other findings, it returns
// its arguments.
func (e *exam) unreadable(f *diag.Diagnostic, what fact, do *Remedy) (fact, *Remedy, []explain.Change) {
	switch f.Code {
	case diag.FileSyntax, diag.FileTop:
		if owner := e.packageOf(path.Clean(f.Path)); owner != "" {
			return what, e.system.again(owner, f.Path), nil
		} else if do, changes, is := e.writtenBy(f.Path, ""); is {
			return what, do, changes
		}
	case diag.FileOpen:
		file, err := e.machine.Open(f.Path)
		if err == nil {
			file.Close()
		}
		if isDenied(err) {
			return textf(unreadable, f.Path), e.opening(e.closedPart(path.Clean(f.Path))), nil
		}
	}
	return what, do, nil
}

// opening returns the command that makes a file or directory readable for every user, if its package installs it so.
// For any other place, it returns advice with its owner.
func (h host) opening(place string) *Remedy {
	if real, err := h.machine.Real(place); err == nil {
		place = real
	}
	base := path.Base(place)
	if info, err := h.machine.Stat(place); err == nil && (info.IsDir() || info.Mode().IsRegular() &&
		(strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".so") || strings.Contains(base, ".so."))) &&
		h.machine.InstalledReadable(place, info.IsDir()) {
		return (&distribution{}).by("readable", with("place", place))
	}
	args := with("place", place)
	if user, _, mode, ok := h.owner(place); ok {
		args = with("place", place, "owner", term.Either(user == 0, "root", fmt.Sprintf("user %d", user)), "mode",
			fmt.Sprintf("%#04o", mode&0o7777))
	}
	return (&distribution{}).by("closed", args)
}

// isDenied reports whether an error is a permission error.
func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// libraryWithoutManifest returns the library of a device's driver that no manifest names, and the change that writes a
// manifest for it in the user's directory; "" if there is none.
func (e *exam) libraryWithoutManifest(g *GPU) (library string, write explain.Change) {
	home, data := e.dataHome()
	if data == "" {
		return "", write
	}
	for _, f := range drivers.Families() {
		if !f.WorksOn(g.Kernel) {
			continue
		}
		for _, stem := range f.Libraries {
			file := e.driverLibrary(home, stem)
			if file == "" {
				continue
			}
			return file, manifestOf(data, stem+".json", file, "1.3.0")
		}
	}
	return "", write
}

// dataHome returns the home directory and the user's data directory; "" if there is none.
func (h host) dataHome() (home, data string) {
	home, _ = h.machine.Lookup(variables.Home.Name())
	if data, _ = h.machine.Lookup(variables.DataHome.Name()); data == "" {
		data = path.Join(home, ".local/share")
	}
	if !path.IsAbs(home) || !path.IsAbs(data) || strings.Contains(data, ":") {
		return "", ""
	}
	return home, data
}

// manifestOf returns a change that writes a driver manifest into a data directory.
func manifestOf(data, name, library, version string) explain.Change {
	text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0",
		"ICD": map[string]any{"library_path": library, "api_version": version}})
	if err != nil {
		return explain.Change{}
	}
	return explain.AddFile(path.Join(data, "vulkan/icd.d", name), string(text)+"\n")
}

// portable returns a change that writes a user manifest for the first portability driver found. Programs then get the
// driver without enabling VK_KHR_portability_enumeration. It returns false if there is no driver or no directory.
func (e *exam) portable() (write explain.Change, ok bool) {
	_, data := e.dataHome()
	for f := range each(e.Answer.Diagnostics) {
		if f.Code != diag.DriverPortability || data == "" {
			continue
		}
		text, err := e.machine.ReadFile(f.Path)
		manifest := struct {
			ICD struct {
				Library string `json:"library_path"`
				Version string `json:"api_version"`
			}
		}{}
		if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.ICD.Library == "" {
			continue
		}
		library := manifest.ICD.Library
		if strings.Contains(library, "/") && !path.IsAbs(library) {
			library = path.Join(path.Dir(f.Path), library)
		}
		return manifestOf(data, "portable_"+path.Base(f.Path), library, manifest.ICD.Version), true
	}
	return write, false
}

// driverLibrary returns a driver library for the examined programs from the linker's or the user's library directories.
func (e *exam) driverLibrary(home, stem string) string {
	own, _ := machines.Running(e.class)
	names := []string{stem + ".so", stem + ".so.0"}
	usable := func(f *binary.File) bool {
		return f != nil && e.linker.Fits(f) && f.ELF != nil && f.Symbols().Exports("vk_icdGetInstanceProcAddr")
	}
	for _, name := range names {
		if found := e.linker.Find(name); usable(found.File) {
			return found.File.Path
		}
		for _, directory := range []string{".local/lib", ".local/lib64", ".local/lib/" + own.Multiarch, "lib",
			"lib64"} {
			if file := path.Join(home, directory, name); e.machine.Exists(file) && usable(e.linker.Open(file)) {
				return file
			}
		}
	}
	return ""
}

// systemFiles adds a finding if a file system of the kernel that drivers read is missing.
func (e *exam) systemFiles() {
	if e.machine.Foreign() || machine.Style.Separator() != '/' {
		return
	}
	for _, one := range []struct{ place, sign, kind, bind string }{
		{"/proc", "/proc/self/stat", "proc", "--proc /proc"}, {"/sys", "/sys/class", "sysfs", "--ro-bind /sys /sys"}} {
		if !e.machine.Exists(one.sign) {
			do := e.system.by("mount", with("directory", one.place, "type", one.kind, "bind", one.bind))
			e.add(SystemFiles, one.place, one.place, textf("%s is not mounted", one.place), do)
		}
	}
}

// missingFilesText returns the beginning of the verdict if a file system of the kernel is missing.
func (r *Report) missingFilesText() string {
	var missing []string
	for f := range each(r.Findings) {
		if f.Code == SystemFiles && f.Severity == diag.Problem {
			missing = append(missing, f.Subject)
		}
	}
	is := term.Either(len(missing) == 1, " is", " are")
	return term.Enclosed("The devices are unknown, because ", strings.Join(missing, " and "), is+" not mounted")
}

// dropCovered removes the finding that a device has no driver if a tried driver lists the device, the finding that it
// has two if one of them lists none, and the finding that a driver cannot work without a display if it does. The name
// of the driver's file does not count.
func (e *evidence) dropCovered() {
	e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool {
		return contains(e.alone, func(a *alone) bool {
			works := a.Result == ProbeOK
			return works && f.Code == DriverHeadless && f.Path == a.Manifest || !works && f.Code == DeviceTwice &&
				!a.isPending() && strings.Contains(f.fact.say(), a.Manifest)
		})
	})
	for g := range each(e.GPUs) {
		for a := range each(e.alone) {
			if a.saw == nil || a.Result != ProbeOK || !slices.ContainsFunc(a.saw.Devices, g.is) {
				continue
			}
			if !slices.Contains(g.Drivers, a.Manifest) {
				g.Drivers = append(slices.Clip(g.Drivers), a.Manifest)
			}
			e.Findings = slices.DeleteFunc(e.Findings, func(f Finding) bool {
				return f.Code == GPUNoDriver && f.device == g.Name || f.Code == SoftwareOnly
			})
		}
	}
}

// is reports whether a driver's device is this one: by its address, or by its numbers.
func (g *GPU) is(d probe.Device) bool {
	if address, ok := drivers.PCIAddress(g.Name); ok && d.PCI != "" {
		return d.PCI == address
	}
	return drivers.PCINumber(g.Vendor) == d.VendorID && drivers.PCINumber(g.Device) == d.DeviceID && d.DeviceID != 0
}

// settingsBlame repeats a failed run without the settings file, and reports whether the file is the cause.
func (t *trying) settingsBlame(ctx context.Context, e *evidence) (bool, error) {
	if e.source.Foreign() || !explain.TriesSettings || t.scene.Answer.Settings == nil {
		return false, nil
	}
	found, err := settings.Look(e.source)
	if err != nil || found.InForce() == nil {
		return false, nil // a file that cannot be read has a finding
	}
	environ, _ := t.scene.Without(e.out)
	environ, remove, err := explain.ShadowSettings(environ, explain.SilentSettings)
	if err != nil {
		return false, nil // this system cannot try settings
	}
	defer remove()
	again, err := t.child(ctx, t.at, environ, t.patience)
	if err != nil || again.Outcome != probe.Fine || len(again.Devices) == 0 {
		return false, err
	}
	all := newTogether(e.out)
	all.enter(e.all)
	e.Probes = append(e.Probes, all)
	file := found.InForce().Path
	by := term.Either(t.scene.Answer.Settings.HasDevices, " by its device_configurations", "")
	do := newAdvice("Correct device_configurations in " + file +
		", with the program that wrote it, usually vkconfig, or remove them.")
	if found.InForce().Ours {
		do = shellAdvice("Choose the device again: vkloader settings set --device DEVICE; or end the choice: ",
			"vkloader settings clear")
	}
	e.add(SettingsHide, machine.Style.Base(file), file,
		textf("with %s, programs get no device%s (%s); without it, they do", file, by, all.Detail), do)
	return true, nil
}

// trialEnviron returns an environment for drivers alone. Active device configurations disable the variables that select
// a driver, so the child gets no settings file.
func (t *trying) trialEnviron(source *machine.Source) (environ []string, remove func()) {
	if made := t.scene.Answer.Settings; made != nil && made.HasDevices && !source.Foreign() && explain.TriesSettings {
		if environ, remove, err := explain.ShadowSettings(t.Environ, explain.SilentSettings); err == nil {
			return environ, remove
		}
	}
	return t.Environ, func() {}
}

// overflowID is the number that the kernel shows for a user or group of the host that is not mapped into the container.
const overflowID = 65534
