package probe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/machines"
)

// Find finds the companions of a built tool, and of an installed one, also through a link.
func TestPlaces(t *testing.T) {
	own, _ := machines.Own()
	for _, lib := range []string{"lib", "lib64", "lib/" + own.Multiarch, "lib64/vkloader", "lib/" + own.Multiarch + "/vkloader"} {
		prefix := t.TempDir()
		files := []string{"bin/vkloader", "libexec/vkloader/probe", lib + "/libvulkan.so.1"}
		if packaged, ok := strings.CutSuffix(lib, "/vkloader"); ok { // in a package's own directory, beside the distribution's loader
			files = append(files, packaged+"/libvulkan.so.1")
		}
		for _, file := range files {
			path := filepath.Join(prefix, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(t.TempDir(), "tool")
		if err := os.Symlink(filepath.Join(prefix, "bin/vkloader"), link); err != nil {
			t.Fatal(err)
		}
		found, err := Find(link, "")
		if err != nil || found.Library != filepath.Join(prefix, lib, "libvulkan.so.1") ||
			found.Child != filepath.Join(prefix, "libexec/vkloader/probe") {
			t.Errorf("%s: %+v, %v", lib, found, err)
		}
	}
}

// Find also searches the directories that the Makefile sets; their names are arbitrary.
func TestDirectoriesOfTheMakefile(t *testing.T) {
	directory := t.TempDir()
	for _, file := range []string{"libvulkan.so.1", "vkloader/probe"} {
		path := filepath.Join(directory, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	defer func(library, libexec string) { libraryDirectory, libexecDirectory = library, libexec }(libraryDirectory, libexecDirectory)
	libraryDirectory, libexecDirectory = directory, directory
	tool := filepath.Join(t.TempDir(), "vkloader")
	if err := os.WriteFile(tool, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if found, err := Find(tool, ""); err != nil || found.Library != directory+"/libvulkan.so.1" || found.Child != directory+"/vkloader/probe" {
		t.Errorf("%+v, %v", found, err)
	}
}
