package doctor

import (
	"path"
	"strings"
	"testing"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
)

// The advice for a 32-bit driver uses the distribution's package manager.
func TestPackagesFor32Bits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids     []string
		foreign bool
		kernel  string
		want    string
	}{
		{[]string{"debian"}, true, "amdgpu", "Run as root: apt install mesa-vulkan-drivers:i386"},
		{[]string{"debian"}, false, "i915", "Run as root: dpkg --add-architecture i386 && apt update && apt install mesa-vulkan-drivers:i386"},
		{[]string{"debian"}, true, "nvidia", "Run as root: apt install nvidia-driver-libs:i386"},
		{[]string{"ubuntu", "debian"}, true, "nvidia", "Install libnvidia-gl:i386 of the driver's version: ubuntu-drivers list shows it."},
		{[]string{"fedora"}, false, "amdgpu", "Run as root: dnf install mesa-vulkan-drivers.i686"},
		{[]string{"fedora"}, false, "nvidia", "Run as root: dnf install xorg-x11-drv-nvidia-libs.i686"},
		{[]string{"arch"}, false, "amdgpu", "Run as root, with the repository multilib: pacman -S lib32-vulkan-radeon"},
		{[]string{"opensuse-tumbleweed", "suse"}, false, "amdgpu", "Run as root: zypper install libvulkan_radeon-32bit"},
		{[]string{"void"}, false, "i915", "Run as root: xbps-install mesa-vulkan-intel-32bit"},
		{[]string{"nixos"}, false, "i915", "Add hardware.graphics.enable32Bit = true; to the system's configuration. Then run as root: nixos-rebuild switch"},
		{[]string{"gentoo"}, false, "i915", "With the USE flag abi_x86_32, Gentoo builds a package for 32-bit programs, too. Run as root: mkdir -p " +
			"/etc/portage/package.use && echo 'media-libs/mesa abi_x86_32' >> /etc/portage/package.use/vulkan && emerge --oneshot media-libs/mesa"},
		{nil, false, "amdgpu", "Install the package that has the 32-bit Vulkan driver RADV (Mesa)."},
	} {
		d := distribution{ids: c.ids, class: 32, narrow: "i386", foreign: c.foreign}
		if got := d.install(drivers.For(c.kernel), false).text; got != c.want {
			t.Errorf("%v, %s: %q, want %q", c.ids, c.kernel, got, c.want)
		}
	}
	for id, want := range map[string]string{"debian": "Run as root: apt install libxcb-present0:i386", "fedora": "Run as root: dnf install libxcb-present.so.0"} {
		if got := (distribution{ids: []string{id}, class: 32, narrow: "i386", foreign: true}).libraryAdvice("libxcb-present.so.0").text; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// On 64-bit ARM the 32-bit packages are those of armhf, which only Debian and Ubuntu have, without NVIDIA's driver. Other machines
// have none.
func TestPackagesOfOtherMachines(t *testing.T) {
	t.Parallel()
	const radv = "Install the package that has the 32-bit Vulkan driver RADV (Mesa)."
	const library, ask = "Install the package that has libxcb-present.so.0.", "Find the package that has it, and install that: "
	for _, c := range []struct{ id, narrow, kernel, want, library string }{
		{"debian", "armhf", "amdgpu", "Run as root: apt install mesa-vulkan-drivers:armhf", "Run as root: apt install libxcb-present0:armhf"},
		{"ubuntu", "armhf", "amdgpu", "Run as root: apt install mesa-vulkan-drivers:armhf", "Run as root: apt install libxcb-present0:armhf"},
		{"debian", "armhf", "nvidia", "Install the package that has the 32-bit Vulkan driver NVIDIA.", ""},
		{"ubuntu", "armhf", "nvidia", "Install the package that has the 32-bit Vulkan driver NVIDIA.", ""},
		{"fedora", "armhf", "amdgpu", radv, library}, {"void", "armhf", "amdgpu", radv, ask + "xlocate libxcb-present.so.0"},
		{"debian", "", "amdgpu", radv, "Find the package that has it, and install that. Run as root: apt install apt-file && apt-file update && apt-file search libxcb-present.so.0"},
	} {
		d := distribution{ids: []string{c.id}, class: 32, narrow: c.narrow, foreign: true}
		if got := d.install(drivers.For(c.kernel), false).text; got != c.want {
			t.Errorf("%s, %s, %s: %q, want %q", c.id, c.narrow, c.kernel, got, c.want)
		}
		if got := d.libraryAdvice("libxcb-present.so.0").text; c.library != "" && got != c.library {
			t.Errorf("%s, %s: %q, want %q", c.id, c.narrow, got, c.library)
		}
	}
	d := distribution{ids: []string{"debian"}, class: 32, narrow: "armhf"}
	if got := d.install(drivers.For("amdgpu"), false).text; got != "Run as root: dpkg --add-architecture armhf && apt update && apt install mesa-vulkan-drivers:armhf" {
		t.Error(got)
	}
}

// The advice for a newer kernel names Debian's package for the machine, and no package where there is more than one kind.
func TestKernelOfOtherMachines(t *testing.T) {
	t.Parallel()
	chip := &drivers.Chip{Kernel: "6.6"}
	for target, want := range map[string]string{"amd64": " linux-image-amd64", "arm64": " linux-image-arm64", "ppc64el": " linux-image-powerpc64le",
		"mips64el": "Update the system to a release with Linux 6.6 or newer."} {
		kernel := pairValue("kernel", func(name string) bool { return name == target })
		d := distribution{ids: []string{"debian"}, version: "12", class: 64, kernel: kernel}
		if got := d.newerLinux(chip).text; !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// Libraries of the C library and the compiler have the same names on every machine; dynamic linkers have other names.
func TestOfLibC(t *testing.T) {
	t.Parallel()
	for _, m := range machines.All() {
		for _, linker := range m.Linkers {
			if !isOfLibC(path.Base(linker)) {
				t.Error(linker)
			}
		}
	}
	for name, want := range map[string]bool{"libc.so.6": true, "libgcc_s.so.1": true, "libc.musl-riscv64.so.1": true, "libcrypt.so.1": false, "libgcc_so.1": false} {
		if isOfLibC(name) != want {
			t.Errorf("%s: not %v", name, want)
		}
	}
}

// The advice for a driver of a single-board computer, Apple's or a virtual GPU names the package that has this driver.
func TestPackagesForDrivers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, kernel, want string }{
		{"arch", "msm", "Run as root: pacman -S vulkan-freedreno"},
		{"arch", "panthor", "Run as root: pacman -S vulkan-panfrost"},
		{"arch", "v3d", "Run as root: pacman -S vulkan-broadcom"},
		{"arch", "asahi", "Run as root: pacman -S vulkan-asahi"},
		{"alpine", "panthor", "Run as root: apk add mesa-vulkan-panfrost"},
		{"alpine", "asahi", "Run as root: apk add mesa-vulkan-asahi"},
		{"alpine", "virtio_gpu", "Run as root: apk add mesa-vulkan-virtio"},
		{"alpine", "powervr", "Run as root: apk add mesa-vulkan-imagination"},
		{"fedora", "msm", "Run as root: dnf install mesa-vulkan-drivers"},
	} {
		d := distribution{ids: []string{c.id}, class: 64, machine: &machine.Machine{Root: t.TempDir()}, packages: newPackages()}
		family := drivers.For(c.kernel)
		if family == nil {
			t.Errorf("no driver for %s", c.kernel)
			continue
		}
		if got := d.install(family, false).text; got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.id, c.kernel, got, c.want)
		}
	}
}
