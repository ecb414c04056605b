package world

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// Windows tells whether the loader under test is a DLL. Then host and fakes run below Wine, in the chroot that
// WINDOWS_ROOT names, and the roots of worlds lie there.
func Windows() bool { return strings.HasPrefix(Target(), "windows/") }

// windowsRoot is the chroot, which Wine calls Z:.
func windowsRoot() string { return os.Getenv("WINDOWS_ROOT") }

var (
	drive     = regexp.MustCompile(`Z:[\\/].*`)
	pathLists = []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH",
		"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_INSTANCE_LAYERS"}
)

// The window system of the cases is xcb; what stands for it here has other names.
var windowSystem = []string{"VK_KHR_xcb_surface", "VK_KHR_win32_surface", "vkCreateXcbSurfaceKHR", "vkCreateWin32SurfaceKHR",
	"vkGetPhysicalDeviceXcbPresentationSupportKHR", "vkGetPhysicalDeviceWin32PresentationSupportKHR"}

var toWindow, fromWindow = func() (to, from *strings.Replacer) {
	back := slices.Clone(windowSystem)
	slices.Reverse(back)
	return strings.NewReplacer(windowSystem...), strings.NewReplacer(back...)
}()

// toTarget gives a text with paths in it as the target's programs take it; between stands for a path's separator, which
// has to be escaped in JSON.
func toTarget(text, between string) string {
	if !Windows() {
		return text
	}
	text = toWindow.Replace(text)
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

// fromTarget gives a text of the target's programs with paths as they are here. What follows one on its line has no
// other use for backslashes.
func fromTarget(text string) string {
	if !Windows() {
		return text
	}
	return drive.ReplaceAllStringFunc(fromWindow.Replace(text), func(path string) string {
		path = strings.ReplaceAll(path, `\`, "/")
		return strings.ReplaceAll(path, "Z:/", windowsRoot()+"/")
	})
}

// answerHere gives what JSON says with paths as they are here.
func answerHere(value any) any {
	switch v := value.(type) {
	case string:
		return fromTarget(v)
	case []any:
		for i := range v {
			v[i] = answerHere(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = answerHere(v[key])
		}
	}
	return value
}

// variable gives a variable's value as the target's programs take it.
func variable(name, value string) string {
	if Windows() && slices.Contains(pathLists, name) {
		value = strings.ReplaceAll(value, ":", ";")
	}
	return toTarget(value, `\`)
}

// wordsOut gives the words of a host's command as the target's host takes them.
func wordsOut(words []string) []string {
	if !Windows() {
		return words
	}
	out := slices.Clone(words)
	for i := 1; i < len(words); i += 2 {
		name := ""
		if words[i-1] == "value" && i >= 2 {
			name = words[i-2]
		}
		out[i] = variable(name, words[i])
		if words[i-1] == "type" && words[i] == "xcb" {
			out[i] = "win32"
		}
	}
	return out
}

// The directories that Linux searches, as values of the registry: those below the home directory are the user's. Drivers
// are found for the whole machine alone (WIN-037).
var windowsDirectories = []string{"home/.config", "system/etc/xdg", "system/usr/local/etc", "system/etc", "home/.local/share",
	"system/usr/local/share", "system/usr/share"}

func (w *World) registry() []string {
	var lines []string
	add := func(hive, key, path string) {
		if _, err := os.Stat(path); err == nil {
			lines = append(lines, hive+" "+key+" "+Encode(toTarget(path, `\`)))
		}
	}
	for _, directory := range windowsDirectories {
		hive := "machine"
		if strings.HasPrefix(directory, "home") {
			hive = "user"
		}
		at := w.Path(directory, "vulkan")
		add("machine", "Drivers", filepath.Join(at, "icd.d"))
		add(hive, "ImplicitLayers", filepath.Join(at, "implicit_layer.d"))
		add(hive, "ExplicitLayers", filepath.Join(at, "explicit_layer.d"))
		add(hive, "LoaderSettings", filepath.Join(at, "loader_settings.d/vk_loader_settings.json"))
	}
	return lines
}

// Setup adds statements to what the host on Windows reads before it begins: test/windows/host/world.c, import.h. The words
// are plain here; the last may have blanks in it.
func (w *World) Setup(verb string, words ...string) {
	line := verb
	for _, word := range words {
		line += " " + Encode(toTarget(word, `\`))
	}
	w.setup = append(w.setup, line)
}

// SystemFake adds one of the libraries that stand in for the system's, with its script: who asks for the library of that name
// gets it. kind: FakeDXGI, FakeDevices.
func (w *World) SystemFake(kind, name string, lines ...string) *Fake {
	w.T.Helper()
	f := &Fake{w: w, Name: name, Library: w.Copy(kind, name), content: map[string]any{}}
	w.Setup("library", name, f.Library)
	return f.Replace(lines...)
}

// Libraries that stand in for the system's, of test/windows/fake.
const (
	FakeDXGI    = "dxgi"     // its script: factory 1|none; adapter LUID VENDOR
	FakeDevices = "cfgmgr32" // its script: device ID VALUE DATA
)

// windowsCommand makes a command of the host one that runs it below Wine in the world's environment: variables and the
// registry are in a file, which the host reads (test/windows/host/world.c).
func (w *World) windowsCommand(cmd *exec.Cmd) {
	lines := append(w.registry(), w.setup...)
	for _, entry := range w.Environment() {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" && value == "/usr/bin:/bin" { // libraries are found by it there
			continue
		}
		lines = append(lines, "set "+Encode(name)+" "+Encode(variable(name, value)))
	}
	setup, err := os.CreateTemp(w.Root, "setup")
	w.check(err)
	_, err = setup.WriteString(strings.Join(lines, "\n") + "\n")
	w.check(err)
	w.check(setup.Close())
	loader := map[string]string{"windows/x64": "/usr/lib/wine/wine64", "windows/x86": "/usr/lib/wine/wine"}[Target()]
	words := []string{loader}
	for _, word := range cmd.Args {
		words = append(words, toTarget(word, `\`))
	}
	cmd.Path, cmd.Args, cmd.Err = loader, words, nil
	cmd.Dir = strings.TrimPrefix(cmd.Dir, windowsRoot())
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: windowsRoot()}
	cmd.Env = []string{"HOME=/root", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "WINEPREFIX=/root/prefix", "WINEDEBUG=-all", "DISPLAY=:77",
		"WINEDLLOVERRIDES=vulkan-1=n;mscoree,mshtml=;" + w.Env["WINEDLLOVERRIDES"], "WORLD_SETUP=" + toTarget(setup.Name(), `\`)}
}

// windowsSignals is what a process that dies below Wine ends with: abort's code, and the lower bytes of exceptions.
var windowsSignals = map[int]syscall.Signal{3: syscall.SIGABRT, 0x05: syscall.SIGSEGV, 0x1d: syscall.SIGILL}

// windowsSources are the C files of a program or library for Windows, with stand-ins for those that test/windows has.
func windowsSources(files []string) []string {
	var out []string
	for _, file := range files {
		below, err := filepath.Rel(filepath.Join(Top(), "test"), file)
		other := filepath.Join(Top(), "test/windows", below)
		if _, missing := os.Stat(other); err == nil && missing == nil {
			file = other
		}
		out = append(out, file)
	}
	return out
}
