package windows

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// reg runs Windows' reg.exe.
func reg(t *testing.T, line ...string) string {
	t.Helper()
	cmd, output := wine(t, append([]string{"reg"}, line...)...)
	err := cmd.Run()
	out, errOut := output()
	if err != nil {
		t.Fatalf("reg %q: %v\n%s%s", line, err, out, errOut)
	}
	return out
}

// local returns the path of a file in the user's directory of the tool.
func local(t *testing.T, name string) string {
	dir, _ := root(t)
	return filepath.Join(dir, "root/prefix/drive_c/users/root/AppData/Local/vkloader", name)
}

// "doctor --fix" exports and deletes the values of uninstalled programs, of all users and of one. --undo restores them, and so would
// importing the exported file.
func TestToolFix(t *testing.T) {
	const drivers, layers = `HKLM\SOFTWARE\Khronos\Vulkan\Drivers`, `HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers`
	for _, size := range sizes {
		// values of one size are deleted before the next, whose doctor examines both registry views
		t.Run(size, func(t *testing.T) {
			view := "/reg:" + bits[size]
			defer func() {
				for _, value := range [][2]string{{drivers, `C:\gone\driver.json`}, {layers, `C:\gone\obs-vulkan64.json`}} {
					cmd, _ := wine(t, "reg", "delete", value[0], "/v", value[1], "/f", view)
					_ = cmd.Run() // the value may not exist
				}
			}()
			reg(t, "add", drivers, "/v", `C:\gone\driver.json`, "/t", "REG_DWORD", "/d", "0", "/f", view)
			reg(t, "add", layers, "/v", `C:\gone\obs-vulkan64.json`, "/t", "REG_DWORD", "/d", "0", "/f")
			gone := func() [2]bool {
				return [2]bool{!strings.Contains(reg(t, "query", drivers, view), `C:\gone`), !strings.Contains(reg(t, "query", layers), `C:\gone`)}
			}
			if _, errOut := tool(t, size, 2, "doctor", "--fix"); !strings.Contains(errOut, "--yes") {
				t.Errorf("%s: %s", size, errOut)
			}
			tool(t, size, 1, "doctor", "--undo")
			out, _ := tool(t, size, 0, "doctor", "--fix", "--yes")
			if !strings.HasPrefix(out, "warning registry-stale: ") || !strings.Contains(out, "\n2 steps done;") || gone() != [2]bool{true, true} {
				t.Fatalf("%s: %v\n%s", size, gone(), out)
			}
			out, _ = tool(t, size, 0, "doctor", "--undo")
			if strings.Count(out, " restored\n") != 2 || gone() != [2]bool{} {
				t.Errorf("%s: %v\n%s", size, gone(), out)
			}
			if _, err := os.Stat(local(t, "undo.json")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: the undo file is there: %v", size, err)
			}
		})
	}
}

// The report for a bug tracker has the findings.
func TestToolMarkdown(t *testing.T) {
	for _, size := range sizes {
		out, _ := tool(t, size, 0, "doctor", "--no-probe", "--markdown")
		for _, want := range []string{"## vkloader doctor\n", "\nDrivers\n", "  used   winevulkan.json ", " warning", "\nSystem  Windows"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", size, want, out)
			}
		}
	}
}

// Two readers agree: the tool on the running registry, and the tool on another system with the registry and the manifests in a bundle.
func TestToolReadersAgree(t *testing.T) {
	for _, size := range sizes {
		const archive = `C:\bundle.tar.gz`
		listed, _ := tool(t, size, 0, "bundle", "--force", "--no-probe", "-o", archive)
		if !strings.Contains(listed, "registry.reg") || strings.Contains(listed, "failed: ") {
			t.Fatalf("%s: %s", size, listed)
		}
		dir, _ := root(t)
		to := unpack(t, filepath.Join(dir, "root/prefix/drive_c/bundle.tar.gz"))
		for _, other := range []string{"64", "32"} {
			if bits[size] == "32" && other == "64" {
				continue // a 64-bit system answers only its own tool for both sizes
			}
			for _, question := range [][]string{{"explain"}, {"list", "paths"}, {"list", "drivers"}, {"list", "layers"}} {
				own := append(slices.Clone(question), "--json", "--bits", other)
				if question[0] == "list" { // for another system, the answer is for programs that are not elevated
					own = append(own, "--elevated=false")
				}
				live, _ := tool(t, size, 0, own...)
				args := append(question, "--json", "--bits", other, "--platform", "windows", "--root", filepath.Join(to, "files"),
					"--registry", filepath.Join(to, "registry.reg"))
				if question[0] == "explain" {
					args = append(args, "--elevated")
				}
				read, err := exec.Command("../../../build/vkloader", args...).Output()
				if err != nil {
					t.Fatalf("%q: %v", args, err)
				}
				if got, want := comparable(t, read), comparable(t, []byte(live)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, programs of %s bits, %q: by the bundle\n%s\nlive\n%s", size, other, question, read, live)
				}
			}
		}
	}
}

// comparable returns an answer without advice and stages, which need a running system.
func comparable(t *testing.T, answer []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		t.Fatalf("%v\n%s", err, answer)
	}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range []string{"do", "change", "commands", "stage"} {
				delete(v, member)
			}
			for _, inner := range v {
				strip(inner)
			}
		case []any:
			for _, inner := range v {
				strip(inner)
			}
		}
	}
	strip(value)
	return value
}

func unpack(t *testing.T, archive string) (to string) {
	t.Helper()
	to = t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for all := tar.NewReader(zip); ; {
		head, err := all.Next()
		if errors.Is(err, io.EOF) {
			return to
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(head.Name, "/")
		file := filepath.Join(to, filepath.Clean("/"+name))
		text, err := io.ReadAll(all)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o755)
		}
		if err == nil {
			err = os.WriteFile(file, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Settings with --until-changed exclude a layer from programs that are not elevated.
func TestToolExcludesUntilChanged(t *testing.T) {
	for _, size := range sizes {
		active := func() bool {
			said := asked[explained](t, size, 0, "explain", "--elevated=false", "--env", "VK_INSTANCE_LAYERS="+sampleLayer)
			return len(said.In) > 0 && said.In[0].Name == sampleLayer
		}
		if !active() {
			t.Fatalf("%s: the layer is not there", size)
		}
		tool(t, size, 0, "settings", "set", "--elevated=false", "--layer", sampleLayer+"=off", "--until-changed")
		shown, _ := tool(t, size, 0, "settings", "show")
		out := !active()
		tool(t, size, 0, "settings", "clear")
		if !out || !strings.Contains(shown, sampleLayer+" off until ") || !active() {
			t.Errorf("%s: out %v, back %v, %s", size, out, active(), shown)
		}
	}
}

// Of the commands on Linux, only these do nothing on Windows and say so; the others have their help.
func TestToolCommands(t *testing.T) {
	nothing := []string{"cdi", "service", "system"}
	pages, err := filepath.Glob("../../../build/share/man/man1/vkloader-*.1")
	if err != nil || len(pages) < 12 {
		t.Fatalf("%q, %v", pages, err)
	}
	for _, size := range sizes {
		for _, page := range pages {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(page), "vkloader-"), ".1")
			if strings.Contains(name, "-") {
				continue // of a subcommand
			}
			if slices.Contains(nothing, name) {
				if _, errOut := tool(t, size, 3, name); !strings.HasPrefix(errOut, "vkloader: not on Windows: ") {
					t.Errorf("%s: %s: %s", size, name, errOut)
				}
			} else if out, _ := tool(t, size, 0, name, "--help"); !strings.Contains(out, "vkloader "+name) {
				t.Errorf("%s: %s: %s", size, name, out)
			}
		}
	}
}

// The drivers' devices are compared as on Linux.
func TestToolCheck(t *testing.T) {
	for _, size := range sizes {
		if out, _ := tool(t, size, 0, "check", "--require", "type=cpu,api=1.1"); !strings.HasPrefix(out, "All requirements are met.\n") {
			t.Errorf("%s: %s", size, out)
		}
		tool(t, size, 14, "check", "--require", "type=discrete")
	}
}
