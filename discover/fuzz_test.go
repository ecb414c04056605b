package discover_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/discover"
)

// rootOf returns the file system that a text describes. Each line has a path and, after a space, the file: "-> TARGET" is a
// link, "/" a directory, and other text the content. A short name stands for a searched directory.
func rootOf(lines string) fstest.MapFS {
	short := strings.NewReplacer("D/", "usr/share/vulkan/icd.d/", "I/", "usr/share/vulkan/implicit_layer.d/", "E/", "usr/share/vulkan/explicit_layer.d/",
		"S/", "etc/vulkan/loader_settings.d/", "P/", "sys/bus/pci/devices/", "R/", "sys/class/drm/", "L/", "usr/lib/x86_64-linux-gnu/")
	files := fstest.MapFS{}
	for _, line := range strings.Split(lines, "\n") {
		name, content, _ := strings.Cut(line, " ")
		if name = short.Replace(name); !fs.ValidPath(name) || name == "." {
			continue
		}
		switch target, link := strings.CutPrefix(content, "-> "); {
		case link:
			files[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		case content == "/":
			files[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		default:
			files[name] = text(content)
		}
	}
	return files
}

// FuzzRoot asks every question about random trees.
func FuzzRoot(f *testing.F) {
	for _, lines := range []string{
		`D/a.json {"file_format_version":"1","ICD":{"library_path":"liba.so","api_version":"1.3.0"}}` + "\nL/liba.so \x7fELF",
		"D/a.json -> b.json\nD/b.json -> a.json\nD/c.json /\nD -> /\nusr -> usr",
		`I/l.json {"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_a","type":"GLOBAL","library_path":"a.so","api_version":"1.3.0","implementation_version":"1","description":"","disable_environment":{"A":"1"}}}`,
		"P/0000:01:00.0/class 0x030000\nP/0000:01:00.0/vendor 0x10de\nP/0000:01:00.0/driver -> ../../drivers/nvidia\nR/renderD128/device -> ../../../bus/pci/devices/0000:01:00.0\ndev/dri/renderD128 ",
		`S/vk_loader_settings.json {"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_a","path":"/a.json","control":"on"}]}}`,
		"proc/driver/nvidia/gpus/x/information Device Minor:\t9\ndev/nvidia9 \ndev/nvidiactl \netc/ld.so.cache glibc-ld.so.cache1.1",
	} {
		f.Add(lines, "VK_DRIVER_FILES=/usr/share/vulkan/icd.d")
	}
	f.Fuzz(func(t *testing.T, lines, variables string) {
		host := discover.Files(rootOf(lines)).WithEnv(strings.Split(variables, "\n")...)
		answer, err := discover.Decide(context.Background(), host, discover.Program{})
		if err != nil && !errors.Is(err, discover.ErrNoDriver) {
			return
		}
		if _, err := answer.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
		all, err := discover.GPUs(context.Background(), host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := discover.Paths(context.Background(), host, discover.Program{}); err != nil && !errors.Is(err, discover.ErrEndless) {
			t.Fatal(err)
		}
		if _, err := discover.LoaderOf(context.Background(), host, discover.Program{}); err != nil && !errors.Is(err, discover.ErrNoLoader) {
			t.Fatal(err)
		}
		for _, l := range answer.Layers {
			if l.Name == "" && l.Used || l.Reason.Code == "" {
				t.Fatalf("%+v", l)
			}
			if _, err := discover.LayerClosure(context.Background(), host, l); err != nil && !errors.Is(err, fs.ErrInvalid) {
				t.Fatal(err)
			}
		}
		for _, d := range answer.Drivers {
			if d.Manifest == "" || d.Reason.Code == "" {
				t.Fatalf("%+v", d)
			}
			files, err := discover.Closure(context.Background(), host, d)
			if err != nil && d.Library != "" {
				t.Fatal(err)
			}
			for i := range all {
				if err == nil && len(files.NodesFor(&all[i], all)) < len(all[i].Nodes) {
					t.Fatalf("%+v, %q", all[i], files.Nodes)
				}
			}
		}
	})
}
