package cdi

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/machines"
)

// The system's dynamic linker opens a stub of a library that needs another library, finds the symbols on the stub's handle, and finds
// the library's run-time libraries, though they are in no directory of the linker. A run-time library has a stub, too, through which
// the linker finds its dependencies.
func TestStubIsOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"later.c":  "int later(void) { return 3; }",
		"latest.c": "int latest(void) { return 10; }",
		"late.c": `#include <dlfcn.h>
int later(void);
int late(void) {
    void *at = dlopen("liblatest.so", RTLD_NOW);
    return at ? later() + ((int (*)(void))dlsym(at, "latest"))() : -100;
}`,
		"needed.c": "int needed(void) { return 4; }",
		"driver.c": `#include <dlfcn.h>
int needed(void);
int vk_icdNegotiate(void) {
    void *at = dlopen("liblate.so", RTLD_NOW);
    return at ? needed() + ((int (*)(void))dlsym(at, "late"))() : -1;
}`,
		"main.c": `#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **args) {
    void *at = dlopen(args[1], RTLD_NOW | RTLD_LOCAL);
    int (*driver)(void) = at ? (int (*)(void))dlsym(at, "vk_icdNegotiate") : 0;
    if (!driver) return puts(dlerror());
    printf("%d", driver());
    return dlclose(at);
}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []string{"files", "links"} {
		if err := os.Mkdir(filepath.Join(dir, of), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"-shared -fPIC -o files/liblater.so -Wl,-soname,liblater.so later.c", "-shared -fPIC -o files/liblate.so late.c -Lfiles -llater",
		"-shared -fPIC -o files/liblatest.so latest.c", "-shared -fPIC -o files/libneeded.so -Wl,-soname,libneeded.so needed.c",
		"-shared -fPIC -o files/libdriver.so driver.c -Lfiles -lneeded", "-o main main.c"} {
		c := exec.Command("gcc", strings.Fields(line)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	var err error
	for of, name := range map[string]string{"libdriver.so": "/", "liblate.so": "/links/"} {
		own, _ := machines.Own()
		made := stub(own, []string{dir + "/files/" + of}, dir+"/links")
		err = errors.Join(err, os.WriteFile(dir+name+of, made, 0o644))
	}
	for _, name := range []string{"liblater.so", "liblatest.so", "libneeded.so"} {
		err = errors.Join(err, os.Symlink(dir+"/files/"+name, dir+"/links/"+name))
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(dir+"/main", dir+"/files/libdriver.so").CombinedOutput(); err == nil && string(out) == "17" {
		t.Fatal("the library is opened without a stub: this test shows nothing")
	}
	if out, err := exec.Command(dir+"/main", dir+"/libdriver.so").CombinedOutput(); err != nil || string(out) != "17" {
		t.Errorf("through the stub: %v %s", err, out)
	}
}

// Other programs read the stub of each machine as an ELF file.
func TestStubIsELF(t *testing.T) {
	t.Parallel()
	for _, m := range machines.All() {
		file := filepath.Join(t.TempDir(), "a.so")
		if err := os.WriteFile(file, stub(m, []string{"/a/libb.so", "/a/libc.so"}, "/links"), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := elf.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		needed, err := f.ImportedLibraries()
		path, wrong := f.DynString(elf.DT_RPATH)
		if err != nil || wrong != nil || !slices.Equal(needed, []string{"/a/libb.so", "/a/libc.so"}) || !slices.Equal(path, []string{"/links"}) || f.Machine != m.ELF ||
			(f.Class == elf.ELFCLASS64) != (m.Bits == 64) || (f.ByteOrder == binary.BigEndian) != m.BigEndian {
			t.Errorf("%v: %q %q %v %v", m.Name, needed, path, err, wrong)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
