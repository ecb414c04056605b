package world

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vkloader/internal/machines"
)

// Top returns the repository's top directory: the nearest one with a go.mod, from the working directory upward.
func Top() string {
	directory, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory
		}
		up := filepath.Dir(directory)
		if up == directory {
			panic("the working directory is not inside the repository")
		}
		directory = up
	}
}

// Variant is the build under test: "" for build/, "asan" for build/asan, and so on.
func Variant() string { return os.Getenv("VKLOADER_TEST_BUILD") }

// Target is the machine or C library under test as make names it: "" for this machine's own, a target of
// internal/machines, "musl", "windows/x64", "windows/x86".
func Target() string { return os.Getenv("TARGET") }

// Machine returns the table's row for the target's machine.
func Machine() machines.Machine {
	m, known := machines.Of(hostTarget())
	if !known {
		m, _ = machines.Of("amd64")
	}
	return m
}

// Narrow reports whether the loader under test has 32-bit pointers.
func Narrow() bool { return Machine().Bits == 32 || Target() == "windows/x86" }

// Order returns the byte order of the target.
func Order() binary.ByteOrder {
	if Machine().BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// CalleeCleans reports whether functions take their arguments from the stack when they return. Then a function that a driver
// lacks, and whose arguments are unknown, cannot return: the process ends.
func CalleeCleans() bool { return Target() == "windows/x86" }

// Bits returns the word size of the loader under test, and the other one, in the notation of library_arch.
func Bits() (own, other string) {
	if Narrow() {
		return "32", "64"
	}
	return "64", "32"
}

// ClassError returns the dynamic linker's message about the file of WrongClass at the path.
func ClassError(path string) string {
	_, other := Bits()
	return linkerError(path, "wrong ELF class: ELFCLASS"+other, "Exec format error")
}

// HeaderError returns its message about the file of BadBinary, ShortError about a file that ends too early, MissingError about none.
func HeaderError(path string) string {
	return linkerError(path, "invalid ELF header", "Exec format error")
}

func ShortError(path string) string {
	return linkerError(path, "file too short", "Exec format error")
}

func MissingError(path string) string {
	return linkerError(path, "cannot open shared object file: No such file or directory", "No such file or directory")
}

func linkerError(path, glibc, musl string) string {
	if Windows() {
		code := map[string]string{"No such file or directory": "126", "Exec format error": "193"}[musl]
		return `Failed to open dynamic library "` + path + `" with error ` + code
	}
	if MacOS() {
		return macosError(path, glibc)
	}
	if Target() == "musl" {
		return "Error loading shared library " + path + ": " + musl
	}
	return path + ": " + glibc
}

// OtherClass reports whether the loader takes a message of the dynamic linker for that about a library of the other word size:
// glibc says so, musl has one message for every file that is not its library, and so does Windows, where every such
// message is taken for it (WIN-076).
func OtherClass(linker string) bool {
	return strings.Contains(linker, "wrong ELF class") || strings.Contains(linker, "incompatible architecture") || strings.HasSuffix(linker, " with error 193")
}

// Failure returns the loader's message about a layer for a message of the dynamic linker.
func Failure(linker string) string {
	if OtherClass(linker) {
		return "was wrong bit-type"
	}
	return "failed to load"
}

// Build returns the build directory of the loader under test.
func Build() string {
	if Windows() {
		return filepath.Join(windowsRoot(), "vkloader/build", Target())
	}
	return filepath.Join(Top(), "build", Target())
}

// Library returns the path of the loader under test.
func Library() string {
	if Windows() {
		return filepath.Join(Build(), "vulkan-1.dll")
	}
	if MacOS() {
		return filepath.Join(Build(), "libvulkan.1.dylib")
	}
	return filepath.Join(Build(), Variant(), "libvulkan.so.1")
}

// SystemLibrary returns the path of the distribution's loader, the control of some cases.
var SystemLibrary = "/usr/lib/" + multiarch() + "/libvulkan.so.1"

func multiarch() string {
	if Target() == "musl" {
		return "x86_64-linux-musl"
	}
	return Machine().Multiarch
}

// Rebuilt returns a library's content with another build ID and the same code: a change that code in use survives.
func Rebuilt(content []byte) []byte {
	content = bytes.Clone(content)
	notes := []string{"\x03\x00\x00\x00GNU\x00", "\x00\x00\x00\x03GNU\x00"}
	if MacOS() {
		notes = []string{"\x1b\x00\x00\x00\x18\x00\x00\x00"} // the load command LC_UUID
	}
	for _, note := range notes {
		if at := bytes.Index(content, []byte(note)); at >= 0 {
			content[at+len(note)] ^= 0xff
		}
	}
	return content
}

// Compiler returns the compiler for the target's programs and libraries, with its flags.
func Compiler() []string {
	words := targetCompiler() // with the library's flags: CFLAGS_linux_i386 and FILES_32 of the Makefile
	if Target() == "i386" {
		words = append(words, "-msse2", "-mfpmath=sse")
	}
	if Narrow() && !Windows() {
		words = append(words, "-D_FILE_OFFSET_BITS=64")
	}
	switch Machine().ELF {
	case elf.EM_ARM, elf.EM_RISCV, elf.EM_MIPS:
		words = append(words, "-funwind-tables") // a C compiler's default on other machines
	}
	return words
}

func targetCompiler() []string {
	if Target() != "" {
		if cc := os.Getenv("TARGET_CC"); cc != "" {
			return strings.Fields(cc)
		}
		if cc := map[string][]string{"i386": {"gcc", "-m32"}, "musl": {"musl-gcc"},
			"macos": MacOSCompiler(), "windows/x64": {"x86_64-w64-mingw32-gcc"}, "windows/x86": {"i686-w64-mingw32-gcc"}}[Target()]; cc != nil {
			return cc
		}
		return []string{CrossCompiler(Target())}
	}
	return nativeCompiler()
}

func nativeCompiler() []string {
	if cc := os.Getenv("CC"); cc != "" {
		return strings.Fields(cc)
	}
	return []string{"cc"}
}

// CrossCompiler returns the compiler for a target: an installed one, or the one that tools/cross.sh has unpacked.
func CrossCompiler(target string) string {
	m, _ := machines.Of(target)
	name := m.Triplet + "-gcc"
	own := filepath.Join(Top(), "build/cross/bin", name)
	if _, err := os.Stat(own); err != nil {
		return name
	}
	return own
}

// Compile runs the target's C compiler with these arguments.
func Compile(arguments ...string) error {
	return compileBy(Compiler(), arguments...)
}

func compileBy(cc []string, arguments ...string) error {
	if text, err := exec.Command(cc[0], append(cc[1:len(cc):len(cc)], arguments...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cc[0], err, text)
	}
	return nil
}

var emulators = func() map[string]func() ([]string, error) {
	asks := map[string]func() ([]string, error){}
	for _, m := range machines.All() {
		asks[m.Target] = askEmulator(m.Target)
	}
	return asks
}()

func askEmulator(target string) func() ([]string, error) {
	return sync.OnceValues(func() ([]string, error) {
		text, err := exec.Command(filepath.Join(Top(), "tools/emulator.sh"), target).Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return strings.Fields(string(text)), err
	})
}

// Emulator returns the emulator, with its arguments, that starts programs of a target on this machine, or nothing where the
// kernel runs them itself: many kernels for x86-64 run no programs of i386. TARGET_RUN names another one for the target under
// test. An error says that an emulator is needed and missing.
func Emulator(target string) ([]string, error) {
	if words := strings.Fields(os.Getenv("TARGET_RUN")); len(words) > 0 && target == hostTarget() {
		return words, nil
	}
	if ask := emulators[target]; ask != nil {
		return ask()
	}
	return nil, nil
}

// Emulated reports whether the target's programs run under an emulator, which adds threads and memory to their processes.
func Emulated() bool {
	words, err := Emulator(hostTarget())
	return len(words) > 0 && err == nil
}

// Command returns the command that starts a program of the target, with the target's emulator if it has one.
func Command(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	words, err := Emulator(hostTarget())
	words = append(words[:len(words):len(words)], program)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], arguments...)...)
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// Variants of the fake driver, by their exports.
const (
	Modern       = "driver"           // negotiation, vk_icdGetInstanceProcAddr, vk_icdGetPhysicalDeviceProcAddr
	OnlyGIPA     = "driver_gipa"      // vk_icdGetInstanceProcAddr alone
	NoGPDPA      = "driver_nogpdpa"   // negotiation and vk_icdGetInstanceProcAddr
	OnlyNeg      = "driver_neg"       // negotiation alone
	Oldest       = "driver_v0"        // with the three exports of interface version 0
	OldestNoGIPA = "driver_v0_nogipa" // with two of these exports
	OldestNoMake = "driver_v0_nomake"
	OldestNoExt  = "driver_v0_noext"
	ByAdapter    = "driver_adapter" // as Modern, and vk_icdEnumerateAdapterPhysicalDevices
	NoExports    = "driver_none"
	Undefined    = "driver_undefined" // needs an undefined symbol
)

var driverExports = map[string]string{
	Modern: "-DFAKE_EXPORTS=7", OnlyGIPA: "-DFAKE_EXPORTS=2", NoGPDPA: "-DFAKE_EXPORTS=3", OnlyNeg: "-DFAKE_EXPORTS=1",
	Oldest: "-DFAKE_EXPORTS=56", OldestNoGIPA: "-DFAKE_EXPORTS=48", OldestNoMake: "-DFAKE_EXPORTS=40",
	OldestNoExt: "-DFAKE_EXPORTS=24", ByAdapter: "-DFAKE_EXPORTS=71", NoExports: "-DFAKE_EXPORTS=0", Undefined: "-DFAKE_EXPORTS=7 -DFAKE_UNDEFINED",
}

var build sync.Once
var buildError error

// tool returns the path of a built test program or library, building all of them first when a source is newer.
func tool(name string) (string, error) {
	build.Do(func() { buildError = buildTools() })
	if Windows() && filepath.Ext(name) == "" {
		name += ".exe"
	}
	return filepath.Join(toolDirectory(), name), buildError
}

func toolDirectory() string {
	name := "frame"
	if v := Variant(); v != "" {
		name += "-" + v
	}
	if MacOS() && Slice() != "x86_64" {
		name += "-" + Slice()
	}
	return filepath.Join(Build(), name)
}

func newest(patterns ...string) (time.Time, error) {
	var at time.Time
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(Top(), pattern))
		if err != nil {
			return at, err
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				return at, err
			}
			if info.ModTime().After(at) {
				at = info.ModTime()
			}
		}
	}
	return at, nil
}

const cflags = "-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "

var machineFlags = map[string]string{"": "-fcf-protection ", "i386": "-fcf-protection ", "arm64": "-mbranch-protection=standard ", "musl": "-fcf-protection -Wl,--build-id ", "macos": "-D_DARWIN_C_SOURCE -Dst_mtim=st_mtimespec -fno-sanitize=all ",
	"windows/x64": windowsFlags, "windows/x86": windowsFlags + "-msse2 -mfpmath=sse -mstackrealign -Wno-psabi "}

// The compiler's warnings about printf's formats are those of an older C library.
const windowsFlags = "-std=gnu11 -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0601 -DWIN32_LEAN_AND_MEAN -Wno-attributes -Wno-format " +
	"-Wno-cast-function-type -static -include posix.h "

// compile runs the target's C compiler, and renames the complete result.
func compile(out string, flags string, sources ...string) error {
	return compileWith(Compiler(), machineFlags[Target()], out, flags, sources...)
}

func compileWith(cc []string, machine, out, flags string, sources ...string) error {
	temporary := fmt.Sprintf("%s.%d", out, os.Getpid())
	args := strings.Fields(cflags)
	args = append(args, strings.Fields(machine+flags)...)
	if Windows() {
		args = append(args, "-I"+filepath.Join(Top(), "test/lib/windows/include"))
	}
	if MacOS() && slices.Equal(cc, Compiler()) {
		args = append(args, "-I"+filepath.Join(Top(), "test/lib/macos/include"))
	}
	args = append(args, "-o", temporary)
	for _, source := range sources {
		files := []string{source}
		if !filepath.IsAbs(source) {
			var err error
			if files, err = filepath.Glob(filepath.Join(Top(), source)); err != nil {
				return err
			}
		}
		if Windows() {
			files = windowsSources(files)
		}
		args = append(args, files...)
	}
	if Windows() {
		args = append(args, "-lwinpthread")
	} else {
		args = append(args, "-ldl", "-lpthread")
	}
	if err := compileBy(cc, args...); err != nil {
		return fmt.Errorf("building %s: %w", filepath.Base(out), err)
	}
	return os.Rename(temporary, out)
}

// compileFake builds the variants of a fake: all but the exports is compiled once.
func compileFake(directory string, sources []string, exports string, variants map[string]string) error {
	var objects []string
	position, shared := "-fPIC -fvisibility=hidden ", "-shared -Wl,-z,lazy "
	if Windows() {
		position, shared = "", "-shared -Wl,--kill-at "
		sources = append(sources, "../windows/include/posix.c")
	}
	for _, source := range sources {
		object := filepath.Join(directory, strings.TrimSuffix(filepath.Base(source), ".c")+".o")
		if err := compile(object, position+"-c", filepath.Join("test/lib/fake", source)); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	if MacOS() {
		shared = "-shared -Wl,-undefined,dynamic_lookup "
	}
	for name, flags := range variants {
		if Windows() && name == Undefined { // the linker needs the libraries with these symbols
			continue
		}
		all := append([]string{"test/lib/fake/" + exports}, objects...)
		if err := compile(filepath.Join(directory, name+".so"), position+shared+flags, all...); err != nil {
			return err
		}
	}
	return nil
}

// buildTools compiles host, shim, fakes. Several test packages run at once, hence the lock on the directory.
func buildTools() error {
	directory := toolDirectory()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(directory, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock on %s: %w", directory, err)
	}
	source, err := newest("test/lib/host/*", "test/lib/fake/*", "test/lib/shim/*", "test/lib/vulkan.h", "test/lib/*interface*", "test/lib/world/tools.go", "spine/gen/zvk.h", "spine/gen/zcommands.inc",
		"test/lib/words.c", "test/lib/windows/host/*", "test/lib/windows/fake/*", "test/lib/windows/include/*.[ch]", "test/lib/macos/*", "test/lib/macos/include/sys/*")
	if err != nil {
		return err
	}
	stamp := filepath.Join(directory, "stamp")
	if info, err := os.Stat(stamp); err == nil && info.ModTime().After(source) {
		return nil
	}
	sanitizer := map[string]string{"asan": "-fsanitize=address", "ubsan": "-fsanitize=undefined", "tsan": "-fsanitize=thread"}[Variant()]
	host, exports, more := "host", "-rdynamic ", []string{}
	if Windows() {
		host, exports, more = "host.exe", "-Wl,--export-all-symbols ", []string{"test/lib/windows/host/world.c", "test/lib/windows/host/interpose.c", "test/lib/windows/host/import.c", "test/lib/windows/include/posix.c"}
	}
	more = append(more, "test/lib/host/*.c", "test/lib/interface.c", "test/lib/words.c")
	native, machine := Compiler(), machineFlags[Target()]
	if MacOS() { // the host is a program of this machine, which opens Mach-O files by the runner
		native, machine = hostCompiler(), machineFlags[hostTarget()]+macosHostFlags()
		more = append(append(more, "test/lib/macos/host.c"), macosRunner...)
		if err := compileWith(native, "", filepath.Join(directory, "macos"), "", append([]string{"test/lib/macos/main.c"}, macosRunner...)...); err != nil {
			return err
		}
	}
	if err := compileWith(native, machine, filepath.Join(directory, host), exports+sanitizer, more...); err != nil {
		return err
	}
	shim := "-fPIC -fvisibility=hidden -fno-builtin -shared"
	if Variant() != "" {
		shim += " -DWORLD_NO_MALLOC" // the sanitizer has a malloc of its own
	}
	if !Windows() {
		if err := compileWith(native, machineFlags[hostTarget()], filepath.Join(directory, "redirect.so"), shim, "test/lib/shim/redirect.c"); err != nil {
			return err
		}
	}
	for _, name := range []string{FakeDXGI, FakeDevices, FakeAdapters} {
		if !Windows() {
			break
		}
		sources := []string{"test/lib/windows/fake/" + name + ".c", "test/lib/fake/script.c", "test/lib/windows/fake/append.c", "test/lib/windows/include/posix.c"}
		if err := compile(filepath.Join(directory, name+".so"), "-shared -Wl,--kill-at", sources...); err != nil {
			return err
		}
	}
	common := []string{"objects.c", "script.c", "append.c", "thunks.c", "thunk_entries.c", "../interface.c", "../words.c"}
	driver := append([]string{"driver.c", "driver_physdev.c", "driver_device.c", "driver_window.c", "driver_lookup.c"}, common...)
	if err := compileFake(directory, driver, "driver_exports.c", driverExports); err != nil {
		return err
	}
	layer := append([]string{"layer.c", "layer_create.c", "layer_physdev.c", "layer_probe.c", "layer_objects.c"}, common...)
	if err := compileFake(directory, layer, "layer_exports.c", layerExports); err != nil {
		return err
	}
	return os.WriteFile(stamp, nil, 0o644)
}
