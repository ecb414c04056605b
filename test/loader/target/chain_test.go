package target

import (
	"debug/elf"
	binaryorder "encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/machines"
	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// TestChain runs a program that creates an instance and a device and draws, through the sample layer, on the null
// driver.
func TestChain(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the plain build")
	}
	program := filepath.Join(t.TempDir(), "program")
	sources, err := filepath.Glob(filepath.Join(world.Top(), "test/loader/null/program/*.c"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no program: %v", err)
	}
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(world.Top(), "spine"), "-o", program}
	if err := world.Compile(append(append(args, sources...), "-ldl")...); err != nil {
		t.Fatal(err)
	}
	cmd := world.Command(t.Context(), program, world.Library(), "life")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=/usr/bin:/bin", "VK_DRIVER_FILES=" + filepath.Join(world.Build(), "drivers/null_icd.json"),
		"VK_LAYER_PATH=" + filepath.Join(world.Build(), "layers"), "VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats", "VK_IMPLICIT_LAYER_PATH=" + cmd.Dir,
		"VK_LOADER_DEBUG=layer"}
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "no message\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if !strings.Contains(string(text), "libVkLayer_drawstats.so") {
		t.Errorf("the layer is not in the chain:\n%s", text)
	}
}

// TestTool runs the tool for another machine, which lists the null driver and recognizes that its library is for that
// machine.
func TestTool(t *testing.T) {
	t.Parallel()
	if m, known := machines.Of(world.Target()); !known || m.GOARCH == "-" {
		t.Skip("the tool is this machine's own")
	}
	tool, driver := filepath.Join(world.Build(), "vkloader"), filepath.Join(world.Build(), "drivers/null_icd.json")
	home := t.TempDir()
	for words, want := range map[string]string{"version": "library " + world.Build(), "list": "used   null_icd.json", "validate " + driver: fmt.Sprintf("accepts it, %d-bit library", world.Machine().Bits)} {
		cmd := world.Command(t.Context(), tool, strings.Fields(words)...)
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "VK_DRIVER_FILES=" + driver, "VK_IMPLICIT_LAYER_PATH=" + home}
		if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("vkloader %s: %v\n%s", words, err, text)
		}
	}
}

// TestMachine checks that the library is for the requested machine and needs only the C library.
func TestMachine(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the plain build")
	}
	file, err := elf.Open(world.Library())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := world.Machine()
	if file.Machine != want.ELF || (file.Class == elf.ELFCLASS32) != (want.Bits == 32) || (file.ByteOrder == binaryorder.BigEndian) != want.BigEndian {
		t.Errorf("the library is of %v %v %v, want %+v", file.Machine, file.Class, file.ByteOrder, want)
	}
	needed, err := file.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range needed {
		if !strings.HasPrefix(name, "libc.") && !strings.HasPrefix(name, "ld-linux") {
			t.Errorf("it needs %s", name)
		}
	}
}

// On 32-bit machines, the C library's old file functions fail on file systems with 64-bit inode numbers or directory positions. The
// library uses the new ones.
func TestFilesOf64Bits(t *testing.T) {
	t.Parallel()
	if !world.Narrow() || world.Windows() {
		t.Skip("pointers have 64 bits, or the C library has one size of files")
	}
	small := []string{"creat", "fcntl", "fopen", "fstat", "fstatat", "ftruncate", "getdents", "lseek", "lstat", "mkostemp", "mmap", "open", "openat",
		"posix_fallocate", "pread", "pwrite", "readdir", "scandir", "stat", "statvfs", "truncate"}
	files := map[string]string{world.Library(): "readdir64", filepath.Join(world.Build(), "drivers/libvk_null.so"): "mmap64",
		filepath.Join(world.Build(), "layers/libVkLayer_drawstats.so"): ""}
	for path, large := range files {
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		symbols, err := file.ImportedSymbols()
		if err != nil {
			t.Fatal(err)
		}
		found := large == ""
		for _, s := range symbols {
			found = found || s.Name == large
			if slices.Contains(small, s.Name) {
				t.Errorf("%s uses %s", path, s.Name)
			}
		}
		if !found {
			t.Errorf("%s does not use %s", path, large)
		}
	}
}

// Uninstalling with TARGET removes that target's library, and not the tool, which was not installed with it.
func TestUninstallTarget(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	all := []string{"usr/local/lib32/libvulkan.so.1.4.1", "usr/local/lib32/pkgconfig/vulkan.pc", "usr/local/lib/libvulkan.so.1.4.1",
		"usr/local/bin/vkloader", "usr/local/libexec/vkloader/probe", "usr/local/share/man/man1/vkloader.1"}
	for _, name := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("make", "-s", "uninstall", "TARGET=i386", "CC=gcc", "DESTDIR="+root, "LIBDIR=/usr/local/lib32")
	cmd.Dir = world.Top()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, name := range all {
		if _, err := os.Stat(filepath.Join(root, name)); (err == nil) != (i >= 2) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A machine that is not in the table is refused, with its requirements, and so is a portable build for a machine whose older symbol
// versions are unknown.
func TestOtherMachines(t *testing.T) {
	t.Parallel()
	compiler := filepath.Join(t.TempDir(), "sparc64-linux-gnu-gcc")
	script := "#!/bin/sh\ncase \"$*\" in\n*-dM*) echo '#define __sparc__ 1'; echo '#define __LP64__ 1' ;;\n*) echo sparc64-linux-gnu ;;\nesac\n"
	if err := binary.WriteProgram(compiler, []byte(script)); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "s390x-linux-gnu-gcc")
	if err := binary.WriteProgram(foreign, []byte("#!/bin/sh\necho '#define __s390x__ 1'; echo '#define __LP64__ 1'\n")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ setting, want string }{
		{"CC=" + compiler, `makes code for "sparc64-linux-gnu", which is not in internal/machines/machines.txt`},
		{"TARGET=sparc64", "There is no TARGET=sparc64, but amd64 i386 arm64 riscv64 ppc64el s390x armhf armel mips64el loong64, musl, windows and macos"},
		{"TARGET=hppa", "There is no TARGET=hppa, but amd64 i386 arm64"},
		{"PORTABLE=1 TARGET=s390x CC=" + foreign, "PORTABLE=1 is for x86_64 i386 aarch64, which spine/process/linux/portable.h has symbol versions of"},
	} {
		cmd := exec.Command("make", append([]string{"-n", "spine"}, strings.Fields(c.setting)...)...)
		cmd.Dir = world.Top()
		text, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(text), c.want) || !strings.Contains(string(text), "docs/porting.md") {
			t.Errorf("make %s: %v\n%s", c.setting, err, text)
		}
	}
}
