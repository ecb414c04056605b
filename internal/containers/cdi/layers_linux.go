package cdi

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/containers/offer"
	"vkloader/internal/core/manifest"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/decide/wording"
	"vkloader/internal/machines"
)

// Directories of layers below layersPlace and below /etc/vulkan.
const (
	implicitLayers = "implicit_layer.d"
	explicitLayers = "explicit_layer.d"
)

// machineLayers returns the layers that programs of a machine find.
func machineLayers(source *machine.Source, name string) ([]*manifest.Layer, error) {
	program := *source
	kind, _ := machines.Named(name)
	program.Class = kind.Bits
	answer, err := explain.Decide(&program)
	if err != nil {
		return nil, err
	}
	return answer.Layers, nil
}

// layers adds the named layers, and the layers in the library of an added driver, which belong to the driver.
func (w *writer) layers(source *machine.Source, name string, wanted []string) (left []LeftOut, err error) {
	all, err := machineLayers(source, name)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.Meta || l.Library == "" {
			continue
		}
		asked := slices.Contains(wanted, l.Name)
		paths, why := offer.Libraries(&source.Machine, name, l.Library)
		if why == "" {
			why = trust.Refusal("offered", trust.In(source.Root, l.Manifest))
		}
		if !asked {
			if why == "" && l.Implicit && w.seen[filesPlace+name+"/"+path.Base(l.Library)] {
				w.layer(name, l)
			}
			continue
		}
		if why != "" {
			left = append(left, LeftOut{Name: l.Name, Manifest: path.Base(l.Manifest), Why: why})
			continue
		}
		for _, file := range paths {
			w.bind(file, filesPlace+name+"/"+path.Base(file))
		}
		w.layer(name, l)
		w.had[l.Name] = true
	}
	return left, nil
}

// layer adds a layer's manifest.
func (w *writer) layer(name string, l *manifest.Layer) {
	directory := explicitLayers
	if l.Implicit {
		directory = implicitLayers
	}
	w.bind(l.Manifest, layersPlace+name+"/"+directory+"/"+path.Base(l.Manifest))
}

// layersOf parses a manifest, and returns its members and those of each of its layers.
func layersOf(text []byte) (whole map[string]json.RawMessage, list []map[string]json.RawMessage, err error) {
	if err := wording.Malformed(text, json.Unmarshal(text, &whole)); err != nil {
		return nil, nil, err
	}
	if many := whole["layers"]; many != nil {
		err = wording.Malformed(many, json.Unmarshal(many, &list))
	} else if one := whole["layer"]; one != nil {
		list = make([]map[string]json.RawMessage, 1)
		err = wording.Malformed(one, json.Unmarshal(one, &list[0]))
	}
	if err == nil && (len(list) == 0 || slices.ContainsFunc(list, func(l map[string]json.RawMessage) bool { return l == nil })) {
		err = errors.New("there is no layer in it")
	}
	return whole, list, err
}

// layerArranged returns a manifest with its libraries' paths in the container, and the names and libraries of its layers. Each
// layer states its word size, because loaders take the first layer of a name even if it is for the other size.
func layerArranged(text []byte, class int, place func(library string) string) (made []byte, names, libraries []string, err error) {
	whole, list, err := layersOf(text)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, l := range list {
		var name, library string
		_ = json.Unmarshal(l["name"], &name)
		_ = json.Unmarshal(l["library_path"], &library)
		names = append(names, name)
		if library == "" {
			return nil, nil, nil, fmt.Errorf("the layer %s has no library", name)
		}
		libraries = append(libraries, path.Base(library))
		at, err := json.Marshal(place(path.Base(library)))
		if err != nil {
			return nil, nil, nil, err
		}
		l["library_path"], l["library_arch"] = at, json.RawMessage(fmt.Sprintf(`"%d"`, class))
	}
	key, value := "layers", any(list)
	if whole["layers"] == nil {
		key, value = "layer", list[0]
	}
	if whole[key], err = json.Marshal(value); err != nil {
		return nil, nil, nil, err
	}
	made, err = json.MarshalIndent(whole, "", "    ")
	return append(made, '\n'), names, libraries, err
}

// layers arranges the layers for the programs of one machine, except names that the image has.
func (b *box) layers(name string) {
	own, err := machineLayers(&machine.Source{Machine: *b.machine}, name)
	if err != nil {
		own = nil
	}
	for _, directory := range []string{implicitLayers, explicitLayers} {
		for _, file := range b.machine.Names(layersPlace + name + "/" + directory) {
			d := Driver{Name: file, Machine: name, Layer: true}
			text, err := b.machine.ReadFile(layersPlace + name + "/" + directory + "/" + file)
			var had, libraries []string
			if err == nil {
				text, had, libraries, err = layerArranged(text, b.options.Class, func(library string) string { return opensPlace + name + "/" + library })
			}
			switch {
			case err != nil:
				d.Why = fmt.Sprintf("its manifest: %v", err)
			default:
				d.Added, d.Why = b.layer(own, had, libraries)
			}
			if d.Added {
				b.a.put("/etc/vulkan/"+directory+"/"+b.manifestName(file), FileToWrite{Text: text})
			}
			b.a.Drivers = append(b.a.Drivers, d)
		}
	}
}

// layer reports whether the host's layers with these names and libraries are added. why is the reason against it, or names the
// replaced layers. A layer of the image takes precedence if its library can be loaded. Otherwise its manifest is hidden, because
// loaders take the first layer of a name even if they cannot load it.
func (b *box) layer(own []*manifest.Layer, had, libraries []string) (added bool, why string) {
	broken, hide := "", []string{}
	for _, l := range own {
		if !slices.Contains(had, l.Name) || strings.HasPrefix(l.Library, Directory+"/") {
			continue
		}
		if l.Meta || l.Library == "" {
			return false, hasLayer
		}
		found := drivers.FindLibrary(b.find, l.Library)
		if fault(&found) == "" {
			return false, hasLayer
		}
		if found.Fault != drivers.ForOthers && found.Fault != drivers.Foreign && !others(own, l.Manifest, had) {
			broken = "in place of the image's own: " + fault(&found)
			hide = append(hide, l.Manifest)
		}
	}
	for _, library := range libraries {
		if why := b.usable(library); why != "" {
			return false, why
		}
	}
	b.a.Hide = append(b.a.Hide, hide...)
	return true, broken
}

// others reports whether a manifest has layers other than those of these names.
func others(all []*manifest.Layer, file string, names []string) bool {
	return slices.ContainsFunc(all, func(l *manifest.Layer) bool { return l.Manifest == file && !slices.Contains(names, l.Name) })
}
