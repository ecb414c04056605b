package discover_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"vkloader/test/lib/binary"
)

const triplet = "usr/lib/x86_64-linux-gnu/"

// library returns a shared object; words as for binary.Parse.
func library(words ...string) *fstest.MapFile {
	l, err := binary.Parse(words)
	if err != nil {
		panic(err)
	}
	return &fstest.MapFile{Data: l.Bytes(), Mode: 0o644}
}

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
}

// join merges file systems. A later file replaces an earlier one of the same path.
func join(all ...fstest.MapFS) fstest.MapFS {
	out := fstest.MapFS{}
	for _, files := range all {
		for name, f := range files {
			out[name] = f
		}
	}
	return out
}

// pci returns a graphics card with nodes of the direct rendering manager: card NUMBER, and render node 128 + NUMBER.
func pci(number int, address, vendor, device, kernel string) fstest.MapFS {
	place := "sys/bus/pci/devices/" + address
	files := fstest.MapFS{place + "/class": text("0x030000\n"), place + "/vendor": text(vendor + "\n"), place + "/device": text(device + "\n"),
		place + "/driver": link("../../drivers/" + kernel)}
	for _, node := range []string{fmt.Sprint("card", number), fmt.Sprint("renderD", 128+number)} {
		files["sys/class/drm/"+node+"/device"] = link("../../../bus/pci/devices/" + address)
		files["dev/dri/"+node] = text("")
	}
	return files
}

// glibc returns a C library of some versions, in a directory.
func glibc(directory string, versions ...string) fstest.MapFS {
	return fstest.MapFS{directory + "libc.so.6": library("soname=libc.so.6", "exports=malloc", "defines="+strings.Join(versions, ","))}
}

const driverExports = "exports=vk_icdGetInstanceProcAddr,vk_icdNegotiateLoaderICDInterfaceVersion"

// debian returns Debian 12 with four of Mesa's drivers, an AMD card and an Intel card.
func debian() fstest.MapFS {
	files := join(glibc(triplet, "GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.36"), pci(0, "0000:00:02.0", "0x8086", "0x9a49", "i915"),
		pci(1, "0000:03:00.0", "0x1002", "0x73df", "amdgpu"))
	for _, name := range []string{"radeon", "intel", "intel_hasvk", "lvp"} {
		files["usr/share/vulkan/icd.d/"+name+"_icd.x86_64.json"] = manifest("/usr/lib/x86_64-linux-gnu/libvulkan_" + name + ".so")
		files[triplet+"libvulkan_"+name+".so"] = library("soname=libvulkan_"+name+".so", driverExports, "needed=libdrm.so.2,libc.so.6", "imports=malloc@GLIBC_2.34@libc.so.6")
	}
	files[triplet+"libdrm.so.2"] = link("libdrm.so.2.4.0")
	files[triplet+"libdrm.so.2.4.0"] = library("soname=libdrm.so.2", "needed=libc.so.6")
	files["usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json"] = layer("VK_LAYER_MESA_device_select", `,"disable_environment":{"NODEVICE_SELECT":"1"}`)
	files["usr/share/drirc.d/00-mesa-defaults.conf"] = text("<driconf/>\n")
	files["etc/os-release"] = text("ID=debian\nVERSION_ID=\"12\"\n")
	return files
}

const nvidiaVersion = "550.54.14"

// ubuntu returns a machine with NVIDIA's driver and two of its cards.
func ubuntu() fstest.MapFS {
	files := join(glibc(triplet, "GLIBC_2.2.5", "GLIBC_2.35"), pci(0, "0000:01:00.0", "0x10de", "0x2684", "nvidia"),
		pci(1, "0000:02:00.0", "0x10de", "0x2684", "nvidia"), fstest.MapFS{
			"etc/os-release":                              text("ID=ubuntu\nID_LIKE=debian\n"),
			"usr/share/vulkan/icd.d/nvidia_icd.json":      manifest("libGLX_nvidia.so.0"),
			triplet + "libGLX_nvidia.so.0":                link("libGLX_nvidia.so." + nvidiaVersion),
			triplet + "libGLX_nvidia.so.550.54.14":        library("soname=libGLX_nvidia.so.0", driverExports, "needed=libnvidia-glcore.so.550.54.14,libc.so.6"),
			triplet + "libEGL.so.1":                       library("soname=libEGL.so.1"),
			triplet + "libEGL_nvidia.so.0":                library("soname=libEGL_nvidia.so.0"),
			"proc/driver/nvidia/version":                  text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\n"),
			"usr/share/glvnd/egl_vendor.d/10_nvidia.json": text(`{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}`),
			"dev/nvidiactl":                               text(""), "dev/nvidia-uvm": text(""), "dev/nvidia-modeset": text("")})
	for _, stem := range []string{"glcore", "glvkspirv", "gpucomp", "tls", "rtcore"} {
		name := "libnvidia-" + stem + ".so." + nvidiaVersion
		files[triplet+name] = library("soname=" + name)
	}
	for i, address := range []string{"0000:01:00.0", "0000:02:00.0"} {
		files["proc/driver/nvidia/gpus/"+address+"/information"] = text(fmt.Sprintf("Model: \t\t NVIDIA GeForce RTX 4090\nDevice Minor: \t %d\n", i))
		files[fmt.Sprint("dev/nvidia", i)] = text("")
	}
	return files
}

// container returns a file system with a card and no driver.
func container() fstest.MapFS {
	return join(glibc(triplet, "GLIBC_2.2.5"), pci(0, "0000:03:00.0", "0x1002", "0x73df", "amdgpu"), fstest.MapFS{".dockerenv": text(""),
		"etc/os-release": text("ID=debian\n")})
}

// nixos returns a machine with its drivers in the store, each with separate libraries.
func nixos() fstest.MapFS {
	const mesa, drm, libc = "nix/store/aaa-mesa-24.2/", "nix/store/bbb-libdrm-2.4/lib/", "nix/store/ccc-glibc-2.40/lib/"
	run := func(packages ...string) string { return "runpath=/" + strings.Join(packages, ":/") }
	return join(glibc(libc, "GLIBC_2.2.5", "GLIBC_2.38"), pci(0, "0000:03:00.0", "0x1002", "0x73df", "amdgpu"), fstest.MapFS{
		"etc/NIXOS": text(""), "etc/os-release": text("ID=nixos\n"),
		"run/opengl-driver": link("/" + mesa),
		mesa + "share/vulkan/icd.d/radeon_icd.x86_64.json": manifest("/" + mesa + "lib/libvulkan_radeon.so"),
		mesa + "lib/libvulkan_radeon.so":                   library("soname=libvulkan_radeon.so", driverExports, "needed=libdrm.so.2,libc.so.6", run(drm, libc), "imports=malloc@GLIBC_2.38@libc.so.6"),
		drm + "libdrm.so.2":                                library("soname=libdrm.so.2", "needed=libc.so.6", run(libc)),
	})
}

// broken returns a machine with four drivers, each with another fault, and a manifest that is cut off.
func broken() fstest.MapFS {
	files := debian()
	files[triplet+"libvulkan_radeon.so"] = library("soname=libvulkan_radeon.so", driverExports, "needed=libLLVM-15.so.1,libc.so.6")
	files[triplet+"libvulkan_intel.so"] = library("soname=libvulkan_intel.so", driverExports, "needed=libc.so.6", "imports=malloc@GLIBC_2.38@libc.so.6")
	files[triplet+"libvulkan_intel_hasvk.so"] = text("\x7fELF")
	delete(files, triplet+"libvulkan_lvp.so")
	files["usr/share/vulkan/icd.d/old_icd.json"] = text(`{"file_format_version":"1.0.0","ICD":{"library_`)
	return files
}

// machineTree is a machine of the consumer tests.
type machineTree struct {
	name  string
	files fstest.MapFS
	env   []string
}

func machines() []machineTree {
	return []machineTree{{"debian", debian(), nil}, {"ubuntu", ubuntu(), nil}, {"container", container(), nil},
		{"nixos", nixos(), []string{"XDG_DATA_DIRS=/run/opengl-driver/share:/run/current-system/sw/share"}}, {"broken", broken(), nil}}
}

// args returns the tool's options for a machine.
func (m *machineTree) args(t testing.TB, command ...string) []string {
	t.Helper()
	args := append(command, "--json", "--root", below(t, m.files))
	for _, v := range m.env {
		args = append(args, "--env", v)
	}
	return args
}
