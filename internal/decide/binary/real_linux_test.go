package binary

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/machine"
)

// The linker finds the same real paths as the machine, through any links, and resolves each directory once.
func TestReal(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "usr/lib/sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "usr/lib/libx.so.1.2"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"lib": "usr/lib", "usr/lib/libx.so.1": "libx.so.1.2", "usr/lib/libx.so": "libx.so.1",
		"usr/lib/up": "../lib/libx.so", "usr/lib/whole": top + "/lib/libx.so", "usr/lib/cycle": "cycle", "usr/lib/gone": "nowhere",
		"usr/other": "lib/sub", "usr/lib/through": "../other/../libx.so"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	m := &machine.Machine{}
	l := NewLinker(m, LinkerOptions{Class: 64, Machine: elf.EM_X86_64})
	for _, name := range []string{"usr/lib/libx.so.1.2", "lib/libx.so", "lib/libx.so.1", "lib/up", "lib/whole", "lib/cycle", "lib/gone",
		"lib/through", "usr/other/../libx.so", "lib/missing", "nodir/missing", "lib", "usr/other"} {
		name = top + "/" + name
		want, err := m.Real(name)
		if err != nil {
			want = name
		}
		for range 2 {
			if got := l.real(name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}
