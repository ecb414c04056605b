package macos

import (
	"os"
	"slices"
	"testing"

	"vkloader/internal/decide/binary"
	"vkloader/test/lib/world"
)

// The tool reads release, version, processors and functions of the library from its file.
func TestToolReadsLibrary(t *testing.T) {
	t.Parallel()
	if !world.MacOS() {
		t.Skip("make test TARGET=macos runs it")
	}
	file, err := os.Open(world.Library())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := binary.ReadMachO(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read.Parts {
		if p.Version != "1.4.0" || p.Release == "" || !p.Library || p.Class != 64 || p.Hardened {
			t.Errorf("%+v", p.Signature)
		}
	}
	if machines := read.Machines(); !slices.Contains(machines, binary.X86) || !slices.Contains(machines, binary.ARM) || !read.Symbols() || !read.Exports("vkCreateInstance") || read.Exports("vkNoSuch") {
		t.Errorf("%v", read.Machines())
	}
}
