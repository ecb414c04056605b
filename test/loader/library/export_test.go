package library

import (
	"debug/elf"
	"debug/macho"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

func open(t *testing.T) *elf.File {
	t.Helper()
	file, err := elf.Open(world.Library())
	if err != nil {
		t.Fatalf("the library is not built: %v", err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// The 35 window-system commands of EXP-007.
var windowCommands = strings.Fields(`vkAcquireNextImage2KHR vkAcquireNextImageKHR vkCreateDisplayModeKHR
vkCreateDisplayPlaneSurfaceKHR vkCreateHeadlessSurfaceEXT vkCreateSharedSwapchainsKHR vkCreateSwapchainKHR
vkCreateWaylandSurfaceKHR vkCreateXcbSurfaceKHR vkCreateXlibSurfaceKHR vkDestroySurfaceKHR vkDestroySwapchainKHR
vkGetDeviceGroupPresentCapabilitiesKHR vkGetDeviceGroupSurfacePresentModesKHR vkGetDisplayModeProperties2KHR
vkGetDisplayModePropertiesKHR vkGetDisplayPlaneCapabilities2KHR vkGetDisplayPlaneCapabilitiesKHR
vkGetDisplayPlaneSupportedDisplaysKHR vkGetPhysicalDeviceDisplayPlaneProperties2KHR
vkGetPhysicalDeviceDisplayPlanePropertiesKHR vkGetPhysicalDeviceDisplayProperties2KHR
vkGetPhysicalDeviceDisplayPropertiesKHR vkGetPhysicalDevicePresentRectanglesKHR
vkGetPhysicalDeviceSurfaceCapabilities2KHR vkGetPhysicalDeviceSurfaceCapabilitiesKHR
vkGetPhysicalDeviceSurfaceFormats2KHR vkGetPhysicalDeviceSurfaceFormatsKHR
vkGetPhysicalDeviceSurfacePresentModesKHR vkGetPhysicalDeviceSurfaceSupportKHR
vkGetPhysicalDeviceWaylandPresentationSupportKHR vkGetPhysicalDeviceXcbPresentationSupportKHR
vkGetPhysicalDeviceXlibPresentationSupportKHR vkGetSwapchainImagesKHR vkQueuePresentKHR`)

// exported returns the names that the library defines for others.
func exported(t *testing.T, file *elf.File) []elf.Symbol {
	t.Helper()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var out []elf.Symbol
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			out = append(out, s)
		}
	}
	return out
}

// exportedNames returns the names of the library's exports. test/loader/windows compares the DLL's exports with its
// export list.
func exportedNames(t *testing.T) (names []string) {
	t.Helper()
	if world.MacOS() {
		return machONames(t)
	}
	if !world.Windows() {
		for _, s := range exported(t, open(t)) {
			names = append(names, s.Name)
		}
		return names
	}
	list, err := os.ReadFile("../../../spine/gen/zexports.def")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(list), "\n") {
		if name, _, found := strings.Cut(strings.TrimSpace(line), " = "); found {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("the list of exports is empty")
	}
	return names
}

// machONames returns the exported names of the part for x86-64. The linker's own names begin with two underscores.
func machONames(t *testing.T) (names []string) {
	t.Helper()
	file, err := macho.OpenFat(world.Library())
	if err != nil {
		t.Fatalf("the library is not built: %v", err)
	}
	defer file.Close()
	const external = 0x01 // N_EXT of mach-o/nlist.h
	for _, part := range file.Arches {
		if part.Cpu != macho.CpuAmd64 {
			continue
		}
		for _, s := range part.Symtab.Syms {
			if s.Sect != 0 && s.Type&external != 0 && !strings.HasPrefix(s.Name, "__") {
				names = append(names, strings.TrimPrefix(s.Name, "_"))
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("the list of exports is empty")
	}
	return names
}

// holds: EXP-003 EXP-005..EXP-007 EXP-009 FLS-134
func TestExports(t *testing.T) {
	t.Parallel()
	file := open(t)
	var core, window []string
	for _, s := range exported(t, file) {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || elf.ST_BIND(s.Info) != elf.STB_GLOBAL || elf.ST_VISIBILITY(s.Other) != elf.STV_DEFAULT {
			t.Errorf("%s is no global function", s.Name)
		}
		if s.Size == 0 {
			t.Errorf("%s has no size", s.Name)
		}
		if s.Version != "" {
			t.Errorf("%s has version %q", s.Name, s.Version)
		}
		if slices.Contains(windowCommands, s.Name) {
			window = append(window, s.Name)
		} else {
			core = append(core, s.Name)
		}
	}
	sort.Strings(window)
	if !slices.Equal(window, windowCommands) {
		t.Errorf("window-system commands: %v", window)
	}
	sort.Strings(core)
	want := coreCommands()
	if !slices.Equal(core, want) {
		t.Errorf("core commands: too many %v, missing %v", without(core, want), without(want, core))
	}
	if len(core)+len(window) != 269 {
		t.Errorf("%d names, want 269", len(core)+len(window))
	}
	for _, section := range file.Sections {
		if section.Type == elf.SHT_GNU_VERDEF {
			t.Error("the library defines symbol versions")
		}
	}
}

func without(a, b []string) []string {
	var out []string
	for _, name := range a {
		if !slices.Contains(b, name) {
			out = append(out, name)
		}
	}
	return out
}

// holds: EXP-001 EXP-004
func TestIdentity(t *testing.T) {
	t.Parallel()
	file := open(t)
	if name, err := file.DynString(elf.DT_SONAME); err != nil || !slices.Equal(name, []string{"libvulkan.so.1"}) {
		t.Errorf("DT_SONAME is %v, %v", name, err)
	}
	if world.Variant() != "" {
		t.Skip("a sanitizer's library is needed too")
	}
	libc := "libc.so.6"
	if world.Target() == "musl" {
		libc = "libc.so"
	}
	if needed, err := file.DynString(elf.DT_NEEDED); err != nil || len(without(needed, []string{libc, "ld-linux-aarch64.so.1"})) != 0 {
		t.Errorf("DT_NEEDED is %v, %v", needed, err)
	}
}

// holds: EXP-002
func TestLinks(t *testing.T) {
	t.Parallel()
	directory := filepath.Dir(world.Library())
	first, err := os.Readlink(filepath.Join(directory, "libvulkan.so"))
	if err != nil || first != "libvulkan.so.1" {
		t.Errorf("libvulkan.so leads to %q, %v", first, err)
	}
	second, err := os.Readlink(filepath.Join(directory, "libvulkan.so.1"))
	if want := "libvulkan.so." + vk.HeaderVersion; err != nil || second != want {
		t.Errorf("libvulkan.so.1 leads to %q, %v, want %q", second, err, want)
	}
}

// holds: EXP-010 GPA-001 GPA-002
func TestExportsAreWhatLookUpsGive(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one type=discrete").API("1.3.0").
		Script("ext VK_KHR_surface 25", "ext VK_KHR_display 23", "ext VK_KHR_xcb_surface 6", "ext VK_KHR_xlib_surface 6", "ext VK_KHR_wayland_surface 6", "ext VK_MVK_macos_surface 3",
			"ext VK_EXT_headless_surface 1", "ext VK_KHR_get_surface_capabilities2 1", "ext VK_KHR_get_display_properties2 1")
	h := w.Start()
	words := []string{"api", "1.2.0"}
	for _, name := range []string{"VK_KHR_surface", "VK_KHR_display", "VK_KHR_xcb_surface", "VK_KHR_xlib_surface", "VK_KHR_wayland_surface", "VK_EXT_headless_surface",
		"VK_KHR_get_surface_capabilities2", "VK_KHR_get_display_properties2"} {
		if world.Offered(name) {
			words = append(words, "ext", name)
		}
	}
	if world.MacOS() {
		words = append(words, "ext", "VK_MVK_macos_surface")
	}
	h.OK("create_instance", words...)
	for _, name := range exportedNames(t) {
		symbol := h.Do("dlsym", "name", name).Int("ptr")
		found := h.Do("gipa", "instance", "i", "name", name).Int("ptr")
		if symbol == 0 || symbol != found {
			t.Errorf("%s: dlsym gives pointer %d, vkGetInstanceProcAddr %d", name, symbol, found)
		}
	}
	for _, name := range []string{"vkGetInstanceProcAddr", "vkCreateInstance", "vkEnumerateInstanceVersion", "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceExtensionProperties"} {
		if a, b := h.Do("dlsym", "name", name).Int("ptr"), h.Do("gipa", "instance", "null", "name", name).Int("ptr"); a != b {
			t.Errorf("%s: dlsym gives pointer %d, a NULL instance %d", name, a, b)
		}
	}
	h.Quit()
}

// coreCommands are the registry's commands of the core versions, sorted.
func coreCommands() []string {
	var out []string
	for _, c := range vk.Commands {
		if c.Minor != vk.ExtensionMinor {
			out = append(out, c.Name)
		}
	}
	sort.Strings(out)
	return out
}
