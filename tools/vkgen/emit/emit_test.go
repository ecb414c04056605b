package emit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

func generate(t *testing.T, xml, roots string) (*loader.Set, map[string]string, []File) {
	t.Helper()
	data, err := os.ReadFile(xml)
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var sets []*loader.Set
	for _, system := range loader.Systems {
		s, err := loader.Select(r, system)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	files, err := All(sets, roots)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]string{}
	for _, f := range files {
		byPath[f.Path] = string(f.Content)
	}
	return sets[0], byPath, files
}

const (
	small = "../testdata/small.xml"
	// Debian's libvulkan-dev puts a registry here, in bookworm 1.3.239.
	installed = "/usr/share/vulkan/registry/vk.xml"
)

func lines(text, prefix string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, prefix) {
			out = append(out, l)
		}
	}
	return out
}

func TestTrampolines(t *testing.T) {
	_, files, _ := generate(t, small, "core")
	text := files["spine/gen/linux/ztrampolines.inc"]
	var got []string
	for _, l := range strings.Split(text, "\n") {
		if strings.HasSuffix(l, ")") && strings.Contains(l, "(vk") {
			got = append(got, l)
		}
	}
	want := []string{
		"PHYSDEV_TRAMPOLINE_EXPORTED(vkGetPhysicalDeviceShape)",
		"DEVICE_TRAMPOLINE_EXPORTED(vkCmdDraw)",
		"PHYSDEV_TRAMPOLINE_EXPORTED(vkGetPhysicalDeviceFeatures2)",
		"INSTANCE_TRAMPOLINE_EXPORTED(vkCreateXcbSurfaceKHR)",
		"DEVICE_TRAMPOLINE(vkCmdDrawKHR)",
		"PHYSDEV_TRAMPOLINE(vkGetPhysicalDeviceThingNV)",
		"PHYSDEV_TERMINATOR(vkGetPhysicalDeviceShape)",
		"PHYSDEV_TERMINATOR(vkGetPhysicalDeviceThingNV)",
		"DEVICE_MISSING(vkGetDeviceProcAddr)",
		"DEVICE_MISSING(vkCmdDraw)",
		"DEVICE_MISSING(vkCmdDrawKHR)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLeftOut(t *testing.T) {
	s, _, _ := generate(t, small, "core")
	for _, name := range []string{"vkCmdWin32NV", "vkSecureSC"} {
		if s.Find(name) != nil {
			t.Errorf("%s is known", name)
		}
	}
	if c := s.Find("vkGetPhysicalDeviceFeatures2KHR"); c.CoreAlias != "vkGetPhysicalDeviceFeatures2" ||
		c.Gate != "VK_KHR_get_physical_device_properties2" || c.Exported {
		t.Errorf("alias of a core command: %+v", c)
	}
}

// A command without a rule fails the generation, and the error names all of them and the file to change.
func TestUnplacedCommands(t *testing.T) {
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	const before = `<command name="vkCmdDraw"/>`
	text := strings.Replace(string(data), before, before+`<command name="vkInvokeInstanceNV"/><command name="vkInvokeNothingNV"/>`, 1)
	if text == string(data) {
		t.Fatal("the registry has no place for the commands")
	}
	r, err := registry.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = loader.Select(r, loader.Linux)
	for _, want := range []string{"vkInvokeInstanceNV: instance-level", "vkInvokeNothingNV: its first parameter", "tools/vkgen/loader/exceptions.go"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
	}
}

func TestHeader(t *testing.T) {
	_, files, _ := generate(t, small, "core VK_KHR_xcb_surface # a remark\nVkNoSuchType")
	h := files["spine/gen/zvk.h"]
	for _, want := range []string{
		"#define VK_HEADER_VERSION 7\n",
		"#define VK_MAX_TEXT_SIZE 10u\n", "#define VK_ALL (~0U)\n", "#define VK_MAX_TEXT_SIZE_KHR VK_MAX_TEXT_SIZE\n",
		"#define VK_KHR_XCB_SURFACE_EXTENSION_NAME \"VK_KHR_xcb_surface\"\n",
		"VK_STRUCTURE_TYPE_OTHER = 1000059001,\n",
		"VK_ERROR_LOST_KHR = -1000005002,\n", "VK_ERROR_GONE_KHR = VK_ERROR_LOST_KHR,\n",
		"VK_SHAPE_FLAT_BIT_KHR = 0x8,\n", "VK_SHAPE_FLAG_BITS_MAX_ENUM = 0x7fffffff\n",
		"    const char* const* ppNames;\n", "    VkShapeFlags shape;\n", "    float matrix[3][4];\n",
		"typedef VkHolder VkHolderKHR;\n",
		"VKL_HANDLE(VkSurfaceKHR);\n", "typedef struct VkInstance_T *VkInstance;\n",
		"typedef void* (VKAPI_PTR *PFN_vkAllocationFunction)(void* pUserData, size_t size);\n",
		"typedef void (VKAPI_PTR *PFN_vkCmdDraw)(VkCommandBuffer commandBuffer, const float constants[4]);\n",
		"typedef PFN_vkGetPhysicalDeviceFeatures2 PFN_vkGetPhysicalDeviceFeatures2KHR;\n",
	} {
		if !strings.Contains(h, want) {
			t.Errorf("zvk.h lacks %q", want)
		}
	}
	check := files["spine/gen/zvk_check.c"]
	for _, want := range []string{
		"SIZE(VkChoice, 8, 8, 8, 8);", "SIZE(VkPacked, 16, 16, 16, 16);", "AT(VkPacked, d, 8, 8, 8, 8);", "AT(VkHolder, shape, 16, 16, 8, 8);",
		"AT(VkHolder, choice, 24, 24, 12, 16);", "AT(VkHolder, matrix, 44, 44, 32, 36);", "AT(VkHolder, ppNames, 96, 96, 80, 84);", "SIZE(VkHolder, 104, 104, 84, 88);",
	} {
		if !strings.Contains(check, want) {
			t.Errorf("zvk_check.c lacks %q", want)
		}
	}
	if strings.Contains(h, "shape;\n    VkWideFlags shape") {
		t.Error("a member of another API is in zvk.h")
	}
}

func TestMaxName(t *testing.T) {
	tags := []string{"KHR", "NV", "NVX"}
	for name, want := range map[string]string{
		"VkStructureType": "VK_STRUCTURE_TYPE_MAX_ENUM", "VkColorSpaceKHR": "VK_COLOR_SPACE_MAX_ENUM_KHR",
		"VkAccessFlagBits2": "VK_ACCESS_FLAG_BITS_2_MAX_ENUM", "VkThingNVX": "VK_THING_MAX_ENUM_NVX",
	} {
		if got := maxName(name, tags); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Every name has its own place, and slots, numbers and records agree.
func TestNameTable(t *testing.T) {
	s, files, _ := generate(t, small, "core")
	names, err := hashNames(s)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, c := range s.Commands {
		h := Hash(c.Name)
		p := place(h, names.disp[bucket(h, len(names.disp))], len(names.order))
		if seen[p] || names.order[p] != c || names.index[c.Name] != p {
			t.Errorf("%s: place %d", c.Name, p)
		}
		seen[p] = true
		if c.Param != "" && !slices.Contains(params, c.Param) {
			t.Errorf("%s: parameter %s has no number", c.Name, c.Param)
		}
	}
	if n := len(lines(files["spine/gen/linux/znames.inc"], "    COMMAND ")); n != len(s.Commands) {
		t.Errorf("%d records for %d commands", n, len(s.Commands))
	}
	for _, want := range []string{"tramp_vkGetPhysicalDeviceFeatures2, term_vkGetPhysicalDeviceFeatures2, 0,"} {
		if !strings.Contains(files["spine/gen/linux/znames.inc"], want) {
			t.Errorf("znames.inc lacks %q", want)
		}
	}
}

func stable(t *testing.T, xml string) {
	_, _, a := generate(t, xml, "core VK_KHR_swapchain VK_EXT_debug_utils")
	_, _, b := generate(t, xml, "core VK_KHR_swapchain VK_EXT_debug_utils")
	for i := range a {
		if a[i].Path != b[i].Path || !bytes.Equal(a[i].Content, b[i].Content) {
			t.Errorf("%s: two runs give different bytes", a[i].Path)
		}
		if first, _, _ := bytes.Cut(a[i].Content, []byte("\n")); !bytes.Contains(first, []byte("; DO NOT EDIT.")) {
			t.Errorf("%s does not begin with its mark: %s", a[i].Path, first)
		}
	}
}

func TestStable(t *testing.T) { stable(t, small) }

// The registry of the machine, of any version, is accepted, and the generated files compile.
func TestInstalledRegistry(t *testing.T) {
	if _, err := os.Stat(installed); err != nil {
		t.Skip("no registry is installed")
	}
	stable(t, installed)
	roots, err := os.ReadFile("../zvk.roots")
	if err != nil {
		t.Fatal(err)
	}
	s, _, files := generate(t, installed, string(roots))
	if n := len(s.Commands); n < 500 {
		t.Errorf("only %d commands", n)
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	own, err := os.ReadFile("../../../spine/interface.h")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "spine/interface.h"), own, 0o644); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "all.c")
	text := "#include \"spine/gen/linux/zends.h\"\n#include \"spine/gen/linux/znames.h\"\n#include \"spine/gen/zvk_check.c\"\n"
	if err := os.WriteFile(main, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"+filepath.Join(dir, "spine"), "-I../../../spine", "-I../../../spine/asm/linux", main).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{
		"", "<registry>", "<other/>", "<registry></registry>",
		`<registry><types><type category="define">#define <name>VK_HEADER_VERSION</name> 7</type></types></registry>`,
	} {
		if _, err := registry.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
