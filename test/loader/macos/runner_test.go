package macos

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// runs runs a Mach-O program with the runner and returns its output and exit code.
func runs(t *testing.T, w *world.World, program string, arguments ...string) (string, int) {
	t.Helper()
	cmd := w.RunMacOS(program, arguments...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func compiled(t *testing.T, arguments ...string) {
	t.Helper()
	if err := world.Compile(append([]string{"-O1", "-fno-sanitize=all", "-std=c11", "-D_DARWIN_C_SOURCE"}, arguments...)...); err != nil {
		t.Fatal(err)
	}
}

// TestRunner checks that a program gets macOS's dynamic linker and C library from the runner.
func TestRunner(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	directory, files := w.Path("lib"), w.Path("work")
	library, program := filepath.Join(directory, "liblibrary.dylib"), filepath.Join(directory, "program")
	compiled(t, "-shared", "-o", library, "testdata/library.c", "-Wl,-install_name,@rpath/liblibrary.dylib")
	compiled(t, "-o", program, "testdata/program.c", "-Wl,-rpath,@loader_path")
	out, code := runs(t, w, program, files, "word")
	want := `arguments: 3 word
path: 0 program
library: begins
same: 1, word two, count 1141 2142
dladdr: 1 library_word 1
images: 2
wait: 1
thread: 1141
joined
write: 4
stat: 0 4 100640
again: 1
directory: 1
long name: -1 1
entry: file 1
close: 0, still there 1
library: ends
close: 0
gone: 1
`
	if out != want || code != 7 {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, out, want)
	}
}

// A path of search of a program's dependency that begins with @executable_path is below the program's directory, and
// @loader_path is the dependency's.
func TestPathsOfDependencies(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	build := func(directory, name, source string, arguments ...string) string {
		path := filepath.Join(w.Path("app", directory), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		compiled(t, append([]string{"-o", path, w.Write(name+".c", source)}, arguments...)...)
		return path
	}
	last := build("private", "liblast.dylib", "int last(void) { return 42; }\n", "-shared", "-Wl,-install_name,@rpath/liblast.dylib")
	next := build("lib/next", "libnext.dylib", "int next(void) { return 1; }\n", "-shared", "-Wl,-install_name,@rpath/libnext.dylib")
	first := build("lib", "libfirst.dylib", "int last(void); int next(void); int first(void) { return last() + next(); }\n", "-shared", last, next,
		"-Wl,-install_name,@rpath/libfirst.dylib", "-Wl,-rpath,@executable_path/../private", "-Wl,-rpath,@loader_path/next")
	program := build("bin", "program", "int first(void); int main(void) { return first(); }\n", first, "-Wl,-rpath,@executable_path/../lib")
	if out, code := runs(t, w, program); code != 43 || out != "" {
		t.Errorf("%d %s", code, out)
	}
}

// TestRunnerNamesWhatIsMissing checks that a function without a counterpart ends the loading with its name, before
// any code runs.
func TestRunnerNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	program := w.Path("lib/program")
	source := w.Write("missing.c", "#include <sys/sysctl.h>\nint main(void) { size_t n = 0; return sysctlbyname(\"hw.ncpu\", 0, &n, 0, 0); }\n")
	compiled(t, "-o", program, source)
	if out, code := runs(t, w, program); code != 127 || !strings.Contains(out, "nothing stands for the function _sysctlbyname") {
		t.Errorf("%d %s", code, out)
	}
}

// TestChainedFixups tests chained fixups, which newer linkers write instead of opcodes: a chain binds and rebases a
// file's pointers.
func TestChainedFixups(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	library := w.Path("lib/chained.dylib")
	if err := os.WriteFile(library, chained(), 0o755); err != nil {
		t.Fatal(err)
	}
	program := w.Path("lib/program")
	compiled(t, "-o", program, w.Write("chain.c", `#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int c, char **v) {
	(void)c;
	void *l = dlopen(v[1], RTLD_NOW);
	if (!l) return puts(dlerror()), 1;
	void **p = dlsym(l, "pointers");
	printf("%d %d %d %s\n", p[0] == (void *)strlen, p[1] == (char *)strlen + 3, p[2] == p, (char *)p[3]);
	return 0;
}
`))
	if out, code := runs(t, w, program, library); code != 0 || out != "1 1 1 text\n" {
		t.Errorf("%d %s", code, out)
	}
}

// chained builds a library: its second segment has four pointers, two of which are imports (one with an addend) and
// two are addresses in the library; the first pointer is exported as _pointers.
func chained() []byte {
	const page = 0x1000
	le := binary.LittleEndian
	b := make([]byte, 3*page)
	at := 32
	command := func(words ...uint32) {
		for _, n := range words {
			le.PutUint32(b[at:], n)
			at += 4
		}
	}
	name := func(s string) {
		copy(b[at:at+16], s)
		at += 16
	}
	segment := func(n string, address, offset, size uint64, protection uint32) {
		command(0x19, 72)
		name(n)
		for _, v := range []uint64{address, page, offset, size} {
			le.PutUint64(b[at:], v)
			at += 8
		}
		command(protection, protection, 0, 0)
	}
	segment("__TEXT", 0, 0, page, 5)
	segment("__DATA", page, page, page, 3)
	segment("__LINKEDIT", 2*page, 2*page, page, 1)
	command(0xd, 48, 24, 0, 0x10000, 0x10000)
	copy(b[at:], "chained.dylib")
	at += 24
	command(0xc, 56, 24, 0, 0x10000, 0x10000)
	copy(b[at:], "/usr/lib/libSystem.B.dylib")
	at += 32
	command(0x80000034, 16, 2*page, 256)
	command(0x80000033, 16, 2*page+256, 64)
	for i, v := range []uint32{0xfeedfacf, map[string]uint32{"x86_64": 0x01000007, "arm64": 0x0100000c}[world.Slice()], 3, 6, 7, uint32(at - 32), 0x85, 0} {
		le.PutUint32(b[4*i:], v)
	}
	copy(b[page-16:], "text\x00")
	next := func(more bool) uint64 {
		if more {
			return 2 << 51 // in steps of 4
		}
		return 0
	}
	for i, v := range []uint64{1<<63 | next(true), 1<<63 | 3<<24 | next(true), page | next(true), page - 16} {
		le.PutUint64(b[page+8*i:], v)
	}
	f := b[2*page:]
	for i, v := range []uint32{0, 28, 96, 104, 1, 1, 0} { // version, starts, imports, symbols, count, format
		le.PutUint32(f[4*i:], v)
	}
	le.PutUint32(f[28:], 3) // segments
	le.PutUint32(f[36:], 16)
	s := f[44:]
	le.PutUint32(s, 24)
	le.PutUint16(s[4:], page)
	le.PutUint16(s[6:], 6) // offsets from the header
	le.PutUint64(s[8:], page)
	le.PutUint16(s[20:], 1)
	le.PutUint16(s[22:], 0)
	le.PutUint32(f[96:], 1|1<<9) // library 1, name at 1
	copy(f[104:], "\x00_strlen\x00")
	copy(f[256:], append(append([]byte{0, 1}, "_pointers\x00"...), 13, 3, 0, 0x80, 0x20, 0))
	return b
}

// A layer of another machine is left out without being opened (its file has a part for arm64 only); one with a part for each machine is
// used.
func TestLayerOfAnotherMachine(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	w.Driver("good")
	w.ImplicitLayer("VK_LAYER_here")
	other := w.ImplicitLayer("VK_LAYER_there")
	other.Set("library_path", w.WrongClass("there"))
	h := w.Start()
	h.OK("create_instance")
	if who := w.Log().Fn("vkCreateInstance").Who(); !strings.Contains(strings.Join(who, " "), "VK_LAYER_here") {
		t.Errorf("%v", who)
	}
	h.Do("destroy_instance")
	h.Quit()
	if text := h.Stderr(); strings.Contains(text, "ERROR") {
		t.Errorf("%s", text)
	}
}
