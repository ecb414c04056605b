package process

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"vkloader/test/lib/tree"
)

// mapped returns each file once. Names with spaces are complete, and deleted files are marked. Lines that no kernel writes
// are skipped.
func TestMapped(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	tree.Lay(t, directory, map[string]string{"maps": "55d0-55d1 r--p 00000000 08:01 77 /usr/lib/libvulkan.so.1.3.239\n" +
		"55d1-55d2 r-xp 00001000 08:01 77 /usr/lib/libvulkan.so.1.3.239\n" +
		"1-2 r--p 0 08:01 9 /" + strings.Repeat("long /", 100_000) + "\n" +
		"7f00-7f01 r--p 00000000 08:01 78                         /opt/my game/lib a.so (deleted)\n" +
		"7f01-7f02 rw-p 00000000 00:00 0 \n7ffe-7fff rw-p 00000000 00:00 0                  [stack]\n"})
	got, err := readMappings(filepath.Join(directory, "maps"))
	want := []Mapping{{"/usr/lib/libvulkan.so.1.3.239", false, 77}, {"/opt/my game/lib a.so", true, 78}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %.300v, %v", got, err)
	}
}

// allocated returns the MB that are allocated while a function runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20
}

// A process with many mappings, long names and many descriptors costs little memory and few reads. The test is not parallel,
// because it counts the memory of all tests.
func TestProcessOfManyMappings(t *testing.T) {
	k := made(t, map[string]string{"7/status": "Name:\tgame\n", "7/stat": "7 (a) S 1", "7/fdinfo/0": ""})
	maps, err := os.Create(filepath.Join(k.Proc, "7/maps"))
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	line := "7f00-7f01 rw-s 00000000 08:01 5 /" + strings.Repeat("d", 3900) + "/libvulkan.so.1.3.%d\n"
	for i := range 20_000 {
		fmt.Fprintf(maps, line, i)
	}
	for i := range maxDescriptors + 1000 {
		name := fmt.Sprintf("7/fdinfo/%d", i)
		if err := os.WriteFile(filepath.Join(k.Proc, name), []byte("drm-driver:\tamdgpu\ndrm-client-id:\t"+name+"\ndrm-memory-vram:\t1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mb := allocated(func() {
		if found, _, err := k.List(); err != nil || len(found) != 1 || len(found[0].Mapped) == 0 {
			t.Errorf("listed %v, %v", found, err)
		}
	})
	if mb > 32 {
		t.Errorf("%d MB are allocated for a list of 80 MB", mb)
	}
	p, err := k.Look(7)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Memory(); len(m) != 1 || m[0].Bytes > maxDescriptors {
		t.Errorf("more than %d descriptors are read: %+v", maxDescriptors, m)
	}
}
