package memory

import (
	"path/filepath"
	"testing"

	"vkloader/test/lib/world"
)

// TestSizesThatWrap checks that a size that wraps is an error, for every word size: of the product, with the head before the array, and
// above the size of a block. Smaller sizes are exact.
//
// holds: ALC-028 ALC-034
func TestSizesThatWrap(t *testing.T) {
	t.Parallel()
	if world.Windows() || world.MacOS() {
		t.Skip("the spine's memory.c is the same there")
	}
	program := filepath.Join(t.TempDir(), "sizes")
	if err := world.Compile("-std=c11", "-D_GNU_SOURCE", "-I../../../spine", "-I../../../spine/asm/linux", "-o", program,
		"testdata/sizes.c", "../../../spine/process/memory.c"); err != nil {
		t.Fatal(err)
	}
	if out, err := world.Command(t.Context(), program).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
