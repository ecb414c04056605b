package doctor

import (
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// The advice for a manifest of RenderDoc removes the file only if the program is known to be gone: not in a container with the
// host's home directory, and not with a program in PATH or the library's own directory.
func TestManifestOfAnotherSystemStays(t *testing.T) {
	t.Parallel()
	const manifest = "home/u/.local/share/vulkan/implicit_layer.d/renderdoc_capture.json"
	for name, c := range map[string]struct {
		files   map[string]string
		environ string
		removes bool
	}{
		"gone":       {nil, "PATH=/usr/bin", true},
		"distrobox":  {nil, "DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter", false},
		"toolbox":    {file("run/.toolboxenv", ""), "PATH=/usr/bin", false},
		"docker":     {file(".dockerenv", ""), "PATH=/usr/bin", false},
		"chroot":     {file("etc/debian_chroot", "sid\n"), "PATH=/usr/bin", false},
		"in PATH":    {file("opt/tools/renderdoccmd", ""), "PATH=/usr/bin:/opt/tools", false},
		"own prefix": {file("opt/renderdoc/lib/other.so", ""), "PATH=/usr/bin", false},
	} {
		root := t.TempDir()
		tree.Lay(t, root, file(manifest, `{"file_format_version":"1.1.2","layer":{"name":"VK_LAYER_RENDERDOC_Capture","type":"GLOBAL",`+
			`"library_path":"/opt/renderdoc/lib/librenderdoc.so","api_version":"1.3.131","implementation_version":"1","description":"x",`+
			`"enable_environment":{"A":"1"},"disable_environment":{"B":"1"}}}`))
		tree.Lay(t, root, c.files)
		report := examineRoot(t, root, Options{}, "HOME=/home/u", c.environ)
		found, removes := false, false
		for _, f := range report.Findings {
			if f.Code == LibraryMissing {
				found = true
				removes = removes || strings.Contains(f.Do, "rm ") || strings.Contains(f.Do, "remove ")
			}
		}
		if !found || removes != c.removes {
			t.Errorf("%s: found %v, removes %v: %+v", name, found, removes, report.Findings)
		}
	}
}

// No text of an examined file becomes a part of a shell line without quotes.
func TestHostileNamesInShellLines(t *testing.T) {
	t.Parallel()
	const hostile = "box; rm -rf x"
	nvidia := card("0x10de", "nvidia", false, file("dev/nvidiactl", ""), file("dev/nvidia0", ""))
	for name, c := range map[string]struct {
		files   map[string]string
		environ []string
	}{
		"distrobox": {map[string]string{"run/.containerenv": "name=\"" + hostile + "\"\n"}, []string{"DISTROBOX_ENTER_PATH=/usr/bin/distrobox-enter"}},
		"flatpak":   {file(".flatpak-info", "[Application]\nname="+hostile+"\n"), nil},
		"snap":      {nil, []string{"SNAP=/snap/a/1", "SNAP_NAME=" + hostile}},
		"version":   {map[string]string{".flatpak-info": "[Application]\nname=org.a.B\n", "proc/driver/nvidia/version": "Module 5.1;rm -rf x\n"}, nil},
	} {
		root := t.TempDir()
		tree.Lay(t, root, nvidia)
		tree.Lay(t, root, c.files)
		for _, f := range examineRoot(t, root, Options{}, c.environ...).Findings {
			if strings.Contains(f.Do, ";rm") || strings.Contains(f.Do, "; rm") {
				t.Errorf("%s: %s", name, f.Do)
			}
		}
	}
	d := distribution{ids: []string{"fedora"}, class: 64}
	if commands := d.libraryAdvice("lib';rm -rf x;'.so").lines; len(commands) > 0 {
		t.Errorf("commands %q", commands)
	}
}

// DeviceAllow= names the kernel's groups of NVIDIA's nodes, with wildcards.
func TestAllowedGroups(t *testing.T) {
	t.Parallel()
	for _, allowed := range []string{"char-nvidia", "char-nvidia-frontend", "char-nvidiactl", "char-nvidia-uvm", "char-nvidia*", "char-*", "/dev/nvidia0"} {
		c := confinement{policy: "closed", allowed: []string{allowed}}
		if setting, _, _ := c.keeps("/dev/nvidia0"); setting != "" {
			t.Errorf("%s: %s", allowed, setting)
		}
	}
	for node, allowed := range map[string]string{"/dev/nvidia0": "char-drm", "/dev/dri/renderD128": "char-nvidia*", "/dev/kfd": "char-drm"} {
		c := confinement{policy: "closed", allowed: []string{allowed}}
		if setting, _, _ := c.keeps(node); setting == "" {
			t.Errorf("%s opens %s", allowed, node)
		}
	}
	c := confinement{allowed: []string{"char-d*"}}
	if setting, _, _ := c.keeps("/dev/dri/renderD128"); setting != "" {
		t.Error(setting)
	}
}

// Without a home directory, the files of no home are read.
func TestNoHome(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const text = "system:\n  env:\n    VK_DRIVER_FILES: /a.json\n"
	tree.Lay(t, root, map[string]string{".config/lutris/system.yml": text, "rel/.config/lutris/system.yml": text, ".profile": "export VK_DRIVER_FILES=/a.json\n"})
	for _, home := range []string{"X=y", "HOME=", "HOME=rel"} {
		h := hostAt(root, home, "VK_DRIVER_FILES=/a.json")
		if at := h.startedBy("VK_DRIVER_FILES", h.starters()); at.File != "" {
			t.Errorf("%s: %v", home, at)
		}
		if places := SetIn(h.machine, "VK_DRIVER_FILES"); len(places) > 0 {
			t.Errorf("%s: %v", home, places)
		}
		if strings.HasPrefix(h.configHome(), ".") || h.configHome() == "/.config" {
			t.Error(h.configHome())
		}
	}
}

func hostAt(root string, environ ...string) host {
	return host{&machine.Machine{Root: root, Environ: environ}}
}
