package drivers

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
	errorBit = 0x1000
	infoBit  = 0x10
)

// unusable creates a library that cannot be used, and returns the dynamic linker's message.
func unusable(w *world.World, kind string) (path, text string) {
	switch kind {
	case "wrong class":
		path = w.WrongClass("unusable")
		return path, world.ClassError(path)
	case "text":
		path = w.BadBinary("unusable")
		return path, world.HeaderError(path)
	case "program of another system":
		path = w.Write("lib/unusable.so", "MZ\x90\x00"+strings.Repeat("\x00", 200)+"PE\x00\x00")
		return path, world.HeaderError(path)
	case "truncated":
		path = w.Copy(world.Modern, "unusable")
		if err := os.Truncate(path, 20); err != nil {
			w.T.Fatal(err)
		}
		return path, world.ShortError(path)
	case "empty":
		path = w.Write("lib/unusable.so", "")
		return path, world.ShortError(path)
	case "missing":
		path = w.Path("lib/unusable.so")
		return path, world.MissingError(path)
	case "undefined symbol":
		w.Env["LD_BIND_NOW"] = "1"
		path = w.Copy(world.Undefined, "unusable")
		return path, path + ": undefined symbol: fake_symbol_that_does_not_exist"
	}
	panic(kind)
}

// An undefined function is found at once if the dynamic linker obeys LD_BIND_NOW, which musl, Windows and macOS do
// not.
var unusableKinds = slices.DeleteFunc([]string{"wrong class", "text", "program of another system", "truncated", "empty", "missing", "undefined symbol"},
	func(kind string) bool {
		return kind == "undefined symbol" && (world.Target() == "musl" || world.Windows() || world.MacOS())
	})

// holds: BIN-001 BIN-002 BIN-003 BIN-004 BIN-005 BIN-006 BIN-007 BIN-010 BIN-011 DRV-040 DRV-041 DRV-042 DRV-043 DRV-044 DRV-045
func TestUnusableDrivers(t *testing.T) {
	t.Parallel()
	for _, kind := range unusableKinds {
		for _, place := range []string{"before", "after", "alone"} {
			t.Run(kind+" "+place, func(t *testing.T) {
				t.Parallel()
				w := loud(t)
				library, text := unusable(w, kind)
				good := func() { w.Driver("good", "device name=good", "ext VK_KHR_surface 25") }
				if place == "after" {
					good()
				}
				w.DriverFile("unusable", world.DriverManifest(library, "1.0.0"))
				if place == "before" {
					good()
				}
				h := w.Start()
				extensions := h.OK("instance_extensions").Strings("extensions")
				a := h.Do("create_instance", "ext", "VK_EXT_debug_utils", "messenger", fmt.Sprintf("errors:%d:7", errorBit), "messenger", fmt.Sprintf("infos:%d:7", infoBit),
					"messenger", "all")
				if place == "alone" {
					same(t, "extensions", extensions, ownExtensions)
					if a.Result() != incompatibleDriver {
						t.Errorf("result %d", a.Result())
					}
				} else {
					same(t, "extensions", extensions, slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
					if a.Result() != success {
						t.Fatalf("result %d", a.Result())
					}
					same(t, "devices", deviceNames(h, "i"), []string{"good"})
					h.Do("destroy_instance")
				}
				exit := h.Quit()
				all := a.Texts("all")
				at := slices.Index(all, text)
				if at < 0 || at+1 == len(all) {
					t.Fatalf("the linker's text %q did not arrive: %q", text, all)
				}
				errors, infos := a.Texts("errors"), a.Texts("infos")
				if place == "alone" {
					errors = slices.DeleteFunc(errors, func(s string) bool { return s == "vkCreateInstance: Found no drivers!" })
				}
				if world.OtherClass(text) {
					next := "Requested ICD " + library + " was wrong bit-type. Ignoring this JSON"
					if len(errors) != 0 || !slices.Contains(infos, text) || !slices.Contains(infos, next) || all[at+1] != next {
						t.Errorf("errors %q, then %q", errors, all[at+1])
					}
					inOrder(t, exit, "[INFO] "+text, "[DRIVER] "+next)
				} else {
					next := "loader_icd_scan: Failed loading library associated with ICD JSON " + library + ". Ignoring this JSON"
					if !slices.Equal(errors, []string{text, next}) || all[at+1] != next {
						t.Errorf("errors %q", errors)
					}
					inOrder(t, exit, "[ERROR] "+text, "[ERROR|DRIVER] "+next)
				}
				if place == "alone" {
					says(t, exit, "[ERROR|DRIVER] vkCreateInstance: Found no drivers!")
				}
			})
		}
	}
}

// holds: BIN-007 DRV-044
func TestUndefinedSymbolThatNobodyCalls(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.DriverKind(world.Undefined, "it")
	live(t, w).wants(t, success, "it")
}

// holds: BIN-006 BIN-010 DRV-001
func TestManyUnusableDrivers(t *testing.T) {
	t.Parallel()
	for _, with := range []bool{true, false} {
		t.Run(fmt.Sprint(with), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Env["VK_DRIVER_FILES"] = w.Path("found")
			for i, kind := range unusableKinds[:len(unusableKinds)-1] {
				library, _ := unusable(w, kind)
				to := w.Path("lib", fmt.Sprintf("bad%d.so", i))
				if kind != "missing" {
					if err := os.Rename(library, to); err != nil {
						t.Fatal(err)
					}
				}
				w.Write(fmt.Sprintf("found/%d.json", i), world.DriverManifest(to, "1.0.0"))
			}
			w.Write("found/broken.json", "{")
			if with {
				w.Driver("good").MoveManifest("found/3g.json")
				live(t, w).wants(t, success, "good")
			} else {
				live(t, w).wants(t, incompatibleDriver)
			}
		})
	}
}

// holds: BIN-012 BIN-013 BIN-014 BIN-016 BIN-018 BIN-019 BIN-022
func TestUnusableLayers(t *testing.T) {
	t.Parallel()
	for _, kind := range unusableKinds[:len(unusableKinds)-1] {
		for _, how := range []string{"application", "variable", "filter", "implicit"} {
			t.Run(kind+" "+how, func(t *testing.T) {
				t.Parallel()
				w := loud(t)
				w.Driver("it")
				library, text := unusable(w, kind)
				if how == "implicit" {
					w.ImplicitLayer("VK_LAYER_it").Set("library_path", library)
				} else {
					w.ExplicitLayer("VK_LAYER_it").Set("library_path", library)
				}
				words := []string{"ext", "VK_EXT_debug_utils", "messenger", fmt.Sprintf("errors:%d:7", errorBit), "messenger", "all"}
				switch how {
				case "application":
					words = append(words, "layer", "VK_LAYER_it")
				case "variable":
					w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_it"
				case "filter":
					w.Env["VK_LOADER_LAYERS_ENABLE"] = "*it"
				}
				h := w.Start()
				same(t, "listed", h.OK("instance_layers").Strings("layers"), []string{"VK_LAYER_it"})
				a := h.Do("create_instance", words...)
				what := "failed to load"
				first := "[ERROR] " + text
				if world.OtherClass(text) {
					what, first = "was wrong bit-type", "[INFO] "+text
				}
				var second string
				if how == "application" {
					second = `[ERROR|LAYER] Requested layer "VK_LAYER_it" ` + what + "!"
					if a.Result() != layerNotPresent || a.Int("written") != 0 {
						t.Errorf("result %d, written %d", a.Result(), a.Int("written"))
					}
					if !slices.Contains(a.Texts("errors"), second[len("[ERROR|LAYER] "):]) {
						t.Errorf("errors: %q", a.Texts("errors"))
					}
					if mapped := h.Do("maps", "match", w.Path("lib")).Strings("maps"); len(mapped) != 0 {
						t.Errorf("mapped: %v", mapped)
					}
					h.OK("create_instance")
				} else {
					second = `[INFO|LAYER] Requested layer "VK_LAYER_it" ` + what + "."
					if a.Result() != success {
						t.Fatalf("result %d", a.Result())
					}
					for _, message := range a.Texts("errors") {
						if strings.Contains(message, "Requested layer") {
							t.Errorf("an error: %q", message)
						}
					}
				}
				same(t, "devices", deviceNames(h, "i"), []string{"it"})
				h.Do("destroy_instance")
				exit := h.Quit()
				inOrder(t, exit, first, second)
				if made, gone := w.Log().Fn("vkCreateInstance"), w.Log().Fn("vkDestroyInstance"); len(made) != 1 || len(gone) != 1 {
					t.Errorf("%d driver instances made, %d destroyed", len(made), len(gone))
				}
			})
		}
	}
}

// holds: BIN-017 BIN-018 BIN-020
func TestSeveralUnusableLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it")
	w.ImplicitLayer("VK_LAYER_implicit").Set("library_path", w.WrongClass("wrong"))
	w.ExplicitLayer("VK_LAYER_first").Set("library_path", w.BadBinary("bad"))
	w.ExplicitLayer("VK_LAYER_second").Set("library_path", w.Path("lib/missing.so"))
	h := w.Start()
	soft := `Requested layer "VK_LAYER_implicit" ` + world.Failure(world.ClassError("")) + "."
	hard := `Requested layer "VK_LAYER_first" ` + world.Failure(world.HeaderError("")) + "!"
	a := h.Do("create_instance", "layer", "VK_LAYER_first", "layer", "VK_LAYER_second", "ext", "VK_EXT_debug_utils", "messenger", fmt.Sprintf("errors:%d:7", errorBit),
		"messenger", "all")
	exit := h.Quit()
	if a.Result() != layerNotPresent {
		t.Errorf("result %d", a.Result())
	}
	inOrder(t, exit, "[INFO|LAYER] "+soft, "[ERROR|LAYER] "+hard)
	quietAbout(t, exit, `Requested layer "VK_LAYER_second"`)
	for _, text := range a.Texts("errors") {
		if strings.Contains(text, "VK_LAYER_implicit") {
			t.Errorf("the error messenger received %q", text)
		}
	}
	if !a.HasText("errors", hard) || !a.HasText("all", soft) {
		t.Errorf("messages: %q", a.Texts("all"))
	}
}

// holds: BIN-021
func TestLayerOfAnotherArchitecture(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Accesses()
	w.Driver("it")
	own, other := world.Bits()
	layer := w.ExplicitLayer("VK_LAYER_it").Set("library_arch", other)
	w.ExplicitLayer("VK_LAYER_good").Set("library_arch", own)
	h := w.Start()
	same(t, "listed", h.OK("instance_layers").Strings("layers"), []string{"VK_LAYER_good"})
	a := h.Do("create_instance", "layer", "VK_LAYER_it", "messenger", fmt.Sprintf("m:%d:7", infoBit))
	exit := h.Quit()
	const text = "doesn't match the current running architecture, skipping this layer"
	if a.Result() != layerNotPresent || !a.HasText("m", "The library architecture in layer "+layer.ManifestPath+" "+text) {
		t.Errorf("result %d, messages %q", a.Result(), a.Texts("m"))
	}
	says(t, exit, "[INFO] The library architecture in layer "+layer.ManifestPath+" "+text)
	if slices.Contains(w.AccessLog(), "dlopen "+layer.Library+" 1") {
		t.Error("the library was opened")
	}
}

// holds: BIN-022
func TestNothingStaysAfterAnUnusableLayer(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it", "log_load", "device name=it")
	w.ExplicitLayer("VK_LAYER_good", "log_load")
	w.ExplicitLayer("VK_LAYER_bad").Set("library_path", w.BadBinary("bad"))
	h := w.Start()
	if got := h.Do("create_instance", "layer", "VK_LAYER_good", "layer", "VK_LAYER_bad").Result(); got != layerNotPresent {
		t.Errorf("result %d", got)
	}
	opened, closed := w.Log().Fn("constructor").Who(), w.Log().Fn("destructor").Who()
	slices.Sort(opened)
	slices.Sort(closed)
	same(t, "closed", closed, opened)
	h.OK("create_instance", "layer", "VK_LAYER_good")
	same(t, "devices", deviceNames(h, "i"), []string{"it"})
	h.Quit()
}

// A driver manifest, a direct driver or a layer's manifest that leads back to the loader is left out with an ERROR line (INS-018), and
// so is a driver that returns the loader's vkCreateInstance. A copy of the loader's file is another library, and is recognized as a
// loader by its name (DRV-046).
//
// holds: INS-018 INS-029 DRV-042
func TestDriverThatLeadsBackToTheLoader(t *testing.T) {
	t.Parallel()
	const rest = " is this loader itself or leads back to it, which would never end, skip this ICD."
	for name, make := range map[string]func(w *world.World) (library, said string){
		"path": func(w *world.World) (string, string) { return w.Loader, w.Loader },
		"link": func(w *world.World) (string, string) {
			link := w.Path("lib", "libacme.so")
			if err := os.Symlink(w.Loader, link); err != nil {
				w.T.Fatal(err)
			}
			return link, w.Loader
		},
		"name": func(w *world.World) (string, string) { return filepath.Base(w.Loader), w.Loader },
		"copy": func(w *world.World) (string, string) {
			bytes, err := os.ReadFile(w.Loader)
			if err != nil {
				w.T.Fatal(err)
			}
			return w.Write("lib/libcopy.so", string(bytes)), ""
		},
		"handed out": func(w *world.World) (string, string) {
			f := w.Driver("mirror", "export_of vkCreateInstance "+w.Loader)
			return f.Library, f.Library
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			// their linkers do not find a library by its bare name if it was opened by path
			if world.Target() == "musl" || world.MacOS() {
				w.Env["LD_LIBRARY_PATH"] = filepath.Dir(w.Loader)
			}
			w.Driver("good", "device name=good")
			library, said := make(w)
			w.DriverFile("itself", world.DriverManifest(library, "1.1.0"))
			h := w.Start()
			h.OK("instance_extensions")
			h.OK("create_instance")
			same(t, "devices", deviceNames(h, "i"), []string{"good"})
			exit := h.Quit()
			if said == "" {
				says(t, exit, "[ERROR] "+loaderSaid(library, ownName()))
				return
			}
			if real, err := filepath.EvalSymlinks(said); err == nil {
				said = real
			}
			says(t, exit, "[ERROR|DRIVER] loader_scanned_icd_add: ICD "+said+rest)
		})
	}

	w := loud(t)
	w.DriverFile("itself", world.DriverManifest(w.Loader, "1.1.0"))
	l := live(t, w)
	l.wants(t, incompatibleDriver)

	w = loud(t)
	w.Driver("good", "device name=good")
	mirror := w.DirectDriver("mirror", "export_of vkCreateInstance "+w.Loader)
	h := w.Start()
	h.OK("create_instance", "ext", direct, "direct", mirror.Library)
	same(t, "devices", deviceNames(h, "i"), []string{"good"})
	says(t, h.Quit(), "[ERROR|DRIVER] loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index 0 leads back to this loader, which would never end, skipping.")

	w = loud(t)
	w.Driver("good", "device name=good")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_it"
	w.ExplicitLayer("VK_LAYER_it").Set("library_path", w.Loader)
	h = w.Start()
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"good"})
	says(t, h.Quit(), "[ERROR|LAYER] loader_create_instance_chain: Layer library \""+w.Loader+"\" is this loader itself or leads back to it, which would never end")
}
