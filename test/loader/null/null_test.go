package null

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

var (
	driver   = filepath.Join(world.Build(), "drivers/libvk_null.so")
	manifest = filepath.Join(world.Build(), "drivers/null_icd.json")
)

// compile builds a shared object or a program from all C files of a directory.
func compile(t *testing.T, dir, out string, flags ...string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no C files in %s", dir)
	}
	args := append([]string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I../../../spine"}, flags...)
	args = append(append(args, "-o", out), files...)
	if err := world.Compile(args...); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return out
}

// program is the test program, compiled once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "null")
	return filepath.Join(dir, "program"), err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if p, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(p))
	}
	os.Exit(code)
}

var compileProgram sync.Once

func testProgram(t *testing.T) string {
	t.Helper()
	p, err := program()
	if err != nil {
		t.Fatal(err)
	}
	compileProgram.Do(func() { compile(t, "program", p) })
	if _, err := os.Stat(p); err != nil {
		t.Fatal("the test program could not be compiled")
	}
	return p
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	p, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("%v: build first, with make", err)
	}
	return p
}

// environment returns this process's environment without variables for loaders, with the null driver as the only
// driver.
func environment(t *testing.T, manifest string, more ...string) []string {
	t.Helper()
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "VK_") && !strings.HasPrefix(v, "DISPLAY=") && !strings.HasPrefix(v, "WAYLAND_") {
			env = append(env, v)
		}
	}
	env = append(env, "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest, "VK_LOADER_LAYERS_DISABLE=~implicit~",
		"NODEVICE_SELECT=1")
	return append(env, more...)
}

func run(t *testing.T, env []string, stdin, name string, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader(stdin), &out, &talk
	cmd.Dir = t.TempDir() // vulkaninfo --json writes a file to its working directory
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), talk.String())
	}
	if talk.Len() > 0 {
		t.Logf("%s", talk.String())
	}
	return out.String()
}

// loaders returns the loaders to test: the built one, and Debian's, which may not be installed for another machine.
func loaders(t *testing.T) map[string]string {
	list := map[string]string{"ours": absolute(t, world.Library())}
	if _, err := os.Stat(world.SystemLibrary); err == nil || world.Target() == "" {
		list["debian"] = "libvulkan.so.1"
	}
	return list
}

func TestLife(t *testing.T) {
	for name, loader := range loaders(t) {
		t.Run(name, func(t *testing.T) {
			out := run(t, environment(t, absolute(t, manifest)), "", testProgram(t), loader, "life")
			if out != "no message\n" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestLifeUnderValidation(t *testing.T) {
	for name, loader := range loaders(t) {
		t.Run(name, func(t *testing.T) {
			env := environment(t, absolute(t, manifest), "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation",
				"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
			out := run(t, env, "", testProgram(t), loader, "life")
			if out != "no message\n" {
				t.Errorf("printed %q", out)
			}
			// The layer is loaded: it reports the invalid call.
			cmd := exec.Command(testProgram(t), loader, "wrong")
			cmd.Env = env
			if text, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(text, []byte("VUID-VkBufferCreateInfo-size")) {
				t.Errorf("a wrong call: %v\n%s", err, text)
			}
		})
	}
}

// TestSanitized runs the same with driver and program built with sanitizers, which stop at the first fault.
func TestSanitized(t *testing.T) {
	text, err := os.ReadFile(absolute(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"address, undefined": {"-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
		"thread":             {"-fsanitize=thread"},
	} {
		if name == "thread" && world.Narrow() {
			continue // there is no such sanitizer
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			compile(t, "../../../drivers/null", filepath.Join(dir, "libvk_null.so"), append(flags, "-fPIC", "-shared", "-fvisibility=hidden")...)
			p := compile(t, "program", filepath.Join(dir, "program"), flags...)
			m := filepath.Join(dir, "null_icd.json")
			if err := os.WriteFile(m, text, 0o644); err != nil {
				t.Fatal(err)
			}
			// Debian's loader leaves some memory allocated at exit; leaks of the driver show as growth in TestNames, which runs without a
			// loader.
			loader := "libvulkan.so.1"
			if world.Target() != "" {
				loader = world.Library()
			}
			run(t, environment(t, m, "ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=exitcode=66"), "", p, loader, "life")
			run(t, environment(t, m), "vkCmdDraw\nvkNothing\nvk\n", p, filepath.Join(dir, "libvk_null.so"), "names")
			run(t, environment(t, m), "", p, filepath.Join(dir, "libvk_null.so"), "allocations")
		})
	}
}

// TestNames looks up every name of the registry, and unknown names, in the driver without a loader.
func TestNames(t *testing.T) {
	var ask []string
	for _, c := range vk.Commands {
		ask = append(ask, c.Name, c.Name+"X", c.Name[:len(c.Name)-1])
	}
	ask = append(ask, "v", "vkCmd", "vkCmdDra", "vk_icdGetInstanceProcAddr", strings.Repeat("vk", 60))
	slices.Sort(ask)
	ask = slices.Compact(ask)
	if len(ask) > 4096 {
		t.Fatalf("%d names, more than the program takes", len(ask))
	}
	out := run(t, environment(t, absolute(t, manifest)), strings.Join(ask, "\n"), testProgram(t), absolute(t, driver), "names")
	found := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		name, how, _ := strings.Cut(line, " ")
		found[name] = how
	}
	known := map[string]bool{}
	for _, c := range vk.Commands {
		known[c.Name] = true
		want := map[vk.Kind]string{vk.Global: "GI", vk.Instance: "I", vk.PhysicalDevice: "IP", vk.Device: "IDE"}[c.Kind]
		if c.Name == "vkGetInstanceProcAddr" {
			want = "GI"
		}
		if c.Minor == vk.ExtensionMinor && c.Kind == vk.Device {
			want = "IE"
		}
		switch got := found[c.Name]; {
		case got == "" && c.Minor == 0:
			t.Errorf("%s of Vulkan 1.%d is not found", c.Name, c.Minor)
		case got != "" && c.Minor != vk.ExtensionMinor && c.Minor > 0:
			t.Errorf("%s of Vulkan 1.%d is found", c.Name, c.Minor)
		case got != "" && got != want:
			t.Errorf("%s is found as %s, not as %s", c.Name, got, want)
		}
	}
	for name, how := range found {
		if how != "" && !known[name] && !strings.HasPrefix(name, "vk_icd") {
			t.Errorf("%s is found as %s", name, how)
		}
	}
	if found["vkCreateSwapchainKHR"] != "IE" || found["vk_icdGetInstanceProcAddr"] != "GI" {
		t.Errorf("found %q and %q", found["vkCreateSwapchainKHR"], found["vk_icdGetInstanceProcAddr"])
	}
}

// TestAllocations makes each allocation of the application's allocator fail in turn.
func TestAllocations(t *testing.T) {
	run(t, environment(t, absolute(t, manifest)), "", testProgram(t), absolute(t, driver), "allocations")
}

func TestLibrary(t *testing.T) {
	f, err := elf.Open(absolute(t, driver))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	needs, own := "libc.so.6", []string(nil)
	if world.Target() == "musl" {
		needs, own = "libc.so", []string{"_fini", "_init"} // of its start files
	}
	if needed, err := f.ImportedLibraries(); err != nil || !slices.Equal(needed, []string{needs}) {
		t.Errorf("needs %v (%v)", needed, err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var exported []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && !slices.Contains(own, s.Name) {
			exported = append(exported, s.Name)
		}
	}
	slices.Sort(exported)
	want := []string{"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"}
	if !slices.Equal(exported, want) {
		t.Errorf("exports %v", exported)
	}
	if f.Section(".init_array") != nil {
		// The compiler's frame_dummy is the only entry; a constructor of the driver would be a second one.
		if s := f.Section(".init_array"); s.Size > 8 {
			t.Errorf(".init_array has %d bytes", s.Size)
		}
	}
}

func TestVulkaninfo(t *testing.T) {
	env := environment(t, absolute(t, manifest))
	summary := run(t, env, "", "vulkaninfo", "--summary")
	for _, want := range []string{"vkloader null device", "apiVersion         = 1.0.", "PHYSICAL_DEVICE_TYPE_CPU"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
	all := run(t, env, "", "vulkaninfo")
	for _, want := range []string{"VkPhysicalDeviceFeatures", "FORMAT_D24_UNORM_S8_UINT", "QUEUE_GRAPHICS", "MEMORY_PROPERTY_HOST_COHERENT_BIT", "VK_KHR_swapchain "} {
		if !strings.Contains(all, want) {
			t.Errorf("vulkaninfo lacks %q", want)
		}
	}
	dir := t.TempDir()
	cmd := exec.Command("vulkaninfo", "--json")
	cmd.Env, cmd.Dir = env, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("vulkaninfo --json: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("vulkaninfo --json left %v", files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Errorf("%s is no JSON", files[0])
	}
}
