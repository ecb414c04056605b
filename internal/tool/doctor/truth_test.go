package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/test/lib/binary"
)

// library returns the bytes of a shared object; see package binary.
func library(t *testing.T, words string) string {
	t.Helper()
	l, err := binary.Parse(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	return string(l.Bytes())
}

const (
	icds      = "usr/share/vulkan/icd.d/"
	libraries = "usr/lib/x86_64-linux-gnu/"
	implicit  = "usr/share/vulkan/implicit_layer.d/"
)

func icd(library, more string) string {
	return `{"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"` + more + `}}`
}

func layerOf(name, library, more string) string {
	return `{"file_format_version":"1.2.1","layer":{"name":"` + name + `","type":"GLOBAL","library_path":"` + library +
		`","api_version":"1.3.0","implementation_version":"1","description":"x"` + more + `}}`
}

// desktop lays out a healthy machine with an AMD card and more files.
func desktop(t *testing.T, more ...map[string]string) map[string]string {
	t.Helper()
	base := []map[string]string{
		file(icds+"radeon_icd.json", icd("libvulkan_radeon.so", "")),
		file(libraries+"libvulkan_radeon.so", library(t, "soname=libvulkan_radeon.so exports=vk_icdGetInstanceProcAddr")),
		file(libraries+"libvulkan.so.1", library(t, "soname=libvulkan.so.1 exports=vkCreateInstance release=0.9.0")),
		file("usr/share/misc/pci.ids", "1002  AMD/ATI\n\t1234  Navi 31 [Radeon RX 7900 XTX]\n\t\t1 2  board\n8086  Intel\n"),
		file("etc/os-release", "ID=debian\n"),
	}
	return card("0x1002", "amdgpu", true, append(base, more...)...)
}

// nvidia lays out NVIDIA's driver.
func nvidia(t *testing.T, version string) map[string]string {
	t.Helper()
	return map[string]string{icds + "nvidia_icd.json": icd("libGLX_nvidia.so.0", ""),
		libraries + "libGLX_nvidia.so." + version: library(t, "soname=libGLX_nvidia.so.0 exports=vk_icdGetInstanceProcAddr"),
		libraries + "libGLX_nvidia.so.0":          "-> libGLX_nvidia.so." + version}
}

const settingsFile = "/etc/vulkan/loader_settings.d/vk_loader_settings.json"

// twoManifests lays out a layer with a manifest for each word size, both with one library.
func twoManifests(t *testing.T) map[string]string {
	t.Helper()
	const on = `,"functions":{"vkGetInstanceProcAddr":"own"},"enable_environment":{"ON":"1"},"disable_environment":{"NO_O":"1"}`
	return map[string]string{libraries + "libo.so": library(t, "exports=own,other"), implicit + "o_32.json": layerOf("VK_LAYER_o_32", "libo.so", on),
		implicit + "o_64.json": layerOf("VK_LAYER_o_64", "libo.so", on)}
}

// Two manifests of one layer are the cause of a crash of both together, and of no other one. The verdict names the crash.
func TestCrashOfOneLayerTwice(t *testing.T) {
	t.Parallel()
	for with, want := range map[string]string{"VK_LAYER_o_32": "library-twice", "": "<nil>"} {
		e := newEvidence(examine(t, desktop(t, twoManifests(t)), Options{}, "ON=1"))
		e.add(LayerCrashes, "VK_LAYER_o_64", "/"+implicit+"o_64.json", misbehaved{detail: "killed", with: with}, nil)
		e.conclude()
		r := e.finish()
		if at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Code == LayerCrashes }); fmt.Sprint(r.Findings[at].Because) != want ||
			!strings.HasPrefix(r.Verdict, "Broken: VK_LAYER_o_64 crashes") {
			t.Errorf("with %q: %q, %+v", with, r.Verdict, r.Findings)
		}
	}
}

// Findings are true: a fix works, a cause is the real one, and a harmless state is a note.
func TestTruth(t *testing.T) {
	t.Parallel()
	nvidia := func(version string) map[string]string { return nvidia(t, version) }
	egl := map[string]string{libraries + "libEGL.so.1": library(t, "exports=x"),
		libraries + "libEGL_nvidia.so.0": library(t, "exports=x")}
	merge := func(list ...map[string]string) map[string]string {
		all := map[string]string{}
		for _, files := range list {
			for name, content := range files {
				all[name] = content
			}
		}
		return all
	}
	twice := twoManifests(t)
	kubernetes := file("var/run/secrets/kubernetes.io/x", "")
	for _, c := range []struct {
		name     string
		files    map[string]string
		environ  string // space-separated
		code     string // of an expected finding, "" for none
		severity string
		do       string // a part of its advice; "-X": the advice lacks X
		verdict  string
	}{
		{"healthy", desktop(t), "", "", "", "", "AMD Radeon RX 7900 XTX has a driver; no problems found"},
		{"leftover of another card", desktop(t, file(icds+"nvidia_icd.json", icd("libGLX_nvidia.so.0", ""))), "",
			"library-missing", "note", "Nothing; it does no harm.", "has a driver; no problems found"},
		{"a layer whose functions are in a needed library", desktop(t, file(implicit+"n.json",
			layerOf("VK_LAYER_NV_optimus", "libGLX_nvidia.so.0", `,"disable_environment":{"NO_OPTIMUS":"1"}`)),
			file(libraries+"libGLX_nvidia.so.0", library(t, "soname=libGLX_nvidia.so.0 needed=libnvidia-glcore.so.1")),
			file(libraries+"libnvidia-glcore.so.1", library(t, "soname=libnvidia-glcore.so.1 exports=vkGetInstanceProcAddr"))), "",
			"", "", "", "no problems found"},
		{"a settings file for another program", desktop(t, file(settingsFile, `{"file_format_version":"1.0.0","settings_array":[`+
			`{"app_keys":["/opt/game"],"stderr_log":["all"]}]}`)), "", "", "", "", "no problems found"},
		{"NVIDIA's older library for 32-bit programs", merge(nvidia("580.95.05"), card("0x10de", "nvidia", false, file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05\n"), file("etc/os-release", "ID=arch\n"),
			file("usr/lib/i386-linux-gnu/libGLX_nvidia.so.570.86", library(t, "class=32 machine=i386 soname=libGLX_nvidia.so.0 exports=vk_icdGetInstanceProcAddr")),
			file("usr/lib/i386-linux-gnu/libGLX_nvidia.so.0", "-> libGLX_nvidia.so.570.86"),
			file("usr/lib/i386-linux-gnu/libvulkan.so.1", library(t, "class=32 machine=i386 soname=libvulkan.so.1 exports=vkCreateInstance")),
			file("etc/ld.so.conf", "/usr/lib/i386-linux-gnu\n"), file(libraries+"libnvidia-glvkspirv.so.580.95.05", library(t, "exports=x")),
			file(libraries+"libnvidia-gpucomp.so.580.95.05", library(t, "exports=x")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")))), "DISPLAY=:0", "other-word-size", "warning",
			"pacman -S lib32-nvidia-utils", "1 warning"},
		{"a driver that never opens the device's node", merge(file("dev/kgsl-3d0", ""), file("sys/class/x", ""), file(icds+"f.json", icd("libvulkan_freedreno.so", "")),
			file(libraries+"libvulkan_freedreno.so", library(t, "exports=vk_icdGetInstanceProcAddr")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), "",
			"gpu-no-driver", "problem", "a build of Mesa for KGSL", "1 problem"},
		{"a driver that opens the device's node", merge(file("dev/kgsl-3d0", ""), file("sys/class/x", ""), file(icds+"f.json", icd("libvulkan_freedreno.so", "")),
			file(libraries+"libvulkan_freedreno.so", library(t, "exports=vk_icdGetInstanceProcAddr texts=/dev/kgsl-3d0")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), "", "", "", "", "no problems found"},
		{"a portability driver", card("0x1002", "amdgpu", true, file(icds+"m.json", icd("libm.so", `,"is_portability_driver":true`)),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), "",
			"no-driver", "problem", "VK_KHR_portability_enumeration", ""},
		{"an empty loader first", desktop(t, file("opt/empty/libvulkan.so.1", "")), "LD_LIBRARY_PATH=/opt/empty",
			"loader-broken", "problem", "rm -- /opt/empty/libvulkan.so.1", "1 problem"},
		{"a cut loader first", desktop(t, file("opt/cut/libvulkan.so.1", library(t, "exports=vkCreateInstance")[:200])),
			"LD_LIBRARY_PATH=/opt/cut", "loader-broken", "problem", "rm -- /opt/cut/libvulkan.so.1", "1 problem"},
		{"NVIDIA's files of run time", card("0x10de", "nvidia", false, nvidia("550.54.14"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file(libraries+"libnvidia-gpucomp.so.550.54.14", library(t, "exports=x"))), "", "library-runtime", "problem",
			"Install NVIDIA's driver completely", "2 problems"},
		{"NVIDIA's driver without a display and without EGL", card("0x10de", "nvidia", false, nvidia("535.1"), file("dev/nvidiactl", ""),
			file("dev/nvidia0", ""), file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")),
			file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")),
			file("etc/os-release", "ID=debian\n")), "", "driver-headless", "warning", "apt install libegl1", "1 warning"},
		{"… without its vendor's file", card("0x10de", "nvidia", false, nvidia("535.1"), egl, file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))), "", "driver-headless", "warning",
			`echo '{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}' > /usr/share/glvnd/egl_vendor.d/10_nvidia.json`,
			"1 warning"},
		{"… with it", card("0x10de", "nvidia", false, nvidia("535.1"), egl, file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance")),
			file("etc/glvnd/egl_vendor.d/10_nvidia.json", "{}")), "", "", "", "", "no problems found"},
		{"… with a display", card("0x10de", "nvidia", false, nvidia("535.1"), file("dev/nvidiactl", ""), file("dev/nvidia0", ""),
			file(libraries+"libnvidia-glvkspirv.so.535.1", library(t, "exports=x")), file(libraries+"libvulkan.so.1", library(t, "exports=vkCreateInstance"))),
			"DISPLAY=:0", "", "", "", "no problems found"},
		{"/usr/local/nvidia", desktop(t, file(icds+"radeon_icd.json", icd("libamd.so", "")),
			file("usr/local/nvidia/lib64/libamd.so", library(t, "exports=vk_icdGetInstanceProcAddr"))), "",
			"library-missing", "problem", "export LD_LIBRARY_PATH=/usr/local/nvidia/lib64", ""},
		{"a module that is missing alone", card("0x10de", "", false, nvidia("550.54.14"), file("etc/os-release", "ID=debian\n")), "",
			"gpu-no-kernel-driver", "problem", "modprobe nvidia", ""},
		{"a 32-bit layer that ldconfig does not help", desktop(t, file(implicit+"o.json",
			layerOf("VK_LAYER_o", "libo.so.1", `,"disable_environment":{"NO_O":"1"}`)), file("etc/ld.so.conf", "/opt/lib32\n"),
			file("opt/lib32/libo.so.1", library(t, "class=32 machine=i386 exports=vkGetInstanceProcAddr"))), "",
			"library-missing", "problem", "-ldconfig", ""},
		{"a packaged manifest and a variable that adds it", desktop(t, file("var/lib/dpkg/info/mesa.list", "/"+icds+"radeon_icd.json\n")),
			"VK_ADD_DRIVER_FILES=/" + icds + "radeon_icd.json", "library-twice", "warning", "unset VK_ADD_DRIVER_FILES", ""},
		{"two manifests, one of a package", desktop(t, file("var/lib/dpkg/info/mesa.list", "/"+icds+"radeon_icd.json\n"),
			file("etc/vulkan/icd.d/mine.json", icd("libvulkan_radeon.so", ""))), "", "library-twice", "warning",
			"-rm -- /usr", ""},
		{"two manifests of one layer", desktop(t, twice), "ON=1", "library-twice", "warning", "rm -- /" + implicit + "o_32.json", "1 warning"},
		{"two manifests of one layer, of a package", desktop(t, twice, file("var/lib/dpkg/info/o.list", "/"+implicit+"o_32.json\n")), "ON=1",
			"library-twice", "warning", "export VK_LOADER_LAYERS_DISABLE=VK_LAYER_o_32", "1 warning"},
		{"two manifests of one layer that is off", desktop(t, twice), "", "", "", "", "no problems found"},
		{"two layers of one library", desktop(t, twice, file(implicit+"o_32.json", layerOf("VK_LAYER_o_32", "libo.so",
			`,"functions":{"vkGetInstanceProcAddr":"other"},"enable_environment":{"ON":"1"},"disable_environment":{"NO_O":"1"}`))), "ON=1", "", "", "", "no problems found"},
		{"a layer for 32-bit programs alone", desktop(t, file(implicit+"o.json", layerOf("VK_LAYER_o", "/usr/$LIB/libo.so",
			`,"disable_environment":{"NO_O":"1"}`)), file("usr/lib/i386-linux-gnu/libo.so", library(t, "class=32 machine=i386 exports=vkGetInstanceProcAddr"))), "",
			"library-foreign", "problem", "-remove", "1 problem"},
		{"all without tildes", desktop(t, file(implicit+"o.json", layerOf("VK_LAYER_o", "libvulkan_radeon.so",
			`,"disable_environment":{"NO_O":"1"}`))), "VK_LOADER_LAYERS_DISABLE=all", "variable-value", "warning",
			"export VK_LOADER_LAYERS_DISABLE='~all~'", ""},
		{"a variable that Steam's runtime sets", desktop(t, file("run/pressure-vessel/x", "")),
			"VK_DRIVER_FILES=/usr/lib/pressure-vessel/overrides/share/vulkan/icd.d/gone.json", "variable-nothing", "problem",
			"-env -u", ""},
		{"a variable in Steam", desktop(t, file("run/pressure-vessel/x", "")), "VK_LOADER_DRIVERS_DISABLE=*", "variable-all-out", "problem",
			"launch options in Steam: env -u VK_LOADER_DRIVERS_DISABLE %command%", ""},
		{"a variable in a Flatpak", desktop(t, file(".flatpak-info", "[Application]\nname=org.example.Game\n")), "VK_LOADER_DRIVERS_DISABLE=*",
			"variable-all-out", "problem", "flatpak override --user --unset-env=VK_LOADER_DRIVERS_DISABLE org.example.Game", ""},
		{"a variable in a pod", desktop(t, kubernetes), "VK_LOADER_LAYERS_DISABLE=implicit", "variable-value", "warning",
			`{name: VK_LOADER_LAYERS_DISABLE, value: "~implicit~"}`, ""},
		{"where a variable is set", desktop(t, file("etc/environment", "# mine\nVK_LOADER_DRIVERS_DISABLE=*\n")), "VK_LOADER_DRIVERS_DISABLE=*",
			"variable-all-out", "problem", "Remove VK_LOADER_DRIVERS_DISABLE from /etc/environment, line 2. Until then: unset VK_LOADER_DRIVERS_DISABLE", ""},
		{"capabilities in a pod", card("0x10de", "nvidia", false, kubernetes, file("dev/nvidiactl", ""), file("dev/nvidia0", "")), "",
			"gpu-no-driver", "problem", "-docker", ""},
		{"a name that is none", desktop(t, file(implicit+"o.json", layerOf("VK_LAYER_o", "libvulkan_radeon.so",
			`,"disable_environment":{"NO O;reboot":"1"}`))), "", "layer-variable", "warning", "Correct the name", ""},
		{"a soname that is none", desktop(t, file(libraries+"libvulkan_radeon.so", library(t, "needed=.so.1 exports=vk_icdGetInstanceProcAddr"))),
			"", "library-needs", "problem", "Install the package that has .so.1.", ""},
		{"one cause", merge(desktop(t), file(libraries+"libvulkan_radeon.so", "")), "", "library-unreadable", "problem", "", "; 1 problem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, c.files, Options{}, strings.Fields(c.environ)...)
			if !strings.Contains(report.Verdict, c.verdict) {
				t.Errorf("verdict %q, want %q", report.Verdict, c.verdict)
			}
			for _, f := range report.Findings {
				if c.code == "" && f.Severity != diag.Note {
					t.Errorf("a false alarm: %+v", f)
				}
				if f.Code.String() != c.code || f.Because != nil {
					continue
				}
				without, not := strings.CutPrefix(c.do, "-")
				if f.Severity.String() != c.severity || strings.Contains(f.Do, without) == not {
					t.Errorf("%+v", f)
				}
				return
			}
			if c.code != "" {
				t.Errorf("no %s in %+v", c.code, report.Findings)
			}
		})
	}
}
