package windows

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// bits has the word sizes by the names of their directories.
var bits = map[string]string{"x64": "64", "x86": "32"}

// wine returns a command for a program in Wine, with its output in files, because processes of Wine outlive it.
func wine(t *testing.T, args ...string) (cmd *exec.Cmd, output func() (out, errOut string)) {
	t.Helper()
	dir, _ := root(t)
	ctx, cancel := context.WithCancel(t.Context()) // without a timeout: a machine may be busy
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, "chroot", append([]string{dir, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "WINEPREFIX=/root/prefix",
		"WINEDEBUG=-all", "DISPLAY=:77", "WINEDLLOVERRIDES=vulkan-1=n;mscoree,mshtml=", "wine"}, args...)...)
	var files [2]*os.File
	for i, name := range []string{"out", "err"} {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	return cmd, func() (string, string) {
		var texts [2]string
		for i, f := range files {
			text, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = string(bytes.ReplaceAll(text, []byte("\r"), nil))
		}
		return texts[0], texts[1]
	}
}

// windowsPath returns a file of build/windows as a path in Wine.
func windowsPath(t *testing.T, size, name string) string {
	t.Helper()
	_, top := root(t)
	return `Z:` + strings.ReplaceAll(top, "/", `\`) + `\build\windows\` + size + `\` + name
}

// tool runs the tool, which must exit with this code.
func tool(t *testing.T, size string, code int, args ...string) (out, errOut string) {
	t.Helper()
	return toolAs(t, elevated, size, code, args...)
}

// asked returns the JSON that the tool prints.
func asked[T any](t *testing.T, size string, code int, args ...string) (value T) {
	t.Helper()
	return askedAs[T](t, elevated, size, code, args...)
}

// explained has parts of the output of explain.
type explained struct {
	In []struct {
		Kind, Name, Manifest, Library string
	}
}

// examined has parts of the output of doctor.
type examined struct {
	Verdict  string
	Loaders  []struct{ File string }
	Drivers  []struct{ Name string }
	Probes   []struct{ Name, Result string }
	Findings []finding
}

type finding struct {
	Code, Severity, Subject, What string
	Commands                      []string
}

// isWorking reports whether the verdict is that the machine's only device works.
func isWorking(e *examined) bool {
	return strings.HasPrefix(e.Verdict, "llvmpipe") && strings.HasSuffix(e.Verdict, " works; no problems found")
}

func (e *examined) find(code string) int {
	for i := range e.Findings {
		if e.Findings[i].Code == code {
			return i
		}
	}
	return -1
}

const sampleLayer = "VK_LAYER_VKLOADER_drawstats"

// The DLL follows the tool's decision: the drivers, layers and locations in the DLL's log are those of explain and list paths, in the same
// order.
func TestToolAgrees(t *testing.T) {
	for _, size := range sizes {
		log := run(t, size, []string{"VK_LOADER_DEBUG=all", "VK_INSTANCE_LAYERS=" + sampleLayer}, "compute.exe", "BUILDvulkan-1.dll", "10")
		var want []string
		for _, m := range regexp.MustCompile(`(?m)Inserted? instance layer "(.*)" \((.*)\)|Insert instance layer "(.*)" \((.*)\)`).FindAllStringSubmatch(log, -1) {
			want = append(want, "layer "+m[1]+m[3])
		}
		for _, m := range regexp.MustCompile(`(?m)Found ICD manifest file (.*), version`).FindAllStringSubmatch(log, -1) {
			want = append(want, "driver "+m[1])
		}
		told := asked[explained](t, size, 0, "explain", "--env", "VK_INSTANCE_LAYERS="+sampleLayer)
		var got []string
		for _, in := range told.In {
			if in.Kind == "layer" {
				got = append(got, "layer "+in.Name)
			} else {
				got = append(got, "driver "+in.Manifest)
			}
		}
		if !slices.Equal(got, want) || len(want) != 2 {
			t.Errorf("%s: explain says %q, the log %q\n%s", size, got, want, log)
		}
		paths := asked[struct {
			Places []struct{ For, Path, Note string }
		}](t, size, 0, "list", "paths")
		for kind, title := range map[string]string{"drivers": "driver manifest files", "explicit layers": "explicit layer manifest files",
			"implicit layers": "implicit layer manifest files"} {
			_, places, found := strings.Cut(log, "Searching for "+title+"\n")
			_, places, _ = strings.Cut(places, "In following locations:\n")
			places, _, _ = strings.Cut(places, "Found ")
			if !found {
				t.Errorf("%s: the log has no %q\n%s", size, title, log)
			}
			var logged, listed []string
			for _, m := range regexp.MustCompile(`(?m): {2,}(\S.*?)(?: \((?:HKEY_|a display adapter|Vulkan|the app package).*\))?$`).FindAllStringSubmatch(places, -1) {
				logged = append(logged, m[1])
			}
			for _, p := range paths.Places {
				if p.For == kind && p.Note == "" {
					listed = append(listed, p.Path)
				}
			}
			if !slices.Equal(logged, listed) {
				t.Errorf("%s: %s are looked for in %q, and list paths says %q\n%s", size, kind, logged, listed, log)
			}
		}
	}
}

// explain reports the same for programs of the other word size as their own tool.
func TestToolViews(t *testing.T) {
	if len(sizes) == 1 {
		t.Skip("Wine runs programs of one word size alone")
	}
	for _, size := range sizes {
		other := map[string]string{"x64": "x86", "x86": "x64"}[size]
		own, seen := asked[explained](t, other, 0, "explain"), asked[explained](t, size, 0, "explain", "--bits", bits[other])
		app := asked[explained](t, size, 0, "explain", "--app", windowsPath(t, other, `test\compute.exe`))
		if len(own.In) != 1 || !slices.Equal(own.In, seen.In) || !slices.Equal(own.In, app.In) {
			t.Errorf("%s: %+v, %+v, %+v", size, own, seen, app)
		}
	}
}

// Faults in the registry are found, and the commands that doctor prints fix them.
//
// holds: WIN-036 WIN-038 WIN-055
func TestToolDoctor(t *testing.T) {
	reg := func(line ...string) {
		t.Helper()
		cmd, output := wine(t, append([]string{"reg"}, line...)...)
		if err := cmd.Run(); err != nil {
			out, errOut := output()
			t.Fatalf("reg %q: %v\n%s%s", line, err, out, errOut)
		}
	}
	for _, size := range sizes {
		other := manifestFile(t, "other.json", `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_other","type":"GLOBAL","api_version":"1.3.0",
			"implementation_version":"1","description":"a test","library_path":`+quoted(windowsPath(t, size, `layers\VkLayer_drawstats.dll`))+`}}`)
		for _, fault := range []struct{ code, key, name, kind string }{
			{"registry-off", `HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers`, `C:\gone\layer.json`, "REG_SZ"},
			{"registry-stale", `HKLM\SOFTWARE\Khronos\Vulkan\Drivers`, `C:\gone\driver.json`, "REG_DWORD"},
			{"registry-stale", `HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers`, `C:\gone\layer.json`, "REG_DWORD"},
			{"registry-off", `HKLM\SOFTWARE\Khronos\Vulkan\ExplicitLayers`, other, "REG_SZ"},
		} {
			before := asked[examined](t, size, 0, "doctor")
			if before.find(fault.code) >= 0 || len(before.Drivers) != 1 || len(before.Loaders) != 1 {
				t.Fatalf("%s: %+v", size, before)
			}
			reg("add", fault.key, "/v", fault.name, "/t", fault.kind, "/d", "0", "/f", "/reg:"+bits[size])
			found := asked[examined](t, size, 0, "doctor")
			at := found.find(fault.code)
			if at < 0 || len(found.Findings[at].Commands) != 1 {
				reg("delete", fault.key, "/v", fault.name, "/f", "/reg:"+bits[size])
				t.Fatalf("%s: %s is not found: %+v", size, fault.name, found)
			}
			line := found.Findings[at].Commands[0]
			words := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1)
			for i := range words {
				words[i] = strings.Trim(words[i], `"`)
			}
			if words[0] != "reg" || !slices.Contains(words, fault.name) || !slices.Contains(words, fault.key) {
				t.Errorf("%s: %s", size, line)
			}
			reg(words[1:]...)
			if after := asked[examined](t, size, 0, "doctor"); after.find(fault.code) >= 0 {
				t.Errorf("%s: after %s: %+v", size, line, after)
			}
			if words[1] == "add" {
				reg("delete", fault.key, "/v", fault.name, "/f", "/reg:"+bits[size])
			}
		}
	}
}

// The probe lists lavapipe's devices, and doctor loads the driver with it.
func TestToolDevices(t *testing.T) {
	for _, size := range sizes {
		devices := asked[struct {
			Devices []struct {
				Name string
				In   bool
			}
		}](t, size, 0, "list", "devices").Devices
		if len(devices) != 1 || !devices[0].In || !strings.HasPrefix(devices[0].Name, "llvmpipe") {
			t.Errorf("%s: %+v", size, devices)
		}
		info := asked[struct {
			Details struct {
				Library string
				Times   []struct{ Phase string }
			}
		}](t, size, 0, "list", "devices", "--details").Details
		if info.Library != windowsPath(t, size, "vulkan-1.dll") || len(info.Times) < 6 {
			t.Errorf("%s: %+v", size, info)
		}
		probed := asked[examined](t, size, 0, "doctor", "--probe")
		if !isWorking(&probed) || len(probed.Probes) != 2 || probed.Probes[0].Name != "winevulkan.json" || probed.Probes[0].Result != "ok" {
			t.Errorf("%s: %+v", size, probed)
		}
		chain, _ := tool(t, size, 0, "explain", "--picture", "--env", "VK_INSTANCE_LAYERS="+sampleLayer)
		for _, want := range []string{"winevulkan.json", "llvmpipe", sampleLayer} {
			if !strings.Contains(chain, want) {
				t.Errorf("%s: no %s in\n%s", size, want, chain)
			}
		}
	}
}

// A program that is run gets the variables and returns its exit code; its loader's lines go to a file.
func TestToolRun(t *testing.T) {
	for _, size := range sizes {
		out, _ := tool(t, size, 7, "run", "--no-layers", "--", `C:\windows\system32\cmd.exe`, "/c", "set VK_& exit 7")
		if !strings.Contains(out, "VK_LOADER_LAYERS_DISABLE=~all~") {
			t.Errorf("%s: %s", size, out)
		}
		dir, _ := root(t)
		const file = "/root/prefix/drive_c/vkloader-log.txt"
		out, errOut := tool(t, size, 0, "run", "--log", `C:\vkloader-log.txt`, "--device", "0", "--", windowsPath(t, size, `test\compute.exe`),
			windowsPath(t, size, "vulkan-1.dll"), "10")
		log, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(log), "Vulkan Loader: Z:") || strings.Contains(errOut, "Vulkan Loader") || !strings.Contains(out, "result 10,") {
			t.Errorf("%s: %v\n%s\n%s\n%s", size, err, log, out, errOut)
		}
		out, errOut = tool(t, size, 0, "run", "--time", "--", windowsPath(t, size, `test\compute.exe`), windowsPath(t, size, "vulkan-1.dll"), "10")
		if !strings.Contains(out, "result 10,") || strings.Contains(errOut, "Vulkan Loader") ||
			!regexp.MustCompile(`the loader wrote its first line [0-9.]+ .?s after the start of the program; opening drivers and layers took [0-9.]+ `).MatchString(errOut) ||
			!regexp.MustCompile(`(?m)^ +driver .*winevulkan\.dll +[1-9]`).MatchString(errOut) {
			t.Errorf("%s: %s\n%s", size, out, errOut)
		}
		tool(t, size, 127, "run", "--", "no-such-program.exe")
		if _, errOut := tool(t, size, 3, "system", "status"); !strings.Contains(errOut, "not on Windows: ") {
			t.Errorf("%s: %s", size, errOut)
		}
	}
}

// Settings are written to a file of the user, which the registry names. They apply to programs that are not elevated, and can be removed.
//
// holds: WIN-081 WIN-082
func TestToolSettings(t *testing.T) {
	for _, size := range sizes {
		tool(t, size, 0, "settings", "set", "--layer", sampleLayer+"=on")
		active := func(args ...string) bool {
			said := asked[explained](t, size, 0, append([]string{"explain"}, args...)...)
			return len(said.In) > 0 && said.In[0].Name == sampleLayer
		}
		if !active("--elevated=false") || active() { // in Wine all programs are elevated
			t.Errorf("%s: the settings do not count, or for elevated programs too", size)
		}
		const file = `C:\windows\temp\vulkan.log`
		tool(t, size, 0, "settings", "set", "--log-file", file)
		if out, _ := tool(t, size, 0, "settings", "show"); !strings.Contains(out, "log file: "+file) {
			t.Errorf("%s: %s", size, out)
		}
		for path, why := range map[string]string{`C:\gone\log`: `C:\gone`, `C:\windows\temp`: "not a regular file"} {
			if _, errOut := tool(t, size, 1, "settings", "set", "--log-file", path); !strings.Contains(errOut, why) {
				t.Errorf("%s: %s: %s", size, path, errOut)
			}
		}
		shown := asked[struct{ Ours bool }](t, size, 0, "settings", "show")
		tool(t, size, 0, "settings", "clear")
		if !shown.Ours || active("--elevated=false") {
			t.Errorf("%s: %+v", size, shown)
		}
		// the second of its expiry has begun
		tool(t, size, 0, "settings", "set", "--layer", sampleLayer+"=on", "--expires", "1ms")
		if _, errOut := tool(t, size, 0, "run", "--", `C:\windows\system32\cmd.exe`, "/c", "exit 0"); !strings.Contains(errOut, " expired at ") {
			t.Errorf("%s: run leaves settings whose time is over: %s", size, errOut)
		}
		cmd, output := wine(t, "reg", "query", `HKCU\SOFTWARE\Khronos\Vulkan\LoaderSettings`)
		_ = cmd.Run()
		if out, _ := output(); strings.Contains(out, "vk_loader_settings") {
			t.Errorf("%s: %s", size, out)
		}
	}
}

// A program that has loaded the DLL is listed, with its driver.
func TestToolPs(t *testing.T) {
	for _, size := range sizes {
		program, output := wine(t, windowsPath(t, size, `test\present.exe`), "win32", "100000", "--library", windowsPath(t, size, "vulkan-1.dll"))
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		found := ""
		var ended atomic.Bool
		gone := make(chan struct{})
		go func() {
			_ = program.Wait()
			ended.Store(true)
			close(gone)
		}()
		for found == "" && !ended.Load() { // the program draws until it is ended
			list := asked[struct {
				Processes []struct {
					Name    string
					Class   json.Number
					Loaders []struct{ File string }
					Drivers []struct{ Name string }
				}
			}](t, size, 0, "ps")
			for _, p := range list.Processes {
				if p.Name == "present.exe" && len(p.Loaders) == 1 && len(p.Drivers) == 1 {
					found = p.Class.String() + " " + p.Drivers[0].Name + " " + p.Loaders[0].File
				}
			}
		}
		_ = program.Process.Kill()
		<-gone
		if found != bits[size]+" winevulkan.json "+windowsPath(t, size, "vulkan-1.dll") {
			out, errOut := output()
			t.Errorf("%s: %q\n%s%s", size, found, out, errOut)
		}
	}
}

// A variable that names a missing file is a fault for programs that read it, and not for elevated ones, which ignore
// it.
//
// holds: WIN-057
func TestToolEnv(t *testing.T) {
	for _, size := range sizes {
		const bad = `VK_DRIVER_FILES=C:\gone\driver.json`
		out, _ := tool(t, size, 0, "list", "variables", "--set", "--env", bad) // in Wine all programs are elevated
		if !strings.Contains(out, "ignored  VK_DRIVER_FILES ") || strings.Contains(out, "variable-nothing") {
			t.Errorf("%s: %s", size, out)
		}
		out, _ = tool(t, size, 1, "list", "variables", "--set", "--elevated=false", "--env", bad)
		if !strings.Contains(out, "in force  VK_DRIVER_FILES ") || !strings.Contains(out, "variable-nothing") || !strings.Contains(out, `set "VK_DRIVER_FILES="`) {
			t.Errorf("%s: %s", size, out)
		}
	}
}
