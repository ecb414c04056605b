package system

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	outOfHostMemory    = -1
	layerNotPresent    = -6
	incompatibleDriver = -9
)

func newWorld(t *testing.T) *world.World {
	t.Helper()
	if !world.Windows() {
		t.Skip("about Windows's own functions")
	}
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "error,warn,info,driver,layer"
	w.Calls()
	return w
}

// calls returns the arguments of the loader's calls of a function.
func calls(w *world.World, function string) []string {
	var out []string
	for _, line := range w.CallLog() {
		if argument, yes := strings.CutPrefix(line, function+" "); yes {
			out = append(out, argument)
		}
	}
	return out
}

// about returns the calls that name a file.
func about(calls []string, file string) []string {
	return slices.DeleteFunc(calls, func(argument string) bool { return !strings.Contains(argument, file) })
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func said(t *testing.T, h *world.Host, text string, yes bool) {
	t.Helper()
	if strings.Contains(h.Stderr(), text) != yes {
		t.Errorf("%q is said: %v, want %v\n%s", text, !yes, yes, h.Stderr())
	}
}

// finish destroys the instance and ends the host.
func finish(h *world.Host) {
	h.Do("destroy_instance")
	h.Quit()
}

// compileLibrary compiles a library from a text.
func compileLibrary(t *testing.T, path, text string, more ...string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := world.Compile(append([]string{"-shared", "-static", "-o", path, source}, more...)...); err != nil {
		t.Fatal(err)
	}
}

// holds: WIN-073
//
// A library that needs another one in its directory is found by the second attempt, which is made for no other
// library.
func TestSecondTry(t *testing.T) {
	w := newWorld(t)
	const text = "int companion(void);\n__declspec(dllexport) int needy(void) { return companion(); }\n"
	companion, needy := w.Path("lib/companion.dll"), w.Path("lib/needy.so")
	compileLibrary(t, companion, "__declspec(dllexport) int companion(void) { return 1; }\n")
	compileLibrary(t, needy, text, companion)
	w.DriverFile("needy", world.DriverManifest(needy, "1.0.0"))
	w.DriverFile("gone", world.DriverManifest(w.Path("lib/gone.so"), "1.0.0"))
	w.DriverFile("bare", world.DriverManifest("gone.so", "1.0.0"))
	w.DriverFile("wrong", world.DriverManifest(w.WrongClass("wrong"), "1.0.0"))
	w.Driver("good")
	h := w.Start()
	h.OK("create_instance")
	finish(h)
	first, second := calls(w, "LoadLibraryW"), calls(w, "LoadLibraryExW")
	// LOAD_LIBRARY_SEARCH_DEFAULT_DIRS and LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	for _, c := range []struct {
		name          string
		first, second int
	}{{"/needy.so", 1, 1}, {"/gone.so", 1, 1}, {"/wrong.so", 1, 0}, {"/good.so", 1, 0}} {
		if got := about(slices.Clone(first), c.name); len(got) != c.first {
			t.Errorf("first tries of %s: %q", c.name, got)
		}
		got := about(slices.Clone(second), c.name)
		if len(got) != c.second || len(got) == 1 && got[0] != w.Path("lib"+c.name)+" 0x1100" {
			t.Errorf("second tries of %s: %q", c.name, got)
		}
	}
	if got := slices.DeleteFunc(slices.Clone(second), func(a string) bool { return !strings.HasPrefix(a, "gone.so") }); len(got) != 0 {
		t.Errorf("second tries of a bare name: %q", got)
	}
	said(t, h, "Failed to open dynamic library \""+w.Path("lib/gone.so")+"\" with error 126", true)
	// it was loaded
	said(t, h, "Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD "+needy, true)
}

// holds: WIN-076
//
// A library with the other word size is no error.
func TestWrongBits(t *testing.T) {
	w := newWorld(t)
	wrong := w.WrongClass("wrong")
	w.DriverFile("wrong", world.DriverManifest(wrong, "1.0.0"))
	w.Driver("good")
	w.ImplicitLayer("VK_LAYER_wrong").Set("library_path", wrong)
	h := w.Start()
	h.OK("create_instance")
	finish(h)
	text := "Failed to open dynamic library \"" + wrong + "\" with error 193"
	if n := strings.Count(h.Stderr(), "INFO:           "+text); n != 2 || n != strings.Count(h.Stderr(), text) {
		t.Errorf("%d lines:\n%s", n, h.Stderr())
	}
	said(t, h, "Requested ICD "+wrong+" was wrong bit-type. Ignoring this JSON", true)
	said(t, h, `Requested layer "VK_LAYER_wrong" was wrong bit-type.`, true)
}

// holds: WIN-077
//
// Error 8 is lack of memory; other errors whose number begins with 8 are not.
func TestNoMemory(t *testing.T) {
	for _, c := range []struct {
		code          string
		driver, layer int
	}{{"8", outOfHostMemory, outOfHostMemory}, {"80", incompatibleDriver, layerNotPresent}, {"800", incompatibleDriver, layerNotPresent}} {
		t.Run(c.code, func(t *testing.T) {
			w := newWorld(t)
			w.Driver("a")
			w.Setup("refuse", "a.so", c.code)
			w.ExplicitLayer("L")
			h := w.Start()
			if a := h.Do("create_instance"); a.Result() != c.driver {
				t.Errorf("a driver: %v, want %d", a, c.driver)
			}
			h.Quit()
			said(t, h, `a.so" with error `+c.code, c.code != "8")

			w = world.New(t)
			w.Driver("a")
			w.ExplicitLayer("L")
			w.Setup("refuse", "L.so", c.code)
			h = w.Start()
			if a := h.Do("create_instance", "layer", "L"); a.Result() != c.layer {
				t.Errorf("a layer: %v, want %d", a, c.layer)
			}
			h.Quit()
		})
	}
}

// A path with invalid text disables only the library that it names.
func TestPathThatIsNoText(t *testing.T) {
	w := newWorld(t)
	w.DriverFile("bad", strings.Replace(world.DriverManifest("C:\\\\bad", "1.0.0"), "bad", "b\xffd", 1))
	w.Driver("good")
	h := w.Start()
	h.OK("create_instance")
	finish(h)
	said(t, h, "with error 1113", true)
}

// holds: WIN-078
//
// Another file is loaded than requested. Later lines have the real path. For a bare name there is no message.
func TestOtherFile(t *testing.T) {
	w := newWorld(t)
	real, other := w.Driver("real", "device name=real"), w.Driver("bare", "device name=bare")
	layer := w.ExplicitLayer("L")
	w.Setup("library", "asked.so", real.Library)
	w.Setup("library", "bare.so", other.Library)
	w.Setup("library", "asked_layer.so", layer.Library)
	real.Set("library_path", w.Path("lib/asked.so"))
	other.Set("library_path", "bare.so")
	layer.Set("library_path", w.Path("lib/asked_layer.so"))
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", "layer", "L")
	finish(h)
	differs := func(asked, loaded string) string {
		return fmt.Sprintf("WARNING | LAYER: Path to given binary %s was found to differ from OS loaded path %s", w.Path("lib", asked), loaded)
	}
	said(t, h, differs("asked.so", real.Library), true)
	said(t, h, differs("asked_layer.so", layer.Library), true)
	if n := strings.Count(h.Stderr(), "was found to differ"); n != 2 {
		t.Errorf("%d lines:\n%s", n, h.Stderr())
	}
	said(t, h, "Unloading driver library "+real.Library, true)
	said(t, h, `Insert instance layer "L" (`+layer.Library+")", true)
}

// holds: WIN-080
func TestNothingIsLetGo(t *testing.T) {
	for value, n := range map[string]int{"1": 0, "0": 1} {
		t.Run(value, func(t *testing.T) {
			w := newWorld(t)
			driver, layer := w.Driver("a"), w.ExplicitLayer("L")
			w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = value
			h := w.Start()
			h.OK("create_instance", "layer", "L")
			h.OK("physical_devices")
			h.Do("destroy_instance")
			mapped := strings.Join(h.Do("maps").Strings("maps"), " ")
			h.Quit()
			for _, f := range []*world.Fake{driver, layer} {
				if got := about(calls(w, "FreeLibrary"), f.Library); len(got) != n {
					t.Errorf("let go: %q, want %d", got, n)
				}
				if strings.Contains(mapped, filepath.Base(f.Library)) != (n == 0) {
					t.Errorf("%s is among %s: want %v", f.Name, mapped, n == 0)
				}
			}
		})
	}
}

// holds: WIN-010
//
// The DLL is unloaded under the system's lock: a driver that stays open is not closed then, and stays until the
// process ends.
func TestDriversStayAtUnload(t *testing.T) {
	for _, by := range []string{"an instance", "a list of extensions"} {
		t.Run(by, func(t *testing.T) {
			w := newWorld(t)
			driver := w.Driver("a")
			h := w.Start()
			if by == "an instance" {
				h.OK("create_instance")
				h.OK("physical_devices")
				h.Do("destroy_instance")
			} else {
				h.OK("instance_extensions")
			}
			before := len(about(calls(w, "FreeLibrary"), driver.Library))
			h.Do("close")
			mapped := strings.Join(h.Do("maps").Strings("maps"), " ")
			if strings.Contains(mapped, "vulkan-1.dll") || !strings.Contains(mapped, filepath.Base(driver.Library)) {
				t.Errorf("mapped: %s", mapped)
			}
			h.Quit()
			if after := len(about(calls(w, "FreeLibrary"), driver.Library)); after != before {
				t.Errorf("let go %d times while the DLL was unloaded", after-before)
			}
		})
	}
}
