package commands

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"vkloader/test/lib/tree"
)

// wishMachine creates a Debian desktop with a working driver, and more files in the format of tree.Libraries.
func wishMachine(t *testing.T, more map[string]string, env ...string) *patient {
	t.Helper()
	files := map[string]string{"etc/os-release": "= ID=debian\nVERSION_ID=\"12\"\n", archLibraries + "libc.so.6": "soname=libc.so.6 exports=memcpy",
		archLibraries + "libvulkan.so.1": "-> libvulkan.so.1.4.309", archLibraries + "libvulkan.so.1.4.309": "soname=libvulkan.so.1 exports=vkCreateInstance,vkEnumerateInstanceVersion,vkCmdPushConstants2,vkCreateRenderPass2,vkCmdBeginRendering",
		archLibraries + "libvulkan_radeon.so":    "soname=libvulkan_radeon.so needed=libc.so.6" + icdExports,
		icdDirectory + "radeon_icd.x86_64.json":  `= {"file_format_version":"1.0.0","ICD":{"library_path":"libvulkan_radeon.so","api_version":"1.3.0"}}`,
		"sys/bus/pci/devices/0000:01:00.0/class": "= 0x030000\n", "sys/bus/pci/devices/0000:01:00.0/vendor": "= 0x1002\n",
		"sys/bus/pci/devices/0000:01:00.0/device": "= 0x744c\n", "sys/bus/pci/devices/0000:01:00.0/driver": "-> ../../drivers/amdgpu",
		"sys/class/drm/renderD128/device": "-> ../../../bus/pci/devices/0000:01:00.0", "dev/dri/renderD128": "= "}
	for name, text := range more {
		if files[name] = text; text == "" {
			delete(files, name)
		}
	}
	p := &patient{root: t.TempDir(), env: append([]string{"HOME=/home/mia", "DISPLAY=:0"}, env...)}
	tree.Libraries(t, p.root, files)
	return p
}

// layerFile returns the manifest of a layer with the library layerLibrary.
func layerFile(name string) string {
	return "= " + strings.Replace(tree.Layer(name, ""), "lib.so", "libwanted.so", 1)
}

const layerLibrary = "soname=libwanted.so exports=vkNegotiateLoaderLayerInterfaceVersion"

// packagesGzip returns a gzip-compressed list of apt with packages.
func packagesGzip(names ...string) string {
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	for _, name := range names {
		fmt.Fprintf(to, "Package: %s\nVersion: 1\n\n", name)
	}
	to.Close()
	return "= " + out.String()
}

// packagesLZ4 does the same, compressed by LZ4.
func packagesLZ4(names ...string) string {
	var out bytes.Buffer
	to := lz4.NewWriter(&out)
	for _, name := range names {
		fmt.Fprintf(to, "Package: %s\nVersion: 1\n\n", name)
	}
	to.Close()
	return "= " + out.String()
}

// The tool finds a missing layer, directory or library that a variable or manifest names: in another directory, under another name, or in a
// package. Only then does it say how to stop asking for it.
func TestWishesAreFulfilled(t *testing.T) {
	t.Parallel()
	const validation = "VK_LAYER_KHRONOS_validation"
	explicit := "share/vulkan/explicit_layer.d/wanted.json"
	lists := "var/lib/apt/lists/deb_dists_bookworm_main_binary-amd64_Packages"
	missing := map[string]string{archLibraries + "libvulkan_radeon.so": "soname=libvulkan_radeon.so needed=libxcb-present.so.0" + icdExports}
	join := func(list ...map[string]string) map[string]string {
		all := map[string]string{}
		for _, files := range list {
			for name, text := range files {
				all[name] = text
			}
		}
		return all
	}
	path := func(library string) map[string]string {
		return map[string]string{icdDirectory + "radeon_icd.x86_64.json": `= {"file_format_version":"1.0.0","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`}
	}
	for _, c := range []struct {
		name, env string
		files     map[string]string
		code      string
		what, do  string // parts; "-X": without X
		untried   string
		gone      bool // after the printed step, nothing is wrong
	}{
		{"a directory beside the named one", "VK_ADD_LAYER_PATH=/opt/sdk/bin VK_INSTANCE_LAYERS=" + validation,
			map[string]string{"opt/sdk/bin/vkconfig": "= ", "opt/sdk/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "/opt/sdk/share/vulkan/explicit_layer.d has manifests", "export VK_ADD_LAYER_PATH=/opt/sdk/share/vulkan/explicit_layer.d", "", true},
		{"a layer in a directory that is not searched", "VK_INSTANCE_LAYERS=" + validation,
			map[string]string{"opt/sdk/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "/opt/sdk/share/vulkan/explicit_layer.d has it", "export VK_ADD_LAYER_PATH=/opt/sdk/share/vulkan/explicit_layer.d", "", true},
		{"a layer that VK_LAYER_PATH leaves out", "VK_LAYER_PATH=/opt/other VK_INSTANCE_LAYERS=" + validation,
			map[string]string{"opt/other/o.json": layerFile("VK_LAYER_o"), "usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "/usr/share/vulkan/explicit_layer.d has it", "unset VK_LAYER_PATH; export VK_ADD_LAYER_PATH=/opt/other", "", true},
		{"a layer in another user's home", "VK_INSTANCE_LAYERS=VK_LAYER_x",
			map[string]string{"home/leo/.local/share/vulkan/explicit_layer.d/x.json": layerFile("VK_LAYER_x"), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "explicit_layer.d has it", "export VK_ADD_LAYER_PATH=/home/leo/.local/share/vulkan/explicit_layer.d", "", true},
		{"a layer whose manifest the loader rejects", "VK_INSTANCE_LAYERS=VK_LAYER_x",
			map[string]string{"usr/share/vulkan/explicit_layer.d/x.json": `= {"layer":{"name":"VK_LAYER_x","type":"GLOBAL"}}`},
			"variable-nothing", "/usr/share/vulkan/explicit_layer.d/x.json describes it", "vkloader validate /usr/share/vulkan/explicit_layer.d/x.json", "", false},
		{"implicit layers in VK_LAYER_PATH", "VK_LAYER_PATH=/usr/share/vulkan/implicit_layer.d",
			map[string]string{"usr/share/vulkan/implicit_layer.d/x.json": strings.Replace(layerFile("VK_LAYER_x"), `"type"`, `"disable_environment":{"NO_X":"1"},"type"`, 1),
				archLibraries + "libwanted.so": layerLibrary},
			"layer-duplicate", "x.json is found twice", "unset VK_LAYER_PATH", "", true},
		{"a misspelled layer", "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_valdation",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "there is " + validation, "export VK_INSTANCE_LAYERS=" + validation, "", true},
		{"a replaced layer", "VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_standard_validation",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", validation + " has replaced it", "export VK_INSTANCE_LAYERS=" + validation, "", true},
		{"a layer of a package", "VK_INSTANCE_LAYERS=" + validation, map[string]string{lists: "= Package: vulkan-validationlayers\n"},
			"variable-nothing", "", "Run as root: apt install vulkan-validationlayers. To do without it: unset VK_INSTANCE_LAYERS", "the package's contents", false},
		{"a misspelled layer of a package", "VK_INSTANCE_LAYERS=VK_LAYER_RENDERDOC_Captur", map[string]string{lists: "= Package: renderdoc\n"},
			"variable-nothing", "its name is VK_LAYER_RENDERDOC_Capture", "Run as root: apt install renderdoc", "the package's contents", false},
		{"a layer of a package, and no lists", "VK_INSTANCE_LAYERS=" + validation, map[string]string{"var/lib/apt/lists/lock": "= "},
			"variable-nothing", "", "Run as root: apt update && apt install vulkan-validationlayers", "usual name", false},
		{"a layer of a package that the lists lack", "VK_INSTANCE_LAYERS=" + validation, map[string]string{lists: "= Package: other\n"},
			"variable-nothing", "", "This machine's package lists do not have vulkan-validationlayers", "the package's contents", false},
		{"a layer of a package in a container", "VK_INSTANCE_LAYERS=" + validation, map[string]string{".dockerenv": "= "},
			"variable-nothing", "", "In the image's Dockerfile: RUN apt-get update && apt-get install -y vulkan-validationlayers", "usual name", false},
		{"a layer of a package on ostree", "VK_INSTANCE_LAYERS=" + validation, map[string]string{"etc/os-release": "= ID=fedora\n", "run/ostree-booted": "= "},
			"variable-nothing", "", "Run as root, then restart the machine: rpm-ostree install vulkan-validation-layers", "restart", false},
		{"a variable that no layer reads", "MANGOHUD=1", map[string]string{lists: "= Package: mangohud\n"},
			"variable-nothing", "switches on VK_LAYER_MANGOHUD_overlay_x86_64, which is not installed", "Run as root: apt install mangohud. To do without it: unset MANGOHUD", "the package's contents", false},
		{"a layer that nobody knows", "VK_INSTANCE_LAYERS=VK_LAYER_no_such", nil, "variable-nothing", "which is not installed", "unset VK_INSTANCE_LAYERS", "", true},
		{"VK_LOADER_LAYERS_ENABLE", "VK_LOADER_LAYERS_ENABLE=" + validation, map[string]string{lists: "= Package: vulkan-validationlayers\n"},
			"variable-match", "", "apt install vulkan-validationlayers", "the package's contents", false},
		{"a driver's file of another directory", "VK_DRIVER_FILES=/usr/lib/vulkan/icd.d/radeon_icd.x86_64.json", nil,
			"variable-nothing", "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json exists", "export VK_DRIVER_FILES=/usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "", true},

		{"a setting of a layer that is off", "VK_KHRONOS_VALIDATION_VALIDATE_SYNC=true",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"layer-settings", "it is a setting of VK_LAYER_KHRONOS_validation, which is not on", "export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation", "", true},
		{"another name of the setting", "VK_LAYER_PRINTF_ONLY_PRESET=1",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"layer-settings", "it is a setting of VK_LAYER_KHRONOS_validation, which is not on", "export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation", "", true},
		{"a setting of a layer that is missing", "VK_KHRONOS_VALIDATION_VALIDATE_SYNC=true", map[string]string{lists: "= Package: vulkan-validationlayers\n"},
			"layer-settings", "which is not on, because it is not installed", "then enable it with vkloader run --layer VK_LAYER_KHRONOS_validation PROGRAM. Run as root: apt install vulkan-validationlayers", "the package's contents", false},
		{"a setting of a layer that is on", "VK_KHRONOS_VALIDATION_VALIDATE_SYNC=true VK_INSTANCE_LAYERS=" + validation + " VK_ADD_DRIVER_FILES=/gone.json",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary},
			"variable-nothing", "", "unset VK_ADD_DRIVER_FILES", "", true},
		{"a missing file of layers' settings", "VK_LAYER_SETTINGS_PATH=/gone/vk_layer_settings.txt", nil, "layer-settings", "which does not exist",
			"unset VK_LAYER_SETTINGS_PATH", "", true},
		{"a file with settings of a layer that is off", "VK_LAYER_SETTINGS_PATH=/home/mia",
			map[string]string{"usr/" + explicit: layerFile(validation), archLibraries + "libwanted.so": layerLibrary,
				"home/mia/vk_layer_settings.txt": "= # sync\nkhronos_validation.validate_sync = true\n"},
			"layer-settings", "the settings in /home/mia/vk_layer_settings.txt are for VK_LAYER_KHRONOS_validation", "export VK_INSTANCE_LAYERS=", "", true},

		{"a library path with a template", "", path("@LIB_DIR@/libvulkan_radeon.so"), "library-missing", "is a template", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… with a home directory", "", path("~/libvulkan_radeon.so"), "library-missing", "replace ~", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… with $HOME", "", path("$HOME/libvulkan_radeon.so"), "library-missing", "no other variable", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… of a directory", "", path("/usr/lib/x86_64-linux-gnu"), "library-missing", "it is a directory", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… of a manifest", "", path("radeon.json"), "library-missing", "names a manifest", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… of Windows", "", path(`C:\\Windows\\vulkan_radeon.dll`), "library-missing", "a path of Windows", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… of macOS", "", path("libMoltenVK.dylib"), "library-missing", "a path of macOS", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… of Android", "", path("/system/lib64/hw/vulkan.so"), "library-missing", "a path of Android", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"… with a space at its end", "", path("libvulkan_radeon.so "), "library-missing", "ends with a space", "Write /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so as library_path into /usr/share", "", false},
		{"a library by its name in the lists", "", join(missing, map[string]string{lists + ".gz": packagesGzip("other", "libxcb-present0")}),
			"library-needs", "", "Run as root: apt install libxcb-present0", "the package's contents", false},
		{"… compressed by LZ4", "", join(missing, map[string]string{lists + ".lz4": packagesLZ4("other", "libxcb-present0")}),
			"library-needs", "", "Run as root: apt install libxcb-present0", "the package's contents", false},
		{"… that lack it", "", join(missing, map[string]string{lists + ".lz4": packagesLZ4("other", "libxcb-present1")}),
			"library-needs", "", "apt-file search libxcb-present.so.0", "", false},
		{"a library of a list of files", "", join(missing, map[string]string{"var/lib/apt/lists/deb_main_Contents-amd64": "= usr/lib/x86_64-linux-gnu/libxcb-present.so.0  libs/xcb-of-today\n"}),
			"library-needs", "", "apt install xcb-of-today", "the package's contents", false},
		{"a library without lists", "", missing, "library-needs", "", "Run as root: apt install libxcb-present0", "usual name", false},
		{"a library whose name ends in a digit", "", map[string]string{archLibraries + "libvulkan_radeon.so": "soname=x needed=libodd2.so.3" + icdExports},
			"library-needs", "", "Run as root: apt install libodd2-3", "usual name", false},
		{"a library in a container", "", join(missing, map[string]string{".dockerenv": "= "}),
			"library-needs", "", "In the image's Dockerfile: RUN apt-get update && apt-get install -y libxcb-present0", "usual name", false},
		{"a library in a toolbox, which is kept", "", join(missing, map[string]string{"run/.containerenv": "= ", "run/.toolboxenv": "= "}),
			"library-needs", "", "Run as root: apt install libxcb-present0", "usual name", false},
		{"a library in a snap", "SNAP=/snap/game/1 SNAP_NAME=game", missing, "library-needs", "", "Run outside: snap refresh game", "takes effect outside", false},
		{"a library in a Flatpak", "", join(missing, map[string]string{".flatpak-info": "= [Application]\nname=org.a.B\n"}),
			"library-needs", "", "Run outside: flatpak update", "takes effect outside", false},
		{"a library on SteamOS", "", join(missing, map[string]string{"etc/os-release": "= ID=steamos\nID_LIKE=arch\n"}), "library-needs", "", "-pacman", "", false},
		{"a driver whose package lists are deleted", "", map[string]string{icdDirectory + "radeon_icd.x86_64.json": "", archLibraries + "libvulkan_radeon.so": "", "var/lib/apt/lists/partial/x": "= ",
			".dockerenv": "= "}, "gpu-no-driver", "", "In the image's Dockerfile: RUN apt-get update && apt-get install -y mesa-vulkan-drivers", "usual name", false},
		{"a driver of pacman's lists", "", map[string]string{icdDirectory + "radeon_icd.x86_64.json": "", archLibraries + "libvulkan_radeon.so": "", "etc/os-release": "= ID=arch\n"},
			"gpu-no-driver", "", "Run as root: pacman -S vulkan-radeon", "usual name", false},
		{"a driver of pacman's lists on an unknown system", "", map[string]string{icdDirectory + "radeon_icd.x86_64.json": "", archLibraries + "libvulkan_radeon.so": "",
			"etc/os-release": "= ID=ewe\n", "var/lib/pacman/local/mesa-25.1-1/desc": "= %NAME%\nmesa\n", "var/lib/dpkg/status": "", "var/lib/dpkg/": ""},
			"gpu-no-driver", "", "Run as root: pacman -S vulkan-radeon", "usual name", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := wishMachine(t, c.files, strings.Fields(c.env)...)
			found, err := p.report()
			if err != nil {
				t.Fatal(err)
			}
			for i := range found {
				s := &found[i]
				without, not := strings.CutPrefix(c.do, "-")
				if s.Code != c.code || s.Because != "" || !strings.Contains(s.What, c.what) || strings.Contains(s.Do, without) == not || !strings.Contains(s.Untried, c.untried) ||
					c.untried == "" && c.gone && s.Untried != "" {
					continue
				}
				if !c.gone {
					return
				}
				if how, err := p.follow(s); how != done || err != nil {
					t.Fatalf("%v, %v", how, err)
				}
				after, err := p.report()
				if err != nil {
					t.Fatal(err)
				}
				for _, left := range after {
					if left.Severity != "note" {
						t.Errorf("followed, there is %+v", left)
					}
				}
				return
			}
			t.Errorf("no %s with %q, %q, %q in", c.code, c.what, c.do, c.untried)
			for _, s := range found {
				t.Logf("%s %s: %s\n    %s (%s) because %s", s.Severity, s.Code, s.What, s.Do, s.Untried, s.Because)
			}
		})
	}
}
