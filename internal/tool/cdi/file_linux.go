package cdi

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"

	"go.yaml.in/yaml/v3"
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
		for _, name := range m.Names(directory) {
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
