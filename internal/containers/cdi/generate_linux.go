package cdi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/containers/offer"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
)

// Directory is the directory for all mounts in a container; it contains nothing else.
const Directory = "/run/vkloader"

// Places of mounts below Directory.
const (
	filesPlace     = Directory + "/files/" // then the machine's name, then the libraries
	manifestsPlace = Directory + "/manifests/"
	backendsPlace  = Directory + "/backends/" // then the machine's name, and the path on the machine
	dataPlace      = Directory + "/data"      // then the path on the machine
)

// Places below Directory that the hook creates.
const (
	opensPlace = Directory + "/open/"  // then the machine's name, then stubs under the names of libraries
	linksPlace = Directory + "/links/" // then the machine's name, then links to the libraries that the image lacks
	coverPlace = Directory + "/cover"  // then the path of a directory that is mounted over
)

// Kind is the default kind of the devices.
const Kind = "vkloader/gpu"

// All is the name of the device with the nodes of all devices.
const All = "all"

// Options select the content of a file.
type Options struct {
	Kind     string   `option:"kind"`    // VENDOR/CLASS; "": Kind
	Machines []string `option:"machine"` // the machines whose drivers are wanted, by their names in offer.Machines
	Hook     string   `option:"hook"`    // path of the tool, which the runtime starts for each new container
	Groups   bool     `option:"groups"`  // put a container's processes into the groups of the nodes
	Given    []string // the command line that writes the file, for refresh

	DriverRoot string `option:"driver-root"` // the directory that is "/" for drivers; "": the machine's
}

// LeftOut is a driver that is not in the file.
type LeftOut = offer.LeftOut

// Generate describes a machine's drivers and devices, in a fixed order: the same machine gives the same file.
func Generate(source *machine.Source, options Options) (*specs.Spec, []LeftOut, error) {
	options.Kind = cmp.Or(options.Kind, Kind)
	if err := checkKind(options.Kind); err != nil {
		return nil, nil, err
	}
	has := source.DriverSource(options.DriverRoot)
	edits := &writer{machine: &has.Machine, seen: map[string]bool{}, root: options.DriverRoot,
		hook: newHook(&source.Machine, options)}
	edits.Hooks = []*specs.Hook{edits.hook}
	edits.Mounts = []*specs.Mount{{HostPath: "tmpfs", ContainerPath: Directory, Type: "tmpfs",
		Options: []string{"nosuid", "nodev", "mode=0755"}}}
	left, err := edits.machines(has, options)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range left {
		edits.hook.Args = append(edits.hook.Args, "--left", l.Manifest+": "+l.Why)
	}
	spec := &specs.Spec{Kind: options.Kind, ContainerEdits: edits.ContainerEdits}
	describe := &describer{machine: &source.Machine, groups: options.Groups}
	list, all := describe.devices()
	if len(list) == 0 { // a device must change something; without nodes, it gets the drivers
		all.ContainerEdits, spec.ContainerEdits = spec.ContainerEdits, specs.ContainerEdits{}
	}
	spec.Devices = append(list, all)
	version, err := specs.MinimumRequiredVersion(spec)
	if err != nil {
		return nil, nil, err
	}
	spec.Version = version
	return spec, left, nil
}

// Empty reports whether a file contains no driver.
func Empty(spec *specs.Spec) bool {
	return !slices.ContainsFunc(editsOf(spec), func(e *specs.ContainerEdits) bool { return len(e.Mounts) > 1 })
}

// machines adds the drivers for each machine; it returns those that are left out.
func (w *writer) machines(source *machine.Source, options Options) ([]LeftOut, error) {
	left := []LeftOut{}
	for _, name := range options.Machines {
		g, err := offer.Gather(source, name)
		if err != nil {
			return nil, err
		}
		// A manifest for programs of another machine is no loss if drivers for that machine are also selected.
		left = append(left, g.LeftOut...)
		for _, d := range g.Drivers {
			if why := w.driver(g, name, &d); why != "" {
				left = append(left, LeftOut{Name: d.Name, Manifest: d.Name, Why: why})
			}
		}
	}
	slices.SortFunc(left, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.Manifest, b.Manifest), strings.Compare(a.Why, b.Why))
	})
	left = slices.Compact(left)
	left = slices.DeleteFunc(left, func(l LeftOut) bool { return w.seen[l.Manifest] })
	return left, nil
}

// writer collects the edits of a container.
type writer struct {
	specs.ContainerEdits
	machine *machine.Machine
	root    string // of the machine, as the runtime sees it; "": its own
	hook    *specs.Hook
	seen    map[string]bool // paths in the container, and manifests that are in the file
}

// bind mounts a file of the machine. If the machine has another root, bind resolves links: the runtime would resolve
// them on the host.
func (w *writer) bind(from, to string) {
	if w.seen[to] {
		return
	}
	w.seen[to] = true
	at := from
	if w.root != "" {
		if real, err := w.machine.Real(from); err == nil {
			at = real
		}
		at = path.Join(w.root, at)
	}
	w.Mounts = append(w.Mounts, &specs.Mount{HostPath: at, ContainerPath: to,
		Options: []string{"ro", "nosuid", "nodev", "rbind", "rprivate"}})
	w.hook.Args = append(w.hook.Args, "--file", mark(w.machine, from, at))
}

// driver adds a driver, or returns the reason for leaving it out.
func (w *writer) driver(g *offer.Gathered, name string, d *offer.Driver) string {
	if _, err := rewriteManifest([]byte(d.Manifest), "/", 64); err != nil {
		return "its manifest cannot be rewritten: " + err.Error()
	}
	for _, at := range d.Files {
		w.bind(g.Paths[at], filesPlace+name+"/"+path.Base(g.Paths[at]))
	}
	for _, file := range d.More {
		w.bind(file, filesPlace+name+"/"+path.Base(file))
	}
	for _, file := range d.Backends {
		w.bind(file, backendsPlace+name+file)
	}
	w.bind(d.Path, manifestsPlace+name+"/"+d.Name)
	w.seen[d.Path] = true
	for _, file := range d.Data {
		w.bind(file, dataPlace+file)
	}
	for _, directory := range d.Directories {
		w.bind(directory, dataPlace+directory)
	}
	return ""
}

// mark describes a file: SIZE, BUILDID or "-", PATH. The size of a directory is 0.
func mark(m *machine.Machine, name, at string) string {
	size, id := int64(0), "-"
	if f, err := m.Open(name); err == nil {
		defer f.Close()
		if info, err := f.Stat(); err == nil && !info.IsDir() {
			size = info.Size()
			if found := binary.BuildID(f); found != "" {
				id = found
			}
		}
	}
	return fmt.Sprintf("%d %s %s", size, id, at)
}

// rewriteManifest returns a driver manifest with another path of the library. It states the word size, because one
// directory may have drivers for both.
func rewriteManifest(text []byte, library string, bits int) ([]byte, error) {
	var manifest map[string]any
	if err := wording.Malformed(text, json.Unmarshal(text, &manifest)); err != nil {
		return nil, err
	}
	icd, is := manifest["ICD"].(map[string]any)
	if !is {
		return nil, errors.New("there is no ICD in it")
	}
	icd["library_path"] = library
	if bits == 32 {
		icd["library_arch"], manifest["file_format_version"] = "32", "1.0.1"
	}
	made, err := json.MarshalIndent(manifest, "", "    ")
	return append(made, '\n'), err
}
