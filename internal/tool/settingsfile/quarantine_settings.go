package settingsfile

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/settings"
	"vkloader/internal/tool/exit"
)

// keyOf names an object of the settings file by the programs that it is for; "" for all.
func keyOf(object map[string]any) string { return strings.Join(Apps(object), "\n") }

// put changes a content so that loaders keep the entry's driver or layer out. others are the drivers that stay.
func (e *Quarantine) put(content map[string]any, others []string) error {
	var list []map[string]any
	if e.Program != "" {
		list = append(list, ForProgram(content, e.Program))
	} else {
		For(content, nil, true)
		list = Objects(content) // a program gets its own object and not that for all
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

// pathsOf is a list of drivers as the file has it: the last one is the first that is loaded (SET-83).
func pathsOf(drivers []string) []any {
	list := []any{}
	for _, path := range slices.Backward(drivers) {
		list = append(list, map[string]any{"path": path})
	}
	return list
}

// take changes a content back; what was changed by somebody else since stays as it is.
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
			delete(object, "layers") // all others in their order: as without
		} else {
			object["layers"] = layers
		}
	}
	Prune(content, e.Program)
}

// inForce tells whether a content keeps the entry's driver or layer out.
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
