package settings

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/settings"
	"vkloader/internal/tool/exit"
)

// keyOf returns a key of a settings object: its programs; "" for all.
func keyOf(object map[string]any) string { return strings.Join(Apps(object), "\n") }

// put changes a content so that loaders exclude the component. others are the drivers that stay in use.
func (e *Quarantine) put(content map[string]any, others []string) error {
	var list []map[string]any
	if e.Program != "" {
		list = append(list, ForProgram(content, e.Program))
	} else {
		For(content, nil, true)
		list = Objects(content) // a program with its own object ignores the object for all
	}
	e.Before = map[string]string{}
	for _, object := range list {
		if e.Kind == "driver" {
			if _, has := object["additional_drivers"]; has {
				return exit.Problem("the settings choose drivers already: change them with \"vkloader settings set --driver\"")
			}
			object["additional_drivers"], object["additional_drivers_use_exclusively"] = pathsOf(others), true
			continue
		}
		layers, had := object["layers"].([]any)
		at := slices.IndexFunc(layers, func(l any) bool { return nameOf(asEntry(l)) == e.Name })
		if at >= 0 {
			entry := layers[at].(map[string]any)
			e.Before[keyOf(object)], _ = entry["control"].(string)
			entry["control"] = settings.Off.String()
			continue
		}
		entry := map[string]any{"name": e.Name, "control": settings.Off.String(), "path": e.Manifest}
		if e.Implicit {
			entry["treat_as_implicit_manifest"] = true
		}
		if layers = append([]any{entry}, layers...); !had {
			layers = append(layers, map[string]any{"control": settings.Unordered.String()})
		}
		object["layers"] = layers
	}
	return nil
}

// pathsOf returns a list of drivers in the file's order: the last element is loaded first (SET-83).
func pathsOf(drivers []string) []any {
	list := []any{}
	for _, path := range slices.Backward(drivers) {
		list = append(list, map[string]any{"path": path})
	}
	return list
}

// take undoes put in a content. It keeps changes that others made since then.
func (e *Quarantine) take(content map[string]any) {
	for _, object := range Objects(content) {
		if apps := Apps(object); e.Program != "" && !slices.Equal(apps, []string{e.Program}) {
			continue
		}
		if e.Kind == "driver" {
			delete(object, "additional_drivers")
			delete(object, "additional_drivers_use_exclusively")
			continue
		}
		layers, _ := object["layers"].([]any)
		at := slices.IndexFunc(layers, func(l any) bool { return nameOf(asEntry(l)) == e.Name })
		if at < 0 {
			continue
		}
		entry := layers[at].(map[string]any)
		if entry["control"] != settings.Off.String() {
			continue
		}
		if before := e.Before[keyOf(object)]; before != "" {
			entry["control"] = before
			continue
		}
		if layers = slices.Delete(layers, at, at+1); len(layers) == 1 && nameOf(asEntry(layers[0])) == "" {
			delete(object, "layers") // an entry for all other layers alone has no effect
		} else {
			object["layers"] = layers
		}
	}
	Prune(content, e.Program)
}

// inForce reports whether a content excludes the component.
func (e *Quarantine) inForce(content map[string]any) bool {
	for _, object := range Objects(content) {
		apps := Apps(object)
		if e.Program != "" && !slices.Contains(apps, e.Program) {
			continue
		}
		if e.Kind == "driver" {
			exclusive, _ := object["additional_drivers_use_exclusively"].(bool)
			drivers, _ := object["additional_drivers"].([]any)
			return exclusive && !slices.ContainsFunc(drivers, func(d any) bool {
				driver, _ := d.(map[string]any)
				return fmt.Sprint(driver["path"]) == e.Manifest
			})
		}
		layers, _ := object["layers"].([]any)
		return slices.ContainsFunc(layers, func(l any) bool {
			return nameOf(asEntry(l)) == e.Name && controlOf(asEntry(l)) == settings.Off.String()
		})
	}
	return false
}
