package offer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/workers"
	"vkloader/test/lib/tree"
)

// root creates files: words for an ELF file, "text ..." for a text, "-> TARGET" for a link.
func root(t *testing.T, files map[string]string) *machine.Source {
	t.Helper()
	dir := t.TempDir()
	tree.Libraries(t, dir, files)
	return &machine.Source{Machine: machine.Machine{Root: dir}}
}

func put(t *testing.T, path, words string) {
	t.Helper()
	tree.Libraries(t, filepath.Dir(path), map[string]string{filepath.Base(path): words})
}

func driverManifest(library, more string) string {
	return `text {"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"` + more + `}}`
}

func find(t *testing.T, s *machine.Source, name string) *Index {
	t.Helper()
	x, err := Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.close)
	return x
}

// names returns the names of a driver's files in order, with a star after run-time libraries.
func names(x *Index, driver int) string {
	var list []string
	for _, at := range x.Drivers[driver].Files {
		name := x.Files[at].Name
		if x.Files[at].RunTime {
			name += "*"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// NVIDIA's driver comes with its run-time libraries and their dependencies; its device nodes and data files are named.
func TestRunTimeFiles(t *testing.T) {
	t.Parallel()
	const nvidia = "usr/lib/libnvidia-"
	x := find(t, root(t, map[string]string{
		"usr/share/vulkan/icd.d/nvidia_icd.json": driverManifest("libGLX_nvidia.so.0", ""),
		"usr/lib/libGLX_nvidia.so.550.54.14":     "soname=libGLX_nvidia.so.0 needed=libnvidia-tls.so.550.54.14,libnvidia-glcore.so.550.54.14,libc.so.6 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/libGLX_nvidia.so.0":             "-> libGLX_nvidia.so.550.54.14",
		nvidia + "tls.so.550.54.14":              "soname=libnvidia-tls.so.550.54.14 needed=libc.so.6",
		nvidia + "glcore.so.550.54.14":           "soname=libnvidia-glcore.so.550.54.14 needed=libm.so.6,libnvidia-tls.so.550.54.14",
		nvidia + "glvkspirv.so.550.54.14":        "soname=libnvidia-glvkspirv.so.550.54.14 needed=libextra.so.1",
		nvidia + "gpucomp.so.550.54.14":          "soname=libnvidia-gpucomp.so.550.54.14",
		nvidia + "rtcore.so.550.54.14":           "soname=libnvidia-rtcore.so.550.54.14 needed=libgone.so.9",
		nvidia + "glvkspirv.so.535.1":            "soname=libnvidia-glvkspirv.so.535.1",
		"usr/lib/libEGL_nvidia.so.550.54.14":     "soname=libEGL_nvidia.so.0",
		"usr/lib/libEGL.so.1":                    "soname=libEGL.so.1 needed=libGLdispatch.so.0",
		"usr/lib/libGLdispatch.so.0":             "soname=libGLdispatch.so.0",
		"usr/lib/libextra.so.1":                  "soname=libextra.so.1",
		"usr/lib/libm.so.6":                      "soname=libm.so.6",
		"dev/nvidiactl":                          "text x", "dev/nvidia0": "text x", "dev/nvidia-caps": "text x",
		"dev/dri/renderD128": "text x", "sys/class/drm/renderD128/device/driver": "-> ../../../../bus/nvidia",
		"dev/dri/renderD129": "text x", "sys/class/drm/renderD129/device/driver": "-> ../../../../bus/i915",
		"usr/share/nvidia/nvidia-application-profiles-550.54.14-rc": "text x",
		"usr/share/glvnd/egl_vendor.d/10_nvidia.json":               "text x", "usr/share/glvnd/egl_vendor.d/50_mesa.json": "text x",
	}), "x86_64")
	want := "libnvidia-tls.so.550.54.14 libnvidia-glcore.so.550.54.14 libextra.so.1* libnvidia-glvkspirv.so.550.54.14* " +
		"libnvidia-gpucomp.so.550.54.14* libEGL_nvidia.so.550.54.14* libGLdispatch.so.0* libEGL.so.1* libGLX_nvidia.so.0"
	if got := names(x, 0); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d := x.Drivers[0]
	if got := strings.Join(d.Devices, " "); got != "/dev/dri/renderD128 /dev/nvidiactl /dev/nvidia0" {
		t.Errorf("devices: %s", got)
	}
	if len(d.Data) != 2 || d.Library != d.Files[len(d.Files)-1] {
		t.Errorf("%+v", d)
	}
}

// A driver without a required run-time library is not offered. A missing optional library has no effect.
func TestRequiredAtRunTime(t *testing.T) {
	t.Parallel()
	const nvidia = "usr/lib/libnvidia-"
	for gone, want := range map[string]string{
		"":                            "",
		nvidia + "rtcore.so.550.1":    "",
		nvidia + "glvkspirv.so.550.1": "its library libnvidia-glvkspirv.so.550.1 is in no directory that the dynamic linker searches",
		"usr/lib/libextra.so.1":       "/usr/lib/libnvidia-gpucomp.so.550.1 needs libextra.so.1, which cannot be found",
	} {
		files := map[string]string{
			"usr/share/vulkan/icd.d/nvidia_icd.json": driverManifest("libGLX_nvidia.so.0", ""),
			"usr/lib/libGLX_nvidia.so.550.1":         "soname=libGLX_nvidia.so.0 exports=vk_icdGetInstanceProcAddr",
			"usr/lib/libGLX_nvidia.so.0":             "-> libGLX_nvidia.so.550.1",
			nvidia + "glvkspirv.so.550.1":            "soname=libnvidia-glvkspirv.so.550.1",
			nvidia + "gpucomp.so.550.1":              "soname=libnvidia-gpucomp.so.550.1 needed=libextra.so.1",
			nvidia + "rtcore.so.550.1":               "soname=libnvidia-rtcore.so.550.1",
			"usr/lib/libextra.so.1":                  "soname=libextra.so.1",
		}
		delete(files, gone)
		x := find(t, root(t, files), "x86_64")
		got := ""
		if len(x.LeftOut) == 1 {
			got = x.LeftOut[0].Why
		}
		if got != want || (len(x.Drivers) == 0) != (want != "") {
			t.Errorf("without %q: %d drivers, %+v", gone, len(x.Drivers), x.LeftOut)
		}
	}
}

// A file of several drivers is offered once, libraries may need each other, and the programs of each machine get their own files.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := root(t, map[string]string{
		"usr/share/vulkan/icd.d/a.json":      driverManifest("liba.so", ""),
		"usr/share/vulkan/icd.d/b.json":      driverManifest("/opt/libb.so", ""),
		"usr/share/vulkan/icd.d/c.json":      driverManifest("libc32.so", `,"library_arch":"32"`),
		"usr/lib/x86_64-linux-gnu/liba.so":   "soname=liba.so needed=libx.so.1,ld-linux-x86-64.so.2,libpthread.so.0,libvulkan.so.1 exports=vk_icdGetInstanceProcAddr",
		"opt/libb.so":                        "soname=libb.so needed=libx.so.1 runpath=$ORIGIN/near exports=vk_icdGetInstanceProcAddr",
		"opt/near/libx.so.1":                 "soname=libx.so.1",
		"usr/lib/x86_64-linux-gnu/libx.so.1": "soname=libx.so.1 needed=liby.so.1",
		"usr/lib/x86_64-linux-gnu/liby.so.1": "soname=liby.so.1 needed=libx.so.1,libx.so.1",
		"usr/lib/i386-linux-gnu/libc32.so":   "soname=libc32.so class=32 machine=i386 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/i386-linux-gnu/liba.so":     "soname=liba.so class=32 machine=i386 needed=libgone.so exports=vk_icdGetInstanceProcAddr",
	})
	x := find(t, s, "x86_64")
	if got := names(x, 0); got != "liby.so.1 libx.so.1 liba.so" {
		t.Errorf("a: %s", got)
	}
	if got := names(x, 1); got != "libx.so.1 libb.so" || x.Drivers[0].Files[1] == x.Drivers[1].Files[0] {
		t.Errorf("b has a libx of its own: %s", got)
	}
	if len(x.LeftOut) != 1 || !strings.Contains(x.LeftOut[0].Why, "architecture") {
		t.Errorf("%+v", x.LeftOut)
	}
	x = find(t, s, "i386")
	if len(x.Drivers) != 1 || x.Drivers[0].Name != "c.json" || !strings.Contains(x.Drivers[0].Manifest, `"library_arch":"32"`) {
		t.Errorf("%+v", x.Drivers)
	}
	var why []string
	for _, l := range x.LeftOut {
		why = append(why, l.Name+": "+l.Why)
	}
	slices.Sort(why)
	if len(why) != 2 || !strings.Contains(why[0], "needs libgone.so") || !strings.Contains(why[1], "is for 64-bit") {
		t.Errorf("%q", why)
	}
	if x = find(t, s, "aarch64"); len(x.Drivers) != 0 {
		t.Errorf("%+v", x.Drivers)
	}
	if _, err := Find(s, "vax"); err == nil {
		t.Error("drivers for a machine that is not known")
	}
	for name, want := range map[string]string{"i686": "i386", "i386": "i386", "x86_64": "x86_64", "aarch64": "aarch64",
		"riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x", "loongarch64": "loongarch64", "armv7l": "armhf", "armv8l": "armhf",
		"armv5tejl": "armel", "mips64": "mips64el"} {
		if got, known := Machine(name); got.Name != want || !known {
			t.Errorf("%s: %s", name, got.Name)
		}
	}
	if _, known := Machine("i986"); known {
		t.Error("i986")
	}
}

// A driver that needs a symbol version which another library lacks is not offered. Versions of the C library are not checked, because
// the client uses its own.
func TestVersions(t *testing.T) {
	t.Parallel()
	x := find(t, root(t, map[string]string{
		"usr/share/vulkan/icd.d/a.json": driverManifest("liba.so", ""),
		"usr/share/vulkan/icd.d/b.json": driverManifest("libb.so", ""),
		"usr/lib/liba.so":               "soname=liba.so needed=libx.so.1 imports=f@X_2@libx.so.1 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/libb.so":               "soname=libb.so needed=libc.so.6 imports=f@GLIBC_2.99@libc.so.6 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/libx.so.1":             "soname=libx.so.1 defines=X_1",
		"usr/lib/libc.so.6":             "soname=libc.so.6 defines=GLIBC_2.36",
	}), "x86_64")
	if len(x.Drivers) != 1 || x.Drivers[0].Name != "b.json" || len(x.LeftOut) != 1 ||
		!strings.Contains(x.LeftOut[0].Why, "/usr/lib/liba.so needs version X_2 of /usr/lib/libx.so.1") {
		t.Errorf("%+v, %+v", x.Drivers, x.LeftOut)
	}
}

// Find returns the same index until a source changes. An older index then still has its own files.
func TestOffers(t *testing.T) {
	t.Parallel()
	s := root(t, map[string]string{"usr/share/vulkan/icd.d/a.json": driverManifest("liba.so", ""), "usr/lib/liba.so": "soname=liba.so exports=vk_icdGetInstanceProcAddr"})
	var later workers.Group
	o := &Offers{Source: s, Later: later.Go}
	first, err := o.Find("x86_64")
	if err != nil {
		t.Fatal(err)
	}
	var group workers.Group
	for range 8 {
		group.Go(func() {
			if again, err := o.Find("x86_64"); err != nil || again != first {
				t.Errorf("another index of the same: %v", err)
			}
		})
	}
	group.Wait()
	later.Wait()
	library := filepath.Join(s.Root, "usr/lib/liba.so")
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	put(t, library, "soname=liba.so needed=libc.so.6 exports=vk_icdGetInstanceProcAddr")
	second, err := o.Find("x86_64")
	if err != nil || second == first || second.Files[0].Size == first.Files[0].Size {
		t.Errorf("an update is not noticed: %v", err)
	}
	for _, x := range []*Index{first, second} {
		f, err := x.File(0)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != x.Files[0].Size {
			t.Errorf("%v, %v", info.Size(), err)
		}
	}
	if len(o.Last()) != 1 || o.Last()["x86_64"] != second {
		t.Error("last")
	}
}

// If the sources seem unchanged, a client gets the last index without waiting. The service examines the machine afterwards, for the
// next client. It notices a changed file of the index at once.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	s := root(t, map[string]string{"usr/share/vulkan/icd.d/a.json": driverManifest("liba.so", ""),
		"usr/lib/liba.so": "soname=liba.so needed=libx.so exports=vk_icdGetInstanceProcAddr", "usr/lib/libx.so": "soname=libx.so"})
	var waiting []func()
	o := &Offers{Source: s, Later: func(f func()) { waiting = append(waiting, f) }}
	find := func() *Index {
		t.Helper()
		x, err := o.Find("x86_64")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := find()
	if again := find(); again != first || find() != first || len(waiting) != 1 {
		t.Fatalf("%d looks for later, and another index: %v", len(waiting), again != first)
	}
	waiting[0]()
	if find() != first || len(waiting) != 2 {
		t.Errorf("%d looks for later", len(waiting))
	}
	// A change in a file that is not part of the index shows in the answer after the next.
	put(t, filepath.Join(s.Root, "usr/share/drirc.d/a.conf"), "text ")
	if find() != first {
		t.Error("another index")
	}
	for name, change := range map[string]func(path string) error{
		"usr/lib/libx.so":               func(path string) error { return os.Chmod(path, 0o700) },
		"usr/share/vulkan/icd.d/b.json": func(path string) error { return os.WriteFile(path, []byte(driverManifest("liba.so", "")), 0o600) },
		"etc/ld.so.cache":               func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		find()
		path := filepath.Join(s.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		before := len(waiting)
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if find(); len(waiting) != before {
			t.Errorf("%s: the change is not noticed", name)
		}
	}
}

// The drivers of the machine of this test.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	x := find(t, &machine.Source{}, "x86_64")
	if !slices.ContainsFunc(x.Drivers, func(d Driver) bool { return strings.HasPrefix(d.Name, "lvp_icd") }) {
		t.Fatalf("Mesa's software driver is missing: install mesa-vulkan-drivers; %+v", x.LeftOut)
	}
	for _, f := range x.Files {
		if isClientLibrary(f.Name) {
			t.Errorf("%s is handed out", f.Name)
		}
	}
	// Each dependency of a file precedes it, or is the client's own.
	for _, d := range x.Drivers {
		before := map[string]bool{}
		for _, at := range d.Files {
			f := x.Files[at]
			for _, need := range f.Needs {
				if !isClientLibrary(need) && !before[need] {
					t.Errorf("%s: %s needs %s, which does not come before it", d.Name, f.Name, need)
				}
			}
			before[f.Name], before[f.Soname] = true, true
		}
	}
}

// A library without a driver's functions is not offered, and neither is a loader.
func TestLibrariesThatAreNoDrivers(t *testing.T) {
	t.Parallel()
	s := root(t, map[string]string{
		"usr/share/vulkan/icd.d/a.json": driverManifest("liba.so", ""), "usr/share/vulkan/icd.d/b.json": driverManifest("libb.so", ""),
		"usr/share/vulkan/icd.d/c.json": driverManifest("libvulkan.so.1", ""), "usr/share/vulkan/icd.d/d.json": driverManifest("libd.so", ""),
		"usr/lib/liba.so": "soname=liba.so exports=vk_icdGetInstanceProcAddr", "usr/lib/libb.so": "soname=libb.so exports=vkGetInstanceProcAddr",
		"usr/lib/libvulkan.so.1": "soname=libvulkan.so.1 exports=vk_icdGetInstanceProcAddr",
		"usr/lib/libd.so":        "soname=libd.so exports=vkGetInstanceProcAddr,vkCreateInstance,vkEnumerateInstanceExtensionProperties",
	})
	g, err := Gather(s, "x86_64")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range g.Drivers {
		names = append(names, d.Name)
	}
	want := []LeftOut{{"b.json", "/usr/share/vulkan/icd.d/b.json", "/usr/lib/libb.so has no functions of a Vulkan driver"},
		{"c.json", "/usr/share/vulkan/icd.d/c.json", "/usr/lib/libvulkan.so.1 is a Vulkan loader, and no driver"}}
	if strings.Join(names, " ") != "a.json d.json" || !slices.Equal(g.LeftOut, want) {
		t.Errorf("%q, %+v", names, g.LeftOut)
	}
}
