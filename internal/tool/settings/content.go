package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"vkloader/internal/core/settings"
)

// Decode returns the content of one of the tool's files; a new content if f is nil or another program's.
func (f *File) Decode() (map[string]any, error) {
	fresh := map[string]any{"file_format_version": "1.0.0", "settings_array": []any{}}
	if f == nil || !f.Ours {
		return fresh, nil
	}
	content, err := decode([]byte(f.Content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if _, ok := content["settings_array"].([]any); !ok {
		return nil, fmt.Errorf("%s: settings_array is not an array: the file was edited by hand", f.Path)
	}
	return content, nil
}

// For returns the object for exactly these programs, or for all programs without apps, from a content of Decode. With
// create, it adds a missing object; otherwise it returns nil.
func For(content map[string]any, apps []string, create bool) map[string]any {
	list, _ := content["settings_array"].([]any)
	for _, object := range Objects(content) {
		if slices.Equal(Apps(object), apps) {
			return object
		}
	}
	if !create {
		return nil
	}
	object := map[string]any{}
	if len(apps) > 0 {
		object["app_keys"] = anyOf(apps)
	}
	content["settings_array"] = append(list, object)
	return object
}

// Drop removes the object for exactly these programs; false if there is none.
func Drop(content map[string]any, apps []string) bool {
	return dropObjects(content, func(object map[string]any) bool { return slices.Equal(Apps(object), apps) })
}

// dropObjects removes the objects for which a function returns true; false if there are none.
func dropObjects(content map[string]any, drops func(object map[string]any) bool) bool {
	list, _ := content["settings_array"].([]any)
	kept := slices.DeleteFunc(slices.Clone(list), func(element any) bool {
		object, ok := element.(map[string]any)
		return ok && drops(object)
	})
	content["settings_array"] = kept
	return len(kept) < len(list)
}

// Apps returns the programs of an object; nil if it is for all.
func Apps(object map[string]any) []string {
	return those[string](object["app_keys"])
}

// Objects returns the settings objects of a content.
func Objects(content map[string]any) []map[string]any {
	return those[map[string]any](content["settings_array"])
}

// objectFor returns the object that a program gets: the first that names it, or the one for all programs; nil for none.
func objectFor(content map[string]any, program string) (object map[string]any) {
	for _, o := range Objects(content) {
		switch apps := Apps(o); {
		case slices.Contains(apps, program):
			return o
		case apps == nil && object == nil:
			object = o
		}
	}
	return object
}

// addCopy adds an object for some programs with the settings that the first of them gets now, and returns it.
func addCopy(content map[string]any, apps []string) map[string]any {
	object := map[string]any{}
	if now := objectFor(content, apps[0]); now != nil {
		object = clone(now)
	}
	object["app_keys"] = anyOf(apps)
	array, _ := content["settings_array"].([]any)
	content["settings_array"] = append([]any{object}, array...) // the first object that names a program counts (SET-29)
	return object
}

// prune removes empty objects, and the object for some programs if it equals the object for all.
func prune(content map[string]any, apps []string) {
	all := For(content, nil, false)
	dropObjects(content, func(object map[string]any) bool {
		settings := textWithoutApps(object)
		isCopy := apps != nil && all != nil && slices.Equal(Apps(object), apps) && settings == textWithoutApps(all)
		return isCopy || settings == "{}"
	})
}

// TextForAll returns a settings file that gives the settings of an object to all programs.
func TextForAll(object map[string]any) (string, error) {
	array := json.RawMessage("[" + textWithoutApps(object) + "]")
	text, err := Encode(map[string]any{"file_format_version": "1.0.0", "settings_array": array})
	return string(text), err
}

// textWithoutApps returns the text of an object without its programs.
func textWithoutApps(object map[string]any) string {
	object = maps.Clone(object)
	delete(object, "app_keys")
	text, _ := json.Marshal(object)
	return string(text)
}

func clone(object map[string]any) map[string]any {
	text, _ := json.Marshal(object) // it was decoded
	fresh, _ := decode(text)
	return fresh
}

// decode decodes a JSON object, and keeps numbers as they are written.
func decode(text []byte) (object map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return object, decoder.Decode(&object)
}

// entry is an element of a list of layers.
type entry = map[string]any

func nameOf(e entry) string    { text, _ := e["name"].(string); return text }
func controlOf(e entry) string { text, _ := e["control"].(string); return text }

// isOthers reports whether an entry is the place of all other layers.
func isOthers(e entry) bool { return controlOf(e) == settings.Unordered.String() }

// entries returns an object's list of layers; false if it has none.
func entries(object map[string]any) (list []entry, has bool) {
	_, has = object["layers"].([]any)
	return those[entry](object["layers"]), has
}

// pathsOf returns a list of drivers in the file's order: the last element is loaded first (SET-83).
func pathsOf(drivers []string) []any {
	list := []any{}
	for _, path := range slices.Backward(drivers) {
		list = append(list, map[string]any{"path": path})
	}
	return list
}

func those[T any](array any) (list []T) {
	elements, _ := array.([]any)
	for _, element := range elements {
		if one, is := element.(T); is {
			list = append(list, one)
		}
	}
	return list
}

// anyOf returns a list as a JSON array.
func anyOf[T any](list []T) []any {
	out := []any{}
	for _, e := range list {
		out = append(out, e)
	}
	return out
}
