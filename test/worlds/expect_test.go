package worlds

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/machine"
)

// view shows a world the way the interposer shows it to the loader, and remembers what was read.
type view struct {
	machine.Source
	root string
	env  map[string]string
	read []string
}

// shown are the folders that the interposer puts below the root.
var shown = []string{"/etc/vulkan", "/etc/xdg/vulkan", "/usr/local/etc/vulkan", "/usr/share/vulkan", "/usr/local/share/vulkan"}

func (v *view) redirected(path string) string {
	for _, folder := range shown {
		if path == folder || strings.HasPrefix(path, folder+"/") {
			return v.root + "/system" + path
		}
	}
	return path
}

func (v *view) Var(name string, secure bool) facts.Var {
	if secure && v.Elevated {
		return facts.Var{}
	}
	value, ok := v.env[name]
	return facts.Var{Value: value, Set: ok}
}

func (v *view) Folder(path string) facts.Folder {
	v.read = append(v.read, "opendir "+path)
	return v.Source.Folder(v.redirected(path))
}

func (v *view) File(path string) facts.File {
	v.read = append(v.read, "fopen "+path)
	return v.Source.File(v.redirected(path))
}

func (v *view) Exists(path string) bool { return v.Source.Exists(v.redirected(path)) }

// expectation is what a world must show.
type expectation struct {
	lines     []string // of vkCreateInstance, in order
	destroyed []string // the driver instances that are destroyed, sorted
	active    []string
	devices   int
	layers    []string // that are enumerated
	exts      []string
	extResult int32
}

// fake tells what a library does that a manifest names.
type fake struct {
	name   string
	script []string
	usable bool
}

// word gives a word of a script's statement.
func (f *fake) words(statement string) (found [][]string) {
	for _, line := range f.script {
		if words := strings.Fields(line); words[0] == statement {
			found = append(found, words[1:])
		}
	}
	return found
}

func (f *fake) result(function string) int32 {
	for _, words := range f.words("result") {
		if words[0] == function {
			n, _ := strconv.Atoi(words[1])
			return int32(n)
		}
	}
	return plan.Success
}

// library finds the fake that a path leads to; unusable when it is none, or one that cannot be used.
func (w *worker) library(path string, scripts map[string][]string) *fake {
	name := strings.TrimSuffix(filepath.Base(path), ".so")
	kind, known := libraries[name]
	if filepath.Dir(filepath.Clean(path)) != w.Path("lib") || !known {
		return &fake{name: path}
	}
	return &fake{name, scripts[name], kind.usable}
}

func packed(version string) uint32 {
	var part [3]uint32
	for i, s := range strings.Split(version, ".") {
		n, _ := strconv.Atoi(s)
		part[i] = uint32(n)
	}
	return part[0]<<22 | part[1]<<12 | part[2]
}

// list renders names the same way on both sides.
func list(names []string) string { return "[" + strings.Join(names, " ") + "]" }

func names(texts []string) []plan.Name {
	var out []plan.Name
	for _, text := range texts {
		out = append(out, plan.Name{Text: text, Set: true})
	}
	return out
}

// expect decides what the world must show.
func (w *worker) expect(d *description, v *view) *expectation {
	e := &expectation{}
	memory := &plan.Memory{}
	ask := func(kind plan.Kind, drivers []plan.Driver) *plan.Answer {
		a := plan.Resolve(&plan.Question{Kind: kind, Platform: search.Linux(), Memory: memory, Drivers: drivers, App: plan.App{
			API: packed(d.api), Flags: d.flags, LayerCount: uint32(len(d.layers)), Layers: names(d.layers),
			ExtensionCount: uint32(len(d.exts)), Extensions: names(d.exts),
		}}, v)
		return a
	}
	a := ask(plan.Instance, nil)
	e.lines = append(e.lines, v.read...)
	result := a.Result
	if result == plan.Success {
		result = w.expectInstance(e, d, a, ask)
	}
	e.lines = append(e.lines, fmt.Sprint("result ", result))
	slices.Sort(e.destroyed)

	for _, l := range ask(plan.Layers, nil).Layers {
		e.layers = append(e.layers, l.Name)
	}
	a = ask(plan.Extensions, nil)
	_, opened := w.open(a.Drivers, d)
	a = ask(plan.ExtensionsDrivers, opened)
	e.extResult = a.Result
	for _, x := range a.Extensions {
		e.exts = append(e.exts, x.Name)
	}
	return e
}

// open gives what opening drivers reveals.
func (w *worker) open(drivers []*manifest.Driver, d *description) (fakes []*fake, facts []plan.Driver) {
	for i, driver := range drivers {
		f := w.library(driver.Library, d.scripts)
		fact := plan.Driver{Index: uint32(i), Usable: f.usable, Path: driver.Path, Result: f.result("vkEnumerateInstanceExtensionProperties")}
		for _, words := range f.words("ext") {
			fact.Extensions = append(fact.Extensions, manifest.Extension{Name: words[0], Spec: 1})
		}
		fakes, facts = append(fakes, f), append(facts, fact)
	}
	return fakes, facts
}

// expectInstance goes on where drivers are opened; the result is the call's.
func (w *worker) expectInstance(e *expectation, d *description, a *plan.Answer, ask func(plan.Kind, []plan.Driver) *plan.Answer) int32 {
	drivers, opened := w.open(a.Drivers, d)
	for _, driver := range a.Drivers {
		e.lines = append(e.lines, "dlopen "+driver.Library)
	}
	manifests := a.Drivers
	if a = ask(plan.InstanceDrivers, opened); a.Result != plan.Success {
		return a.Result
	}
	var chain []*fake // top to bottom
	refused := false
	for _, active := range a.Active {
		l := a.Layers[active.Layer]
		e.active = append(e.active, l.Name)
		if l.Meta || active.Unchained {
			continue
		}
		f := w.library(l.Library, d.scripts)
		if f.usable {
			chain = append(chain, f)
		}
		refused = refused || !f.usable && active.AppNamed // LAY-297, LAY-299, LAY-300
	}
	for i := len(a.Active) - 1; i >= 0; i-- { // LAY-277
		if l := a.Layers[a.Active[i].Layer]; !l.Meta && !a.Active[i].Unchained {
			e.lines = append(e.lines, "dlopen "+l.Library)
		}
	}
	if refused {
		return plan.LayerNotPresent
	}
	api := int64(packed(d.api))
	if d.api == "" {
		api = -1
	}
	for _, f := range chain { // LAY-307
		e.lines = append(e.lines, fmt.Sprint(f.name, " creates, extensions ", list(d.exts), ", layers ", list(d.layers), ", api ", api))
	}
	return w.expectDrivers(e, d, a, manifests, drivers)
}

// expectDrivers says what each driver is given, and what becomes of it (INS-058 to INS-076).
func (w *worker) expectDrivers(e *expectation, d *description, a *plan.Answer, manifests []*manifest.Driver, drivers []*fake) int32 {
	const properties2 = "VK_KHR_get_physical_device_properties2"
	left := 0
	for i, f := range drivers {
		if !f.usable || f.result("vkEnumerateInstanceExtensionProperties") != 0 { // ERRATA 20
			continue
		}
		var has, given []string
		for _, words := range f.words("ext") {
			has = append(has, words[0])
		}
		for _, name := range d.exts {
			if slices.Contains(has, name) {
				given = append(given, name)
			}
		}
		isOneZero := func(v uint32) bool { return v>>12 == 1<<10 }
		declared := manifests[i].API
		asked := packed(d.api)
		if (asked == 0 || isOneZero(asked) || isOneZero(declared)) && slices.Contains(has, properties2) { // INS-061
			given = append(given, properties2)
		}
		api, reports := int64(asked), packed(f.words("api")[0][0])
		switch ten := min(declared, reports) < 1<<22|1<<12; { // INS-064
		case ten && (d.api == "" || api != 0): // INS-065, INS-066
			api = 1 << 22
		case d.api == "":
			api = -1
		}
		flags := uint32(0) // INS-044
		if slices.Contains(d.exts, "VK_KHR_portability_enumeration") && slices.Contains(has, "VK_KHR_portability_enumeration") {
			flags = d.flags
		}
		result := f.result("vkCreateInstance")
		e.lines = append(e.lines, fmt.Sprint(f.name, " creates, extensions ", list(once(given)), ", layers 0, api ", api, ", flags ", flags))
		switch result {
		case plan.Success:
			left++
			e.devices += len(f.words("device"))
			e.destroyed = append(e.destroyed, f.name)
		case -1: // INS-074
			return -1
		}
	}
	if left == 0 {
		return plan.IncompatibleDriver
	}
	return plan.Success
}

// once drops repetitions, which the statements leave open (INS-061).
func once(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
