package cdi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"tags.cncf.io/container-device-interface/pkg/parser"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/machine"
)

// maxSpec is the largest size of a file in bytes; real lists of devices are much shorter.
const maxSpec = 16 << 20

// Directories are the runtimes' directories for files; a later one takes precedence.
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
	Problem string   `json:"problem,omitempty"` // why container runtimes reject the file, or do not use this entry
}

// filesIn returns the files in a directory that runtimes read.
func filesIn(m *machine.Machine, directory string) (files []string) {
	for _, name := range m.Names(directory) {
		if ext := path.Ext(name); ext == ".json" || ext == ".yaml" {
			files = append(files, path.Join(directory, name))
		}
	}
	return files
}

// List lists the devices of the files in directories. A file that runtimes do not take is one entry without a name.
func List(m *machine.Machine, directories []string) []Listed {
	list := []Listed{}
	type origin struct{ directory, at int }
	first := map[string]origin{}
	for rank, directory := range directories {
		for _, file := range filesIn(m, directory) {
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

// hookNames are the names of hooks in the OCI runtime specification.
var hookNames = []string{"prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"}

// nodeTypes are the types that a device node may have.
var nodeTypes = []string{"", "b", "c", "u", "p"}

// Parse reads a YAML or JSON file as runtimes do. The error is the reason why they reject it.
func Parse(text []byte) (*specs.Spec, error) {
	if len(text) > maxSpec {
		return nil, fmt.Errorf("longer than %d bytes", maxSpec)
	}
	spec := &specs.Spec{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(spec); errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	} else if err != nil {
		return nil, unlike(err, text)
	}
	if err := specs.ValidateVersion(spec); err != nil {
		return nil, err
	}
	if err := checkKind(spec.Kind); err != nil {
		return nil, err
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
		if err := letter(d.Name, parser.ValidateDeviceName); err != nil {
			return nil, err
		}
		if seen[d.Name] {
			return nil, fmt.Errorf("it describes the device %q twice", d.Name)
		}
		seen[d.Name] = true
		if empty(&d.ContainerEdits) {
			return nil, fmt.Errorf("device %q: it changes nothing in a container", d.Name)
		}
		if err := edits(&d.ContainerEdits); err != nil {
			return nil, fmt.Errorf("device %q: %w", d.Name, err)
		}
	}
	return spec, nil
}

// checkKind returns the errors in a file's kind, VENDOR/CLASS.
func checkKind(kind string) error {
	vendor, class := parser.ParseQualifier(kind)
	err := errors.Join(letter(vendor, parser.ValidateVendorName), letter(class, parser.ValidateClassName))
	if err != nil {
		return fmt.Errorf("kind %q: %w", kind, err)
	}
	return nil
}

// letter checks a name by check. Names of one letter are valid; check is not called for them, because release 1.0.1
// panics.
func letter(name string, check func(string) error) error {
	if len(name) == 1 && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z') {
		return nil
	}
	return check(name)
}

// unlike returns a message for a text that a decoder rejects. The decoder's own message names Go types.
func unlike(err error, text []byte) error {
	const what = "it is no CDI file: "
	wrong := (*yaml.TypeError)(nil)
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return errors.New(what + strings.TrimPrefix(err.Error(), "yaml: "))
	}
	members := map[string]any{}
	if yaml.Unmarshal(text, &members) != nil || members["cdiVersion"] == nil && members["kind"] == nil &&
		members["devices"] == nil {
		return errors.New(what + "cdiVersion, kind and devices are not in it")
	}
	first := wrong.Errors[0]
	if place, rest, is := strings.Cut(first, ": field "); is {
		name, _, _ := strings.Cut(rest, " not found in type ")
		return fmt.Errorf("%s: %q is no member that the specification of CDI has", place, name)
	}
	if place, rest, is := strings.Cut(first, ": cannot unmarshal "); is {
		if _, value, shown := strings.Cut(rest, "`"); shown {
			value, _, _ = strings.Cut(value, "`")
			return fmt.Errorf("%s: the value %q is of the wrong type", place, value)
		}
		return fmt.Errorf("%s: the value is of the wrong type", place)
	}
	return errors.New(first)
}

// empty reports whether edits change nothing; a device's must change something.
func empty(e *specs.ContainerEdits) bool {
	return len(e.Env)+len(e.DeviceNodes)+networks(e)+len(e.Hooks)+len(e.Mounts)+len(e.AdditionalGIDs) == 0 &&
		e.IntelRdt == nil
}

// edits checks a device's edits of the container.
func edits(e *specs.ContainerEdits) error {
	for _, n := range e.DeviceNodes {
		if n == nil || n.Path == "" {
			return errors.New("a device node without a path")
		}
		if !slices.Contains(nodeTypes, n.Type) {
			return fmt.Errorf("the device node %s has the type %q, which is none of b, c, u and p", n.Path, n.Type)
		}
		if n.Permissions != "none" && strings.Trim(n.Permissions, "rwm") != "" {
			return fmt.Errorf("the device node %s has the permissions %q, which are not made of r, w and m", n.Path,
				n.Permissions)
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
		if !slices.Contains(hookNames, h.HookName) {
			return fmt.Errorf("the hook %s has the name %q, which is none of %s", h.Path, h.HookName,
				strings.Join(hookNames, ", "))
		}
		if err := variables(h.Env); err != nil {
			return err
		}
	}
	if r := e.IntelRdt; r != nil && r.ClosID != "/" &&
		(len(r.ClosID) >= 4096 || r.ClosID == "." || r.ClosID == ".." || strings.ContainsAny(r.ClosID, "/\n")) {
		return errors.New("the closID of intelRdt is no name of a file")
	}
	if err := networkEdits(e); err != nil {
		return err
	}
	return variables(e.Env)
}

// variables checks variables, which are NAME=VALUE.
func variables(list []string) error {
	for _, v := range list {
		if strings.IndexByte(v, '=') <= 0 {
			return fmt.Errorf("the variable %q is not NAME=VALUE", v)
		}
	}
	return nil
}
