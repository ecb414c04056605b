package commands

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// oldLibrary is a machine whose driver needs a version and a symbol of two libraries. A bundle in /opt/game has older copies of both.
const oldLibrary = `elf usr/lib/x86_64-linux-gnu/libc.so.6 soname=libc.so.6 defines=GLIBC_2.2.5 exports=memcpy
elf usr/lib/x86_64-linux-gnu/libvulkan.so.1 soname=libvulkan.so.1 needed=libc.so.6 exports=vkCreateInstance,vkEnumerateInstanceVersion
elf usr/lib/x86_64-linux-gnu/libstdc++.so.6 soname=libstdc++.so.6 defines=GLIBCXX_3.4,GLIBCXX_3.4.30 exports=_Znwm
elf usr/lib/x86_64-linux-gnu/libdrm.so.2 soname=libdrm.so.2 exports=drmGetDevice2,drmOpen
elf usr/lib/x86_64-linux-gnu/libvulkan_radeon.so soname=libvulkan_radeon.so needed=libstdc++.so.6,libdrm.so.2,libc.so.6 exports=vk_icdGetInstanceProcAddr,vk_icdNegotiateLoaderICDInterfaceVersion imports=_Znwm@GLIBCXX_3.4.30@libstdc++.so.6,drmGetDevice2
link sys/class/drm/renderD128/device ../../../devices/gpu0
link sys/devices/gpu0/driver ../../bus/pci/drivers/amdgpu
directory sys/bus/pci/drivers/amdgpu
-- etc/os-release --
ID=debian
VERSION_ID="12"
-- usr/share/vulkan/icd.d/radeon_icd.x86_64.json --
{"ICD": {"api_version": "1.3.230", "library_path": "/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so"}, "file_format_version": "1.0.0"}
-- sys/devices/gpu0/vendor --
0x1002
-- sys/devices/gpu0/device --
0x744c
-- sys/devices/gpu0/class --
0x030000
-- dev/dri/renderD128 --
`

// Libraries of a bundle.
var (
	olderStd = ofWords("soname=libstdc++.so.6", "defines=GLIBCXX_3.4", "exports=_Znwm")
	bareStd  = ofWords("soname=libstdc++.so.6", "exports=_Znwm")
	emptyStd = ofWords("soname=libstdc++.so.6", "exports=_Znam")
	olderDRM = ofWords("soname=libdrm.so.2", "exports=drmOpen")
	newerStd = ofWords("soname=libstdc++.so.6", "defines=GLIBCXX_3.4,GLIBCXX_3.4.30,GLIBCXX_3.4.32", "exports=_Znwm")
)

// linked returns a program that needs libraries and searches them in its own directory.
func linked(words ...string) []byte {
	return ofWords(append(words, "needed=libvulkan.so.1,libstdc++.so.6,libdrm.so.2,libc.so.6", "interp=/lib64/ld-linux-x86-64.so.2")...)
}

// doctor names the library of a bundle that hides the system's from a driver, and a tested fix: for a program with its own search path,
// a launcher script, an AppRun and a directory.
func TestBundledLibrary(t *testing.T) {
	t.Parallel()
	const hides, fix = "which the program brings, hides /usr/lib/x86_64-linux-gnu/", "Start it with the system's file: LD_PRELOAD="
	script := []byte("#!/bin/sh\nHERE=\"$(dirname \"$(readlink -f \"$0\")\")\"\nexport LD_LIBRARY_PATH=\"$HERE/usr/lib:$LD_LIBRARY_PATH\"\nexec \"$HERE/usr/bin/game\" \"$@\"\n")
	for _, c := range []struct {
		name, app   string
		files       map[string][]byte
		says, lacks []string
	}{
		{"runpath", "/opt/game/game", map[string][]byte{"opt/game/game": linked("runpath=$ORIGIN/lib"), "opt/game/lib/libstdc++.so.6": olderStd},
			[]string{"/opt/game/lib/libstdc++.so.6, " + hides + "libstdc++.so.6", "needs GLIBCXX_3.4.30", fix + "/usr/lib/x86_64-linux-gnu/libstdc++.so.6 /opt/game/game"},
			[]string{"Install matching", "Update /opt"}},
		{"rpath", "/opt/game/game", map[string][]byte{"opt/game/game": linked("rpath=$ORIGIN/lib"), "opt/game/lib/libdrm.so.2": olderDRM},
			[]string{"/opt/game/lib/libdrm.so.2, " + hides + "libdrm.so.2", "needs drmGetDevice2", fix + "/usr/lib/x86_64-linux-gnu/libdrm.so.2 /opt/game/game"}, nil},
		{"a script", "/opt/game/start.sh", map[string][]byte{"opt/game/start.sh": script, "opt/game/usr/bin/game": linked(), "opt/game/usr/lib/libstdc++.so.6": olderStd},
			[]string{"/opt/game/usr/lib/libstdc++.so.6, " + hides, fix + "/usr/lib/x86_64-linux-gnu/libstdc++.so.6 /opt/game/start.sh"}, nil},
		{"AppRun", "/opt/game/AppRun", map[string][]byte{"opt/game/AppRun": script, "opt/game/usr/bin/game": linked(), "opt/game/usr/lib/libstdc++.so.6": olderStd},
			[]string{"/opt/game/usr/lib/libstdc++.so.6, " + hides, "/opt/game/AppRun"}, nil},
		{"a directory", "/opt/game", map[string][]byte{"opt/game/AppRun": script, "opt/game/usr/bin/game": linked(), "opt/game/usr/lib/libstdc++.so.6": olderStd},
			[]string{"/opt/game/usr/lib/libstdc++.so.6, " + hides}, nil},
		{"without versions and a symbol", "/opt/game/game", map[string][]byte{"opt/game/game": linked("runpath=$ORIGIN/lib"), "opt/game/lib/libstdc++.so.6": emptyStd},
			[]string{"/opt/game/lib/libstdc++.so.6, " + hides + "libstdc++.so.6", "needs _Znwm", fix}, nil},
		{"without versions", "/opt/game/game", map[string][]byte{"opt/game/game": linked("runpath=$ORIGIN/lib"), "opt/game/lib/libstdc++.so.6": bareStd}, nil, []string{hides}},
		{"a newer library", "/opt/game/game", map[string][]byte{"opt/game/game": linked("runpath=$ORIGIN/lib"), "opt/game/lib/libstdc++.so.6": newerStd}, nil, []string{hides, "library-"}},
		{"another program", "/opt/game/game", map[string][]byte{"opt/game/game": linked(), "opt/game/lib/libstdc++.so.6": olderStd}, nil, []string{hides, "library-"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			archive, root := filepath.Join(t.TempDir(), "machine"), t.TempDir()
			if err := put(archive, []byte(oldLibrary)); err != nil {
				t.Fatal(err)
			}
			if _, err := build(archive, root); err != nil {
				t.Fatal(err)
			}
			for name, data := range c.files {
				if err := put(filepath.Join(root, name), data); err != nil {
					t.Fatal(err)
				}
			}
			out, code := execute(t, "--root", root, "doctor", "--app", c.app)
			squeezed := strings.Join(strings.Fields(out), " ")
			for _, want := range c.says {
				if !strings.Contains(squeezed, want) {
					t.Errorf("no %q", want)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(squeezed, not) {
					t.Errorf("%q", not)
				}
			}
			if (code == 1) != (c.says != nil) {
				t.Errorf("exit code %d", code)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// The tool unpacks an AppImage with unsquashfs and runs none of it. Without unsquashfs, the tool says how to examine the image. A
// library of the image hides the system's.
func TestAppImage(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	mark := filepath.Join(directory, "ran")
	files := map[string][]byte{"AppRun": []byte("#!/bin/sh\ntouch " + mark + "\nHERE=\"$(dirname \"$(readlink -f \"$0\")\")\"\nexport LD_LIBRARY_PATH=\"$HERE/usr/lib\"\nexec \"$HERE/usr/bin/game\"\n"),
		"usr/bin/game": ofWords("needed=libc.so.6"), "usr/lib/libexpat.so.1": ofWords("soname=libexpat.so.1", "exports=XML_Parse")}
	for name, data := range files {
		if err := put(filepath.Join(directory, "app", name), data); err != nil {
			t.Fatal(err)
		}
	}
	head := make([]byte, 64) // the runtime of an AppImage, without code
	copy(head, elf.ELFMAG+"\x02\x01\x01\x00AI\x02")
	binary.LittleEndian.PutUint64(head[40:], 64)
	image := filepath.Join(directory, "Game.AppImage")
	if err := put(image, head); err != nil {
		t.Fatal(err)
	}
	run := func(path string, args ...string) (string, int) {
		cmd := exec.Command(filepath.Join(built, "vkloader"), args...)
		cmd.Env = append(os.Environ(), "PATH="+path, "TMPDIR="+directory)
		text, _ := cmd.CombinedOutput()
		return strings.Join(strings.Fields(string(text)), " "), cmd.ProcessState.ExitCode()
	}
	left := func() []string {
		names, _ := filepath.Glob(filepath.Join(directory, "vkloader-*"))
		return names
	}
	killer := filepath.Join(directory, "killer")
	if err := put(filepath.Join(killer, "unsquashfs"), []byte("#!/bin/sh\nkill -KILL $PPID\n")); err != nil {
		t.Fatal(err)
	}
	if err := put(image, append(head, "hsqs"...)); err != nil {
		t.Fatal(err)
	}
	if out, code := run(killer, "explain", "--app", image); code != -1 {
		t.Errorf("the tool was not killed: exit code %d: %s", code, out)
	}
	for end := time.Now().Add(5 * time.Minute); len(left()) > 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if len(left()) > 0 {
		t.Errorf("left behind by a tool that was killed: %q", left())
	}
	if err := put(image, head); err != nil {
		t.Fatal(err)
	}
	out, code := run(directory, "explain", "--app", image)
	if code != 3 || !strings.Contains(out, "install unsquashfs (package squashfs-tools)") || !strings.Contains(out, "--appimage-extract") {
		t.Errorf("without unsquashfs: exit code %d: %s", code, out)
	}
	if _, err := exec.LookPath("mksquashfs"); err != nil {
		t.Skip("no mksquashfs")
	}
	content := filepath.Join(directory, "content")
	if text, err := exec.Command("mksquashfs", filepath.Join(directory, "app"), content, "-quiet", "-no-progress", "-no-xattrs").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	squashed, err := os.ReadFile(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(image, append(head, squashed...)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"explain", "--app", image}, {image}, {"doctor", "--no-probe", "--app", image}} {
		out, _ := run(os.Getenv("PATH"), args...)
		if !strings.Contains(out, "Game.AppImage starts usr/bin/game in Game.AppImage") {
			t.Errorf("%q: %s", args, out)
		}
	}
	if len(left()) > 0 {
		t.Errorf("left behind: %q", left())
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a part of the AppImage has run")
	}
	if err := put(image, append(head, squashed[:100]...)); err != nil {
		t.Fatal(err)
	}
	if out, code := run(os.Getenv("PATH"), "explain", "--app", image); code != 3 || !strings.Contains(out, "Game.AppImage") {
		t.Errorf("a part of a file: exit code %d: %s", code, out)
	}
}

// Every command about a program says of an AppImage that it cannot look into, also below --root, and says nothing else about it.
func TestUnreadImages(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, kind := range map[string]byte{"one": 1, "two": 2} {
		program := ofWords("interp=/lib64/ld-linux-x86-64.so.2", "needed=libc.so.6")
		copy(program[8:], []byte{'A', 'I', kind})
		if err := put(filepath.Join(root, "opt", name), program); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range [][]string{{"doctor"}, {"explain"}, {"list", "variables", "--set"}, {"bundle", "--list"}} {
		for _, c := range []struct {
			image, want string
			options     []string
		}{{root + "/opt/one", "is an AppImage of the first kind", nil}, {"/opt/one", "is an AppImage of the first kind", []string{"--root", root}},
			{"/opt/two", "is an AppImage: with --root, unpack it there", []string{"--root", root}}} {
			out := both(t, slices.Concat(c.options, words, []string{"--app", c.image})...)
			if !strings.Contains(out, c.want) || strings.Contains(out, " gets ") {
				t.Errorf("%q of %s: no %q, or more: %s", words, c.image, c.want, out)
			}
		}
	}
}
