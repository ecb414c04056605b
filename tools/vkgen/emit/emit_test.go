package emit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// A command has one line, which names its kind and its ends, and the system that alone has it.
func TestCommands(t *testing.T) {
	_, files, _ := generate(t, small, "core")
	var got []string
	for _, l := range strings.Split(files["spine/gen/zcommands.inc"], "\n") {
		if strings.HasSuffix(l, ")") && strings.Contains(l, ", vk") {
			got = append(got, l)
		}
	}
	want := []string{
		"COMMAND(GLOBAL, vkCreateInstance, WRITTEN, WRITTEN, 0, NONE, NONE)",
		"COMMAND(INSTANCE, vkDestroyInstance, WRITTEN, WRITTEN, 0, NONE, instance)",
		"COMMAND(PHYSDEV, vkGetPhysicalDeviceShape, PHYSDEV_TRAMPOLINE_EXPORTED, PHYSDEV_TERMINATOR, 0, NONE, physicalDevice)",
		"COMMAND(PHYSDEV, vkGetPhysicalDeviceFeatures2, PHYSDEV_TRAMPOLINE_EXPORTED, WRITTEN, 1, NONE, physicalDevice)",
		"ON_LINUX(COMMAND(INSTANCE, vkCreateXcbSurfaceKHR, INSTANCE_TRAMPOLINE_EXPORTED, SURFACE, 255, VK_KHR_xcb_surface, instance))",
		"ALIAS(PHYSDEV, vkGetPhysicalDeviceFeatures2KHR, vkGetPhysicalDeviceFeatures2, VK_KHR_get_physical_device_properties2, physicalDevice)",
		"COMMAND(PHYSDEV, vkGetPhysicalDeviceThingNV, PHYSDEV_TRAMPOLINE, PHYSDEV_TERMINATOR, 255, NONE, physicalDevice)",
		"COMMAND(SHARED, vkGetDeviceProcAddr, WRITTEN, WRITTEN, 0, NONE, device)",
		"COMMAND(DEVICE, vkCmdDraw, DEVICE_TRAMPOLINE_EXPORTED, NONE, 0, NONE, commandBuffer)",
		"COMMAND(DEVICE, vkCmdDrawKHR, DEVICE_TRAMPOLINE, NONE, 255, NONE, commandBuffer)",
		"ON_WINDOWS(COMMAND(DEVICE, vkCmdWin32NV, DEVICE_TRAMPOLINE, NONE, 255, NONE, commandBuffer))",
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
	for _, want := range []string{"vkInvokeInstanceNV: instance-level", "vkInvokeNothingNV: its first parameter", "tools/vkgen/loader/hands.txt"} {
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

// Each name stands once in its bucket, and no bucket is long.
func TestNameTable(t *testing.T) {
	_, files, _ := generate(t, "../../../registry/vk.xml", "core")
	last, same, seen := -1, 0, map[string]bool{}
	for _, m := range regexp.MustCompile(`NAME\((\d+), (\w+)\)`).FindAllStringSubmatch(files["spine/gen/znames.inc"], -1) {
		n, _ := strconv.Atoi(m[1])
		same++
		if n != last {
			same = 1
		}
		if n < last || n != bucket(m[2]) || n >= 1024 || same > 6 || seen[m[2]] {
			t.Errorf("%s is name %d of bucket %d, after bucket %d", m[2], same, n, last)
		}
		last, seen[m[2]] = n, true
	}
	if n := len(lines(strings.ReplaceAll(files["spine/gen/zcommands.inc"], "ALIAS(", "COMMAND("), "COMMAND(")); len(seen) < n {
		t.Errorf("%d names of %d commands", len(seen), n)
	}
}

// A new extension changes a line in each list and none of the other commands' lines.
func TestNewExtension(t *testing.T) {
	const xml = "../../../registry/vk.xml"
	_, before, _ := generate(t, xml, "core")
	data, err := os.ReadFile(xml)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "</commands>", `<command><proto><type>void</type> <name>vkCmdMadeUpEXT</name></proto>
<param><type>VkCommandBuffer</type> <name>commandBuffer</name></param></command></commands>`, 1)
	text = strings.Replace(text, "</extensions>", `<extension name="VK_EXT_made_up" number="999" type="device" supported="vulkan">
<require><command name="vkCmdMadeUpEXT"></command></require></extension></extensions>`, 1)
	changed := filepath.Join(t.TempDir(), "vk.xml")
	if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, after, _ := generate(t, changed, "core")
	for path, want := range map[string]int{"spine/gen/zcommands.inc": 1, "spine/gen/znames.inc": 1, "spine/gen/zsignatures.h": 1, "spine/gen/zends.h": 0} {
		old := map[string]bool{}
		for _, l := range strings.Split(before[path], "\n") {
			old[l] = true
		}
		var fresh []string
		for _, l := range strings.Split(after[path], "\n") {
			if !old[l] {
				fresh = append(fresh, l)
			}
		}
		if len(fresh) != want || strings.Count(after[path], "\n") != strings.Count(before[path], "\n")+want {
			t.Errorf("%s: %d new lines, want %d: %q", path, len(fresh), want, fresh)
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
	main := filepath.Join(dir, "all.c")
	text := "#include \"spine/gen/zends.h\"\n#include \"asm/tables.h\"\n#include \"spine/gen/zvk_check.c\"\n"
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
