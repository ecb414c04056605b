package macos

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// llvm runs one of LLVM's replacements of Apple's tools, of the package llvm.
func llvm(t *testing.T, name string, arguments ...string) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/llvm-*/bin/" + name)
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no %s: install the package llvm", name)
	}
	if out, err := exec.Command(found[len(found)-1], arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v %s", name, arguments, err, out)
	}
}

// intact checks one machine's part: its signature has the hash of each page, and its load commands leave room for another one.
func intact(t *testing.T, path string) slice {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := macho.NewFile(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	be, end, hashed := binary.BigEndian, 32, 0
	for _, l := range f.Loads {
		command := l.Raw()
		end += len(command)
		if binary.LittleEndian.Uint32(command) != signature {
			continue
		}
		at := binary.LittleEndian.Uint32(command[8:])
		directory := raw[at+be.Uint32(raw[at+16:]):]
		if flags := be.Uint32(directory[12:]); be.Uint32(directory) != 0xfade0c02 || flags&2 == 0 {
			t.Errorf("%s: no ad-hoc code directory, flags %#x", path, flags)
		}
		hashes, limit := directory[be.Uint32(directory[16:]):], be.Uint32(directory[32:])
		if limit != at {
			t.Errorf("%s: the signature is at %d and covers %d", path, at, limit)
		}
		for page := raw[:limit]; len(page) > 0; hashed++ {
			n := min(1<<directory[39], len(page))
			if sum := sha256.Sum256(page[:n]); !bytes.Equal(sum[:], hashes[hashed*32:hashed*32+32]) {
				t.Fatalf("%s: page %d has another hash", path, hashed)
			}
			page = page[n:]
		}
	}
	if hashed < 40 {
		t.Errorf("%s: %d pages are signed", path, hashed)
	}
	if room := int(f.Section("__text").Offset) - end; room < 256 {
		t.Errorf("%s has room for %d bytes of load commands", path, room)
	}
	return read(t, f, raw)
}

// Packagers thin the library, give it another install name and a path of search, and strip it. It stays signed, with the same
// functions, and works; a later signature has room.
func TestPackagersChanges(t *testing.T) {
	t.Parallel()
	running(t)
	const id, path = "/opt/local/libexec/a/directory/with/a/long/name/lib/libvulkan.1.dylib", "/opt/local/lib"
	universal := built(t, "libvulkan.1.dylib")
	for _, machine := range []string{"x86_64", "arm64"} {
		directory := t.TempDir()
		thin, changed, stripped := filepath.Join(directory, "thin"), filepath.Join(directory, "libvulkan.1.dylib"), filepath.Join(directory, "stripped")
		llvm(t, "llvm-lipo", "-thin", machine, universal, "-output", thin)
		before := intact(t, thin)
		llvm(t, "llvm-objcopy", thin, changed)
		llvm(t, "llvm-install-name-tool", "-id", id, "-add_rpath", path, changed)
		after := intact(t, changed)
		if after.install != id || !slices.Equal(after.exports, before.exports) || !slices.Equal(after.imports, before.imports) || !slices.Equal(after.libraries, before.libraries) {
			t.Errorf("%s: %+v, before %+v", machine, after, before)
		}
		llvm(t, "llvm-strip", "-x", changed, "-o", stripped)
		if got := intact(t, stripped); got.install != id || !slices.Equal(got.exports, before.exports) {
			t.Errorf("%s, stripped: %+v", machine, got)
		}
		if machine != world.Slice() {
			continue
		}
		for _, library := range []string{changed, stripped} {
			tr := newTree(t, "/opt/game/host")
			tr.driver("system", "/etc/vulkan")
			tr.w.Loader = library
			if d, devices := tr.byLibrary(); !slices.Equal(d.drivers, []string{"system"}) || len(devices) != 1 {
				t.Errorf("%s: %v, devices %v", library, d, devices)
			}
		}
	}
	tool := built(t, "vkloader")
	for _, machine := range []string{"x86_64", "arm64"} {
		thin := filepath.Join(t.TempDir(), "vkloader")
		llvm(t, "llvm-lipo", "-thin", machine, tool, "-output", thin)
		intact(t, thin)
	}
}

// SYSCONFDIR and PREFIX reach library and tool: a build for Homebrew on Apple processors searches /opt/homebrew.
//
// holds: PATH-3
func TestPrefix(t *testing.T) {
	t.Parallel()
	running(t)
	tr := newTree(t, "/opt/game/host")
	prefix, build := tr.w.Path("homebrew"), t.TempDir()
	goals := exec.Command("make", "-s", "-C", world.Top(), "-o", "build/macos/core.c", "TARGET=macos/"+world.Slice(), "B="+build, "PREFIX="+prefix, "spine", "tool")
	if out, err := goals.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tr.w.Loader = filepath.Join(build, "libvulkan.1.dylib")
	for name, at := range map[string]string{"own": prefix + "/etc/vulkan", "shared": prefix + "/share/vulkan"} {
		f := tr.w.DriverKind(world.Modern, name)
		f.MoveManifest(filepath.Join(at, "icd.d", name+".json"))
	}
	tr.driver("system", "/etc/vulkan")
	tr.driver("usual", "/usr/local/share/vulkan")
	if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, []string{"own", "system", "shared", "usual"}) {
		t.Errorf("%v", d)
	}
	tool, err := os.ReadFile(filepath.Join(build, "vkloader"))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{prefix + "/etc", prefix + "/share:/usr/local/share:/usr/share"} {
		if !bytes.Contains(tool, []byte(list)) {
			t.Errorf("the tool does not search %s", list)
		}
	}
}
