package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const libraries = "usr/lib/x86_64-linux-gnu/"

// A driver opens libraries at run time. If a required one is absent, or too new for the image, the hook refuses the driver, and
// standard error and "cdi why" name the reason. A missing optional library has no effect.
func TestRunTimeLibrariesInContainer(t *testing.T) {
	t.Parallel()
	const driver = "nvidia_icd.json: "
	for name, c := range map[string]struct {
		change func(c *container, files string)
		says   string
	}{
		"whole": {func(*container, string) {}, ""},
		"without what is required": {func(c *container, files string) { c.remove(files + "libnvidia-gpucomp.so.550.54.14") },
			"libGLX_nvidia.so.0 opens libnvidia-gpucomp.so.550.54.14, which the image lacks"},
		"the image has it": {func(c *container, files string) {
			c.copy(files+"libnvidia-gpucomp.so.550.54.14", filepath.Join(c.root, libraries, "libnvidia-gpucomp.so.550.54.14"))
			c.remove(files + "libnvidia-gpucomp.so.550.54.14")
		}, ""},
		"the image's own cannot be loaded": {func(c *container, files string) {
			c.copy(files+"libEGL.so.1", filepath.Join(c.root, libraries, "libnvidia-gpucomp.so.550.54.14"))
			c.remove(files + "libGLdispatch.so.0")
		}, "libGLdispatch.so.0, which the image lacks"},
		"too new for the image": {func(c *container, files string) {
			newer := machineAt(c.t, "container-old-glibc")
			c.copy(filepath.Join(newer, libraries, "libc.so.6"), filepath.Join(c.root, libraries, "libc.so.6"))
			c.copy(filepath.Join(newer, libraries, "libvulkan_intel.so"), files+"libnvidia-glvkspirv.so.550.54.14")
		}, "libnvidia-glvkspirv.so.550.54.14 needs GLIBC_2.38 of the image's /usr/lib/x86_64-linux-gnu/libc.so.6, which has versions up to GLIBC_2.31"},
		"without what it may do without": {func(c *container, files string) {
			c.remove(files + "libEGL_nvidia.so.550.54.14")
			c.remove(files + "libEGL.so.1")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := machineAt(t, "cdi-host")
			box := newContainer(t, generated(t, host), host, bare(t), "0000:01:00.0")
			c.change(box, filepath.Join(box.root, "run/vkloader/files/x86_64")+"/")
			out, messages := box.start(`ls etc/vulkan/icd.d && (` + filepath.Join(built, "vkloader") + ` --root . cdi why; true)`)
			if strings.Contains(out, "host-nvidia_icd.json") != (c.says == "") {
				t.Errorf("in the container: %s", out)
			}
			if c.says == "" {
				if messages != "" || strings.Contains(out, driver+"the driver is not added") {
					t.Errorf("%s\n%s", messages, out)
				}
				return
			}
			if !strings.Contains(messages, "vkloader: not in the container: "+driver) || !strings.Contains(messages, c.says) {
				t.Errorf("on standard error: %s", messages)
			}
			if !strings.Contains(out, "warning: "+driver+"the driver is not added: ") || !strings.Contains(out, c.says) {
				t.Errorf("nothing says %q:\n%s", c.says, out)
			}
		})
	}
}

// In a container with a device and without a driver for it, the tool says why the host provides none.
func TestLeftOutInContainer(t *testing.T) {
	t.Parallel()
	const reason = "vkloader: not in the container: /usr/share/vulkan/icd.d/nvidia_icd.json: its library libnvidia-gpucomp.so.550.54.14 is in no directory"
	for name, c := range map[string]struct {
		gone   []string // of the host, besides the driver
		device string
		own    bool // the image has a driver
		said   bool
	}{
		"nothing but software":  {[]string{"usr/share/vulkan/icd.d/radeon_icd.json", "usr/share/vulkan/icd.d/dzn_icd.json"}, "all", false, true},
		"a driver of the image": {[]string{"usr/share/vulkan/icd.d/radeon_icd.json", "usr/share/vulkan/icd.d/dzn_icd.json"}, "all", true, false},
		"another driver":        {nil, "all", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, image := machineAt(t, "cdi-host"), bare(t)
			for _, gone := range append(c.gone, libraries+"libnvidia-gpucomp.so.550.54.14") {
				if err := os.Remove(filepath.Join(host, gone)); err != nil {
					t.Fatal(err)
				}
			}
			box := newContainer(t, generated(t, host), host, image, c.device)
			if c.own {
				box.copy(filepath.Join(host, libraries, "libvulkan_radeon.so"), filepath.Join(image, libraries, "libvulkan_radeon.so"))
				box.copy(filepath.Join(host, "usr/share/vulkan/icd.d/lvp_icd.json"), filepath.Join(image, "usr/share/vulkan/icd.d/lvp.json"))
				manifest := box.read(filepath.Join(host, "usr/share/vulkan/icd.d/lvp_icd.json"))
				box.write(filepath.Join(image, "usr/share/vulkan/icd.d/radeon.json"), []byte(strings.ReplaceAll(manifest, "lvp", "radeon")))
			}
			out, messages := box.start(`true && (` + filepath.Join(built, "vkloader") + ` --root . cdi why; true)`)
			if strings.Contains(messages, reason) != c.said || !c.said && messages != "" {
				t.Errorf("on standard error: %s", messages)
			}
			if !strings.Contains(out, "Not in the CDI file\n    /usr/share/vulkan/icd.d/nvidia_icd.json: its library libnvidia-gpucomp") {
				t.Errorf("why: %s", out)
			}
		})
	}
}

// remove removes a file.
func (c *container) remove(name string) {
	c.t.Helper()
	if err := os.Remove(name); err != nil {
		c.t.Fatal(err)
	}
}
