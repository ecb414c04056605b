package programs

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// smallProgram uses the library without any header.
const smallProgram = `#include <stdio.h>
extern int vkEnumerateInstanceVersion(unsigned *version);
int main(void)
{
    unsigned v = 0;
    if (vkEnumerateInstanceVersion(&v))
        return 1;
    printf("%u.%u.%u\n", v >> 22 & 0x7f, v >> 12 & 0x3ff, v & 0xfff);
    return 0;
}
`

// TestInstall checks where "make install" puts its files (EXP-001, EXP-002, EXP-012, EXP-013), and that they can be
// used there.
// holds: EXP-002 EXP-012 EXP-013
func TestInstall(t *testing.T) {
	t.Parallel()
	machine.Need(t, "make", "gcc", "pkg-config", "cmake")
	stage := machine.New(t)
	version := libraryVersion(t)
	root := filepath.Join(stage.Dir, "root")
	// The prefix must be that of the build: its directories are compiled in, so another prefix would need another library, built while
	// other tests use this one.
	directories := read(t, filepath.Join(machine.Built(t), "directories"))
	// The caller's umask has no effect: only the owner may write, everyone may read.
	install := exec.Command("sh", "-c", "umask 000; exec make -s install DESTDIR='"+root+"'")
	install.Dir = machine.Repository(t)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("make install: %v\n%s", err, out)
	}
	if read(t, filepath.Join(machine.Built(t), "directories")) != directories {
		t.Fatal("make install made another library: run the tests as make test, with the PREFIX of the build")
	}
	named := ""
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if info, wrong := entry.Info(); wrong != nil || info.Mode().Type() != fs.ModeSymlink && info.Mode()&0o777&^0o111 != 0o644 {
			t.Errorf("%s has mode %v (%v)", path, info.Mode(), wrong)
		}
		if err == nil && filepath.Base(path) == "vulkan.pc" {
			named = strings.TrimPrefix(filepath.Dir(filepath.Dir(filepath.Dir(path))), root)
		}
		return nil
	})
	prefix := filepath.Join(root, named)
	lib := filepath.Join(prefix, "lib")
	host := machine.Loader{Name: "no", Directory: ""}

	for link, target := range map[string]string{
		"libvulkan.so": "libvulkan.so.1", "libvulkan.so.1": "libvulkan.so." + version,
	} {
		if got, err := os.Readlink(filepath.Join(lib, link)); err != nil || got != target {
			t.Errorf("%s is a link to %q (%v), want %q", link, got, err, target)
		}
	}
	for _, file := range glob(t, filepath.Join(lib, "*.so*")) {
		if info, err := os.Lstat(file); err != nil || info.Mode().IsRegular() != (filepath.Base(file) == "libvulkan.so."+version) {
			t.Errorf("%s (%v) beside the one library file", file, err)
		}
	}
	for _, file := range []string{
		"lib/libvulkan.so." + version, "bin/vkloader", "libexec/vkloader/probe", "lib/pkgconfig/vulkan.pc",
		"share/man/man1/vkloader.1", "share/man/man1/vkloader-settings-set.1",
		"share/bash-completion/completions/vkloader", "share/zsh/site-functions/_vkloader",
		"share/fish/vendor_completions.d/vkloader.fish",
		"lib/systemd/system/vkloader.service", "lib/systemd/system/vkloader.socket", "lib/systemd/system/vkloader-trusted.socket",
		"lib/systemd/user/vkloader.service", "lib/systemd/user/vkloader.socket",
		"lib/systemd/system-preset/80-vkloader.preset", "lib/systemd/user-preset/80-vkloader.preset",
	} {
		if info, err := os.Stat(filepath.Join(prefix, file)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, program := range []string{"bin/vkloader", "libexec/vkloader/probe"} {
		hardened(t, filepath.Join(prefix, program), program == "bin/vkloader")
	}
	if strays := glob(t, filepath.Join(prefix, "share/vulkan/*/*")); len(strays) > 0 {
		t.Errorf("a driver or a layer of the tests was installed: %v", strays)
	}

	pc := read(t, filepath.Join(lib, "pkgconfig/vulkan.pc"))
	for _, line := range []string{
		"prefix=" + named, "exec_prefix=${prefix}", "libdir=${exec_prefix}/lib", "includedir=${prefix}/include",
		"Name: Vulkan-Loader", "Description: Vulkan Loader", "Version: " + version, "Libs: -L${libdir} -lvulkan",
		"Cflags: -I${includedir}",
	} {
		if !strings.Contains("\n"+pc, "\n"+line+"\n") {
			t.Errorf("vulkan.pc lacks %q:\n%s", line, pc)
		}
	}

	work := filepath.Join(stage.Dir, "work")
	write(t, filepath.Join(work, "small.c"), smallProgram)
	asked := stage.With("PKG_CONFIG_LIBDIR="+filepath.Join(lib, "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR="+root).
		Run(host, "pkg-config", "--cflags", "--libs", "vulkan")
	asked.WantExit(t, 0)
	args := append([]string{"-o", "small", "small.c"}, strings.Fields(asked.Out)...)
	stage.Run(host, "gcc", args...).WantExit(t, 0)
	installed := machine.Loader{Name: "the installed", Directory: lib}
	small := stage.Run(installed, filepath.Join(work, "small"))
	small.WantExit(t, 0)
	if strings.TrimSpace(small.Out) != version {
		t.Errorf("the program says version %q, want %q", small.Out, version)
	}

	// The CMake package, used by a program's project.
	project := filepath.Join(work, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "small.c"), smallProgram)
	write(t, filepath.Join(project, "CMakeLists.txt"), `cmake_minimum_required(VERSION 3.16)
project(small C)
find_package(VulkanLoader 1.2 REQUIRED CONFIG)
find_package(VulkanLoader 2.0 QUIET CONFIG)
if(VulkanLoader_FOUND)
    message(FATAL_ERROR "another major version is taken")
endif()
add_executable(small small.c)
target_link_libraries(small Vulkan::Loader)
`)
	out := filepath.Join(project, "out")
	stage.Run(host, "cmake", "-S", project, "-B", out, "-DVulkanLoader_DIR=", "-DCMAKE_PREFIX_PATH="+prefix).WantExit(t, 0)
	stage.Run(host, "cmake", "--build", out).WantExit(t, 0)
	cmade := stage.Run(host, filepath.Join(out, "small"))
	cmade.WantExit(t, 0)
	if strings.TrimSpace(cmade.Out) != version {
		t.Errorf("CMake's program says version %q, want %q", cmade.Out, version)
	}

	// The tool finds the library and its probe in the installed layout.
	told := stage.OnLavapipe().Run(host, filepath.Join(prefix, "bin/vkloader"), "list", "devices", "--details")
	told.WantExit(t, 0)
	if !strings.Contains(told.Out, filepath.Join(lib, "libvulkan.so."+version)) || !strings.Contains(told.Out, "llvmpipe") {
		t.Errorf("%s:\n%s", told.Command, told.Out)
	}

	// "make uninstall" removes all of these files, and nothing else.
	foreign := filepath.Join(lib, "libvulkan_other.so")
	write(t, foreign, "")
	for _, kind := range []string{"system", "user"} { // the links of "systemctl enable"
		link := filepath.Join(root, "etc/systemd", kind, "sockets.target.wants/vkloader.socket")
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(named+"/lib/systemd/"+kind+"/vkloader.socket", link)); err != nil {
			t.Fatal(err)
		}
	}
	uninstall := exec.Command("make", "-s", "uninstall", "DESTDIR="+root)
	uninstall.Dir = machine.Repository(t)
	if out, err := uninstall.CombinedOutput(); err != nil {
		t.Fatalf("make uninstall: %v\n%s", err, out)
	}
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path != foreign {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file that was not installed is gone: %v", err)
	}
}

// hardened checks that a program is position independent, binds its symbols at start and has neither an executable stack nor a
// segment that is writable and executable. A static program has neither an interpreter nor a library.
func hardened(t *testing.T, path string, static bool) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	flags, err := file.DynValue(elf.DT_FLAGS_1)
	if err != nil || len(flags) != 1 || flags[0]&uint64(elf.DF_1_PIE) == 0 || file.Type != elf.ET_DYN {
		t.Errorf("%s is not position independent: %v, %v, %v", path, file.Type, flags, err)
	} else if flags[0]&uint64(elf.DF_1_NOW) == 0 {
		t.Errorf("%s binds symbols later than at start: %#x", path, flags)
	}
	kinds := map[elf.ProgType]bool{}
	for _, p := range file.Progs {
		kinds[p.Type] = true
		if (p.Type == elf.PT_LOAD || p.Type == elf.PT_GNU_STACK) && p.Flags&(elf.PF_W|elf.PF_X) == elf.PF_W|elf.PF_X {
			t.Errorf("%s has a segment that is writable and executable: %v", path, p.Type)
		}
	}
	if !kinds[elf.PT_GNU_RELRO] || !kinds[elf.PT_GNU_STACK] {
		t.Errorf("%s has no read-only relocations or does not state the kind of its stack: %v", path, kinds)
	}
	libraries, err := file.ImportedLibraries()
	if err != nil || static != !kinds[elf.PT_INTERP] || static != (len(libraries) == 0) {
		t.Errorf("%s: interpreter %v, libraries %v, %v", path, kinds[elf.PT_INTERP], libraries, err)
	}
}
