package macos

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// linked creates the links of a tree: paths on that machine, and relative targets.
func (tr *tree) linked(links map[string]string) {
	tr.w.T.Helper()
	for at, target := range links {
		path := tr.w.SystemPath(at)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tr.w.T.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			tr.w.T.Fatal(err)
		}
	}
}

// The library and the tool find the same bundle for programs in unusual places: the path without symbolic links
// counts.
//
// holds: MAC-002 MAC-005
func TestUnusualPrograms(t *testing.T) {
	t.Parallel()
	running(t)
	const translocated = "/private/var/folders/x1/abc_0000/T/AppTranslocation/5C0F6A4E-1111-2222-3333-444455556666/d/X.app/Contents/"
	const framework = "/Applications/X.app/Contents/Frameworks/F.framework/"
	for name, c := range map[string]struct {
		program string // the path by which it is started
		file    string // without links; "": the same path
		links   map[string]string
		at      string // the directory of the bundle; "": no bundle
	}{
		"spaces":                      {program: "/Applications/My Game.app/Contents/MacOS/My Game", at: "/Applications/My Game.app/Contents/Resources"},
		"colon":                       {program: "/Applications/A: B.app/Contents/MacOS/host", at: "/Applications/A: B.app/Contents/Resources"},
		"another language":            {program: "/Applications/Größe.app/Contents/MacOS/host", at: "/Applications/Größe.app/Contents/Resources"},
		"App Translocation":           {program: translocated + "MacOS/host", at: translocated + "Resources"},
		"a name without .app":         {program: "/opt/X/Contents/MacOS/host", at: "/opt/X/Contents/Resources"},
		"a bundle in a framework":     {program: framework + "Versions/A/Helpers/H.app/Contents/MacOS/host", at: framework + "Versions/A/Helpers/H.app/Contents/Resources"},
		"a helper in a framework":     {program: framework + "Versions/A/Helpers/host", at: ""},
		"a helper in a bundle":        {program: "/Applications/X.app/Contents/Helpers/host", at: ""},
		"below Contents/MacOS":        {program: "/Applications/X.app/Contents/MacOS/tools/host", at: ""},
		"a link to a framework":       {program: framework + "host", file: framework + "Versions/A/host", links: map[string]string{framework + "host": "Versions/Current/host", framework + "Versions/Current": "A"}, at: framework + "Versions/A/Resources"},
		"a link to a bundle":          {program: "/opt/game/bin/game", file: app, links: map[string]string{"/opt/game/bin/game": "../../../Applications/X.app/Contents/MacOS/host"}, at: resources},
		"a link to a bundle's parent": {program: "/Apps/X.app/Contents/MacOS/host", file: app, links: map[string]string{"/Apps": "Applications"}, at: resources},
		"a link out of a bundle":      {program: app, file: "/opt/game/bin/host", links: map[string]string{app: "../../../../opt/game/bin/host"}, at: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, c.program)
			if c.file != "" {
				tr.file = c.file
			}
			tr.linked(c.links)
			want := []string{"system"}
			tr.driver("system", "/etc/vulkan")
			places := []string{c.at}
			for at := filepath.Dir(tr.file); at != "/"; at = filepath.Dir(at) { // resources outside of the bundle
				places = append(places, at+"/Resources")
			}
			slices.Sort(places)
			for i, at := range slices.Compact(places) {
				if at == "" {
					continue
				}
				tr.driver(fmt.Sprint("bundled", i), at+"/vulkan")
				if at == c.at {
					want = []string{fmt.Sprint("bundled", i), "system"}
				}
			}
			if d := tr.byTool(); !slices.Equal(d.drivers, want) {
				t.Errorf("the tool says %v, want %v", d.drivers, want)
			}
			if d, _ := tr.byLibrary(); !slices.Equal(d.drivers, want) {
				t.Errorf("%v, want %v", d.drivers, want)
			}
		})
	}
}

// A settings file applies to a program by its path without symbolic links. A settings file in the bundle is not read.
//
// holds: MAC-022 MAC-025
func TestSettingsForPrograms(t *testing.T) {
	t.Parallel()
	running(t)
	const link = "/opt/game/bin/game"
	for name, c := range map[string]struct {
		key, place string
		off        bool
	}{
		"the program":          {app, "/home/u/.local/share/vulkan", true},
		"in /etc":              {app, "/etc/vulkan", true},
		"the link":             {link, "/home/u/.local/share/vulkan", false},
		"another program":      {app + "2", "/home/u/.local/share/vulkan", false},
		"a file of the bundle": {app, resources + "/vulkan", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, link)
			tr.file = app
			tr.linked(map[string]string{link: "../../../Applications/X.app/Contents/MacOS/host"})
			tr.driver("system", "/etc/vulkan")
			tr.layer("VK_LAYER_l", "/etc/vulkan", "implicit_layer.d")
			tr.write(tr.w.SystemPath(c.place+"/loader_settings.d/vk_loader_settings.json"), fmt.Sprintf(`{"file_format_version": "1.0.0", "settings_array": [
				{"app_keys": [%q, %q], "layers": [{"name": "VK_LAYER_l", "path": "/etc/vulkan/implicit_layer.d/VK_LAYER_l.json", "control": "off"}, {"control": "unordered_layer_location"}]}]}`, c.key, tr.w.SystemPath(c.key)))
			want := decision{drivers: []string{"system"}, layers: []string{"VK_LAYER_l"}}
			if c.off {
				want.layers = nil
			}
			if d := tr.byTool(); d.String() != want.String() {
				t.Errorf("the tool says %v, want %v", d, want)
			}
			if d, _ := tr.byLibrary(); d.String() != want.String() {
				t.Errorf("%v, want %v", d, want)
			}
		})
	}
}

// Of two layers with one name, the one with a library for this machine counts. A universal file with parts for other machines only is a
// library of another machine.
//
// holds: LAY-104
func TestLayersOfTwoMachines(t *testing.T) {
	t.Parallel()
	running(t)
	for name, machines := range map[string][]string{"one part": {"other"}, "universal": {"other", "i386"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t, app)
			tr.driver("system", "/etc/vulkan")
			tr.foreignLayer("VK_LAYER_l", "/etc/vulkan", "implicit_layer.d", machines...)
			tr.layer("VK_LAYER_l", "/usr/local/share/vulkan", "implicit_layer.d")
			named := tr.explained() // by a tool for x86-64, which takes libraries for arm64 as those of another machine
			if at := slices.IndexFunc(named, func(e entry) bool { return e.Name == "VK_LAYER_l" }); world.Slice() == "x86_64" && (at < 0 || named[at].Manifest != "/usr/local/share/vulkan/implicit_layer.d/VK_LAYER_l.json") {
				t.Errorf("the tool names %v", named)
			}
			want := decision{drivers: []string{"system"}, layers: []string{"VK_LAYER_l"}}
			if d, _ := tr.byLibrary(); d.String() != want.String() {
				t.Errorf("%v, want %v", d, want)
			}
		})
	}
}

// A driver for other machines only is no error, with a universal file or not: the dynamic linker's text is logged as
// information.
//
// holds: DRV-041
func TestDriverOfAnotherMachine(t *testing.T) {
	t.Parallel()
	running(t)
	for name, machines := range map[string][]string{"one part": {"other"}, "universal": {"other", "i386"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["VK_LOADER_DEBUG"] = "error"
			w.Driver("good", "device name=good")
			tr := &tree{w: w}
			library := w.Path("lib/foreign.dylib")
			tr.write(library, machO(machines...))
			w.DriverFile("foreign", world.DriverManifest(library, "1.1.0"))
			h := w.Start()
			h.OK("create_instance")
			h.Do("destroy_instance")
			h.Quit()
			if text := h.Stderr(); text != "" {
				t.Errorf("%s", text)
			}
		})
	}
}

// A library_path with a word of dyld's, such as @rpath, is an ordinary relative path: it is relative to the manifest.
//
// holds: MAC-014
func TestLibraryPathsOfTheLinker(t *testing.T) {
	t.Parallel()
	running(t)
	for _, word := range []string{"@rpath", "@executable_path", "@loader_path"} {
		tr := newTree(t, app)
		tr.w.Env["VK_LOADER_DEBUG"] = "error"
		f := tr.w.DriverKind(world.Modern, "d")
		f.Set("library_path", word+"/d.dylib")
		f.MoveManifest(filepath.Join(tr.w.SystemPath("/etc/vulkan/icd.d"), "d.json"))
		tr.w.CopyHost(tr.w.SystemPath(tr.file))
		h := tr.w.StartProgram(tr.w.SystemPath(tr.program), tr.w.Loader)
		if r := h.Do("create_instance").Result(); r != -9 {
			t.Errorf("%s: result %d", word, r)
		}
		h.Quit()
		path := "/etc/vulkan/icd.d/" + word + "/d.dylib"
		if text := h.Stderr(); !strings.Contains(text, "dlopen("+path+",") {
			t.Errorf("%s: %s", word, text)
		}
		if named := tr.explained(); len(named) != 1 || named[0].Library != path {
			t.Errorf("%s: the tool says %v", word, named)
		}
	}
}
