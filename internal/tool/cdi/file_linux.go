package cdi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
	"tags.cncf.io/container-device-interface/pkg/parser"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/tool/machine"
)

// maxSpec is how long a file may be: longer ones describe no devices.
const maxSpec = 16 << 20

// Directories are where runtimes look for files, the later one first in rank.
var Directories = []string{"/etc/cdi", "/var/run/cdi"}

// YAML writes a file as YAML.
func YAML(spec *specs.Spec) ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(spec)
	return text.Bytes(), errors.Join(err, encoder.Close())
}

// JSON writes a file as JSON.
func JSON(spec *specs.Spec) ([]byte, error) {
	text, err := json.MarshalIndent(spec, "", "  ")
	return append(text, '\n'), err
}

// Parse reads a file, YAML or JSON, as runtimes do; the error is why they would not take it.
func Parse(text []byte) (*specs.Spec, error) {
	if len(text) > maxSpec {
		return nil, fmt.Errorf("longer than %d bytes", maxSpec)
	}
	spec := &specs.Spec{}
	if err := yaml.Unmarshal(text, spec); err != nil {
		return nil, err
	}
	if err := specs.ValidateVersion(spec); err != nil {
		return nil, err
	}
	vendor, class := parser.ParseQualifier(spec.Kind)
	if err := errors.Join(parser.ValidateVendorName(vendor), parser.ValidateClassName(class)); err != nil {
		return nil, fmt.Errorf("kind %q: %w", spec.Kind, err)
	}
	if len(spec.Devices) == 0 {
		return nil, errors.New("it describes no devices")
	}
	seen := map[string]bool{}
	if err := edits(&spec.ContainerEdits); err != nil {
		return nil, err
	}
	for i := range spec.Devices {
		d := &spec.Devices[i]
		if err := parser.ValidateDeviceName(d.Name); err != nil {
			return nil, err
		}
		if seen[d.Name] {
			return nil, fmt.Errorf("it describes the device %q twice", d.Name)
		}
		seen[d.Name] = true
		if err := edits(&d.ContainerEdits); err != nil {
			return nil, fmt.Errorf("device %q: %w", d.Name, err)
		}
	}
	return spec, nil
}

// edits checks what a device brings.
func edits(e *specs.ContainerEdits) error {
	for _, n := range e.DeviceNodes {
		if n == nil || n.Path == "" {
			return errors.New("a device node without a path")
		}
	}
	for _, m := range e.Mounts {
		if m == nil || m.HostPath == "" || m.ContainerPath == "" {
			return errors.New("a mount without a path")
		}
	}
	for _, h := range e.Hooks {
		if h == nil || h.Path == "" {
			return errors.New("a hook without a path")
		}
	}
	for _, v := range e.Env {
		if !strings.Contains(v, "=") {
			return fmt.Errorf("the variable %q has no value", v)
		}
	}
	return nil
}

// Listed is a device of a file.
type Listed struct {
	Name    string   `json:"name"` // qualified, as runtimes take it
	File    string   `json:"file"`
	Nodes   []string `json:"nodes"`
	Problem string   `json:"problem,omitempty"` // why no runtime gives it
}

// List lists the devices of the files in directories. A file that runtimes do not take is one entry without a name.
func List(m *machine.Machine, directories []string) []Listed {
	list := []Listed{}
	type origin struct{ directory, at int }
	first := map[string]origin{}
	for rank, directory := range directories {
		for _, name := range names(m, directory) {
			if ext := path.Ext(name); ext != ".json" && ext != ".yaml" {
				continue
			}
			file := path.Join(directory, name)
			text, err := m.ReadFile(file)
			var spec *specs.Spec
			if err == nil {
				spec, err = Parse(text)
			}
			if err != nil {
				list = append(list, Listed{File: file, Nodes: []string{}, Problem: err.Error()})
				continue
			}
			for i := range spec.Devices {
				d := &spec.Devices[i]
				one := Listed{Name: spec.Kind + "=" + d.Name, File: file, Nodes: []string{}}
				for _, n := range d.ContainerEdits.DeviceNodes {
					one.Nodes = append(one.Nodes, n.Path)
				}
				if before, known := first[one.Name]; known {
					other := &list[before.at]
					if before.directory == rank {
						other.Problem = "described by " + file + " as well, in the same directory"
						one.Problem = "described by " + other.File + " as well, in the same directory"
					} else {
						other.Problem = "described by " + file + ", which comes first"
					}
				}
				first[one.Name] = origin{rank, len(list)}
				list = append(list, one)
			}
		}
	}
	return list
}
