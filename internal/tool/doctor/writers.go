package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
)

// writer is a program that writes manifests in the user's home directory.
type writer struct {
	name    string
	files   []string // patterns of the manifests' names
	program []string // places of the program; those that begin with "~" are below the home directory
	again   told     // how the program writes the manifests again
}

// writers returns the known programs of this kind.
func writers() []writer {
	return []writer{
		{"Steam", []string{"steamoverlay_*.json", "steamfossilize_*.json"}, []string{"/usr/bin/steam", "/usr/games/steam", "/usr/local/bin/steam", "/snap/bin/steam",
			"/run/current-system/sw/bin/steam", "~/.local/share/Steam/steam.sh", "/var/lib/flatpak/app/com.valvesoftware.Steam", "~/.local/share/flatpak/app/com.valvesoftware.Steam"},
			advised("Start Steam: it writes its libraries and this manifest again.").untried(ofWriter)},
		{"RenderDoc", []string{"renderdoc_capture.json"}, []string{"/usr/bin/renderdoccmd", "/usr/local/bin/renderdoccmd"},
			typed("Let RenderDoc write its manifest again: ", "renderdoccmd vulkanlayer --register --user").untried(ofWriter)},
	}
}

// writtenBy returns the advice about a manifest of the user that a program wrote for itself, and the changes that remove it if that
// program is gone. It returns false for other files.
func (h host) writtenBy(manifest string) (do advice, changes []explain.Change, is bool) {
	home := path.Clean(h.variable(variables.Home.Name()))
	if !path.IsAbs(home) || home == "/" || !strings.HasPrefix(path.Clean(manifest), home+"/") {
		return nil, nil, false
	}
	for _, w := range writers() {
		if !slices.ContainsFunc(w.files, func(pattern string) bool {
			match, err := path.Match(pattern, path.Base(manifest))
			return match && err == nil
		}) {
			continue
		}
		if slices.ContainsFunc(w.program, func(place string) bool {
			if below, own := strings.CutPrefix(place, "~"); own {
				place = home + below
			}
			return h.machine.Exists(place)
		}) {
			return w.again, nil, true
		}
		return advised(w.name + " wrote the file and is not installed: remove " + manifest + "."), []explain.Change{explain.RemoveFile(path.Clean(manifest))}, true
	}
	return nil, nil, false
}
