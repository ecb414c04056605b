package world

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Windows reports whether the loader under test is a DLL. Then host and fakes run below Wine, in the chroot that
// WINDOWS_ROOT names, and the roots of worlds lie there.
func Windows() bool { return strings.HasPrefix(Target(), "windows/") }

// windowsRoot is the chroot, which Wine calls Z:.
func windowsRoot() string { return os.Getenv("WINDOWS_ROOT") }

var (
	source    = regexp.MustCompile(`(?m)^(.*(?:LAYER|DRIVER): +Z:.*) \(HKEY_[A-Z_]*\\SOFTWARE\\Khronos\\Vulkan\\[A-Za-z]*\)`) // the directory in paths of the cases, whose worlds have Linux paths
	drive     = regexp.MustCompile(`Z:[\\/].*`)
	pathLists = []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH",
		"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_INSTANCE_LAYERS"}
)

// windowSystem replaces the window system of the cases, xcb, with that of Windows.
var windowSystem = []string{"VK_KHR_xcb_surface", "VK_KHR_win32_surface", "vkCreateXcbSurfaceKHR", "vkCreateWin32SurfaceKHR",
	"VkXcbSurfaceCreateInfoKHR", "VkWin32SurfaceCreateInfoKHR", "vkGetPhysicalDeviceXcbPresentationSupportKHR", "vkGetPhysicalDeviceWin32PresentationSupportKHR"}

var toWindow, fromWindow = func() (to, from *strings.Replacer) {
	back := slices.Clone(windowSystem)
	slices.Reverse(back)
	return strings.NewReplacer(windowSystem...), strings.NewReplacer(back...)
}()

// The directories of the machine, which are those of the world, as the interposer has it elsewhere.
var systemDirectory = regexp.MustCompile(`(^|[^\w/])(/(?:usr/local/share|usr/local/etc|usr/share|etc/xdg|etc)/vulkan)`)

// toTarget returns a text with its paths in the notation of the target's programs. between stands for a path's separator, which
// has to be escaped in JSON.
func (w *World) toTarget(text, between string) string {
	if MacOS() {
		return toMetal.Replace(text)
	}
	if !Windows() {
		return text
	}
	text = systemDirectory.ReplaceAllString(toWindow.Replace(text), "${1}"+w.Path("system")+"${2}")
	parts := strings.Split(text, windowsRoot()+"/")
	for i, part := range parts[1:] {
		end := strings.IndexAny(part, "\"'\n\t ;,=")
		if end < 0 {
			end = len(part)
		}
		parts[i+1] = strings.ReplaceAll(part[:end], "/", between) + part[end:]
	}
	return strings.Join(parts, "Z:"+between)
}

// targetPath returns a path below the root in the notation of the target's programs, with this machine's separators.
func (w *World) targetPath(path string) string {
	if !Windows() {
		return w.Path(path)
	}
	return "Z:" + strings.TrimPrefix(w.Path(path), windowsRoot())
}

// fromTarget converts the paths in a text of the target's programs to those here. The rest of a line with a path has no
// other use for backslashes.
func (w *World) fromTarget(text string) string {
	if MacOS() {
		return fromMetal.Replace(text)
	}
	if !Windows() {
		return text
	}
	text = source.ReplaceAllString(text, "$1")
	text = drive.ReplaceAllStringFunc(fromWindow.Replace(text), func(path string) string {
		path = strings.ReplaceAll(path, `\`, "/")
		return strings.ReplaceAll(path, "Z:/", windowsRoot()+"/")
	})
	return strings.ReplaceAll(text, w.Path("system")+"/", "/")
}

// answerHere returns a JSON value with its paths in the notation of this machine.
func (w *World) answerHere(value any) any {
	switch v := value.(type) {
	case string:
		return w.fromTarget(v)
	case json.Number:
		if v == win32Surface || v == metalSurface {
			return json.Number(xcbSurface)
		}
	case []any:
		for i := range v {
			v[i] = w.answerHere(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = w.answerHere(v[key])
		}
	}
	return value
}

// variable returns a variable's value in the notation of the target's programs.
func (w *World) variable(name, value string) string {
	if Windows() && slices.Contains(pathLists, name) {
		value = strings.ReplaceAll(value, ":", ";")
	}
	return w.toTarget(value, `\`)
}

// wordsOut returns the words of a host's command in the notation of the target's host.
func (w *World) wordsOut(words []string) []string {
	if !Windows() && !MacOS() {
		return words
	}
	kind, number := "win32", win32Surface
	if MacOS() {
		kind, number = "metal", metalSurface
	}
	out := slices.Clone(words)
	for i := 1; i < len(words); i += 2 {
		name := ""
		if words[i-1] == "value" && i >= 2 {
			name = words[i-2]
		}
		out[i] = strings.ReplaceAll(w.variable(name, words[i]), "type=xcb", "type="+kind) // of a script's line
		switch {
		case words[i-1] == "type" && words[i] == "xcb":
			out[i] = kind
		case words[i-1] == "u32@0" && words[i] == xcbSurface:
			out[i] = number
		}
	}
	return out
}

// Types of the structures with which surfaces are created.
const (
	xcbSurface   = "1000005000"
	win32Surface = "1000009000"
)

// The directories that Linux searches, as values of the registry: those below the home directory are the user's. Drivers
// are found for the whole machine alone (WIN-037).
var windowsDirectories = []string{"home/.config", "system/etc/xdg", "system/usr/local/etc", "system/etc", "home/.local/share",
	"system/usr/local/share", "system/usr/share"}

func (w *World) registry() []string {
	var lines []string
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	add := func(hive, key, path string) {
		lines = append(lines, hive+" "+key+" "+Encode(w.toTarget(path, `\`)))
	}
	settings := false
	for _, directory := range windowsDirectories {
		hive := "machine"
		if strings.HasPrefix(directory, "home") {
			hive = "user"
		}
		at := w.Path(directory, "vulkan")
		if drivers := filepath.Join(at, "icd.d"); there(drivers) {
			add("machine", "Drivers", drivers)
		}
		for key, below := range map[string]string{"ImplicitLayers": "implicit_layer.d", "ExplicitLayers": "explicit_layer.d"} {
			if layers := filepath.Join(at, below); there(layers) || directory == "home/.local/share" || directory == "system/usr/share" { // or later
				add(hive, key, layers)
			}
		}
		if file := at + "//loader_settings.d/vk_loader_settings.json"; there(file) {
			add(hive, "LoaderSettings", file)
			settings = true
		}
	}
	if !settings { // it may come later
		add("machine", "LoaderSettings", w.SystemPath("/usr/local/etc/vulkan")+"//loader_settings.d/vk_loader_settings.json")
	}
	return lines
}

// Setup adds statements for the host on Windows, which reads them before it begins: test/lib/windows/host/world.c, import.h. The words
// are plain here; the last may have blanks in it.
func (w *World) Setup(verb string, words ...string) {
	line := verb
	for _, word := range words {
		line += " " + Encode(w.toTarget(word, `\`))
	}
	w.setup = append(w.setup, line)
}

// Calls makes the host on Windows write down how the loader calls some of the system's functions (test/lib/windows/host/import.c);
// CallLog returns the lines "function argument".
func (w *World) Calls() { w.Setup("calls", w.Path("calls")) }

func (w *World) CallLog() []string {
	text, err := os.ReadFile(w.Path("calls"))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] = w.fromTarget(lines[i])
	}
	return lines
}

// SystemFake adds one of the libraries that replace the system's, with its script: a program that loads the library of that name
// gets it. kind: FakeDXGI, FakeDevices, FakeAdapters.
func (w *World) SystemFake(kind, name string, lines ...string) *Fake {
	w.T.Helper()
	f := &Fake{w: w, Name: name, Library: w.Copy(kind, name), content: map[string]any{}}
	w.Setup("library", name, f.Library)
	return f.Replace(lines...)
}

// Libraries in place of the system's: test/lib/windows/fake.
const (
	FakeDXGI     = "dxgi"     // its script: factory 1|none; adapter LUID VENDOR
	FakeDevices  = "cfgmgr32" // its script: device ID VALUE DATA; child DEVICE ID CLASS VALUE DATA
	FakeAdapters = "gdi32"    // its script: adapter VALUE one|list DATA...
)

// windowsCommand makes a command of the host one that runs it below Wine in the world's environment: variables and the
// registry are in a file, which the host reads (test/lib/windows/host/world.c).
func (w *World) windowsCommand(cmd *exec.Cmd) {
	dxgi, err := tool(FakeDXGI + ".so") // Wine's own takes more than 100 ms
	w.check(err)
	lines := append(w.registry(), "library dxgi.dll "+Encode(w.toTarget(dxgi, `\`)))
	lines = append(lines, w.setup...)
	for _, entry := range w.Environment() {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" && value == "/usr/bin:/bin" { // Windows finds libraries with it
			continue
		}
		lines = append(lines, "set "+Encode(name)+" "+Encode(w.variable(name, value)))
	}
	setup, err := os.CreateTemp(w.Root, "setup")
	w.check(err)
	_, err = setup.WriteString(strings.Join(lines, "\n") + "\n")
	w.check(err)
	w.check(setup.Close())
	loader := map[string]string{"windows/x64": "/usr/lib/wine/wine64", "windows/x86": "/usr/lib/wine/wine"}[Target()]
	words := []string{loader}
	for _, word := range cmd.Args {
		words = append(words, w.toTarget(word, `\`))
	}
	cmd.Path, cmd.Args, cmd.Err = loader, words, nil
	cmd.Dir = strings.TrimPrefix(cmd.Dir, windowsRoot())
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: windowsRoot()}
	cmd.Env = []string{"HOME=/root", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "WINEPREFIX=/root/prefix", "WINEDEBUG=-all", "DISPLAY=:77",
		"WINEDLLOVERRIDES=vulkan-1=n;mscoree,mshtml=;" + w.Env["WINEDLLOVERRIDES"], "WORLD_SETUP=" + w.toTarget(setup.Name(), `\`)}
}

// windowsSignals are the exit codes of a process that dies below Wine: abort's code, and the lower bytes of exceptions.
var windowsSignals = map[int]syscall.Signal{3: syscall.SIGABRT, 0x05: syscall.SIGSEGV, 0x1d: syscall.SIGILL}

// aborted reports whether a command below Wine, which was killed, had called abort (test/lib/windows/include/posix.h).
func (w *World) aborted(cmd *exec.Cmd) bool {
	for _, entry := range cmd.Env {
		if setup, yes := strings.CutPrefix(entry, "WORLD_SETUP="); yes {
			_, err := os.Stat(w.fromTarget(setup) + ".aborted")
			return err == nil
		}
	}
	return false
}

// Pointer returns the notation of the loader's messages for a pointer, which is that of the C library. text is the notation of
// the fakes, such as 0x1f.
func Pointer(text string) string {
	if !Windows() {
		return text
	}
	n, _ := strconv.ParseUint(text, 0, 64)
	bits, _ := Bits()
	if bits == "32" {
		return fmt.Sprintf("%08X", n)
	}
	return fmt.Sprintf("%016X", n)
}

// Offered reports whether the loader for the target knows an extension or a command: Windows and macOS have neither X11 nor
// Wayland, beside the replacement of xcb. macOS has no query of presentation support.
func Offered(name string) bool {
	return !Windows() && !MacOS() || !otherWindows.MatchString(name) && !(MacOS() && name == "vkGetPhysicalDeviceXcbPresentationSupportKHR")
}

var otherWindows = regexp.MustCompile(`(?i)xlib|wayland|randr`)

// WindowExtension returns the extension of a window system, or of its replacement on the target.
func WindowExtension(system string) string {
	if name := "VK_KHR_" + system + "_surface"; Offered(name) {
		return name
	}
	return windowSystem[0]
}

// AsThere returns a text of the loader with its paths in the notation of the target.
func (w *World) AsThere(text string) string { return w.toTarget(text, `\`) }

// SearchPath returns the variable with the directories that the system searches for libraries.
func SearchPath() string {
	if Windows() {
		return "PATH"
	}
	return "LD_LIBRARY_PATH"
}

// Separated returns a colon-separated list with the target's separator.
func Separated(list string) string {
	if !Windows() {
		return list
	}
	return strings.ReplaceAll(list, ":", ";")
}

// windowsSources returns the C files of a program or library for Windows, with those that test/lib/windows replaces.
func windowsSources(files []string) []string {
	var out []string
	for _, file := range files {
		below, err := filepath.Rel(filepath.Join(Top(), "test/lib"), file)
		if filepath.Base(below) == below { // a Go package cannot contain C files here
			below = filepath.Join("include", below)
		}
		other := filepath.Join(Top(), "test/lib/windows", below)
		if _, missing := os.Stat(other); err == nil && missing == nil {
			file = other
		}
		out = append(out, file)
	}
	return out
}
