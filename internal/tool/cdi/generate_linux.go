package cdi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"tags.cncf.io/container-device-interface/pkg/parser"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/service/offer"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// Directory is where all that is mounted lies in a container; nothing else is there.
const Directory = "/run/vkloader"

// Places below Directory.
const (
	filesPlace     = Directory + "/files/" // then the machine's name, then the libraries
	manifestsPlace = Directory + "/manifests/"
	dataPlace      = Directory + "/data" // then the path on the machine
)

// Kind is that of the devices, when nothing else is wanted.
const Kind = "vkloader/gpu"

// All is the name of the device that stands for every one.
const All = "all"

// hookSeconds is how long the runtime waits for the hook.
const hookSeconds = 30

// Options say what goes into a file.
type Options struct {
	Kind     string   // VENDOR/CLASS; "": Kind
	Machines []string // whose drivers, as offer.Machines names them
	Hook     string   // path of the tool, which the runtime starts when it makes a container
}

// LeftOut is a driver that is not in the file.
type LeftOut = offer.LeftOut

// Generate describes a machine's drivers and devices. What is there is described in one order: the same machine gives
// the same file.
func Generate(source *machine.Source, options Options) (*specs.Spec, []LeftOut, error) {
	if options.Kind == "" {
		options.Kind = Kind
	}
	vendor, class := parser.ParseQualifier(options.Kind)
	if err := errors.Join(parser.ValidateVendorName(vendor), parser.ValidateClassName(class)); err != nil {
		return nil, nil, fmt.Errorf("kind %q: %w", options.Kind, err)
	}
	timeout := hookSeconds
	hook := &specs.Hook{HookName: "createContainer", Path: options.Hook, Args: []string{"vkloader", "cdi", "hook"}, Timeout: &timeout}
	edits := &writer{machine: &source.Machine, seen: map[string]bool{}, hook: hook}
	edits.Hooks = []*specs.Hook{hook}
	edits.Mounts = []*specs.Mount{{HostPath: "tmpfs", ContainerPath: Directory, Type: "tmpfs",
		Options: []string{"nosuid", "nodev", "mode=0755"}}}
	left := []LeftOut{}
	for _, name := range options.Machines {
		g, err := offer.Gather(source, name)
		if err != nil {
			return nil, nil, err
		}
		// A manifest that is for another kind of program is no loss when drivers for that are wanted, too.
		left = append(left, g.LeftOut...)
		for _, d := range g.Drivers {
			if why := edits.driver(g, name, &d); why != "" {
				left = append(left, LeftOut{Name: d.Name, Manifest: d.Name, Why: why})
			}
		}
	}
	slices.SortFunc(left, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.Manifest, b.Manifest), strings.Compare(a.Why, b.Why))
	})
	left = slices.Compact(left)
	left = slices.DeleteFunc(left, func(l LeftOut) bool { return edits.seen[l.Manifest] })
	spec := &specs.Spec{Kind: options.Kind, ContainerEdits: edits.ContainerEdits}
	all := specs.Device{Name: All}
	for _, g := range gpus(&source.Machine) {
		d := specs.Device{Name: g.name}
		for _, node := range g.nodes {
			n := &specs.DeviceNode{Path: node, Permissions: "rw"}
			d.ContainerEdits.DeviceNodes = append(d.ContainerEdits.DeviceNodes, n)
			if !slices.ContainsFunc(all.ContainerEdits.DeviceNodes, func(o *specs.DeviceNode) bool { return o.Path == node }) {
				all.ContainerEdits.DeviceNodes = append(all.ContainerEdits.DeviceNodes, n)
			}
		}
		spec.Devices = append(spec.Devices, d)
	}
	if len(spec.Devices) == 0 { // a device has to bring something: without any nodes, the drivers
		all.ContainerEdits, spec.ContainerEdits = spec.ContainerEdits, specs.ContainerEdits{}
	}
	spec.Devices = append(spec.Devices, all)
	version, err := specs.MinimumRequiredVersion(spec)
	if err != nil {
		return nil, nil, err
	}
	spec.Version = version
	return spec, left, nil
}

// writer gathers what goes into a container.
type writer struct {
	specs.ContainerEdits
	machine *machine.Machine
	hook    *specs.Hook
	seen    map[string]bool // paths in the container, and manifests that are in the file
}

// bind mounts a file of the machine.
func (w *writer) bind(from, to string) {
	if w.seen[to] {
		return
	}
	w.seen[to] = true
	w.Mounts = append(w.Mounts, &specs.Mount{HostPath: from, ContainerPath: to,
		Options: []string{"ro", "nosuid", "nodev", "rbind", "rprivate"}})
	w.hook.Args = append(w.hook.Args, "--file", mark(w.machine, from))
}

// driver adds a driver; the answer is why it is left out.
func (w *writer) driver(g *offer.Gathered, name string, d *offer.Driver) string {
	if _, err := rewritten([]byte(d.Manifest), "/"); err != nil {
		return "its manifest cannot be rewritten: " + err.Error()
	}
	for _, at := range d.Files {
		w.bind(g.Paths[at], filesPlace+name+"/"+path.Base(g.Paths[at]))
	}
	w.bind(d.Path, manifestsPlace+name+"/"+d.Name)
	w.seen[d.Path] = true
	for _, file := range d.Data {
		w.bind(file, dataPlace+file)
	}
	return ""
}

// mark says what a file was when it was described: SIZE, BUILDID or "-", PATH.
func mark(m *machine.Machine, name string) string {
	size, id := int64(0), "-"
	if f, err := m.Open(name); err == nil {
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		if found := binary.BuildID(f); found != "" {
			id = found
		}
	}
	return fmt.Sprintf("%d %s %s", size, id, name)
}

// rewritten is a driver manifest whose library lies at a path.
func rewritten(text []byte, library string) ([]byte, error) {
	var manifest map[string]json.RawMessage
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	var icd map[string]json.RawMessage
	if err := json.Unmarshal(manifest["ICD"], &icd); err != nil {
		return nil, err
	}
	if icd == nil {
		return nil, errors.New("there is no ICD in it")
	}
	at, err := json.Marshal(library)
	if err != nil {
		return nil, err
	}
	icd["library_path"] = at
	if manifest["ICD"], err = json.Marshal(icd); err != nil {
		return nil, err
	}
	made, err := json.MarshalIndent(manifest, "", "    ")
	return append(made, '\n'), err
}
