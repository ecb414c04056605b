package systems

import (
	"slices"
	"strconv"
	"strings"
)

// debugDirectory is searched in processes that may be debugged (AND-027).
const debugDirectory = "/data/local/debug/vulkan"

// LayersDebugged reports whether the settings for debugging layers apply to the program (AND-036).
func (a *Android) LayersDebugged() bool {
	enabled := a.Properties["enable_gpu_debug_layers"]
	return (a.debuggable() || a.injectLayers) && enabled != "" && enabled != "0" && a.Package != "" &&
		a.Properties["gpu_debug_app"] == a.Package
}

// Paths returns the directories and APKs with layers, in search order, and the packages in the settings that are not
// installed (AND-027 to AND-029, AND-037).
func (a *Android) Paths(installed func(name string) (androidPackage, bool)) (paths, missing []string) {
	if a.debuggable() {
		paths = append(paths, debugDirectory)
	}
	if a.LayersDebugged() {
		for _, name := range splitList(a.Properties["gpu_debug_layer_app"], ":") {
			pack, ok := installed(name)
			if !ok {
				missing = append(missing, name)
				continue
			}
			paths = append(paths, pack.LibraryPath, pack.APK+"!/lib/"+a.abi())
		}
	}
	return append(paths, splitList(a.libraryPath, ":")...), missing
}

// androidLibrary is a library's description of its layers.
type androidLibrary struct {
	HasLayers, HasExtensions bool // it exports the two enumeration functions
	Layers                   []string
}

// androidLayer is a layer that was found.
type androidLayer struct{ Name, Library string }

// androidEntry is an entry of a directory or of an APK.
type androidEntry struct {
	Name    string
	Stored  bool // not compressed; in a directory always true
	Aligned bool // its content is page-aligned
}

// androidPlaces reads directories and libraries for androidDiscover.
type androidPlaces interface {
	// List lists a directory, or for FILE.apk!/DIRECTORY that directory of the APK; found is false if there is none.
	List(path string) (entries []androidEntry, found bool)
	// Look opens a library and asks it for its layers.
	Look(path string) (androidLibrary, bool)
}

// androidDiscover returns the layers in the paths, in order (AND-030 to AND-033).
func androidDiscover(paths []string, places androidPlaces) (layers []androidLayer) {
	known := map[string]bool{}
	for _, path := range paths {
		entries, _ := places.List(path)
		zipped := strings.Contains(path, "!/")
		for _, e := range entries {
			if !strings.HasPrefix(e.Name, "libVkLayer") || !strings.HasSuffix(e.Name, ".so") || known[e.Name] {
				continue
			}
			if zipped && (!e.Stored || !e.Aligned) {
				continue
			}
			known[e.Name] = true
			at := path + "/" + e.Name
			library, ok := places.Look(at)
			if !ok || !library.HasLayers || !library.HasExtensions {
				continue
			}
			for _, name := range library.Layers {
				layers = append(layers, androidLayer{name, at})
			}
		}
	}
	return layers
}

// Implicit returns the layers that are active without a request of the program. settings reports whether they are from
// the settings (AND-038 to AND-041).
func (a *Android) Implicit() (names []string, settings bool) {
	if a.LayersDebugged() {
		if names = splitList(a.Properties["gpu_debug_layers"], ":"); len(names) > 0 {
			return names, true
		}
	}
	names = splitList(a.Properties["debug.vulkan.layers"], ":")
	for i := 0; ; i++ {
		name := a.Properties["debug.vulkan.layer."+strconv.Itoa(i)]
		if name != "" {
			names = append(names, name)
		} else if i >= 9 {
			return names, false
		}
	}
}

// androidChain returns the layers with the names, in the order of the names. It returns false if one of them does not
// exist (AND-043).
func androidChain(names []string, layers []androidLayer) (chain []androidLayer, complete bool) {
	for _, name := range names {
		at := slices.IndexFunc(layers, func(l androidLayer) bool { return l.Name == name })
		if at < 0 {
			return nil, false
		}
		chain = append(chain, layers[at])
	}
	return chain, true
}
