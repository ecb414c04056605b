package storm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// The seconds of the long form, from the environment; without the variable, the storm has a number of lives.
const longVariable = "VKLOADER_STORM_SECONDS"

// build is a build of the library, with the requirements of its sanitizer.
type build struct {
	name, directory, flag string
	env                   []string
}

// surroundings creates five drivers and three layers. One driver fails sometimes at every step, one gains and loses its device, and one
// never has any. One layer wraps every handle. The fakes' libraries are returned. Lists of extensions fail only if blocks are not
// counted: each kind of failure is another question to the core, and the number of cached answers varies.
func surroundings(t *testing.T, lists bool) (env []string, fakes []string) {
	t.Helper()
	w := world.New(t)
	w.NoShim = true // the program itself counts the blocks of the heap
	script := func(f *world.Fake, lines ...string) {
		w.Write(f.Library+".script", strings.Join(append(lines, "steady", "reuse"), "\n")+"\n")
		fakes = append(fakes, f.Library)
	}
	lines := []string{"api 1.1.0", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "ext VK_EXT_debug_utils 2"}
	for n := range 20 { // names that the program looks up: half for devices, half for physical devices
		lines = append(lines, fmt.Sprintf("%s vkStormUnknown%d", []string{"offer", "offer_gpdpa"}[n/10], n))
	}
	for _, name := range []string{"good", "flaky", "fickle", "never"} {
		f := w.Driver(name).API("1.1.0")
		device := "device name=" + name + " type=integrated ext=VK_KHR_swapchain:70"
		mine := append([]string{device}, lines...)
		switch name {
		case "fickle":
			mine[0] = device + " there=60"
		case "never":
			mine = mine[1:]
		}
		if name == "flaky" {
			// Each load of the driver starts its random numbers again. With some seeds, the first list of extensions fails after every
			// load, so the loader leaves the driver out. With this seed, later calls fail, and the program sees their errors.
			mine = append(mine, "seed 20")
			failing := []string{"vkCreateInstance", "vkEnumeratePhysicalDevices", "vkCreateDevice", "vkCreateHeadlessSurfaceEXT",
				"vkCreateDebugUtilsMessengerEXT", "vkGetPhysicalDeviceSurfaceSupportKHR", "vkCreateSwapchainKHR",
				"vkEnumerateDeviceExtensionProperties"}
			if lists {
				failing = append(failing, "vkEnumerateInstanceExtensionProperties")
			}
			for _, fn := range failing {
				mine = append(mine, "result "+fn+" -1 chance 3", "result "+fn+" -3 chance 6")
			}
		}
		script(f, mine...)
	}
	null := "drivers/libvk_null.so"
	if world.MacOS() {
		null = "drivers/libvk_null.dylib"
	}
	w.DriverFile("null", world.DriverManifest(filepath.Join(world.Samples(), null), "1.4.0"))
	w.DriverFile("absent", world.DriverManifest("/nowhere/libabsent.so", "1.1.0"))
	wraps, looks := w.ImplicitLayer("VK_LAYER_wraps"), w.ImplicitLayer("VK_LAYER_looks")
	script(wraps, "wrap instance physdev device surface messenger report")
	script(looks, "intercept vkGetDeviceQueue", "intercept vkQueueWaitIdle")
	w.Env["VK_IMPLICIT_LAYER_PATH"] = strings.Join([]string{looks.ManifestPath,
		filepath.Join(world.Samples(), "layers/VkLayer_drawstats_implicit.json"), wraps.ManifestPath}, ":")
	w.Env["ENABLE_DRAWSTATS_LAYER"] = "1"
	return w.Environment(), fakes
}

func compile(t *testing.T, name, flag string) string {
	t.Helper()
	top, program := world.Top(), filepath.Join(t.TempDir(), "storm-"+name)
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(top, "spine"),
		"-o", program, filepath.Join(top, "test/lib/bin/storm.c"), "-ldl", "-lpthread"}
	if flag != "" {
		args = append(args, flag)
	}
	if flag != "" || world.Target() == "musl" { // their allocation functions cannot be counted
		args = append(args, "-DSTORM_SANITIZED")
	}
	if err := world.CompileOpening(args...); err != nil {
		t.Fatal(err)
	}
	return program
}

// round is a line of the program's output.
type round map[string]int64

func rounds(t *testing.T, text string) (all []round) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "round" {
			continue
		}
		r := round{}
		for i := 0; i+1 < len(words); i += 2 {
			n, err := strconv.ParseInt(words[i+1], 10, 64)
			if err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			r[words[i]] = n
		}
		all = append(all, r)
	}
	return all
}

// run runs the storm and returns its rounds. It fails for a call that must not fail, a report of a sanitizer, a leaked block, an object
// left in a driver or layer, or a hang.
func run(t *testing.T, limit time.Duration, program string, env []string, args ...string) []round {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := world.Command(ctx, program, args...)
	cmd.Env = env
	cmd.Dir = t.TempDir()
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errors.String())
	}
	return rounds(t, out.String())
}

// holds: THR-001 THR-002 THR-004..009 GPA-067 GPA-068
//
// TestStorm runs sixteen threads on five drivers, one of which fails at random and one gains and loses its device, with three layers, with
// and without an instance that all threads share. The long form (VKLOADER_STORM_SECONDS=60) also checks resident memory.
func TestStorm(t *testing.T) {
	storm(t, build{name: "plain"})
}

// TestStormAddresses is the storm on the library with the address and undefined-behaviour sanitizers.
func TestStormAddresses(t *testing.T) {
	storm(t, build{"asan", "asan", "-fsanitize=address,undefined",
		[]string{"ASAN_OPTIONS=detect_leaks=1:exitcode=77", "UBSAN_OPTIONS=halt_on_error=1:exitcode=77"}})
}

// TestStormRaces is the storm on the library with the thread sanitizer.
func TestStormRaces(t *testing.T) {
	// Libraries without instrumentation (drivers, layers) are not checked: the sanitizer does not see the linker's lock, which orders their
	// constructors and other calls.
	storm(t, build{"tsan", "tsan", "-fsanitize=thread", []string{"TSAN_OPTIONS=exitcode=77:ignore_noninstrumented_modules=1"}})
}

const threads, lives = 16, 3 // lives of each thread in a round

func storm(t *testing.T, b build) {
	long := os.Getenv(longVariable)
	if long == "" {
		t.Parallel()
	}
	library := filepath.Join(world.Build(), b.directory, filepath.Base(world.Library()))
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("%v: run make asan tsan first", err)
	}
	program := compile(t, b.name, b.flag)
	for _, kind := range []string{"apart", "shared"} {
		t.Run(kind, func(t *testing.T) {
			if long == "" {
				t.Parallel()
			}
			env, fakes := surroundings(t, b.flag != "")
			args, limit := []string{library, fmt.Sprint("threads=", threads), "flaky=flaky"}, 5*time.Minute
			for _, fake := range fakes {
				args = append(args, "fake="+fake)
			}
			if kind == "shared" {
				args = append(args, kind)
			}
			if b.name == "tsan" { // the thread sanitizer does not survive the unloading of a library
				args = append(args, "keep")
			}
			if long != "" {
				// glibc's free memory for each thread grows to 200 kB and would hide a leak of the loader.
				env = append(env, "GLIBC_TUNABLES=glibc.malloc.tcache_count=0")
				rounds := "rounds=20"
				if b.flag != "" { // memory is not checked, and a round takes long
					rounds = "rounds=4"
				}
				args = append(args, rounds, "seconds="+long)
				if n, err := strconv.Atoi(long); err != nil || n < 1 {
					t.Fatalf("%s=%s is no number of seconds", longVariable, long)
				} else {
					limit += time.Duration(n) * time.Second
				}
			} else {
				short := []string{"rounds=4", fmt.Sprint("lives=", lives)}
				if b.name == "asan" {
					short = []string{"rounds=4", "lives=2"}
				}
				if b.name == "tsan" { // opening and closing libraries takes long with it
					short = []string{"rounds=2", "lives=1"}
				}
				args = append(args, short...)
			}
			all := run(t, limit, program, append(append([]string(nil), env...), b.env...), args...)
			judge(t, all, b.name, kind == "shared", long != "")
		})
	}
}

func judge(t *testing.T, all []round, build string, shared, long bool) {
	t.Helper()
	if len(all) < 2 {
		t.Fatalf("rounds: %v", all)
	}
	half, last := len(all)/2, all[len(all)-1]
	if last["injected"] == 0 || last["delivered"] == 0 {
		t.Errorf("nothing failed, or no message was delivered: %v", last)
	}
	var peak [2]int64
	for i, r := range all {
		if !shared && r["alive"] != 0 {
			t.Errorf("objects left in drivers or layers after round %d: %v", i, r)
		}
		// In a short run, the bounded cache of answers is still filling; a leak is larger, because every life repeats
		// it.
		filling := int64(16)
		if long {
			filling = 0
		}
		// the loader keeps a word for each time that it is loaded, at most once a life (docs/macos.md)
		if world.MacOS() && i >= half {
			filling += int64(i-half+1) * threads * lives
		}
		if i >= half && (r["blocks"] > all[half-1]["blocks"]+filling || long && r["bytes"] != all[half-1]["bytes"]) {
			t.Errorf("after round %d %d blocks of %d bytes live, after the first half %d of %d", i, r["blocks"], r["bytes"],
				all[half-1]["blocks"], all[half-1]["bytes"])
		}
		h := 0
		if i >= half {
			h = 1
		}
		peak[h] = max(peak[h], r["resident_kb"])
	}
	if long {
		t.Logf("%d lives, %d injected failures; resident at most %d kB in the first half, %d kB in the second; %d blocks of %d bytes",
			last["lives"], last["injected"], peak[0], peak[1], last["blocks"], last["bytes"])
		if build == "plain" && peak[1] > peak[0]+128 {
			t.Errorf("resident memory: %v kB in the halves", peak)
		}
	}
}
