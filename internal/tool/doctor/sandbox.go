package doctor

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

// Sandbox is a container or compatibility environment around the program.
type Sandbox struct {
	Kind   string `json:"kind"` // flatpak, snap, steam, docker, podman, kubernetes, container, wsl
	Detail string `json:"detail,omitempty"`
}

// sandboxes detects sandboxes by their marker files.
func (e *exam) sandboxes() {
	add := func(kind, detail string) {
		if !isFileName(detail) { // the name becomes a part of shell lines
			detail = ""
		}
		e.Sandboxes = append(e.Sandboxes, Sandbox{kind, detail})
	}
	if info := e.machine.Text("/.flatpak-info"); info != "" {
		add("flatpak", setting(info, "Application", "name"))
	}
	if name := e.variable("SNAP_NAME"); name != "" && e.variable("SNAP") != "" {
		add("snap", name)
	}
	if e.machine.Exists("/run/pressure-vessel") || e.machine.Text("/run/host/container-manager") == "pressure-vessel" {
		add("steam", "")
	}
	switch {
	case e.machine.Exists("/run/.containerenv"):
		add("podman", strings.Trim(setting("[]\n"+e.machine.Text("/run/.containerenv"), "", "name"), `"`))
	case e.machine.Exists("/.dockerenv"):
		add("docker", "")
	case e.variable("KUBERNETES_SERVICE_HOST") != "" || e.machine.Exists("/var/run/secrets/kubernetes.io"):
		add("kubernetes", "")
	case e.machine.Text("/run/systemd/container") != "":
		add("container", e.machine.Text("/run/systemd/container"))
	}
	if e.machine.Exists("/dev/dxg") || strings.Contains(e.machine.Text("/proc/version"), "icrosoft") {
		add("wsl", "")
	}
}

// setting returns the value of a key in a section of an INI file.
func setting(text, section, key string) string {
	in := false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = line == "["+section+"]"
		} else if name, value, ok := strings.Cut(line, "="); ok && in && name == key {
			return value
		}
	}
	return ""
}

// sandbox returns the program's sandbox if it is one of the kinds; the zero value otherwise.
func (r *Report) sandbox(kinds ...string) Sandbox {
	if at := slices.IndexFunc(r.Sandboxes, func(s Sandbox) bool { return slices.Contains(kinds, s.Kind) }); at >= 0 {
		return r.Sandboxes[at]
	}
	return Sandbox{}
}

func (r *Report) kind(kinds ...string) string { return r.sandbox(kinds...).Kind }

// containerKind returns the kind of container that passes nothing on by default; "" outside a container.
func (r *Report) containerKind() string { return r.kind("docker", "podman", "kubernetes", "container") }

// isEntered reports whether the user enters a container that is kept and shares the user with the host: of toolbox or
// distrobox.
func (h host) isEntered() bool {
	return h.machine.Exists("/run/.toolboxenv") || h.variable("DISTROBOX_ENTER_PATH") != ""
}

// nodeCure returns advice that gives the sandbox the device's nodes.
func (e *exam) nodeCure(g *GPU) *Remedy {
	verb, file := term.Either(g.Kernel == "nvidia", "node-of-nvidia", "node"), e.fileForNode()
	if file != "" && g.Kernel != "nvidia" {
		verb = "node-for-file"
	}
	args := with("node", file, "kernel", g.Kernel, "box", term.Or(e.detail("snap"), "NAME"))
	args["nodes"] = e.missingNodes()
	return e.system.by(verb, args)
}

func (r *Report) detail(kind string) string { return r.sandbox(kind).Detail }

// containerCure returns advice that brings a driver into the sandbox without installing a package; nil if there is
// none.
func (e *exam) containerCure(g *GPU) *Remedy {
	nvidia := g.Kernel == "nvidia"
	args := with("box", cmp.Or(e.detail("snap"), e.detail("podman"), "NAME"), "file", "nvidia_icd.json")
	verb := "driver"
	switch {
	case nvidia:
		verb = "driver-of-nvidia"
		if args["from"], args["to"] = e.hostLibraries(); args["from"] == nil {
			args["none"] = []string{"of the host"}
		}
	case contains(e.Drivers, func(m *Entry) bool { return m.Class == 0 || m.Class == e.class }):
		verb = "driver-beside-others"
	}
	return e.system.by(verb, args)
}

// searchAlso returns a change that puts a directory first in the search, or the directory's drivers into a variable
// that replaces the search and names no driver that is there (canonical/steam-snap issue 101).
func (e *exam) searchAlso(place string) explain.Change {
	if by := searchVariable(e.source); by != "" && len(e.Drivers) == 0 {
		list := slices.DeleteFunc(e.manifestsIn(place), func(file string) bool { return !e.suits(file) })
		return explain.SetVariable(by, strings.Join(list, machine.ListSeparator))
	}
	return explain.SetVariable(variables.DataDirs.Name(), strings.TrimSuffix(place, "/vulkan/icd.d")+":"+
		term.Or(e.variable(variables.DataDirs.Name()), search.Linux().DataDirs))
}

// outsideSearch describes a directory with manifests that is not searched; "" for none.
func outsideSearch(place string) string {
	return term.Enclosed("; manifests are in ", place, ", which programs do not search")
}

// elsewhere returns a directory with manifests that is not searched: the first one with a driver for a device, or the
// first one. The device may be nil.
func (e *exam) elsewhere(g *GPU) (first string) {
	own, _ := machines.Running(e.WordSize())
	for _, place := range e.places("drivers", "{multiarch}", own.Multiarch) {
		real, err := e.machine.Real(place)
		list := slices.DeleteFunc(e.manifestsIn(place), func(file string) bool { return !e.suits(file) })
		if err != nil || len(list) == 0 ||
			slices.ContainsFunc(e.Answer.Searched[search.Drivers].List, func(l search.Location) bool {
				return path.Clean(l.Path) == place
			}) || contains(e.Drivers, func(m *Entry) bool {
			manifest, err := e.machine.Real(m.Manifest)
			return err == nil && strings.HasPrefix(manifest, real+"/")
		}) || !slices.ContainsFunc(list, func(file string) bool { // programs get copies of all
			return !contains(e.Drivers, func(m *Entry) bool { return path.Base(m.Manifest) == path.Base(file) })
		}) {
			continue
		}
		first = term.Or(first, place)
		if slices.ContainsFunc(list,
			func(file string) bool { return g != nil && drivers.OfManifest(file).WorksOn(g.Kernel) }) {
			return place
		}
	}
	return first
}

// Running lists the running programs with a Vulkan loader, for ps.
type Running struct {
	Schema    int              `json:"schema"`
	Processes []RunningProgram `json:"processes"`
	Hidden    int              `json:"hidden"` // processes that the caller may not inspect
}

// RunningProgram is a process with a Vulkan loader mapped.
type RunningProgram struct {
	PID       int                    `json:"pid"`
	Name      string                 `json:"name"`
	Program   string                 `json:"program"`
	Command   []string               `json:"command"`
	User      uint32                 `json:"user"` // the user's number; on Windows the last part of the SID
	Class     int                    `json:"class"`
	Elevated  bool                   `json:"elevated"`
	Sandboxes []Sandbox              `json:"sandboxes"`
	Loaders   []RunningLoader        `json:"loaders"`
	Drivers   []process.MappedModule `json:"drivers"`
	Layers    []process.MappedModule `json:"layers"`
	// device memory; empty if the kernel driver does not report it
	Memory []process.MemoryRegion `json:"memory"`
	// the bound that ended the search for drivers and layers; "": none
	Problem string `json:"problem,omitempty"`
}

// RunningLoader is a mapped file of a loader.
type RunningLoader struct {
	File    string `json:"file"`
	Version string `json:"version,omitempty"` // from the file's name or its package
	Release string `json:"release,omitempty"` // vkloader's release; "": another loader
	Package string `json:"package,omitempty"` // the package that owns the file
	// the file's change since it was mapped: gone, replaced or written
	State process.FileState `json:"change,omitempty"`
}

// Title returns the loader's description.
func (l RunningLoader) Title() string {
	name := term.Or(l.Version, "unknown version")
	if l.Release != "" {
		return name + " of vkloader " + l.Release
	}
	return term.Either(l.Package != "", name+" of "+l.Package, name)
}

// MiB returns the program's device memory; "" if the kernel does not report it.
func (p *RunningProgram) MiB() string {
	if len(p.Memory) == 0 {
		return ""
	}
	var all uint64
	for _, m := range p.Memory {
		all += m.Bytes
	}
	return fmt.Sprintf("%.0f MiB", float64(all)/(1<<20))
}

// Sandboxes returns the sandboxes of a machine's programs.
func Sandboxes(source *machine.Source) []Sandbox {
	e := examOf(&Report{Sandboxes: []Sandbox{}}, source)
	e.sandboxes()
	return e.Sandboxes
}

// WithProcess returns the report with the differences between the files of a process and those that it would load now.
func (r *Report) WithProcess(pid int, differences []process.Difference) *Report {
	e := newEvidence(r)
	e.PID = pid
	for _, d := range differences {
		code := term.Either(d.Old, ProcessOldFile, ProcessDiffers)
		var do *Remedy
		if d.Own {
			do = advice("own-file")
		}
		e.add(code, d.Name, cmp.Or(d.File, d.Manifest), sentence(d.What), do, term.Either(d.Weak, nothing, usual))
	}
	return e.finish()
}
