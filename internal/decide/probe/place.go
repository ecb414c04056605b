package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Companions are the files that belong to the tool. They are beside the tool after a build, and below its prefix after
// an installation.
type Companions struct {
	Library string // the libvulkan.so.1, or vulkan-1.dll, to open
	Child   string // the program that loads it
	Linker  string // the dynamic linker that starts the child; "": the one that it names
	Lowered bool   // on Windows: the child gets the rights of a program that the user starts
	Guest   bool   // the caller is another program than the tool and handles its own signals
}

// libraryDirectory and libexecDirectory are LIBDIR and LIBEXECDIR of the Makefile, if a distribution sets them. Find
// searches them last, so that a moved installation finds its own files.
var libraryDirectory, libexecDirectory string

// installPlaces returns places, followed by the file in a directory of the Makefile; directory "": places alone.
func installPlaces(places []string, directory, name string) []string {
	if directory == "" {
		return places
	}
	return append(slices.Clone(places), filepath.Join(directory, name))
}

// Find returns the companions of the tool, from its real path. A library that is not empty replaces the one that
// belongs to the tool. The error names the places without a file.
func Find(executable, library string) (Companions, error) {
	found, dir, err := findLibrary(executable, library)
	if err != nil {
		return Companions{}, err
	}
	if found.Child, err = firstOf(dir, installPlaces(childPlaces, libexecDirectory, childName)); err != nil {
		return Companions{}, fmt.Errorf("no probe with this tool: %w", err)
	}
	return found, nil
}

// Library returns the path of the library that belongs to the tool.
func Library(executable string) (string, error) {
	found, _, err := findLibrary(executable, "")
	return found.Library, err
}

// findLibrary finds the library, and returns the tool's directory.
func findLibrary(executable, library string) (found Companions, dir string, err error) {
	real, err := filepath.EvalSymlinks(executable)
	if err != nil {
		return found, "", fmt.Errorf("own path %s: %w", executable, err)
	}
	dir, found.Library = filepath.Dir(real), library
	if library == "" {
		if found.Library, err = firstOf(dir,
			installPlaces(libraryPlaces(), libraryDirectory, LibraryName)); err != nil {
			return found, "", fmt.Errorf("no %s with this tool: %w", LibraryName, err)
		}
	} else if filepath.Base(library) != library {
		found.Library, err = filepath.Abs(library)
	}
	return found, dir, err
}

func firstOf(dir string, places []string) (string, error) {
	var tried []string
	for _, place := range places {
		path := place
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, place)
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
		tried = append(tried, path)
	}
	return "", fmt.Errorf("looked for %s", strings.Join(tried, ", "))
}
