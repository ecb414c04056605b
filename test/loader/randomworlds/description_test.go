package randomworlds

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// description describes a world. In texts, $R stands for its root and $EXE for the program.
type description struct {
	why     string              // the comment of a kept case
	files   map[string]string   // by path
	links   map[string]string   // symbolic links: their targets, by path
	env     map[string]string   // variables
	scripts map[string][]string // of the fakes, by name
	app     app
	flavor  flavor
}

// app is the program's request in its first try.
type app struct {
	api        string // "" without application info; a plain number or major.minor.patch
	flags      uint32
	layers     []string
	exts       []string
	deviceExts []string
	named      string   // the layer whose extensions it lists
	direct     []string // direct drivers, which may include null
	mode       string   // how: inclusive or exclusive
	with       []string // its other actions: messenger, surface, allocator, reload
}

// asksNothing reports whether the tool can predict the world: the tool decides for a program that enables no layer or extension, and
// reads directories in the order of names.
func (d *description) asksNothing() bool {
	return d.app.api == "" && d.app.flags == 0 && len(d.app.layers)+len(d.app.exts)+len(d.app.direct)+len(d.app.with) == 0 && d.env["WORLD_SORTED"] != "2"
}

func (d *description) clone() *description {
	c := *d
	c.links = maps.Clone(d.links)
	c.files, c.env, c.scripts = maps.Clone(d.files), maps.Clone(d.env), maps.Clone(d.scripts)
	return &c
}

// version packs a version like the host.
func version(text string) uint32 {
	if text == "" {
		return 0
	}
	var part [3]uint32
	n, _ := fmt.Sscanf(text, "%d.%d.%d", &part[0], &part[1], &part[2])
	if n == 1 {
		return part[0]
	}
	return part[0]<<22 | part[1]<<12 | part[2]
}

// String returns the form of a stored case: the program's request, variables and scripts, one a line, then the files.
func (d *description) String() string {
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(d.why), "\n") {
		if line != "" {
			fmt.Fprintf(&out, "# %s\n", line)
		}
	}
	word := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&out, "program %s %s\n", key, value)
		}
	}
	if d.flavor == common {
		out.WriteString("oracle reference\n")
	}
	word("api", d.app.api)
	if d.app.flags != 0 {
		word("flags", fmt.Sprint(d.app.flags))
	}
	word("layers", strings.Join(d.app.layers, " "))
	word("extensions", strings.Join(d.app.exts, " "))
	word("device_extensions", strings.Join(d.app.deviceExts, " "))
	word("named", d.app.named)
	word("direct", strings.Join(d.app.direct, " "))
	word("mode", d.app.mode)
	word("with", strings.Join(d.app.with, " "))
	for _, path := range slices.Sorted(maps.Keys(d.links)) {
		fmt.Fprintf(&out, "link %s %s\n", path, d.links[path])
	}
	for _, name := range slices.Sorted(maps.Keys(d.env)) {
		fmt.Fprintf(&out, "env %s=%s\n", name, d.env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.scripts)) {
		for _, line := range d.scripts[name] {
			fmt.Fprintf(&out, "fake %s %s\n", name, line)
		}
	}
	archive := txtar.Archive{Comment: []byte(out.String())}
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		archive.Files = append(archive.Files, txtar.File{Name: path, Data: []byte(d.files[path])})
	}
	return string(txtar.Format(&archive))
}

// parseCase parses the output of String.
func parseCase(text []byte) (*description, error) {
	archive := txtar.Parse(text)
	d := &description{files: map[string]string{}, links: map[string]string{}, env: map[string]string{}, scripts: map[string][]string{}}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		key, rest, _ := strings.Cut(line, " ")
		name, value, _ := strings.Cut(rest, " ")
		switch key {
		case "":
		case "#":
			d.why += rest + "\n"
		case "oracle":
			d.flavor = common
		case "env":
			name, value, _ = strings.Cut(rest, "=")
			d.env[name] = value
		case "link":
			d.links[name] = value
		case "fake":
			d.scripts[name] = append(d.scripts[name], value)
		case "program":
			words := strings.Fields(value)
			switch name {
			case "api":
				d.app.api = value
			case "flags":
				if _, err := fmt.Sscan(value, &d.app.flags); err != nil {
					return nil, fmt.Errorf("line %d: flags: %w", i+1, err)
				}
			case "layers":
				d.app.layers = words
			case "extensions":
				d.app.exts = words
			case "device_extensions":
				d.app.deviceExts = words
			case "named":
				d.app.named = value
			case "direct":
				d.app.direct = words
			case "mode":
				d.app.mode = value
			case "with":
				d.app.with = words
			default:
				return nil, fmt.Errorf("line %d: the program has no %q", i+1, name)
			}
		default:
			return nil, fmt.Errorf("line %d: %q", i+1, line)
		}
	}
	if d.flavor == free && d.asksNothing() {
		d.flavor = plain
	}
	for _, file := range archive.Files {
		d.files[file.Name] = strings.TrimSuffix(string(file.Data), "\n")
	}
	return d, nil
}
