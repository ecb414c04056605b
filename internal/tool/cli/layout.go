package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// layout is where the tool's companions are: beside it, as the build leaves them, or below the same prefix, as
// installed.
type layout struct {
	library, probe string
}

var (
	libraryPlaces = []string{
		"libvulkan.so.1", "../lib/libvulkan.so.1", "../lib64/libvulkan.so.1", "../lib/x86_64-linux-gnu/libvulkan.so.1",
	}
	probePlaces = []string{"libexec/vkloader/probe", "../libexec/vkloader/probe"}
)

// findLayout looks from the tool's own real path; library, when not empty, is taken instead of the one found.
func findLayout(executable, library string) (layout, error) {
	real, err := filepath.EvalSymlinks(executable)
	if err != nil {
		return layout{}, fmt.Errorf("own path %s: %w", executable, err)
	}
	dir := filepath.Dir(real)
	found := layout{library: library}
	if found.library == "" {
		if found.library, err = firstOf(dir, libraryPlaces); err != nil {
			return layout{}, fmt.Errorf("no libvulkan.so.1 with this tool: %w", err)
		}
	} else if strings.Contains(library, "/") {
		if found.library, err = filepath.Abs(library); err != nil {
			return layout{}, err
		}
	}
	if found.probe, err = firstOf(dir, probePlaces); err != nil {
		return layout{}, fmt.Errorf("no probe with this tool: %w", err)
	}
	return found, nil
}

func firstOf(dir string, places []string) (string, error) {
	var tried []string
	for _, place := range places {
		path := filepath.Join(dir, place)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
		tried = append(tried, path)
	}
	return "", fmt.Errorf("looked for %s", strings.Join(tried, ", "))
}
