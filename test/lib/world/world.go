package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// World is the environment of one case.
type World struct {
	T    testing.TB
	Root string
	// Env holds all variables of the case's processes, except those for the host, the fakes and the interposer.
	Env map[string]string
	// Loader is the path of the library that the host opens.
	Loader string
	// System means that the case runs on the distribution's loader.
	System bool
	// NoShim leaves out the interposer, so that the loader sees the machine's system directories.
	NoShim bool

	drivers, implicit, explicit []string // manifests that variables name, in order
	accesses                    bool
	setup                       []string // of test/lib/windows/host
	scripts                     int      // the number of writes of scripts
}

// New returns an empty world for the loader under test. Cases may run in parallel. VKLOADER_TEST_LIBRARY names
// another library to run it on.
func New(t testing.TB) *World {
	t.Helper()
	loader := Library()
	if override := os.Getenv("VKLOADER_TEST_LIBRARY"); override != "" {
		loader = override
	}
	return newFor(t, loader)
}

// FilesInMemory moves the temporary directories of a package's tests to memory, if it has room and libraries may lie there.
func FilesInMemory() {
	const memory, noExec, room = "/dev/shm", 8, 1 << 30
	var about syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(memory, &about) == nil && about.Flags&noExec == 0 && about.Bavail*uint64(about.Bsize) >= room {
		os.Setenv("TMPDIR", memory)
	}
}

func newFor(t testing.TB, loader string) *World {
	t.Helper()
	if _, err := os.Stat(loader); err != nil {
		if loader == SystemLibrary || os.Getenv("VKLOADER_TEST_UNBUILT") != "" {
			t.Skipf("no loader: %v", err)
		}
		t.Fatalf("the loader is not built: %v", err)
	}
	w := &World{T: t, Root: t.TempDir(), Env: map[string]string{}, Loader: loader, System: loader == SystemLibrary}
	if real, err := filepath.EvalSymlinks(w.Root); err == nil {
		w.Root = real
	}
	for _, directory := range []string{"home", "lib", "drivers", "implicit", "explicit", "system", "work"} {
		w.check(os.MkdirAll(filepath.Join(w.Root, directory), 0o755))
	}
	w.Env["HOME"] = filepath.Join(w.Root, "home")
	w.Env["PATH"] = "/usr/bin:/bin"
	w.Env["LC_ALL"] = "C"
	return w
}

// NewSystem returns an empty world for the distribution's loader, the control.
func NewSystem(t testing.TB) *World {
	t.Helper()
	return newFor(t, SystemLibrary)
}

func (w *World) check(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Path joins the root and a relative path.
func (w *World) Path(parts ...string) string {
	return filepath.Join(append([]string{w.Root}, parts...)...)
}

// SystemPath returns the directory that the interposer shows in place of a system directory, such as /usr/share/vulkan/icd.d.
func (w *World) SystemPath(path string) string { return w.Path("system", path) }

// Write writes a file and its directories; a relative name is below the root.
func (w *World) Write(name, content string) string {
	w.T.Helper()
	if !filepath.IsAbs(name) {
		name = w.Path(name)
	}
	w.check(os.MkdirAll(filepath.Dir(name), 0o755))
	between := `\`
	if strings.HasSuffix(name, ".json") {
		between = `\\`
	}
	if !strings.HasPrefix(content, "MZ") && !strings.HasPrefix(content, "\x7fELF") && !strings.HasPrefix(content, "\xcf\xfa") { // a program or library
		content = w.toTarget(content, between)
	}
	temporary := name + ".new"
	w.check(os.WriteFile(temporary, []byte(content), 0o644))
	w.check(os.Rename(temporary, name))
	return name
}

// Copy copies a built fake (Modern, ...) to the root's lib directory under another name and returns its path.
func (w *World) Copy(kind, name string) string {
	w.T.Helper()
	from, err := tool(kind + ".so")
	w.check(err)
	content, err := os.ReadFile(from)
	w.check(err)
	to := w.Path("lib", name+".so")
	w.check(os.MkdirAll(filepath.Dir(to), 0o755))
	w.check(os.WriteFile(to, content, 0o755))
	return to
}

// WrongClass writes a library of the other word size, BadBinary a file that is no library.
func (w *World) WrongClass(name string) string {
	if Windows() {
		other := map[string]string{"windows/x64": "x86", "windows/x86": "x64"}[Target()]
		content, err := os.ReadFile(filepath.Join(filepath.Dir(Build()), other, "vulkan-1.dll"))
		w.check(err)
		return w.Write(filepath.Join("lib", name+".so"), string(content))
	}
	if MacOS() {
		other := map[string]string{"x86_64": "\x0c", "arm64": "\x07"}[Slice()]
		return w.Write(filepath.Join("lib", name+".so"), "\xcf\xfa\xed\xfe"+other+"\x00\x00\x01"+strings.Repeat("\x00", 56))
	}
	header := make([]byte, 64)
	copy(header, "\x7fELF\x01\x01\x01")
	header[16], header[18], header[20] = 3, 3, 1
	if Narrow() {
		header[4], header[18] = 2, 62
	}
	return w.Write(filepath.Join("lib", name+".so"), string(header))
}

// BadBinary writes a text file in a library's place.
func (w *World) BadBinary(name string) string {
	return w.Write(filepath.Join("lib", name+".so"), strings.Repeat("this is no library\n", 64))
}

// Fake is a scripted library: a driver or a layer.
type Fake struct {
	w       *World
	Name    string
	Library string
	// ManifestPath is the path of the fake's manifest; "": none
	ManifestPath string
	lines        []string
	content      map[string]any // the "ICD" object or the layer object
	version      string         // file_format_version
	layer        bool
}

// Script adds statements to the fake's script and writes the script. A running fake sees the change at its next call.
func (f *Fake) Script(lines ...string) *Fake {
	f.w.T.Helper()
	f.lines = append(f.lines, lines...)
	return f.write()
}

// Replace replaces the script, except its statements for the log and the name.
func (f *Fake) Replace(lines ...string) *Fake {
	f.w.T.Helper()
	f.lines = append([]string(nil), lines...)
	return f.write()
}

// Lines returns the script's statements so far.
func (f *Fake) Lines() []string { return append([]string(nil), f.lines...) }

func (f *Fake) write() *Fake {
	f.w.T.Helper()
	head := []string{"log " + Encode(f.w.targetPath("log")), "name " + Encode(f.Name)}
	f.w.scripts++
	f.w.Write(f.Library+".script", strings.Join(append(head, f.lines...), "\n")+"\n")
	return f
}

// Set sets a member of the manifest's "ICD" or layer object (nil removes it) and writes the manifest.
func (f *Fake) Set(member string, value any) *Fake {
	f.w.T.Helper()
	if value == nil {
		delete(f.content, member)
	} else {
		f.content[member] = value
	}
	return f.writeManifest()
}

// Format sets file_format_version.
func (f *Fake) Format(version string) *Fake {
	f.version = version
	return f.writeManifest()
}

// API sets the version that the driver reports and that its manifest declares.
func (f *Fake) API(version string) *Fake {
	f.w.T.Helper()
	f.Script("api " + version)
	return f.Set("api_version", version)
}

// MoveManifest moves the manifest to a directory or file below the root. Variables no longer name it.
func (f *Fake) MoveManifest(path string) *Fake {
	f.w.T.Helper()
	if !filepath.IsAbs(path) {
		path = f.w.Path(path)
	}
	if !strings.HasSuffix(path, ".json") {
		path = filepath.Join(path, f.Name+".json")
	}
	for _, list := range []*[]string{&f.w.drivers, &f.w.implicit, &f.w.explicit} {
		kept := (*list)[:0]
		for _, entry := range *list {
			if entry != f.ManifestPath {
				kept = append(kept, entry)
			}
		}
		*list = kept
	}
	if f.ManifestPath != "" {
		os.Remove(f.ManifestPath)
	}
	f.ManifestPath = path
	return f.writeManifest()
}

func (f *Fake) writeManifest() *Fake {
	f.w.T.Helper()
	if f.ManifestPath == "" {
		return f
	}
	document := map[string]any{"file_format_version": f.version}
	if f.layer {
		document["layer"] = f.content
	} else {
		document["ICD"] = f.content
	}
	f.w.Write(f.ManifestPath, JSON(document))
	return f
}

// JSON returns a value as indented JSON with sorted members.
func JSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "    ")
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("no JSON: %v", err))
	}
	return text.String()
}

// Driver adds a modern fake driver with one discrete device named like the driver. VK_DRIVER_FILES names the drivers
// in the order in which they were added; MoveManifest takes one out of it.
func (w *World) Driver(name string, lines ...string) *Fake {
	w.T.Helper()
	return w.DriverKind(Modern, name, lines...)
}

// DriverKind adds a driver with other exports (OnlyGIPA, Oldest, ...). Without lines it gets one device.
func (w *World) DriverKind(kind, name string, lines ...string) *Fake {
	w.T.Helper()
	f := &Fake{w: w, Name: name, Library: w.Copy(kind, name), version: "1.0.1"}
	f.content = map[string]any{"library_path": f.Library, "api_version": "1.0.0"}
	f.ManifestPath = w.Path("drivers", name+".json")
	w.drivers = append(w.drivers, f.ManifestPath)
	if len(lines) == 0 {
		lines = []string{"device name=" + Encode(name) + " type=discrete"}
	}
	f.Replace(lines...)
	return f.writeManifest()
}

// DirectDriver makes a driver without manifest, for the host's direct=.
func (w *World) DirectDriver(name string, lines ...string) *Fake {
	w.T.Helper()
	f := &Fake{w: w, Name: name, Library: w.Copy(Modern, name), version: "1.0.1", content: map[string]any{}}
	return f.Replace(lines...)
}

// DriverFile adds a manifest whose text is given to VK_DRIVER_FILES.
func (w *World) DriverFile(name, text string) string {
	w.T.Helper()
	path := w.Write(filepath.Join("drivers", name+".json"), text)
	w.drivers = append(w.drivers, path)
	return path
}

// DriverManifest returns the text of a manifest for a library.
func DriverManifest(library, api string) string {
	return JSON(map[string]any{"file_format_version": "1.0.1", "ICD": map[string]any{"library_path": library, "api_version": api}})
}

// ExplicitLayer adds a fake explicit layer. VK_LAYER_PATH names its manifest.
func (w *World) ExplicitLayer(name string, lines ...string) *Fake {
	w.T.Helper()
	f := w.newLayer(name, w.Path("explicit", name+".json"), lines...)
	w.explicit = append(w.explicit, f.ManifestPath)
	return f
}

// ImplicitLayer adds a fake implicit layer with the disable variable DISABLE_<name>.
func (w *World) ImplicitLayer(name string, lines ...string) *Fake {
	w.T.Helper()
	path := w.Path("implicit", name+".json")
	if w.System { // the distribution's loader has no variable for implicit layers
		path = w.Path("home/.local/share/vulkan/implicit_layer.d", name+".json")
	}
	f := w.newLayer(name, path, lines...)
	f.content["disable_environment"] = map[string]any{Disable(name): "1"}
	if !w.System {
		w.implicit = append(w.implicit, f.ManifestPath)
	}
	return f.writeManifest()
}

func (w *World) newLayer(name, manifest string, lines ...string) *Fake {
	w.T.Helper()
	f := &Fake{w: w, Name: name, Library: w.Copy(Layer, name), version: "1.2.1", layer: true, ManifestPath: manifest}
	f.content = map[string]any{"name": name, "type": "INSTANCE", "library_path": f.Library, "api_version": "1.3.0",
		"implementation_version": "1", "description": "fake " + name}
	f.Replace(lines...)
	return f.writeManifest()
}

// Accesses makes the interposer record file accesses; AccessLog returns them.
func (w *World) Accesses() { w.accesses = true }

// AccessLog returns the interposer's lines: "FUNCTION ARGUMENT".
func (w *World) AccessLog() []string {
	text, err := os.ReadFile(w.Path("accesses"))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] = w.fromTarget(lines[i])
	}
	return lines
}

// Environment returns the environment of the case's processes.
func (w *World) Environment() []string {
	w.T.Helper()
	env := map[string]string{}
	if !w.NoShim && !Windows() {
		shim, err := tool("redirect.so")
		w.check(err)
		env["LD_PRELOAD"] = shim
		env["WORLD_ROOT"] = w.Root
		if seed := os.Getenv("VKLOADER_TEST_ORDER"); seed != "" {
			env["WORLD_SORTED"] = "shuffled-" + seed
		}
		if !w.System {
			env["WORLD_LOST"] = "1"
		}
	}
	if w.accesses {
		env["WORLD_ACCESS"] = w.Path("accesses")
	}
	env["VKLOADERD_DIR"] = w.Path("service") // where none is
	if len(w.drivers) > 0 {
		env["VK_DRIVER_FILES"] = strings.Join(w.drivers, ":")
	}
	if len(w.explicit) > 0 {
		env["VK_LAYER_PATH"] = strings.Join(w.explicit, ":")
		if w.System {
			env["VK_LAYER_PATH"] = w.Path("explicit")
		}
	}
	if len(w.implicit) > 0 {
		env["VK_IMPLICIT_LAYER_PATH"] = strings.Join(w.implicit, ":")
	}
	switch Variant() {
	case "asan":
		env["ASAN_OPTIONS"] = "detect_leaks=1:verify_asan_link_order=0:handle_segv=0:handle_abort=0:log_path=stderr"
	case "tsan":
		env["TSAN_OPTIONS"] = "halt_on_error=1:abort_on_error=1:handle_segv=0:handle_abort=0"
	}
	if file := os.Getenv("VKLOADER_RECORD"); file != "" { // test/loader/equal
		env["VKLOADER_RECORD"] = file
	}
	for name, value := range w.Env {
		if value == Unset {
			delete(env, name)
		} else {
			env[name] = value
		}
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// Unset as a value of World.Env removes a variable that every world has.
const Unset = "\x00unset"

// Encode escapes a word for host commands and scripts.
func Encode(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c <= ' ' || c == '%' || c >= 0x7f {
			fmt.Fprintf(&out, "%%%02x", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}
