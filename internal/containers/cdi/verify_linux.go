package cdi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/containers/offer"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// Severities of findings.
const (
	Problem = "problem"
	Warning = "warning"
	Note    = "note"
)

// Defect is a fault of a file, or a gap in its effect.
type Defect struct {
	Severity string `json:"severity"` // note, warning or problem
	Path     string `json:"path"`     // on the machine, or a manifest in the container
	What     string `json:"what"`
	Do       string `json:"do,omitempty"`
}

// Verdict is the result of Verify.
type Verdict struct {
	// the drivers, and whether programs in the container get them; empty without an image
	Drivers  []Driver `json:"drivers"`
	Findings []Defect `json:"findings"`

	again string // the advice to write the file again
}

// Bad reports whether there is a problem.
func (v *Verdict) Bad() bool {
	return slices.ContainsFunc(v.Findings, func(f Defect) bool { return f.Severity == Problem })
}

func (v *Verdict) addDefect(severity, path, what, do string) {
	f := Defect{severity, path, what, do}
	if !slices.Contains(v.Findings, f) {
		v.Findings = append(v.Findings, f)
	}
}

// loaderName is the name by which programs find the loader.
const loaderName = "libvulkan.so.1"

// Verify examines a file: every path in it must be unchanged on the host. With an image, it also examines the drivers
// of programs in a container of the image. file is the name of the file, or ""; image may be nil.
func Verify(spec *specs.Spec, file string, host, image *machine.Machine) *Verdict {
	v := &Verdict{Drivers: []Driver{}, Findings: []Defect{}, again: string(regenerating(spec, file))}
	all := editsOf(spec)
	hooked := false
	for _, e := range all {
		v.host(e, host)
		hooked = hooked || slices.ContainsFunc(e.Hooks, ours)
	}
	if image != nil {
		v.image(all, host, image, hooked)
	}
	return v
}

// editsOf returns the edits of a file and of all its devices.
func editsOf(spec *specs.Spec) []*specs.ContainerEdits {
	all := []*specs.ContainerEdits{&spec.ContainerEdits}
	for i := range spec.Devices {
		all = append(all, &spec.Devices[i].ContainerEdits)
	}
	return all
}

// host checks everything that the edits name on the host.
func (v *Verdict) host(e *specs.ContainerEdits, host *machine.Machine) {
	for _, n := range e.DeviceNodes {
		name := cmp.Or(n.HostPath, n.Path)
		info, err := host.Stat(name)
		if err != nil {
			v.addDefect(Problem, name, "the device node "+absence(err), v.again)
		} else if !host.Foreign() && info.Mode()&fs.ModeDevice == 0 {
			v.addDefect(Problem, name, "it is not a device node", v.again)
		}
	}
	changed := map[string]string{}
	for _, h := range e.Hooks {
		info, err := host.Stat(h.Path)
		switch {
		case err != nil:
			v.addDefect(Problem, h.Path, "the program that the runtime starts for a container "+absence(err), v.again)
		case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
			v.addDefect(Problem, h.Path, "the runtime cannot start it for a container: it is not a program", v.again)
		}
		if ours(h) {
			changed = marks(h)
			if tool := program(h); tool != h.Path && host.Absent(tool) {
				v.addDefect(Problem, tool,
					"the tool that sets up drivers in a container does not exist: containers start without drivers",
					v.again)
			}
		}
	}
	for _, m := range e.Mounts {
		if m.Type != "" && m.Type != "bind" && m.Type != "none" {
			continue
		}
		if _, err := host.Stat(m.HostPath); err != nil {
			v.addDefect(Problem, m.HostPath, "a mounted file "+absence(err), v.again)
		} else if was, known := changed[m.HostPath]; known && was != mark(host, m.HostPath, m.HostPath) {
			v.addDefect(Problem, m.HostPath, "the file has changed since this was written"+
				difference(was, mark(host, m.HostPath, m.HostPath)), v.again)
		}
	}
}

// difference describes how two marks differ.
func difference(was, is string) string {
	a, b := strings.SplitN(was, " ", 3), strings.SplitN(is, " ", 3)
	switch {
	case a[0] != b[0]:
		return fmt.Sprintf(": it had %s bytes, and has %s", a[0], b[0])
	case a[1] != b[1]:
		return fmt.Sprintf(": its build ID was %s, and is %s", a[1], b[1])
	}
	return ""
}

// absence says that a file does not exist, or that this user may not look at it.
func absence(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "cannot be examined by this user: " + drivers.Cause(err).Error()
	}
	return "does not exist: " + drivers.Cause(err).Error()
}

// image examines the container that a runtime makes from an image, with every device.
func (v *Verdict) image(all []*specs.ContainerEdits, host, image *machine.Machine, hooked bool) {
	made := newOverlay(image)
	box := made.machine()
	brought := map[string]bool{running(image)[0].Name: true} // machines whose programs are examined
	for _, e := range all {
		for _, m := range e.Mounts {
			if m.Type == "" || m.Type == "bind" || m.Type == "none" {
				if info, err := image.Stat(m.ContainerPath); err == nil && info.Mode().IsRegular() {
					v.addDefect(Warning, m.ContainerPath,
						"the image has this file itself, and programs there get that of the host", "")
				}
				made.mount(host, m.HostPath, m.ContainerPath)
				if rest, ours := strings.CutPrefix(m.ContainerPath, manifestsPlace); ours {
					name, _, _ := strings.Cut(rest, "/")
					brought[name] = true
				}
			}
		}
		for _, variable := range e.Env {
			name, value, _ := strings.Cut(variable, "=")
			box.Environ = machine.WithVariable(box.Environ, name, value)
		}
	}
	if hooked {
		s := Situation{Host: host}
		for _, e := range all {
			for _, n := range e.DeviceNodes {
				s.Nodes = append(s.Nodes, n.Path)
			}
		}
		v.applyArrangement(made, box, s)
	}
	judged := 0
	for _, name := range slices.Sorted(maps.Keys(brought)) {
		if kind, known := machines.Named(name); known && runs(image, kind) {
			judged++
			v.programs(box, kind)
		}
	}
	if judged == 0 { // the machine of the image is unknown
		v.programs(box, running(image)[0])
	}
}

// programs judges the drivers of the programs for one processor.
func (v *Verdict) programs(box *machine.Machine, kind machines.Machine) {
	find := binary.NewLinker(box, offer.Options(kind))
	v.drivers(box, find, kind.Name, offer.Options(kind))
	if r := find.Find(loaderName); r.File == nil || r.File.Err() != nil {
		what := "the image has no Vulkan loader that can be used"
		if kind.Bits == 32 {
			what = "the image has no Vulkan loader for programs of 32 bits"
		}
		v.addDefect(Problem, loaderName, what, "Install one in the image (Debian: libvulkan1).")
	}
}

// applyArrangement applies the hook's arrangement to the container.
func (v *Verdict) applyArrangement(made *overlay, box *machine.Machine, s Situation) {
	a := Arrange(box, s)
	for _, i := range slices.Concat(a.Own, a.Put) {
		if i.Target != "" {
			made.link(i.Path, i.Target)
		} else {
			made.text(i.Path, i.Text)
		}
	}
	box.Without = append(box.Without, a.Hide...)
	for _, d := range a.Drivers {
		v.addReason(d)
	}
}

// addReason reports the reason why a driver is not added.
func (v *Verdict) addReason(d Driver) {
	severity := Warning
	if fine(d.Why) {
		severity = Note
	}
	switch {
	case !d.Added:
		v.addDefect(severity, d.Name, "the driver is not added: "+d.Why, "")
	case d.Why != "":
		v.addDefect(Note, d.Name, "the driver is added "+d.Why, "")
	}
}

// drivers judges the drivers that a program in the container gets.
func (v *Verdict) drivers(box *machine.Machine, find *binary.Linker, name string, options binary.LinkerOptions) {
	answer, err := explain.Decide(&machine.Source{Machine: *box, Class: options.Class})
	if err != nil {
		v.addDefect(Problem, "", err.Error(), "")
		return
	}
	works := false
	for _, d := range answer.Drivers {
		found := drivers.FilesOf(box, find, d.Library)
		one := Driver{Name: search.BaseName(d.Path), Machine: name}
		switch {
		case found.Fault == drivers.ForOthers, found.Fault == drivers.Foreign && found.File.Class != options.Class:
			continue // for other programs
		default:
			one.Why = unfit(found)
		}
		one.Added = one.Why == ""
		works = works || one.Added
		v.Drivers = append(v.Drivers, one)
		if !one.Added {
			v.addDefect(Warning, d.Path, one.Why, "")
		}
	}
	if !works {
		what := "no driver works in the image"
		if options.Class == 32 {
			what = "no driver works in the image for programs of 32 bits"
		}
		v.addDefect(Problem, path.Clean(icdPlace), what, "See the findings about each driver.")
	}
}

// runs reports whether an image has programs for a machine: the dynamic linker, or the C library, of that machine.
func runs(m *machine.Machine, kind machines.Machine) bool {
	return slices.ContainsFunc(append([]string{"/usr/lib/" + kind.Multiarch + "/libc.so.6"}, kind.Linkers...), m.Exists)
}

// running returns the machines of an image's programs, in the table's order. For an image without programs it returns
// the tool's own machine.
func running(m *machine.Machine) []machines.Machine {
	kinds := slices.DeleteFunc(slices.Clone(machines.All()), func(kind machines.Machine) bool { return !runs(m, kind) })
	if len(kinds) == 0 {
		own, _ := machines.Own()
		kinds = append(kinds, own)
	}
	return kinds
}
