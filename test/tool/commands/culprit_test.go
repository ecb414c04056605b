package commands

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// found holds the examined fields of a verdict.
type found struct {
	Result   string
	Culprits []struct{ Kind, Name string }
	With     []struct{ Name string }
	Runs     []struct {
		Good bool
		What string
	}
	What, Process string
	Files         []string
	Phase, Fix    string
	Update, Wrote string
	Loader        *struct{ Path string }
	Notes         []string
	Applied       bool
}

// computing returns a world, and the command line of a program that creates a device on the null driver and submits work, with layers
// that do nothing.
func computing(t *testing.T) (*world.World, []string) {
	t.Helper()
	w := world.New(t)
	w.NoShim = true
	w.Env["VK_DRIVER_FILES"] = filepath.Join(built, "drivers/null_icd.json")
	for _, name := range []string{"VK_LAYER_one", "VK_LAYER_two", "VK_LAYER_three"} {
		w.ImplicitLayer(name)
	}
	return w, []string{filepath.Join(built, "test/compute"), "libvulkan.so.1", "1"}
}

// mostRuns returns how many runs find one culprit of some layers: unchanged, without layers, without the layer that the call stack
// names, halvings, without the culprit, with the culprit alone.
func mostRuns(layers int) int { return 5 + bits.Len(uint(layers-1)) }

// hunted runs a program with --find-culprit.
func hunted(t *testing.T, w *world.World, code int, program []string, options ...string) found {
	t.Helper()
	args := slices.Concat([]string{"run", "--find-culprit", "--json"}, options, []string{"--"}, program)
	out, exit := w.Run(4*time.Minute, filepath.Join(built, "vkloader"), args...)
	var v found
	if err := json.Unmarshal([]byte(out), &v); err != nil || exit.Code != code {
		t.Fatalf("%v: exit code %d, want %d: %v\n%s%s", args, exit.Code, code, err, out, exit.Stderr)
	}
	return v
}

// A program whose dynamic linker cannot load the Vulkan loader is the culprit itself: one run shows this (mudler/LocalAI issue 7914).
func TestFindCulpritWithoutLoader(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"error while loading shared libraries: libvulkan.so.1: cannot open shared object file: No such file or directory",
		"/opt/game/lib/libc.so.6: version `GLIBC_2.38' not found (required by /usr/lib/libvulkan.so.1)"} {
		w, _ := computing(t)
		v := hunted(t, w, 1, []string{"sh", "-c", `echo "$1" >&2; exit 1`, "sh", message}, "--fails-with", "exit")
		if v.Result != "elsewhere" || len(v.Runs) != 1 || !strings.Contains(strings.Join(v.Notes, ""), "vkloader doctor --app /") {
			t.Errorf("%+v", v)
		}
	}
}

// If the dynamic linker ends the program, one run shows the file and its symbol. If the file is a layer's, the search names the layer.
func TestFindCulpritOfDynamicLinker(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.ImplicitLayer("VK_LAYER_bad")
	script := func(line, unless string) []string {
		return []string{"sh", "-c", `[ "$DISABLE_VK_LAYER_bad" = ` + unless + ` ] || { echo "$1" >&2; exit 127; }`, "sh", line}
	}
	for line, want := range map[string]string{
		"game: symbol lookup error: /opt/game/libplug.so: undefined symbol: plug": "libplug.so: nothing defines plug, which it needs\n",
		"Error relocating /opt/game/libplug.so: plug: symbol not found":           "libplug.so: nothing defines plug, which it needs\n",
		"game: error while loading shared libraries: libhipblas.so.3: cannot open shared object file: No such file or directory": "the program: " +
			"the dynamic linker cannot load its libraries\n",
	} {
		_, exit := w.Run(time.Minute, tool, slices.Concat([]string{"run", "--find-culprit", "--"}, script(line, "2"))...)
		if !strings.Contains(exit.Stderr, "The culprit is "+want) || strings.Contains(exit.Stderr, "run 2") {
			t.Errorf("no %q in %s", want, exit.Stderr)
		}
	}
	line := "game: symbol lookup error: " + w.Path("lib/VK_LAYER_bad.so") + ": undefined symbol: plug"
	if v := hunted(t, w, 1, script(line, "1")); v.Result != "found" || fmt.Sprint(v.Culprits) != "[{layer VK_LAYER_bad}]" {
		t.Errorf("%+v", v)
	}
}

// A search without a culprit names the finding of doctor for the program.
func TestFindCulpritNamesFinding(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.Driver("only", "device name=only", "die vkEnumeratePhysicalDevices")
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/only.json")
	v := hunted(t, w, 1, submitting)
	if want := "See vkloader doctor --app " + submitting[0] + ": driver-crashes"; v.Result != "elsewhere" || !slices.Contains(v.Notes, want) {
		t.Errorf("no %q: %+v", want, v)
	}
}

// --find-culprit names a layer that crashes or hangs the program at any stage, with the loader's phase, the file of the crash, and a fix
// with which the program works.
func TestFindCulprit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		options      []string
		what, phase  string
	}{
		{"submit", "die vkQueueSubmit", nil, "killed by SIGABRT in ", "while a device was created or used"},
		{"hang", "delay vkQueueSubmit 3600000", []string{"--hangs-after", "8s"}, "it hung", "while a device was created or used"},
		{"instance", "die vkCreateInstance", nil, "killed by SIGABRT in ", "while an instance was created, or its devices were listed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, program := computing(t)
			w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", c.script)
			w.ImplicitLayer("VK_LAYER_four")
			v := hunted(t, w, 1, program, c.options...)
			if v.Result != "found" || len(v.Culprits) != 1 || v.Culprits[0].Name != "VK_LAYER_bad" || v.Culprits[0].Kind != "layer" {
				t.Fatalf("got %+v", v)
			}
			if !strings.HasPrefix(v.What, c.what) || !strings.HasPrefix(v.Phase, c.phase) || v.Applied {
				t.Errorf("got %+v", v)
			}
			if v.Process != program[0] || !slices.Contains(v.Files, w.Path("lib/VK_LAYER_bad.so")) || len(v.Runs) > mostRuns(5) {
				t.Errorf("where it stood: %+v", v)
			}
			if want := "env DISABLE_VK_LAYER_bad=1 " + program[0]; !strings.HasPrefix(v.Fix, want) {
				t.Errorf("fix %q, want %q", v.Fix, want)
			}
		})
	}
}

// Of two drivers, --find-culprit names the one that crashes. It names no culprit of a program that works, and neither a layer nor a driver
// if the program itself crashes.
func TestFindCulpritElsewhere(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	if v := hunted(t, w, 0, []string{"true"}); v.Result != "fine" || len(v.Runs) != 1 {
		t.Errorf("of a program that works: %+v", v)
	}
	if v := hunted(t, w, 0, []string{"sleep", "600"}, "--fine-after", "1s"); v.Result != "fine" {
		t.Errorf("of a program that goes on: %+v", v)
	}
	v := hunted(t, w, 1, []string{"sh", "-c", "kill -SEGV $$"})
	if v.Result != "elsewhere" || len(v.Culprits) != 0 || v.Phase != "before the program used the loader" || v.Fix != "" || len(v.Runs) != 1 {
		t.Errorf("of a program that crashes by itself: %+v", v)
	}
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/none.json")
	hunt := append([]string{"run", "--find-culprit", "--fails-with", "exit", "--"}, program...)
	if _, exit := w.Run(time.Minute, tool, hunt...); !strings.Contains(exit.Stderr, "The culprit is no driver or layer: the program gets no driver") {
		t.Errorf("without a driver: %s", exit.Stderr)
	}
	w.Driver("only", "device name=only", "die vkEnumeratePhysicalDevices")
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/only.json")
	script := []string{"sh", "-c", `VK_DRIVER_FILES=/none.json exec "$@"`, "sh"}
	if _, exit := w.Run(time.Minute, tool, slices.Concat(hunt[:len(hunt)-len(program)], script, program)...); !strings.Contains(exit.Stderr, "The culprit is no driver or layer: the program gets no driver") {
		t.Errorf("of a program that names no driver: %s", exit.Stderr)
	}
	if _, exit := w.Run(time.Minute, tool, append([]string{"run", "--find-culprit", "--"}, program...)...); !strings.Contains(exit.Stderr, "The culprit is the program or its only driver, only.json:") {
		t.Errorf("of an only driver that crashes: %s", exit.Stderr)
	}
	delete(w.Env, "VK_DRIVER_FILES")
	w.Driver("old", "device name=old", "die vkEnumeratePhysicalDevices")
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/old.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
	if v := hunted(t, w, 1, program); v.Result != "found" || fmt.Sprint(v.Culprits) != "[{driver old.json}]" {
		t.Errorf("of a driver that crashes: %+v", v)
	}
}

// A program whose instance needs a layer that is not installed learns the layer's name and its package.
func TestFindCulpritNamesAskedLayer(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.Env["VK_LAYER_PATH"] = w.Path("nothing")
	program := w.Path("asks")
	script := "#!/bin/sh\n# VK_LAYER_KHRONOS_validation\necho '[Vulkan Loader] ERROR: loader_validate_layers: Layer 0 does not exist in the list of available layers' >&2\nexit 1\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	v := hunted(t, w, 1, []string{program}, "--fails-with", "exit")
	if got := strings.Join(v.Notes, "\n"); !strings.Contains(got, "VK_LAYER_KHRONOS_validation is not installed, and "+program+" names it. ") {
		t.Errorf("notes: %q", got)
	}
	if len(v.Runs) != 1 {
		t.Errorf("%d runs, and one tells all", len(v.Runs))
	}
	script = strings.Replace(script, "KHRONOS_validation", "ACME_checks VK_LAYER_PATH", 1)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, exit := w.Run(time.Minute, tool, "run", "--find-culprit", "--fails-with", "exit", "--", program)
	if want := "The culprit is the program: it asks for a layer that is not installed: VK_LAYER_ACME_checks\n"; !strings.Contains(exit.Stderr, want) {
		t.Errorf("no %q in %s", want, exit.Stderr)
	}
}

// A program that enables an extension which its device or the instance lacks learns the extension's name (VocaHQ/vocalinux issue 220).
func TestFindCulpritNamesMissingExtension(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	program := w.Path("enables")
	for line, want := range map[string]string{
		"loader_validate_device_extensions: Device extension VK_KHR_16bit_storage not supported by selected physical device or enabled layers.": "The culprit is the device that the program uses: " +
			"it lacks VK_KHR_16bit_storage, which the program enables\n",
		"loader_validate_instance_extensions: Instance extension VK_KHR_surface not supported by available ICDs or enabled layers.": "The culprit is the program: " +
			"it enables VK_KHR_surface, which no driver and no enabled layer has\n",
	} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '[Vulkan Loader] ERROR: "+line+"' >&2\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, exit := w.Run(time.Minute, tool, "run", "--find-culprit", "--fails-with", "exit", "--", program)
		if !strings.Contains(exit.Stderr, want) {
			t.Errorf("no %q in %s", want, exit.Stderr)
		}
	}
}

// A program fails only with the distribution's loader. The verdict is about that loader, and names it. The search also finds the cause of
// the failure there, and the program works with the printed command lines.
func TestFindCulpritOfUsualLoader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, unless, result, culprits, fix string }{
		{"loader", "never", "loader", "[]", "vkloader run -- "},
		{"layer", `"$DISABLE_VK_LAYER_two"`, "found", "[{layer VK_LAYER_two}]", "env DISABLE_VK_LAYER_two=1 sh "},
		{"works", "1", "fine", "[]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, program := computing(t)
			w.System = true                                                    // no LD_LIBRARY_PATH
			if err := os.MkdirAll(w.Path("share/vulkan"), 0o755); err != nil { // an older loader reads no variable for implicit layers
				t.Fatal(err)
			}
			if err := os.Symlink(w.Path("implicit"), w.Path("share/vulkan/implicit_layer.d")); err != nil {
				t.Fatal(err)
			}
			w.Env["XDG_DATA_HOME"] = w.Path("share")
			const script = `"$@" >/dev/null; case "$LD_LIBRARY_PATH" in *build*) exit 0; esac; [ UNLESS = 1 ] && exit 0; kill -SEGV $$`
			v := hunted(t, w, map[bool]int{true: 0, false: 1}[c.result == "fine"],
				append([]string{"sh", "-c", strings.Replace(script, "UNLESS", c.unless, 1), "sh"}, program...))
			if v.Result != c.result || fmt.Sprint(v.Culprits) != c.culprits || !strings.HasPrefix(v.Fix, c.fix) || v.Loader == nil {
				t.Fatalf("got %+v", v)
			}
			if ours := strings.HasPrefix(v.Loader.Path, built); ours != (c.result == "fine") {
				t.Errorf("with the loader %s", v.Loader.Path)
			}
			if c.result == "fine" && !strings.Contains(fmt.Sprint(v.Notes), "the program also works with libvulkan.so.1") {
				t.Errorf("notes %q", v.Notes)
			}
		})
	}
}

// A program with LeakSanitizer is not traced, because the sanitizer refuses to work under a tracer. The sanitizer's text shows a leak.
func TestFindCulpritThatLeaks(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	const script = `"$@" >/dev/null; if ! grep -q 'TracerPid:.0$' /proc/$$/status; then echo "HINT: LeakSanitizer does not work under ptrace" >&2; exit 23; fi
		[ "$DISABLE_VK_LAYER_two" = 1 ] && exit 0; echo "SUMMARY: LeakSanitizer: 5 bytes leaked" >&2; exit 23`
	v := hunted(t, w, 1, append([]string{"sh", "-c", script, "sh"}, program...), "--fails-when", "LeakSanitizer")
	if v.Result != "found" || fmt.Sprint(v.Culprits) != "[{layer VK_LAYER_two}]" || !strings.Contains(fmt.Sprint(v.Notes), "leak sanitizer") {
		t.Errorf("got %+v", v)
	}
}

// A program calls a command for which it got NULL: the note says that it called a null pointer.
func TestFindCulpritNullPointer(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	const script = "import ctypes\nctypes.CDLL('libvulkan.so.1').vkEnumerateInstanceVersion(ctypes.byref(ctypes.c_uint32()))\nctypes.CFUNCTYPE(None)(0)()"
	if v := hunted(t, w, 1, []string{"python3", "-c", script}); v.Result != "elsewhere" || !strings.Contains(fmt.Sprint(v.Notes), "it called a null pointer") {
		t.Errorf("got %+v", v)
	}
}

// A launcher that forks and exits does not end the run: the tool follows its child processes until they end. A child process without the
// Vulkan loader is no hang.
func TestFindCulpritBehindLauncher(t *testing.T) {
	t.Parallel()
	t.Run("crash", func(t *testing.T) {
		t.Parallel()
		w, program := computing(t)
		w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", "die vkQueueSubmit")
		v := hunted(t, w, 1, []string{"sh", "-c", `(sleep 1; "$@") & exit 0`, "sh", program[0], program[1], program[2]})
		if v.Result != "found" || fmt.Sprint(v.Culprits) != "[{layer VK_LAYER_bad}]" || v.Process != program[0] ||
			!strings.HasPrefix(v.Phase, "while a device was created or used") {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("hang", func(t *testing.T) {
		t.Parallel()
		w, program := computing(t)
		w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", "delay vkQueueSubmit 3600000")
		v := hunted(t, w, 1, []string{"sh", "-c", `"$@" & exit 0`, "sh", program[0], program[1], program[2]}, "--hangs-after", "8s")
		if v.Result != "found" || v.What == "" || fmt.Sprint(v.Culprits) != "[{layer VK_LAYER_bad}]" || v.Process != program[0] {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("something is left", func(t *testing.T) {
		t.Parallel()
		w, _ := computing(t)
		if v := hunted(t, w, 0, []string{"sh", "-c", "sleep 600 & exit 0"}); v.Result != "fine" || len(v.Runs) != 1 {
			t.Errorf("got %+v", v)
		}
	})
}

// --apply keeps the culprit out of this program alone, until the culprit's file changes.
func TestFindCulpritApplies(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	bad := w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", "die vkQueueSubmit")
	tool := filepath.Join(built, "vkloader")
	if v := hunted(t, w, 1, program, "--apply"); v.Result != "found" || !v.Applied {
		t.Fatalf("got %+v", v)
	}
	out, _ := w.Run(time.Minute, tool, "settings", "show")
	if !strings.Contains(out, "For "+program[0]) || !strings.Contains(out, "VK_LAYER_bad off until "+bad.Library+" changes") {
		t.Errorf("the settings:\n%s", out)
	}
	works := func() bool {
		_, exit := w.Run(time.Minute, tool, slices.Concat([]string{"run", "--"}, program)...)
		return exit.Signal == 0
	}
	if !works() {
		t.Error("the program still crashes")
	}
	if out, _ := w.Run(time.Minute, tool, "explain", "--app", "/bin/true"); !strings.Contains(out, "VK_LAYER_bad: implicit") {
		t.Errorf("other programs:\n%s", out)
	}
	bad.Replace("intercept vkQueueSubmit") // fixed, with another library
	w.Copy(world.Layer, "VK_LAYER_bad")
	_, exit := w.Run(time.Minute, tool, "run", "--", "true")
	if !strings.Contains(exit.Stderr, bad.Library+" has changed: the settings no longer exclude VK_LAYER_bad from "+program[0]) {
		t.Errorf("after an update: %s", exit.Stderr)
	}
	if out, _ := w.Run(time.Minute, tool, "settings", "show"); !strings.Contains(out, "No settings file.") {
		t.Errorf("the settings after it:\n%s", out)
	}
	if out, _ := w.Run(time.Minute, tool, "explain", "--app", program[0]); !strings.Contains(out, "VK_LAYER_bad: implicit") || !works() {
		t.Errorf("the program after it:\n%s", out)
	}
}

// Where the loader that the program gets without vkloader ignores the settings, --apply writes none and says so, and no hint names it.
func TestFindCulpritAppliesNothingThatIsIgnored(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", "die vkQueueSubmit")
	w.System = true // no LD_LIBRARY_PATH
	v := hunted(t, w, 1, program, "--apply")
	if v.Result != "found" || v.Applied || !strings.Contains(fmt.Sprint(v.Notes), "--apply has no effect: settings are not in force for "+filepath.Base(program[0])+", whose loader is 1.") {
		t.Errorf("got %+v", v)
	}
	if _, err := os.Stat(w.Path("home/.config/vulkan")); err == nil {
		t.Error("settings are written")
	}
	_, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), slices.Concat([]string{"run", "--find-culprit", "--"}, program)...)
	if !strings.Contains(exit.Stderr, "Culprit: the layer VK_LAYER_bad") || strings.Contains(exit.Stderr, "--apply") {
		t.Error(exit.Stderr)
	}
}

// A driver crashes at an address of its unloaded library. The fix keeps the driver loaded, and does not disable it.
func TestFindCulpritUnloaded(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.NoShim = true
	library, program := w.Path("lib/left.so"), w.Path("bin/threads")
	for _, directory := range []string{filepath.Dir(library), filepath.Dir(program)} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{{"-shared", "-fPIC", "-o", library, "testdata/unload/driver.c", "-lpthread"},
		{"-o", program, "testdata/unload/program.c", "-ldl", "-lpthread"}} {
		if err := world.Compile(arguments...); err != nil {
			t.Fatal(err)
		}
	}
	w.Env["VK_DRIVER_FILES"] = w.Write("left.json", `{"file_format_version":"1.0.0","ICD":{"library_path":"`+library+`","api_version":"1.3.0"}}`) + ":" +
		filepath.Join(built, "drivers/null_icd.json")
	v := hunted(t, w, 1, []string{program})
	if want := "env VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1 " + program; v.Result != "unloading" || len(v.Culprits) != 0 || v.Fix != want {
		t.Errorf("%+v, want the fix %q", v, want)
	}
}

// A driver that stays open keeps an old version of a library. The program's plug-in calls a function that only the newer version has.
func TestFindCulpritThatStaysOpen(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.NoShim = true
	at := func(name string) string { return w.Path("kept", name) }
	compile := func(out string, arguments ...string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := world.Compile(append(arguments, "-o", out)...); err != nil {
			t.Fatal(err)
		}
	}
	shared := []string{"-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed"}
	for version, text := range map[string]string{"old": "int one(void); int one(void) { return 1; }", "new": "int one(void), two(void); int one(void) { return 1; } int two(void) { return 2; }"} {
		compile(at(version+"/libpart.so"), append(shared, "-Wl,-soname,libpart.so", w.Write(version+".c", text))...)
	}
	null := filepath.Join(built, "drivers/libvk_null.so")
	compile(at("old/driver.so"), append(shared, w.Write("driver.c", ""), at("old/libpart.so"), null)...)
	compile(at("new/plugin.so"), append(shared, w.Write("plugin.c", "int two(void), plugin(void); int plugin(void) { return two() - 2; }"), at("new/libpart.so"))...)
	compile(w.Path("bin/plugged"), "testdata/unload/plugged.c", "-ldl")
	w.Env["VK_DRIVER_FILES"] = w.Write("kept.json", `{"file_format_version":"1.0.0","ICD":{"library_path":"`+at("old/driver.so")+`","api_version":"1.3.0"}}`)
	program := []string{w.Path("bin/plugged"), at("new/plugin.so")}
	v := hunted(t, w, 1, program)
	if want := "env VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=0 " + strings.Join(program, " "); v.Result != "keeping" || len(v.Culprits) != 0 || v.Fix != want {
		t.Errorf("%+v, want the fix %q", v, want)
	}
}

// For a layer that the user asks for, the fix is its update. The verdict has the last three different lines on standard error
// that are not the loader's.
func TestFindCulpritThatIsWanted(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	w.ExplicitLayer("VK_LAYER_wanted", "intercept vkQueueSubmit", "die vkQueueSubmit")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_wanted"
	v := hunted(t, w, 1, slices.Concat([]string{"sh", "-c", `for word in first no no "" modifiers order; do echo "wanted: $word" >&2; done; exec "$@"`, "sh"}, program))
	if v.Result != "found" || len(v.Culprits) != 1 || v.Culprits[0].Name != "VK_LAYER_wanted" {
		t.Fatalf("%+v", v)
	}
	if want := "Update VK_LAYER_wanted (" + w.Path("lib/VK_LAYER_wanted.so") + "), which VK_INSTANCE_LAYERS asks for"; v.Update != want || v.Wrote != "wanted:\nwanted: modifiers\nwanted: order" {
		t.Errorf("update %q, wrote %q", v.Update, v.Wrote)
	}
}

// A run that ends with an exit code is not one in which the program works: the verdict says so.
func TestFindCulpritEndsWithExitCode(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", "die vkQueueSubmit")
	v := hunted(t, w, 1, slices.Concat([]string{"sh", "-c", `"$@"; code=$?; [ $code -lt 128 ] && code=3; exit $code`, "sh"}, program))
	if want := "ended with exit code 3: it may not work"; v.Result != "found" || !strings.Contains(fmt.Sprint(v.Notes), want) {
		t.Errorf("no %q: %+v", want, v)
	}
}

// A search without a time limit says what it waits for, and how to end it.
func TestFindCulpritSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	stop := w.Path("stop")
	wait := w.Write("wait.sh", "#!/bin/sh\nwhile [ ! -e "+stop+" ]; do sleep 0.1; done\n")
	cmd := world.Command(t.Context(), filepath.Join(built, "vkloader"), "run", "--find-culprit", "--", "sh", wait)
	cmd.Env = w.Environment()
	messages, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(messages).ReadString('\n')
	if !strings.Contains(line, "run 1 still runs: waiting for the program to end") || !strings.Contains(line, `Ctrl-\`) || !strings.Contains(line, "--hangs-after") {
		t.Error(line)
	}
	w.Write("stop", "")
	go io.Copy(io.Discard, messages)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
