package windows

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verdict has parts of the output of run --find-culprit.
type verdict struct {
	Result   string
	Culprits []struct{ Kind, Name string }
	Runs     []struct{ Good bool }
	What     string
	Process  string
	Files    []string
	Phase    string
	Fix      string
	Notes    []string
	Loader   struct{ File, Version string }
}

// registered writes a manifest and registers it below a key of the machine, for programs of the word size, until the
// end of the test.
func registered(t *testing.T, size, key, name, text string) {
	t.Helper()
	dir, _ := root(t)
	file := filepath.Join(dir, "root/prefix/drive_c", name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	value := func(change string, more ...string) {
		words := slices.Concat([]string{dir, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin", "WINEPREFIX=/root/prefix", "WINEDEBUG=-all",
			"wine", "reg", change, `HKLM\SOFTWARE\Khronos\Vulkan\` + key, "/v", `C:\` + name, "/f", "/reg:" + bits[size]}, more)
		if err := exec.Command("chroot", words...).Run(); err != nil {
			t.Errorf("reg %s %s: %v", change, name, err)
		}
	}
	value("add", "/t", "REG_DWORD", "/d", "0")
	t.Cleanup(func() { // the test's context has ended
		value("delete")
		_ = os.Remove(file)
	})
}

// implicitLayer registers a layer with a disable variable.
func implicitLayer(t *testing.T, size, name, library string) {
	t.Helper()
	registered(t, size, "ImplicitLayers", name+".json", `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_`+name+`","type":"GLOBAL","api_version":"1.3.0",
		"implementation_version":"1","description":"a test","library_path":`+quoted(library)+`,"disable_environment":{"DISABLE_`+name+`":"1"}}}`)
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// hunted runs a program with --find-culprit.
func hunted(t *testing.T, size string, code int, options []string, program ...string) verdict {
	t.Helper()
	out, errOut := tool(t, size, code, slices.Concat([]string{"run", "--find-culprit", "--json"}, options, []string{"--"}, program)...)
	var v verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	return v
}

// computing returns a program that computes for a second on Wine's driver.
func computing(t *testing.T, size string) []string {
	t.Helper()
	return []string{windowsPath(t, size, `test\compute.exe`), windowsPath(t, size, "vulkan-1.dll"), "10"}
}

// A layer that crashes or hangs the program is named, with the library in which the program was, and with variables with which the program
// works. A layer that calls abort is found by its effect only.
func TestFindCulpritLayer(t *testing.T) {
	for _, size := range sizes {
		for _, c := range []struct {
			library, what string
			options       []string
		}{
			{"crash.dll", "killed by an access violation in ", nil},
			{"hang.dll", "it hung in ", []string{"--hangs-after", "20s"}},
			{"abort.dll", "ended with exit code 3, as abort() ends programs", nil},
		} {
			t.Run(size+" "+c.library, func(t *testing.T) {
				library := windowsPath(t, size, `test\`+c.library)
				implicitLayer(t, size, "first", windowsPath(t, size, `layers\VkLayer_drawstats.dll`))
				implicitLayer(t, size, "bad", library)
				if c.library == "crash.dll" { // doctor's trials use the variables of --env
					if e := asked[examined](t, size, 1, "doctor"); !strings.HasPrefix(e.Verdict, "Broken: ") {
						t.Errorf("doctor says %q", e.Verdict)
					}
					if e := asked[examined](t, size, 0, "doctor", "--env", "DISABLE_bad=1"); strings.HasPrefix(e.Verdict, "Broken: ") {
						t.Errorf("doctor says %q of what is left without the layer", e.Verdict)
					}
				}
				v := hunted(t, size, 1, c.options, computing(t, size)...)
				if v.Result != "found" || len(v.Culprits) != 1 || v.Culprits[0].Name != "VK_LAYER_bad" || v.Culprits[0].Kind != "layer" || !strings.HasPrefix(v.What, c.what) ||
					!strings.HasPrefix(v.Phase, "while the loader opened the layer ") || len(v.Runs) > 6 {
					t.Fatalf("%+v", v)
				}
				if !strings.HasPrefix(v.Fix, `set "DISABLE_bad=1" & `+windowsPath(t, size, `test\compute.exe`)) {
					t.Errorf("fix: %s", v.Fix)
				}
				if c.library != "abort.dll" && (!slices.Contains(v.Files, library) || !strings.EqualFold(v.Process, computing(t, size)[0])) {
					t.Errorf("where it stood: %+v", v)
				}
			})
		}
	}
}

// A program that works has no culprit; its exit code counts, except on request. A driver that crashes is named by the code address of the crash:
// in Wine every process is elevated, so no variable excludes a driver, and the verdict says so.
func TestFindCulpritDriver(t *testing.T) {
	for _, size := range sizes {
		if v := hunted(t, size, 0, nil, computing(t, size)...); v.Result != "fine" || len(v.Runs) != 1 {
			t.Errorf("%s: of a program that works: %+v", size, v)
		}
		exits := []string{`C:\windows\system32\cmd.exe`, "/c", "exit 7"}
		if v := hunted(t, size, 0, []string{"--fails-with", "crash"}, exits...); v.Result != "fine" || v.What != "ended with exit code 7" {
			t.Errorf("%s: %+v", size, v)
		}
		if v := hunted(t, size, 1, nil, exits...); v.Result != "elsewhere" || v.Phase != "before the program used the loader" {
			t.Errorf("%s: %+v", size, v)
		}
		registered(t, size, "Drivers", "crashes.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":`+
			quoted(windowsPath(t, size, `test\crash.dll`))+`}}`)
		if e := asked[examined](t, size, 1, "doctor"); !strings.HasPrefix(e.Verdict, "Broken: crashes.json crashes; ") {
			t.Errorf("%s: doctor says %q", size, e.Verdict)
		}
		v := hunted(t, size, 1, nil, computing(t, size)...)
		library := windowsPath(t, size, `test\crash.dll`)
		if v.Result != "elsewhere" || v.What != "killed by an access violation in "+library || !slices.Contains(v.Files, windowsPath(t, size, "vulkan-1.dll")) ||
			v.Phase != "while the loader opened the driver "+library ||
			!slices.Contains(v.Notes, "variables cannot leave out crashes.json; the program runs with more rights than its user, and ignores most variables") {
			t.Errorf("%s: of a driver that crashes: %+v", size, v)
		}
	}
}

// A loader in the program's directory takes precedence. An old one knows no variable that excludes a driver, and the verdict names it. The
// old loader here passes every command to this project's.
func TestFindCulpritWithOldLoader(t *testing.T) {
	for _, size := range sizes {
		dir, top := root(t)
		at := filepath.Join(dir, "root/prefix/drive_c/oldgame")
		must(t, os.MkdirAll(at, 0o755))
		t.Cleanup(func() { os.RemoveAll(at) })
		for from, to := range map[string]string{"test/compute.exe": "game.exe", "vulkan-1.dll": "real.dll"} {
			data, err := os.ReadFile(filepath.Join(dir, top, "build/windows", size, from))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(at, to), data, 0o755))
		}
		list, err := os.ReadFile("../../../spine/gen/zexports.def")
		must(t, err)
		forwards := "EXPORTS\n"
		for _, m := range regexp.MustCompile(`(?m)^    (\w+) = `).FindAllStringSubmatch(string(list), -1) {
			forwards += m[1] + " = real." + m[1] + "\n"
		}
		source := filepath.Join(t.TempDir(), "old.c")
		must(t, os.WriteFile(source, []byte(oldLoader), 0o600))
		must(t, os.WriteFile(source+".def", []byte(forwards+"says\n"), 0o600))
		if text, err := exec.Command(compilers[size], "-shared", "-o", filepath.Join(at, "vulkan-1.dll"), source, source+".def").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		registered(t, size, "Drivers", "crashes.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":`+
			quoted(windowsPath(t, size, `test\crash.dll`))+`}}`)
		v := hunted(t, size, 1, nil, `C:\oldgame\game.exe`, `C:\oldgame\vulkan-1.dll`, "10")
		if note := `variables cannot leave out crashes.json; the program gets C:\oldgame\vulkan-1.dll, version 1.2.141, which may not read the variables that disable layers`; !slices.Contains(v.Notes, note) ||
			v.Loader.Version != "1.2.141" || v.Loader.File != `C:\oldgame\vulkan-1.dll` {
			t.Errorf("%s: %+v", size, v)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
