package cdi

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cncf "tags.cncf.io/container-device-interface/pkg/cdi"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

func icd(library string) string {
	return `text {"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`
}

const gnu = "usr/lib/x86_64-linux-gnu/"

// host is a machine with one Intel card, two NVIDIA cards, and lavapipe.
func host(t *testing.T) *machine.Source {
	t.Helper()
	dir := t.TempDir()
	tree.Libraries(t, dir, map[string]string{
		"usr/share/vulkan/icd.d/intel_icd.json":  icd("/usr/lib/x86_64-linux-gnu/libvulkan_intel.so"),
		"usr/share/vulkan/icd.d/lvp_icd.json":    icd("libvulkan_lvp.so"),
		"usr/share/vulkan/icd.d/nvidia_icd.json": icd("libGLX_nvidia.so.0"),
		"usr/share/vulkan/icd.d/gone.json":       icd("libgone.so"),
		gnu + "libc.so.6":                        "soname=libc.so.6 defines=GLIBC_2.17,GLIBC_2.38 exports=memcpy,fmod",
		gnu + "libstdc++.so.6":                   "soname=libstdc++.so.6 needed=libc.so.6 defines=GLIBCXX_3.4.30,GLIBCXX_3.4.32 exports=new",
		gnu + "libz.so.1":                        "soname=libz.so.1 needed=libc.so.6",
		gnu + "libLLVM.so.1":                     "soname=libLLVM.so.1 needed=libz.so.1,libc.so.6",
		gnu + "libvulkan_intel.so":               "soname=libvulkan_intel.so needed=libz.so.1,libc.so.6 exports=vk_icdGetInstanceProcAddr",
		gnu + "libvulkan_lvp.so":                 "soname=libvulkan_lvp.so needed=libLLVM.so.1,libstdc++.so.6,libc.so.6 imports=new@GLIBCXX_3.4.32@libstdc++.so.6 exports=vk_icdGetInstanceProcAddr",
		gnu + "libGLX_nvidia.so.550.1":           "soname=libGLX_nvidia.so.0 needed=libc.so.6 imports=fmod@GLIBC_2.38@libc.so.6 exports=vk_icdGetInstanceProcAddr",
		gnu + "libGLX_nvidia.so.0":               "-> libGLX_nvidia.so.550.1",
		gnu + "libnvidia-glvkspirv.so.550.1":     "soname=libnvidia-glvkspirv.so.550.1 needed=libc.so.6",
		gnu + "libnvidia-gpucomp.so.550.1":       "soname=libnvidia-gpucomp.so.550.1 needed=libc.so.6",
		"usr/share/drirc.d/00-mesa.conf":         "text <driconf/>",
		"usr/bin/vkloader":                       "text a program",
		"dev/dri/card0":                          "text ", "dev/dri/renderD128": "text ", "dev/dri/card1": "text ", "dev/nvidia0": "text ", "dev/nvidia1": "text ",
		"dev/nvidiactl": "text ", "dev/nvidia-uvm": "text ",
		"sys/class/drm/card0/device":                               "-> ../../../devices/pci0000:00/0000:00:02.0",
		"sys/class/drm/renderD128/device":                          "-> ../../../devices/pci0000:00/0000:00:02.0",
		"sys/class/drm/card1/device":                               "-> ../../../devices/pci0000:00/0000:05:00.0",
		"sys/devices/pci0000:00/0000:00:02.0/vendor":               "text 0x8086",
		"sys/devices/pci0000:00/0000:05:00.0/vendor":               "text 0x1a03",
		"proc/driver/nvidia/gpus/0000:01:00.0/information":         "text Model: X\nGPU UUID: \t GPU-1\nDevice Minor: \t 0\nGPU Excluded: No\n",
		"proc/driver/nvidia/gpus/0000:02:00.0/information":         "text Device Minor: 1\n",
		"sys/class/drm/card0-HDMI-A-1/device":                      "-> ../card0",
		"usr/share/nvidia/nvidia-application-profiles-550.1-rc":    "text {}",
		"usr/share/vulkan/implicit_layer.d/not_a_driver.json":      "text {}",
		"usr/share/vulkan/icd.d/not-a-manifest.json.dpkg-old.json": "text {",
	})
	return &machine.Source{Machine: machine.Machine{Root: dir}}
}

// image returns a container's image with glibc and more files.
func image(t *testing.T, more map[string]string) *machine.Machine {
	t.Helper()
	dir := t.TempDir()
	tree.Libraries(t, dir, map[string]string{
		gnu + "libc.so.6":      "soname=libc.so.6 defines=GLIBC_2.17,GLIBC_2.38 exports=memcpy,fmod",
		gnu + "libvulkan.so.1": "soname=libvulkan.so.1",
		"lib":                  "-> usr/lib",
	})
	tree.Libraries(t, dir, more)
	return &machine.Machine{Root: dir}
}

func generate(t *testing.T, s *machine.Source) (*specs.Spec, []LeftOut) {
	t.Helper()
	spec, left, err := Generate(s, Options{Machines: []string{"x86_64"}, Hook: "/usr/bin/vkloader"})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range spec.ContainerEdits.Hooks {
		if h.Timeout == nil || *h.Timeout <= 0 {
			t.Errorf("a hook without a time limit: %+v", h)
		}
	}
	return spec, left
}

// A file has a device for each GPU that computes, by address, and one for all GPUs. Container runtimes accept it, and the same machine
// gives the same bytes.
func TestGenerate(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, left := generate(t, s)
	var got []string
	for _, d := range spec.Devices {
		var nodes []string
		for _, n := range d.ContainerEdits.DeviceNodes {
			nodes = append(nodes, strings.TrimPrefix(n.Path, "/dev/"))
		}
		got = append(got, d.Name+": "+strings.Join(nodes, " "))
	}
	want := []string{"0000:00:02.0: dri/renderD128", "0: dri/renderD128", "0000:01:00.0: nvidia-uvm nvidia0 nvidiactl",
		"1: nvidia-uvm nvidia0 nvidiactl", "GPU-1: nvidia-uvm nvidia0 nvidiactl", "0000:02:00.0: nvidia-uvm nvidia1 nvidiactl",
		"2: nvidia-uvm nvidia1 nvidiactl", "all: dri/renderD128 nvidia-uvm nvidia0 nvidia1 nvidiactl"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(left) != 2 || !strings.Contains(left[0].Why, "libgone.so") {
		t.Errorf("%+v", left)
	}
	var mounted []string
	for _, m := range spec.ContainerEdits.Mounts {
		if rest, is := strings.CutPrefix(m.ContainerPath, Directory+"/"); is {
			mounted = append(mounted, rest)
		} else if m.ContainerPath != Directory {
			t.Errorf("%s is mounted outside", m.ContainerPath)
		}
		if strings.Contains(m.HostPath, "libc.so") {
			t.Errorf("%s", m.HostPath)
		}
	}
	for _, want := range []string{"files/x86_64/libvulkan_lvp.so", "files/x86_64/libLLVM.so.1", "files/x86_64/libGLX_nvidia.so.0",
		"files/x86_64/libnvidia-glvkspirv.so.550.1", "manifests/x86_64/intel_icd.json", "data/usr/share/drirc.d/00-mesa.conf"} {
		if !slices.Contains(mounted, want) {
			t.Errorf("%s is not mounted: %q", want, mounted)
		}
	}
	for name, write := range map[string]func(*specs.Spec) ([]byte, error){"a.yaml": YAML, "a.json": JSON} {
		text, err := write(spec)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cncf.ReadSpec(file, 0); err != nil {
			t.Errorf("runtimes do not take %s: %v", name, err)
		}
		second, _ := generate(t, s)
		if again, err := write(second); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s is another the second time: %v", name, err)
		}
		if read, err := Parse(text); err != nil || len(read.Devices) != 8 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Generate(s, Options{Kind: "no kind", Machines: []string{"x86_64"}}); err == nil {
		t.Error("a kind that is none")
	}
}

// Without a GPU, the device all has the drivers.
func TestGenerateWithoutDevices(t *testing.T) {
	t.Parallel()
	s := host(t)
	for _, gone := range []string{"dev", "sys", "proc"} {
		if err := os.RemoveAll(filepath.Join(s.Root, gone)); err != nil {
			t.Fatal(err)
		}
	}
	spec, _ := generate(t, s)
	if len(spec.Devices) != 1 || len(spec.Devices[0].ContainerEdits.Mounts) < 5 {
		t.Errorf("%+v", spec.Devices)
	}
	text, err := YAML(spec)
	if err == nil {
		_, err = Parse(text)
	}
	if err != nil {
		t.Error(err)
	}
}

// Verify reports changes of the host since the file was written.
func TestVerifyHost(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, _ := generate(t, s)
	if v := Verify(spec, "", &s.Machine, nil); len(v.Findings) > 0 {
		t.Errorf("%+v", v.Findings)
	}
	for _, gone := range []string{"dev/nvidia1", gnu + "libz.so.1", "usr/bin/vkloader"} {
		if err := os.Remove(filepath.Join(s.Root, gone)); err != nil {
			t.Fatal(err)
		}
	}
	tree.Libraries(t, s.Root, map[string]string{gnu + "libLLVM.so.1": "text shorter"})
	v := Verify(spec, "", &s.Machine, nil)
	var got []string
	for _, f := range v.Findings {
		got = append(got, filepath.Base(f.Path)+": "+f.What)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"nvidia1: the device node does not exist: no such file", "libz.so.1: a mounted file does not exist",
		"libLLVM.so.1: the file has changed since this was written: it had ", "vkloader: the program that the runtime starts"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	if len(got) != 4 || !v.Bad() {
		t.Error(all)
	}
}

// added lists the drivers that programs in an image get.
func added(v *Verdict) string {
	var list []string
	for _, d := range v.Drivers {
		if d.Added {
			list = append(list, d.Name)
		}
	}
	return strings.Join(list, " ")
}

// Verify reports the gaps of an image: versions of glibc and libstdc++, the loader, and every driver for an image with musl.
func TestVerifyImage(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, _ := generate(t, s)
	for name, c := range map[string]struct {
		files      map[string]string
		gone       string
		added, say string
		bad        bool
	}{
		"empty": {nil, "", "host-intel_icd.json host-lvp_icd.json host-nvidia_icd.json", "", false},
		"older libstdc++": {map[string]string{gnu + "libstdc++.so.6": "soname=libstdc++.so.6 defines=GLIBCXX_3.4.28"}, "",
			"host-intel_icd.json host-nvidia_icd.json", "needs GLIBCXX_3.4.32 of the image's /lib/x86_64-linux-gnu/libstdc++.so.6, which has versions up to GLIBCXX_3.4.28", false},
		"older glibc": {map[string]string{gnu + "libc.so.6": "soname=libc.so.6 defines=GLIBC_2.17,GLIBC_2.31"}, "",
			"host-intel_icd.json host-lvp_icd.json", "needs GLIBC_2.38", false},
		"own driver": {map[string]string{gnu + "libvulkan_lvp.so": "soname=libvulkan_lvp.so needed=libc.so.6 exports=vk_icdGetInstanceProcAddr",
			"usr/share/vulkan/icd.d/lvp.json": icd("libvulkan_lvp.so")}, "",
			"host-intel_icd.json host-nvidia_icd.json lvp.json", "the image has this driver itself", false},
		"own broken driver": {map[string]string{gnu + "libvulkan_lvp.so": "soname=libvulkan_lvp.so needed=libabsent.so exports=vk_icdGetInstanceProcAddr",
			"usr/share/vulkan/icd.d/lvp.json": icd("libvulkan_lvp.so")}, "",
			"host-intel_icd.json host-lvp_icd.json host-nvidia_icd.json", "libvulkan_lvp.so needs libabsent.so, which the image lacks", false},
		"no loader": {nil, gnu + "libvulkan.so.1", "host-intel_icd.json host-lvp_icd.json host-nvidia_icd.json", "no Vulkan loader", true},
		"musl": {map[string]string{"usr/lib/ld-musl-x86_64.so.1": "text musl", "usr/lib/libvulkan.so.1": "soname=libvulkan.so.1"},
			gnu + "libc.so.6", "", "no driver works in the image", true},
	} {
		m := image(t, c.files)
		if c.gone != "" {
			if err := os.Remove(filepath.Join(m.Root, c.gone)); err != nil {
				t.Fatal(err)
			}
		}
		v := Verify(spec, "", &s.Machine, m)
		said := ""
		for _, f := range v.Findings {
			said += f.Path + ": " + f.What + "\n"
		}
		if got := added(v); got != c.added || !strings.Contains(said, c.say) || v.Bad() != c.bad || c.say == "" && said != "" {
			t.Errorf("%s: %q, bad %v\n%s", name, got, v.Bad(), said)
		}
	}
}

// Another tool's file may mount a file over one of the image. The driver's dependencies are those after the mount.
func TestVerifyOthersFile(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, err := Parse([]byte("cdiVersion: 0.5.0\nkind: acme.com/gpu\ncontainerEdits:\n  mounts:\n" +
		"  - {hostPath: /usr/lib/x86_64-linux-gnu/libvulkan_lvp.so, containerPath: /usr/lib/x86_64-linux-gnu/libvulkan_lvp.so}\n" +
		"  - {hostPath: /usr/share/vulkan/icd.d/lvp_icd.json, containerPath: /usr/share/vulkan/icd.d/lvp_icd.json}\n" +
		"  - {hostPath: /usr/lib/x86_64-linux-gnu/libz.so.1, containerPath: /usr/lib/x86_64-linux-gnu/libz.so.1}\n" +
		"devices:\n- name: all\n  containerEdits: {env: [A=b]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	v := Verify(spec, "", &s.Machine, image(t, map[string]string{gnu + "libz.so.1": "soname=libz.so.1"}))
	said := ""
	for _, f := range v.Findings {
		said += f.Severity + " " + f.Path + ": " + f.What + "\n"
	}
	if !strings.Contains(said, "warning /usr/lib/x86_64-linux-gnu/libz.so.1: the image has this file itself") ||
		!strings.Contains(said, "libvulkan_lvp.so needs libLLVM.so.1, which the image lacks") || !v.Bad() {
		t.Error(said)
	}
}

// Another tool's file mounts a driver without a required and without an optional run-time library.
func TestVerifyRunTimeLibraries(t *testing.T) {
	t.Parallel()
	s := host(t)
	mount := func(name string) string { return "  - {hostPath: " + name + ", containerPath: " + name + "}\n" }
	const library = "/" + gnu + "libGLX_nvidia.so.550.1"
	text := "cdiVersion: 0.5.0\nkind: acme.com/gpu\ncontainerEdits:\n  mounts:\n" + mount(library) +
		mount("/"+gnu+"libnvidia-gpucomp.so.550.1") + "%sdevices:\n- name: all\n  containerEdits: {env: [A=b]}\n"
	for more, want := range map[string]string{
		"": "warning /usr/share/vulkan/icd.d/nvidia.json: libGLX_nvidia.so.550.1 opens libnvidia-glvkspirv.so.550.1, which the image lacks\n",
		mount("/" + gnu + "libnvidia-glvkspirv.so.550.1"): "",
	} {
		spec, err := Parse(fmt.Appendf(nil, text, more))
		if err != nil {
			t.Fatal(err)
		}
		v := Verify(spec, "", &s.Machine, image(t, map[string]string{"usr/share/vulkan/icd.d/nvidia.json": icd(library)}))
		said := ""
		for _, f := range v.Findings {
			said += f.Severity + " " + f.Path + ": " + f.What + "\n"
		}
		if v.Bad() != (want != "") || !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("with %q: %s", more, said)
		}
	}
}

// The hook links only missing libraries, changes no file of the image, and follows no link out of it. A second run gives the same
// result.
func TestInto(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, _ := generate(t, s)
	outside := t.TempDir()
	m := image(t, map[string]string{gnu + "libz.so.1": "soname=libz.so.1 exports=own", "etc/vulkan": "-> " + outside, "usr/share/drirc.d/00-mesa.conf": "text mine"})
	for _, mount := range spec.ContainerEdits.Mounts {
		if mount.Type == "tmpfs" {
			continue
		}
		data, err := s.ReadFile(mount.HostPath)
		if err != nil {
			t.Fatal(err)
		}
		tree.Libraries(t, m.Root, map[string]string{mount.ContainerPath: "text " + string(data)})
	}
	own, _ := m.ReadFile("/" + gnu + "libz.so.1")
	for range 2 {
		a := Arrange(m, Situation{})
		if len(a.Drivers) != 3 || !a.Drivers[0].Added || !a.Drivers[1].Added || !a.Drivers[2].Added {
			t.Fatalf("%+v", a.Drivers)
		}
		if err := a.Into(m.Root, false); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(m.Root, outside, "icd.d/host-lvp_icd.json"))
		if err != nil || !strings.Contains(string(text), `"library_path": "/run/vkloader/open/x86_64/libvulkan_lvp.so"`) {
			t.Errorf("%v %s", err, text)
		}
		if target, err := m.Readlink("/run/vkloader/links/x86_64/libLLVM.so.1"); err != nil || target != "/run/vkloader/files/x86_64/libLLVM.so.1" {
			t.Errorf("%q %v", target, err)
		}
		if now, _ := m.ReadFile("/" + gnu + "libz.so.1"); !bytes.Equal(own, now) || m.Exists("/run/vkloader/links/x86_64/libz.so.1") {
			t.Error("the image's libz is not its own")
		}
		if now, _ := m.ReadFile("/usr/share/drirc.d/00-mesa.conf"); string(now) != "mine" {
			t.Errorf("%s", now)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%v was written outside", left)
		}
	}
}

// The runtime tells the hook where the container is.
func TestContainer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for config, want := range map[string]string{`{"root":{"path":"rootfs"}}`: dir + "/rootfs", `{"root":{"path":"/a/b"}}`: "/a/b",
		`{"root":{"path":"/"}}`: "", `{}`: "", `[`: ""} {
		tree.Libraries(t, dir, map[string]string{"config.json": "text " + config})
		got, err := Container(strings.NewReader(`{"ociVersion":"1.0.2","bundle":"` + dir + `"}`))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q %v", config, got, err)
		}
	}
	for _, state := range []string{"", "{}", `{"bundle":"here"}`, `{"bundle":"/no/such"}`} {
		if _, err := Container(strings.NewReader(state)); err == nil {
			t.Errorf("%q is a state", state)
		}
	}
}

// List reports files that no runtime accepts, and which of two files counts.
func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	device := func(node string) string {
		return "text {cdiVersion: 0.5.0, kind: a/b, devices: [{name: x, containerEdits: {deviceNodes: [{path: " + node + "}]}}]}"
	}
	tree.Libraries(t, dir, map[string]string{"etc/cdi/a.yaml": device("/dev/a"), "etc/cdi/b.json": "text {", "etc/cdi/c.txt": "text x",
		"var/run/cdi/a.yaml": device("/dev/b"), "etc/cdi/d.yaml": "text cdiVersion: 99.0\nkind: a/b\n",
		"etc/cdi/e.yaml": "text {cdiVersion: 0.5.0, kind: a/b, devices: [{name: ' ', containerEdits: {}}]}"})
	list := List(&machine.Machine{Root: dir}, Directories)
	if len(list) != 5 || list[0].Name != "a/b=x" || !strings.Contains(list[0].Problem, "/var/run/cdi/a.yaml, which comes first") ||
		list[1].Problem == "" || list[2].Problem == "" || list[3].Problem == "" || list[4].Problem != "" || list[4].Nodes[0] != "/dev/b" {
		t.Errorf("%+v", list)
	}
	tree.Libraries(t, dir, map[string]string{"var/run/cdi/b.yaml": device("/dev/c")})
	if list = List(&machine.Machine{Root: dir}, Directories); !strings.Contains(list[5].Problem, "in the same directory") {
		t.Errorf("%+v", list)
	}
}

// Every method of an overlay finds the added files, and the other files below it.
func TestOverlay(t *testing.T) {
	t.Parallel()
	s, m := host(t), image(t, nil)
	o := newOverlay(m)
	o.mount(&s.Machine, "/usr/share/drirc.d", "/a/b")
	o.text("/lib/c/text", []byte("hello"))
	o.link("/a/link", "/lib/c/text")
	box := o.machine()
	if text, err := box.ReadFile("/a/link"); err != nil || string(text) != "hello" {
		t.Errorf("%q %v", text, err)
	}
	if text, err := box.ReadFile("/a/b/00-mesa.conf"); err != nil || string(text) != "<driconf/>" {
		t.Errorf("%q %v", text, err)
	}
	if entries, err := box.ReadDir("/a"); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
	if entries, err := box.ReadDir("/usr/lib"); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
	if _, err := box.ReadDir("/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if real, err := box.Real("/a/link"); err != nil || real != "/usr/lib/c/text" {
		t.Errorf("%q %v", real, err)
	}
}

// A container's root directory shows no mounts. If it has the directory for them, ExplainRoot takes the drivers from the host's file;
// without that directory, the container has none.
func TestExplainRoot(t *testing.T) {
	t.Parallel()
	s := host(t)
	spec, _ := generate(t, s)
	spec.ContainerEdits.Hooks[0].Args = append(spec.ContainerEdits.Hooks[0].Args, "--left", "gone.json: it is gone")
	text, err := YAML(spec)
	if err != nil {
		t.Fatal(err)
	}
	tree.Lay(t, s.Root, map[string]string{"etc/cdi/vkloader.yaml": string(text), "etc/cdi/zother.yaml": "cdiVersion: 0.5.0\nkind: a/b\ndevices: []\n"})
	given := image(t, map[string]string{gnu + "libc.so.6": "soname=libc.so.6 defines=GLIBC_2.17,GLIBC_2.31"})
	if err := os.MkdirAll(filepath.Join(given.Root, Directory), 0o755); err != nil {
		t.Fatal(err)
	}
	w := ExplainRoot(given, &s.Machine)
	if got := added(&w.Verdict); w.State != Arranged || got != "host-intel_icd.json host-lvp_icd.json" || !strings.Contains(fmt.Sprint(w.Findings), "needs GLIBC_2.38") ||
		!strings.Contains(fmt.Sprint(w.Findings), "/etc/cdi/vkloader.yaml") || !strings.Contains(fmt.Sprint(w.LeftOut), "gone.json: it is gone") {
		t.Errorf("%+v", w)
	}
	if w := ExplainRoot(image(t, nil), &s.Machine); w.State != NotGiven || added(&w.Verdict) != "" {
		t.Errorf("without the directory: %+v", w)
	}
	if w := ExplainRoot(given, &machine.Machine{Root: t.TempDir()}); w.State != NotGiven {
		t.Errorf("without a file: %+v", w)
	}
}
