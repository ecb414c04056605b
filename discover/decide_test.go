package discover_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide/workers"
	"vkloader/internal/tool/cli"
)

// manifest returns a driver manifest with a library.
func manifest(library string) *fstest.MapFile {
	return text(`{"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`)
}

// layer returns the manifest of a layer.
func layer(name, more string) *fstest.MapFile {
	return text(`{"file_format_version":"1.2.0","layer":{"name":"` + name + `","type":"GLOBAL","library_path":"/l/` + name +
		`.so","api_version":"1.3.0","implementation_version":"1","description":"d"` + more + `}}`)
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }

// mixed returns a file system with drivers and layers of all kinds.
func mixed() fstest.MapFS {
	return fstest.MapFS{
		"usr/share/vulkan/icd.d/a.json":                     manifest("liba.so"),
		"usr/share/vulkan/icd.d/b.json":                     manifest("/d/libb.so"),
		"usr/share/vulkan/icd.d/bad.json":                   text("{\n\"ICD\": }"),
		"etc/vulkan/icd.d/c.json":                           {Data: []byte("/usr/share/c/c.json"), Mode: fs.ModeSymlink},
		"usr/share/c/c.json":                                manifest("libc.so"),
		"usr/share/vulkan/implicit_layer.d/on.json":         layer("VK_LAYER_on", `,"disable_environment":{"NO_ON":"1"}`),
		"usr/share/vulkan/implicit_layer.d/off.json":        layer("VK_LAYER_off", `,"enable_environment":{"YES":"1"},"disable_environment":{"NO":"1"}`),
		"usr/share/vulkan/explicit_layer.d/named.json":      layer("VK_LAYER_named", ""),
		"home/u/.local/share/vulkan/icd.d/own.json":         manifest("libown.so"),
		"usr/bin/program":                                   text("#!/bin/sh\n"),
		"home/u/.local/share/vulkan/explicit_layer.d/x.txt": text("no manifest"),
	}
}

// below writes a file system into a new directory and returns the directory.
func below(t testing.TB, files fstest.MapFS) string {
	t.Helper()
	root := t.TempDir()
	for name, f := range files {
		at := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		switch {
		case err != nil:
		case f.Mode&fs.ModeSymlink != 0:
			err = os.Symlink(string(f.Data), at)
		case f.Mode.IsDir():
			err = os.MkdirAll(at, 0o755)
		default:
			err = os.WriteFile(at, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var variables = []string{"HOME=/home/u", "VK_INSTANCE_LAYERS=VK_LAYER_named:VK_LAYER_gone", "VK_LOADER_DRIVERS_DISABLE=b*"}

// tool returns the JSON that the tool prints, without the tool's additions: fixes and packages.
func tool(t testing.TB, args ...string) (answer any) {
	t.Helper()
	var out, errOut strings.Builder
	cli.Main(append([]string{"vkloader"}, args...), nil, &out, &errOut)
	if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
		t.Fatalf("%s: %v\n%s%s", args, err, &out, &errOut)
	}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"change", "do", "commands", "package"} {
				delete(v, name)
			}
			for _, member := range v {
				strip(member)
			}
		case []any:
			for _, element := range v {
				strip(element)
			}
		}
	}
	strip(answer)
	return answer
}

// said returns a value after conversion to JSON and back.
func said(t testing.TB, value any) (answer any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// A directory, a file system in memory and the tool give the same answer.
func TestAnswerIsTheTools(t *testing.T) {
	t.Parallel()
	root := below(t, mixed())
	program := discover.Program{Path: "/usr/bin/program", Env: variables}
	answer, err := discover.Decide(t.Context(), discover.Root(root), program)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--root", root, "--json"}
	for _, v := range variables {
		args = append(args, "--env", v)
	}
	if want := tool(t, append([]string{"explain", "--app", program.Path}, args...)...); !reflect.DeepEqual(said(t, answer), want) {
		t.Errorf("%v\nthe tool: %v", said(t, answer), want)
	}
	memory, err := discover.Decide(t.Context(), discover.Files(mixed()), program)
	if err != nil || !reflect.DeepEqual(said(t, memory), said(t, answer)) {
		t.Errorf("in memory: %v, %v", said(t, memory), err)
	}
	alone, err := discover.Decide(t.Context(), discover.Root(root), discover.Program{Env: variables})
	if err != nil {
		t.Fatal(err)
	}
	if want := tool(t, append([]string{"list", "drivers"}, args...)...); !reflect.DeepEqual(said(t, alone.DriverList()), want) {
		t.Errorf("%v\nthe tool: %v", said(t, alone.DriverList()), want)
	}
	if want := tool(t, append([]string{"list", "layers"}, args...)...); !reflect.DeepEqual(said(t, alone.LayerList()), want) {
		t.Errorf("%v\nthe tool: %v", said(t, alone.LayerList()), want)
	}
	var again discover.Answer
	data, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(data, &again)
	}
	if err != nil || !reflect.DeepEqual(said(t, &again), said(t, answer)) || len(again.Drivers) != len(answer.Drivers) {
		t.Errorf("read again: %+v, %v", again, err)
	}
	if json.Unmarshal([]byte(`{"schema":2,"in":[],"out":[]}`), &again) == nil {
		t.Error("an answer with another schema is read")
	}
}

// A reason has a code, a sentence, and the place in the file.
func TestReasons(t *testing.T) {
	t.Parallel()
	answer, err := discover.Decide(t.Context(), discover.Files(mixed()).WithEnv(variables...), discover.Program{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range answer.Drivers {
		got = append(got, d.Name+" "+string(d.Reason.Code))
		if d.Used != (d.Reason.Code == discover.DriverUsed) || d.Used != (d.Order > 0) || d.Reason.Text == "" || d.Reason.File != d.Manifest {
			t.Errorf("%+v", d)
		}
		if d.Name == "bad.json" && (d.Reason.Line != 2 || d.Reason.Column == 0 || !strings.HasPrefix(d.Reason.String(), "/usr/share/vulkan/icd.d/bad.json:2:")) {
			t.Errorf("%+v", d.Reason)
		}
	}
	slices.Sort(got)
	want := []string{"a.json driver-used", "b.json driver-disabled", "bad.json file-syntax", "c.json driver-used", "own.json driver-used"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var layers []string
	for _, l := range answer.Layers {
		layers = append(layers, l.Name+" "+string(l.Reason.Code))
	}
	slices.Sort(layers)
	want = []string{"VK_LAYER_named layer-active", "VK_LAYER_off layer-inactive", "VK_LAYER_on layer-active"}
	if !slices.Equal(layers, want) {
		t.Errorf("%q, want %q", layers, want)
	}
}

// The tool's table of findings contains every code of this package.
func TestCodes(t *testing.T) {
	t.Parallel()
	known := map[discover.Code]bool{}
	diag.Codes(func(c diag.Code, _ *diag.Entry) { known[discover.Code(c.String())] = true })
	for _, c := range []discover.Code{discover.DriverUsed, discover.DriverField, discover.DriverVariant, discover.DriverArchitecture,
		discover.DriverPortability, discover.DriverDisabled, discover.DriverNotSelected, discover.DriverNoHardware, discover.DriverAsleep,
		discover.FileOpen, discover.FileRead, discover.FileSyntax, discover.LayerActive, discover.LayerInactive, discover.LayerDisabled,
		discover.LayerBlacklisted, discover.LayerDuplicate, discover.LayerArchitecture, discover.LayerMissing, discover.SettingsUsed} {
		if !known[c] {
			t.Errorf("the table has no %s", c)
		}
	}
}

// Each failure of a question has its own error.
func TestErrors(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	answer, err := discover.Decide(t.Context(), discover.Files(fstest.MapFS{}), discover.Program{})
	if !errors.Is(err, discover.ErrNoDriver) || answer == nil || len(answer.DriverList().Places) == 0 {
		t.Errorf("without a driver: %+v, %v", answer, err)
	}
	off := fstest.MapFS{"usr/share/vulkan/icd.d/a.json": manifest("liba.so")}
	answer, err = discover.Decide(t.Context(), discover.Files(off), discover.Program{Env: []string{"VK_LOADER_DRIVERS_DISABLE=*"}})
	if !errors.Is(err, discover.ErrNoDriver) || answer == nil || len(answer.Drivers) != 1 || !strings.Contains(err.Error(), "a.json: ") {
		t.Errorf("with a driver that is out: %+v, %v", answer, err)
	}
	for _, c := range []struct {
		name    string
		ctx     context.Context
		host    *discover.Host
		program discover.Program
		want    error
	}{
		{"cancelled", over, discover.Local(), discover.Program{}, context.Canceled},
		{"no root", t.Context(), discover.Root("/no/such/root"), discover.Program{}, fs.ErrNotExist},
		{"a root without a name", t.Context(), discover.Root(""), discover.Program{}, fs.ErrNotExist},
		{"no program", t.Context(), discover.Files(mixed()), discover.Program{Path: "/usr/bin/none"}, fs.ErrNotExist},
		{"no name in PATH", t.Context(), discover.Files(mixed()), discover.Program{Path: "program"}, fs.ErrNotExist},
		{"a directory", t.Context(), discover.Files(mixed()), discover.Program{Path: "/usr/bin"}, fs.ErrInvalid},
		{"48 bits", t.Context(), discover.Local(), discover.Program{Bits: 48}, discover.ErrUnsupported},
	} {
		if answer, err := discover.Decide(c.ctx, c.host, c.program); !errors.Is(err, c.want) || answer != nil {
			t.Errorf("%s: %v, %v", c.name, answer, err)
		}
	}
}

// A program's name is found in the PATH of its variables, or of the host, and has the answer of its path.
func TestProgramInPATH(t *testing.T) {
	t.Parallel()
	files := mixed()
	files["home/u/.local/share/vulkan/loader_settings.d/vk_loader_settings.json"] = text(`{"file_format_version": "1.0.0",
		"settings": {"app_keys": ["/usr/bin/program"], "layers": [{"name": "VK_LAYER_named", "path":
		"/usr/share/vulkan/explicit_layer.d/named.json", "control": "on"}]}}`)
	host := discover.Files(files)
	const home, path = "HOME=/home/u", "PATH=/none:/usr/bin"
	byPath, err := discover.Decide(t.Context(), host, discover.Program{Path: "/usr/bin/program", Env: []string{home}})
	if err != nil || !slices.ContainsFunc(byPath.Layers, func(l discover.Layer) bool { return l.Name == "VK_LAYER_named" && l.Used }) {
		t.Fatalf("%+v, %v", byPath, err)
	}
	for name, c := range map[string]struct {
		host *discover.Host
		env  []string
	}{
		"the program's": {host, []string{home, path}},
		"the host's":    {host.WithEnv(path), []string{home}},
	} {
		byName, err := discover.Decide(t.Context(), c.host, discover.Program{Path: "program", Env: c.env})
		if err != nil || !reflect.DeepEqual(said(t, byName), said(t, byPath)) {
			t.Errorf("%s PATH: %v, %v\nby path: %v", name, said(t, byName), err, said(t, byPath))
		}
	}
}

// stopping cancels a context when a file is opened.
type stopping struct {
	fs.FS
	stop func()
}

func (s stopping) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".json") {
		s.stop()
	}
	return s.FS.Open(name)
}

// A context that ends during a decision ends the decision.
func TestContextIsObeyed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if answer, err := discover.Decide(ctx, discover.Files(stopping{mixed(), cancel}), discover.Program{}); !errors.Is(err, context.Canceled) || answer != nil {
		t.Errorf("%v, %v", answer, err)
	}
}

// The variables are the program's, or else the host's. Only the running system has this process's variables.
func TestVariables(t *testing.T) {
	t.Setenv("VK_LOADER_DRIVERS_DISABLE", "*")
	files := fstest.MapFS{"usr/share/vulkan/icd.d/a.json": manifest("liba.so"), "d/b.json": manifest("libb.so")}
	for _, c := range []struct {
		host *discover.Host
		env  []string
		want string
	}{
		{discover.Files(files), nil, "/usr/share/vulkan/icd.d/a.json"},
		{discover.Files(files).WithEnv("VK_DRIVER_FILES=/d/b.json"), nil, "/d/b.json"},
		{discover.Files(files).WithEnv("VK_DRIVER_FILES=/d/b.json"), []string{}, "/usr/share/vulkan/icd.d/a.json"},
		{discover.Local(), nil, ""},
	} {
		answer, err := discover.Decide(t.Context(), c.host, discover.Program{Env: c.env})
		got := ""
		if err == nil {
			got = answer.Drivers[0].Manifest
		} else if !errors.Is(err, discover.ErrNoDriver) {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.host, c.env, got, c.want)
		}
	}
}

// Several goroutines can use one host.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	host := discover.Root(below(t, mixed()))
	var wait workers.Group
	for range 8 {
		wait.Go(func() {
			if answer, err := discover.Decide(t.Context(), host, discover.Program{Env: variables}); err != nil || len(answer.Drivers) != 5 {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
	wait.Wait()
}

// A root is opened for each question and closed afterwards. A later directory at its path therefore counts.
func TestRootIsNotKept(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	host := discover.Root(root)
	for _, name := range []string{"a.json", "b.json"} {
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(below(t, fstest.MapFS{"etc/vulkan/icd.d/" + name: manifest("liba.so")}), root); err != nil {
			t.Fatal(err)
		}
		answer, err := discover.Decide(t.Context(), host, discover.Program{})
		if err != nil || answer.Drivers[0].Name != name {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if target, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(target, root) {
			t.Errorf("%s is still open", target)
		}
	}
}
