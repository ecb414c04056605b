package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/dlltest"
	"vkloader/test/lib/world"
)

const (
	windowsKeys = "Windows Registry Editor Version 5.00\n" +
		"[HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\Drivers]\n\"C:\\\\d\\\\a.json\"=dword:0\n" +
		"[HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\ImplicitLayers]\n\"C:\\\\d\\\\l.json\"=dword:0\n" +
		"[HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node\\Khronos\\Vulkan\\ImplicitLayers]\n\"C:\\\\d\\\\l.json\"=dword:0\n"
	windowsDriver = `{"file_format_version":"1.0.1","ICD":{"library_path":".\\a.dll","api_version":"1.3.0"}}`
	windowsLayer  = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_l","type":"GLOBAL","library_path":".\\l.dll",
"api_version":"1.3.0","implementation_version":"1","description":"d","disable_environment":{"NO_L":"1"}}}`
)

// The tool judges the vulkan-1.dll in the system's directory by its resources: an old one has no filters of layers. Programs of each word
// size get another file. A loader in the program's directory comes first.
//
// holds: WIN-001
func TestLoaderOfSystem32(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	files := map[string]string{
		"c/d/a.json": windowsDriver, "c/d/a.dll": string(dlltest.Library(64, "vk_icdGetInstanceProcAddr")),
		"c/d/l.json": windowsLayer, "c/d/l.dll": string(dlltest.Library(64, "vkNegotiateLoaderLayerInterfaceVersion")), "registry.reg": windowsKeys,
		"c/Windows/System32/vulkan-1.dll": string(dlltest.Versioned(64, [4]uint16{1, 2, 131, 2}, "LunarG, Inc.", "vkCreateInstance")),
		"c/Windows/SysWOW64/vulkan-1.dll": string(dlltest.Versioned(32, [4]uint16{1, 3, 296, 0}, "LunarG, Inc.", "vkCreateInstance")),
		"c/new/game.exe":                  string(dlltest.Library(64)),
		"c/new/vulkan-1.dll":              string(dlltest.Versioned(64, [4]uint16{1, 4, 313, 0}, "Studio", "vkCreateInstance")),
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(w.Path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.Path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(words ...string) string {
		out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader"),
			append(words, "--platform", "windows", "--root", w.Path(""), "--registry", w.Path("registry.reg"), "--env", "VK_LOADER_LAYERS_DISABLE=~all~")...)
		return out
	}
	for _, c := range []struct {
		words               []string
		file, version, rule string
		said                string
		layer               bool // every program gets it
		loaders             int
		finding             string
	}{
		{nil, `C:\Windows\System32\vulkan-1.dll`, "1.2.131", "system", `Programs get C:\Windows\System32\vulkan-1.dll, version 1.2.131.`, true, 1,
			`loader-ignores: VK_LOADER_LAYERS_DISABLE what the loader that programs get, C:\Windows\System32\vulkan-1.dll, version 1.2.131, does not read VK_LOADER_LAYERS_DISABLE`},
		{[]string{"--bits", "32"}, `C:\Windows\SysWOW64\vulkan-1.dll`, "1.3.296", "system", `Programs get C:\Windows\SysWOW64\vulkan-1.dll, version 1.3.296.`, false, 1, ""},
		{[]string{"--app", `C:\new\game.exe`}, `C:\new\vulkan-1.dll`, "1.4.313", "program",
			`game.exe gets C:\new\vulkan-1.dll, version 1.4.313: it is in the program's directory.`, false, 2, "loader-shadows"},
	} {
		var e struct {
			Loader  struct{ File, Version, Rule string }
			In      []struct{ Kind, Name string }
			Loaders []struct{ File string }
		}
		out := ask(append([]string{"explain", "--json"}, c.words...)...)
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatalf("%v: %v\n%s", c.words, err, out)
		}
		in := false
		for _, i := range e.In {
			in = in || i.Kind == "layer" && i.Name == "VK_LAYER_l"
		}
		if e.Loader.File != c.file || e.Loader.Version != c.version || e.Loader.Rule != c.rule || in != c.layer {
			t.Errorf("%v: %+v", c.words, e)
		}
		for _, command := range []string{"explain", "doctor"} {
			if text := strings.Join(strings.Fields(ask(append([]string{command}, c.words...)...)), " "); !strings.Contains(text, strings.TrimSuffix(c.said, ".")) ||
				command == "doctor" && !strings.Contains(text, c.finding) {
				t.Errorf("%s %v: not %q in\n%s", command, c.words, c.said, text)
			}
		}
		out = ask(append([]string{"doctor", "--json"}, c.words...)...)
		e.Loaders, e.Loader.File = nil, ""
		if err := json.Unmarshal([]byte(out), &e); err != nil || len(e.Loaders) != c.loaders || e.Loader.File != c.file {
			t.Errorf("%v: %v\n%s", c.words, err, out)
		}
	}
}
