package macos

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// built returns the path of a file of "make TARGET=macos". It skips the test without the compiler, which "make
// test-all" fetches.
func built(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(world.Top(), "build/macos", name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("VKLOADER_TEST_ALL") != "" {
			t.Fatalf("make TARGET=macos: %v", err)
		}
		t.Skipf("make TARGET=macos has not run: %v", err)
	}
	return path
}

// Load commands, and flags of trie entries, that debug/macho does not name.
const (
	idDylib      = 0xd
	loadDylib    = 0xc
	segment64    = 0x19
	buildVersion = 0x32
	dyldInfo     = 0x80000022
	signature    = 0x1d
)

// slice describes one machine's part of the library.
type slice struct {
	install                                string
	compatible, current, platform, minimum string
	imports, exports, libraries, sections  []string
	signed                                 bool
}

func version(n uint32) string { return fmt.Sprintf("%d.%d.%d", n>>16, n>>8&255, n&255) }

func read(t *testing.T, f *macho.File, raw []byte) slice {
	t.Helper()
	var s slice
	text := func(command []byte) string {
		at := binary.LittleEndian.Uint32(command[8:])
		name, _, _ := strings.Cut(string(command[at:]), "\x00")
		return name
	}
	for _, l := range f.Loads {
		command := l.Raw()
		number := func(at int) uint32 { return binary.LittleEndian.Uint32(command[at:]) }
		switch number(0) {
		case idDylib:
			s.install, s.current, s.compatible = text(command), version(number(16)), version(number(20))
		case buildVersion:
			s.platform, s.minimum = fmt.Sprint(number(8)), version(number(12))
		case dyldInfo:
			s.exports = trie(t, raw[number(40):number(40)+number(44)])
		case signature:
			s.signed = true
		}
	}
	for _, section := range f.Sections {
		s.sections = append(s.sections, section.Seg+","+section.Name)
	}
	var err error
	if s.imports, err = f.ImportedSymbols(); err != nil {
		t.Fatal(err)
	}
	if s.libraries, err = f.ImportedLibraries(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.imports)
	return s
}

// trie lists the names of an export trie.
func trie(t *testing.T, b []byte) (names []string) {
	t.Helper()
	var walk func(at uint64, prefix string)
	walk = func(at uint64, prefix string) {
		size, n := binary.Uvarint(b[at:])
		at += uint64(n)
		if size > 0 {
			names = append(names, prefix)
		}
		at += size
		children := b[at]
		at++
		for ; children > 0; children-- {
			edge, _, _ := strings.Cut(string(b[at:]), "\x00")
			at += uint64(len(edge)) + 1
			node, n := binary.Uvarint(b[at:])
			at += uint64(n)
			walk(node, prefix+edge)
		}
	}
	if len(b) > 0 {
		walk(0, "")
	}
	slices.Sort(names)
	return names
}

func slicesOf(t *testing.T) map[macho.Cpu]slice {
	t.Helper()
	path := built(t, "libvulkan.1.dylib")
	fat, err := macho.OpenFat(path)
	if err != nil {
		t.Fatal(err)
	}
	defer fat.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[macho.Cpu]slice{}
	for _, arch := range fat.Arches {
		if arch.Offset%(1<<arch.Align) != 0 || arch.Align < 14 {
			t.Errorf("%v lies at %d, which is no page of arm64", arch.Cpu, arch.Offset)
		}
		out[arch.Cpu] = read(t, arch.File, content[arch.Offset:arch.Offset+arch.Size])
	}
	if len(out) != 2 {
		t.Fatalf("%d machines", len(out))
	}
	return out
}

// forbidden are functions that change the program, its threads, processes, signals or environment (docs/guest-rules.md).
var forbidden = strings.Fields(`atexit chdir dup dup2 execl execlp execv execve execvp exit _exit fork kill popen posix_spawn posix_spawnp
pthread_create pthread_kill pthread_sigmask putenv raise setenv setlocale setrlimit sigaction signal sigprocmask system umask unsetenv vfork`)

// The library exports the names of the library for Linux, with the surfaces of macOS instead of those of X and Wayland. The parts for
// both machines have the same names, the versions of LunarG's loader, one needed library, no function that a guest must not call, and
// the oldest system for arm64.
//
// holds: MAC-020
func TestLibraryFile(t *testing.T) {
	t.Parallel()
	want := linuxExports(t)
	for machine, s := range slicesOf(t) {
		var exports []string
		for _, name := range s.exports { // the linker's own names begin with two underscores
			if !strings.HasPrefix(name, "__") {
				exports = append(exports, strings.TrimPrefix(name, "_"))
			}
		}
		if !slices.Equal(exports, want) {
			t.Errorf("%v exports %d names, want %d: more %v, missing %v", machine, len(exports), len(want), without(exports, want), without(want, exports))
		}
		if s.install != "@rpath/libvulkan.1.dylib" || s.compatible != "1.0.0" || s.current != "1.4.0" {
			t.Errorf("%v: install name %s, versions %s and %s", machine, s.install, s.compatible, s.current)
		}
		if s.platform != "1" || s.minimum != "11.0.0" {
			t.Errorf("%v: platform %s, system %s", machine, s.platform, s.minimum)
		}
		if !slices.Equal(s.libraries, []string{"/usr/lib/libSystem.B.dylib"}) {
			t.Errorf("%v needs %v", machine, s.libraries)
		}
		for _, name := range s.imports {
			if name, _, _ = strings.Cut(strings.TrimPrefix(name, "_"), "$"); slices.Contains(forbidden, name) {
				t.Errorf("%v imports %s", machine, name)
			}
		}
		if !s.signed {
			t.Errorf("%v has no signature, without which arm64 runs no code", machine)
		}
		if !slices.Contains(s.sections, "__TEXT,__unwind_info") || !slices.Contains(s.sections, "__TEXT,__vkloader") {
			t.Errorf("%v has the sections %v", machine, s.sections)
		}
	}
}

// linuxExports lists the exports of the library for Linux, with macOS's surfaces in place of Linux's.
func linuxExports(t *testing.T) (names []string) {
	t.Helper()
	file, err := elf.Open(filepath.Join(world.Top(), "build/libvulkan.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && !strings.Contains(s.Name, "Xcb") && !strings.Contains(s.Name, "Xlib") && !strings.Contains(s.Name, "Wayland") {
			names = append(names, s.Name)
		}
	}
	names = append(names, "vkCreateMacOSSurfaceMVK", "vkCreateMetalSurfaceEXT")
	slices.Sort(names)
	return names
}

func without(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// TestPartsAreAlike checks that both parts are alike, apart from names that exist on one machine only: x86-64 also has an older form of
// struct stat, and the new form has a longer name there.
func TestPartsAreAlike(t *testing.T) {
	t.Parallel()
	parts := slicesOf(t)
	plain := func(list []string) (out []string) {
		for _, name := range list {
			name, _, _ = strings.Cut(name, "$")
			if !strings.HasPrefix(name, "_memset_pattern") && name != "___bzero" && name != "_bzero" && name != "_memset" {
				out = append(out, name)
			}
		}
		return out
	}
	x, a := parts[macho.CpuAmd64], parts[macho.CpuArm64]
	if !slices.Equal(x.exports, a.exports) {
		t.Errorf("exports: %v and %v", without(x.exports, a.exports), without(a.exports, x.exports))
	}
	left, right := plain(x.imports), plain(a.imports)
	if !slices.Equal(left, right) {
		t.Errorf("imports: x86-64 alone %v, arm64 alone %v", without(left, right), without(right, left))
	}
}

// TestStubsLieTogether checks that the stubs of missing commands, and no other functions, are between the two
// functions that is_missing compares with.
func TestStubsLieTogether(t *testing.T) {
	t.Parallel()
	path := built(t, "libvulkan.1.dylib")
	fat, err := macho.OpenFat(path)
	if err != nil {
		t.Fatal(err)
	}
	defer fat.Close()
	for _, arch := range fat.Arches {
		at := map[string]uint64{}
		for _, s := range arch.Symtab.Syms {
			if s.Sect == 1 {
				at[s.Name] = s.Value
			}
		}
		first, last, inside := at["_missing_first"], at["_missing_last"], 0
		if first == 0 || last <= first {
			t.Fatalf("%v: the stubs lie between %#x and %#x", arch.Cpu, first, last)
		}
		for name, value := range at {
			stub := strings.HasPrefix(name, "_missing_vk") || name == "_missing_in_chain" || name == "_missing_unknown_device"
			if between := value >= first && value < last; between != (stub || name == "_missing_first") {
				t.Errorf("%v: %s lies between the edges: %v", arch.Cpu, name, between)
			} else if between {
				inside++
			}
		}
		if inside < 600 {
			t.Errorf("%v: only %d stubs", arch.Cpu, inside)
		}
	}
}

// TestLibraryIsReproducible checks that a build in another directory and at another time gives the same bytes.
func TestLibraryIsReproducible(t *testing.T) {
	t.Parallel()
	if os.Getenv("VKLOADER_TEST_ALL") == "" {
		t.Skip("building the library again takes a minute")
	}
	want, err := os.ReadFile(built(t, "libvulkan.1.dylib"))
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	list := exec.Command("tar", "-cf", "-", "--exclude=./build", "--exclude=./.git", ".")
	list.Dir = world.Top()
	unpack := exec.Command("tar", "-xf", "-", "-C", copied)
	if unpack.Stdin, err = list.StdoutPipe(); err == nil {
		err = list.Start()
	}
	if err == nil {
		err = unpack.Run()
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(copied, "build"), 0o755)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(world.Top(), "build/zig"), filepath.Join(copied, "build/zig"))
	}
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command("make", "-s", "-C", copied, "TARGET=macos", "spine")
	again.Env = append(os.Environ(), "TARGET=", "MAKEFLAGS=")
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(copied, "build/macos/libvulkan.1.dylib"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Error("the library differs")
	}
}
