package process

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/tree"
)

// byteOrder is a byte order that reads and writes.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// words returns an auxiliary vector for a word size.
func words(order byteOrder, size int, numbers ...uint64) string {
	var data []byte
	for _, n := range numbers {
		if size == 4 {
			data = order.AppendUint32(data, uint32(n))
		} else {
			data = order.AppendUint64(data, n)
		}
	}
	return string(data)
}

// AT_SECURE is found in vectors of both word sizes and byte orders.
func TestSecure(t *testing.T) {
	t.Parallel()
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			if !secure(words(order, size, 33, 0x7fff0000, 23, 1, 0, 0), order) {
				t.Errorf("%v, %d bytes a word: a program with more rights is taken for another", order, size)
			}
			if secure(words(order, size, 33, 0x7fff0000, 23, 0, 0, 0), order) || secure(words(order, size, 33, 1, 0, 0, 23, 1), order) || secure("", order) {
				t.Errorf("%v, %d bytes a word: a program without more rights is taken for one with", order, size)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"/usr/lib/libvulkan.so.1.3.239": "1.3.239", "/opt/libvulkan.so.1": "", "/opt/libvulkan.so": ""} {
		if got := (&Mapping{Path: file}).Version(); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// Tokens in a library's name get the values of the process's dynamic linker; musl has no tokens.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ libc, loader, named, mapped string }{
		{"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libvulkan.so.1", "/opt/$LIB/m.so", "/opt/lib/x86_64-linux-gnu/m.so"},
		{"/usr/lib64/libc.so.6", "/usr/lib64/libvulkan.so.1", "/opt/${LIB}/m.so.0", "/opt/lib64/m.so.0.1"},
		{"/usr/lib32/libc.so.6", "/usr/lib32/libvulkan.so.1", "/opt/$LIB/m.so", "/opt/lib32/m.so"},
		{"/nix/store/x-glibc/lib/libc.so.6", "/opt/libvulkan.so.1", "/opt/$LIB/m.so", "/opt/lib/m.so"},
		{"/lib64/glibc-hwcaps/x86-64-v3/libc.so.6", "/opt/libvulkan.so.1", "/opt/$LIB/m.so", "/opt/lib64/m.so"},
		{"/usr/lib64/libc.so.6", "/opt/game/libvulkan.so.1", "/$ORIGIN/../layers/m.so", "/opt/layers/m.so"},
		{"/usr/lib64/libc.so.6", "/opt/game/libvulkan.so.1", "/opt/$PLATFORM/$LIB/m.so", "/opt/x86_64/lib64/m.so"},
		{"/usr/lib64/libc.so.6", "/opt/game/libvulkan.so.1", "/opt/$LIB/m.so", ""},
		{"/lib/ld-musl-x86_64.so.1", "/usr/lib/libvulkan.so.1", "/opt/$LIB/m.so", ""},
	} {
		p := &Process{Mapped: []Mapping{{Path: c.libc}, {Path: c.loader}, {Path: "/elsewhere/m.so"}, {Path: c.mapped}}}
		got := ""
		if m := p.find(c.named); m != nil {
			got = m.Path
		}
		if got != c.mapped {
			t.Errorf("%s with %s leads to %q, want %q", c.named, c.libc, got, c.mapped)
		}
	}
}

// made returns a directory like /proc with one process, whose number is 7. The process's root is below it.
func made(t *testing.T, files map[string]string) Kernel {
	t.Helper()
	proc := t.TempDir()
	tree.Lay(t, proc, files)
	for link, target := range map[string]string{"7/root": t.TempDir(), "7/exe": "/opt/game (deleted)"} {
		if err := os.Symlink(target, filepath.Join(proc, link)); err != nil {
			t.Fatal(err)
		}
	}
	return Kernel{Proc: proc}
}

// Look reads the kernel's facts about a process. Memory counts once for each client of a device.
func TestLook(t *testing.T) {
	t.Parallel()
	client := "drm-driver:\tamdgpu\ndrm-client-id:\t3\ndrm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t2048 KiB\ndrm-memory-gtt:\t1 MiB\n" +
		"drm-total-vram:\t4096 KiB\ndrm-shared-vram:\t9 KiB\n"
	k := made(t, map[string]string{
		"stat": "cpu 1\nbtime 1000000\n", "7/maps": "1-2 r--p 0 08:01 5 /usr/lib/libvulkan.so.1.3.239\n",
		"7/status":  "Name:\tgame\nUid:\t1000\t1001\t1000\t1000\nGid:\t1000\t1002\t1000\t1000\nGroups:\t44 1002 105 \n",
		"7/cmdline": "/opt/game\x00--fast\x00", "7/environ": "HOME=/home/me\x00VK_LAYER_PATH=\x00",
		"7/stat": "7 (a) b) S 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 500 1 1", "7/auxv": words(binary.NativeEndian, 8, 23, 1, 0, 0),
		"7/fdinfo/3": client, "7/fdinfo/4": client, "7/fdinfo/5": "pos:\t0\nflags:\t02\n",
		"7/fdinfo/6": "drm-driver:\tamdgpu\ndrm-client-id:\t4\ndrm-pdev:\t0000:03:00.0\ndrm-resident-vram:\t1024 KiB\ndrm-memory-vram:\t7 MiB\n",
	})
	p, err := k.Look(7)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "game" || p.Program != "/opt/game" || p.User != 1001 || !reflect.DeepEqual(p.Groups, []uint32{1002, 44, 105}) || !p.Elevated ||
		!reflect.DeepEqual(p.Command, []string{"/opt/game", "--fast"}) || !p.Started.Equal(time.Unix(1000005, 0)) || p.Machine.Root != filepath.Join(k.Proc, "7/root") ||
		!reflect.DeepEqual(p.Machine.Environ, []string{"HOME=/home/me", "VK_LAYER_PATH="}) {
		t.Errorf("got %+v", p)
	}
	want := []MemoryRegion{{"0000:03:00.0", "amdgpu", "gtt", 1 << 20}, {"0000:03:00.0", "amdgpu", "vram", 3 << 20}}
	if got := p.Memory(); !reflect.DeepEqual(got, want) {
		t.Errorf("memory %+v, want %+v", got, want)
	}
	if found, hidden, err := k.List(); err != nil || hidden != 0 || len(found) != 1 || found[0].PID != 7 {
		t.Errorf("listed %v, %d hidden, %v", found, hidden, err)
	}
	if _, err := k.Look(8); err == nil {
		t.Error("a process that is not there is found")
	}
}

// A mapped file may be gone, replaced or written to.
func TestChange(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lib.so")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	inode := uint64(0)
	long := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		m       Mapping
		started time.Time
		want    FileState
	}{
		{Mapping{name, false, inode}, time.Now().Add(time.Hour), Same},
		{Mapping{name, true, 1}, long, Replaced},
		{Mapping{name, false, 1}, long, Replaced},
		{Mapping{name, false, 1}, time.Now().Add(time.Hour), Same},
		{Mapping{name + "x", true, 1}, long, Gone},
		{Mapping{name + "x", false, 1}, long, Same},
	} {
		p := &Process{Started: c.started}
		if got := p.StateOf(&c.m); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
	p := &Process{Started: long}
	list := filepath.Join(t.TempDir(), "maps")
	tree.Lay(t, filepath.Dir(list), map[string]string{"maps": "1-2 r--p 0 08:01 " + inodeOf(t, name) + " " + name})
	if real, err := readMappings(list); err != nil || p.StateOf(&real[0]) != Written {
		t.Error("a file that was written to is taken for the same")
	}
}

func inodeOf(t *testing.T, name string) string {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino)
}
