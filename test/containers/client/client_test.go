package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/internal/containers/offer"
	"vkloader/test/lib/world"
)

const (
	success            = 0
	incompatibleDriver = -9
)

// patience is longer than any service can delay a program: 5 seconds for one call, and the delays of a busy machine.
const patience = 2 * time.Minute

func devices(h *world.Host) []string {
	names := []string{}
	for _, pd := range h.Do("physical_devices").Ints("devices") {
		names = append(names, h.Do("properties", "pd", world.Ref(pd)).Text("name"))
	}
	return names
}

// A program that finds no driver gets the service's drivers, in the service's order. They are opened through descriptors, and no descriptor
// remains. A second instance does not open an open file again.
//
// holds: PRO-048 PRO-050 FLS-120 FLS-125
func TestDriversOfTheService(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "first", "ext VK_KHR_surface 25", "log_load")
	s.fake(w, "second", "ext VK_KHR_surface 25")
	h := w.Start()
	before := h.Do("state")
	for range 3 {
		h.OK("instance_extensions")
		h.OK("create_instance", "ext", "VK_KHR_surface")
		if got := devices(h); !slices.Equal(got, []string{"second", "first"}) {
			t.Errorf("devices %v", got)
		}
		h.Do("destroy_instance")
	}
	after := h.Do("state")
	if before.Int("descriptors") != after.Int("descriptors") || before.Int("threads") != after.Int("threads") {
		t.Errorf("it leaves something: %d descriptors, then %d", before.Int("descriptors"), after.Int("descriptors"))
	}
	h.Quit()
	if n := len(w.Log().Fn("constructor")); n != 1 {
		t.Errorf("a library was opened %d times", n)
	}
	want := slices.Repeat([]string{"machine_drivers", "open_file", "open_file"}, 9) // both calls list the extensions
	if got := s.methods(); !slices.Equal(got, want) {
		t.Errorf("it was asked for %v", got)
	}
}

// A program asks no service if it has drivers, or if its variables name drivers.
//
// holds: PRO-049 FLS-131
func TestNobodyIsAskedForNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		set  func(w *world.World)
		want int
	}{
		{"a driver", func(w *world.World) { w.Driver("own").MoveManifest(w.SystemPath("/etc/vulkan/icd.d")) }, success},
		{"a variable", func(w *world.World) { w.Env["VK_DRIVER_FILES"] = "/nowhere.json" }, incompatibleDriver},
		{"an older variable", func(w *world.World) { w.Env["VK_ICD_FILENAMES"] = "" }, incompatibleDriver},
		{"a driver that is out", func(w *world.World) {
			w.Driver("own").MoveManifest(w.SystemPath("/etc/vulkan/icd.d"))
			w.Env["VK_LOADER_DRIVERS_DISABLE"] = "own*"
		}, incompatibleDriver},
		{"a driver of the program's own, by the older variable", func(w *world.World) {
			w.Env["VK_ICD_FILENAMES"] = w.Write("own.json", world.DriverManifest(w.DirectDriver("own").Library, "1.3.0"))
		}, success},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			s := serve(t, w)
			s.fake(w, "served")
			c.set(w)
			h := w.Start()
			if got := h.Do("create_instance").Result(); got != c.want {
				t.Errorf("result %d", got)
			}
			h.Quit()
			if got := s.methods(); len(got) != 0 {
				t.Errorf("the service was asked for %v", got)
			}
		})
	}
}

// The variables for drivers also apply to the service's drivers, by the names of their manifests.
//
// holds: PRO-049
func TestVariablesHold(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "first")
	s.fake(w, "second")
	w.Env["VK_LOADER_DRIVERS_DISABLE"] = "first.json"
	h := w.Start()
	h.OK("create_instance")
	if got := devices(h); !slices.Equal(got, []string{"second"}) {
		t.Errorf("devices %v", got)
	}
	h.Quit()
}

// compile builds a library.
func compile(t *testing.T, out string, args ...string) string {
	t.Helper()
	cc := world.Compiler()
	words := append(slices.Clone(cc[1:]), "-shared", "-fPIC", "-o", out)
	if text, err := exec.Command(cc[0], append(words, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// The library opens a driver's dependencies before the driver.
//
// holds: PRO-050
func TestNeededLibraries(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	needed := compile(t, w.Path("lib", "libneeded.so"), "-Wl,-soname,libvkc-needed.so.1", "library/needed.c")
	driver := compile(t, w.Path("lib", "libneeding.so"), "library/needing.c", needed)
	s := serve(t, w).offers("whole.json", world.DriverManifest("libneeding.so", "1.3.0"), needed, driver)
	h := w.Start()
	if !strings.Contains(fmt.Sprint(h.OK("instance_extensions")), "VK_KHR_display") {
		t.Error("the driver's extension is not there")
	}
	h.Quit()
	// The program asks for each file once. In the second call, the dependency is still open.
	want := []string{"machine_drivers", "open_file", "open_file", "machine_drivers", "open_file"}
	if got := s.methods(); !slices.Equal(got, want) {
		t.Errorf("it was asked for %v", got)
	}
}

// If the service does not hand out a dependency, the log names it as the reason.
//
// holds: PRO-050
func TestWhatIsNeededAndMissing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	needed := compile(t, w.Path("lib", "libneeded.so"), "-Wl,-soname,libvkc-needed.so.1", "library/needed.c")
	driver := compile(t, w.Path("lib", "libneeding.so"), "library/needing.c", needed)
	w.Env["VK_LOADER_DEBUG"] = "error"
	serve(t, w).offers("lacking.json", world.DriverManifest("libneeding.so", "1.3.0"), driver)
	h := w.Start()
	h.OK("instance_extensions")
	if said := h.Quit().Stderr; !strings.Contains(said, "libvkc-needed.so.1") || strings.Contains(said, "/proc/self/fd") {
		t.Errorf("the reason does not name what is missing: %s", said)
	}
}

// The system's own library is used if it exists. If the driver needs a later version of it, the service's library replaces it. If that does not
// have the version either, the log names the version and the library.
//
// holds: PRO-050 FLS-127
func TestVersionsOfLibraries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		own, given string // versions of the system's library and of the service's; empty: there is none
		works      bool
	}{{"the system's", "V2", "V1", true}, {"the service's", "V1", "V2", true}, {"neither", "V1", "V1", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			make := func(directory, version string) string {
				script := w.Write(directory+"/"+version+".map", version+" { global: needed; local: *; };")
				return compile(t, filepath.Join(filepath.Dir(script), "libneeded.so"), "-Wl,-soname,libvkc-needed.so.1",
					"-Wl,--version-script="+script, "library/needed.c")
			}
			driver := compile(t, w.Path("lib", "libneeding.so"), "library/needing.c", make("wanted", "V2"))
			if err := os.Rename(make("own", c.own), w.Path("own", "libvkc-needed.so.1")); err != nil {
				t.Fatal(err)
			}
			serve(t, w).offers("needing.json", world.DriverManifest("libneeding.so", "1.3.0"), make("given", c.given), driver)
			w.Env["LD_LIBRARY_PATH"], w.Env["VK_LOADER_DEBUG"] = w.Path("own"), "error"
			h := w.Start()
			answer := fmt.Sprint(h.OK("instance_extensions"))
			if works := strings.Contains(answer, "VK_KHR_display"); works != c.works {
				t.Errorf("it works: %v", works)
			}
			said := h.Quit().Stderr
			if told := strings.Contains(said, "libvkc-needed.so.1: version `V2' not found (required by libneeding.so)"); told == c.works {
				t.Errorf("the reason: %s", said)
			}
			if both := strings.Contains(said, "; with the service's own libraries: "); both == c.works {
				t.Errorf("the reason has not both parts: %s", said)
			}
		})
	}
}

// No behavior of a service delays a program for long, affects other drivers than the service's, or leaks memory or descriptors.
//
// holds: PRO-048 FLS-120
func TestBadServices(t *testing.T) {
	t.Parallel()
	const file = `{"id":1,"ok":{"index":{"size":2}},"fds":["index"]}`
	directory := func() *os.File { f, _ := os.Open("/"); return f }
	for name, bad := range map[string]func(s *service, c *net.UnixConn){
		"hangs":        func(*service, *net.UnixConn) {},
		"closes":       func(_ *service, c *net.UnixConn) { c.Close() },
		"garbage":      func(_ *service, c *net.UnixConn) { send(c, "\x00\xff{[") },
		"too long":     func(_ *service, c *net.UnixConn) { send(c, strings.Repeat(" ", 60000)) },
		"no index":     func(_ *service, c *net.UnixConn) { send(c, file) },
		"a refusal":    func(_ *service, c *net.UnixConn) { send(c, `{"id":1,"error":{"code":3,"name":"UNSUPPORTED"}}`) },
		"large index":  func(_ *service, c *net.UnixConn) { sendText(c, strings.Repeat(" ", 1<<20+1)) },
		"empty index":  func(_ *service, c *net.UnixConn) { sendText(c, "") },
		"no JSON":      func(_ *service, c *net.UnixConn) { sendText(c, "{") },
		"no object":    func(_ *service, c *net.UnixConn) { sendText(c, "[]") },
		"a file":       func(_ *service, c *net.UnixConn) { f, _ := os.Open("/proc/self/status"); send(c, file, f) },
		"a directory":  func(_ *service, c *net.UnixConn) { send(c, file, directory()) },
		"a pipe":       func(_ *service, c *net.UnixConn) { r, w, _ := os.Pipe(); send(c, file, r); w.Close() },
		"a socket":     func(_ *service, c *net.UnixConn) { f, _ := c.File(); send(c, file, f) },
		"two files":    func(_ *service, c *net.UnixConn) { send(c, file, directory(), directory()) },
		"many files":   func(_ *service, c *net.UnixConn) { send(c, file, many(250)...) },
		"wrong size":   func(_ *service, c *net.UnixConn) { sendText(c, `{"format":1}`); sendText(c, `{}`) },
		"wrong number": func(s *service, c *net.UnixConn) { s.index.Drivers[0].Files[0] = 7; s.sendIndex(c) },
		"twice":        func(s *service, c *net.UnixConn) { s.index.Drivers[0].Files = []int{0, 0}; s.sendIndex(c) },
		"a path":       func(s *service, c *net.UnixConn) { s.index.Files[0].Name = "/lib/x.so"; s.sendIndex(c) },
		"no manifest":  func(s *service, c *net.UnixConn) { s.index.Drivers[0].Manifest = "{"; s.sendIndex(c) },
		"no name":      func(s *service, c *net.UnixConn) { s.index.Drivers[0].Name = "../x"; s.sendIndex(c) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["VK_LOADER_DEBUG"] = "warn,error"
			s := serve(t, w)
			s.fake(w, "served")
			s.onIndex = func(c *net.UnixConn) { bad(s, c) }
			fails(t, w)
		})
	}
}

// The library reads an index in which a file's number is not a whole number. A program that traps inexact arithmetic is not killed by that.
//
// holds: G-12 FLS-120
func TestNumbersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "warn,error"
	s := serve(t, w)
	s.fake(w, "served")
	s.onIndex = func(c *net.UnixConn) {
		text, err := json.Marshal(s.index)
		if err != nil {
			t.Error(err)
		}
		sendText(c, strings.Replace(string(text), `"library":0`, `"library":0.5`, 1))
	}
	h := w.Start()
	h.Do("trap_arithmetic")
	if got := h.Do("create_instance").Result(); got != incompatibleDriver {
		t.Errorf("result %d", got)
	}
	if said := h.Quit().Stderr; !strings.Contains(said, "its library is not the last of its files") {
		t.Errorf("the reason: %s", said)
	}
}

// many returns n descriptors.
func many(n int) (list []*os.File) {
	for range n {
		if f, err := os.Open("/dev/null"); err == nil {
			list = append(list, f)
		}
	}
	return list
}

// fails requires that a world has no driver, within the time limit, and returns the log.
func fails(t *testing.T, w *world.World) (said string) {
	t.Helper()
	h := w.Start()
	before := h.Do("state")
	began := time.Now()
	if got := h.Do("create_instance").Result(); got != incompatibleDriver {
		t.Errorf("result %d", got)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("it took %v", took)
	}
	after := h.Do("state")
	if before.Int("descriptors") != after.Int("descriptors") || before.Int("threads") != after.Int("threads") {
		t.Errorf("it leaves something: %d descriptors, then %d", before.Int("descriptors"), after.Int("descriptors"))
	}
	if said = h.Quit().Stderr; !strings.Contains(said, "service") {
		t.Errorf("nothing is said of the service: %s", said)
	}
	return said
}

// A file that differs from its description in the index disables its own driver.
//
// holds: PRO-050
func TestBadFiles(t *testing.T) {
	t.Parallel()
	open := func(path string, flags int) func(*net.UnixConn, uint64, int) {
		return func(c *net.UnixConn, id uint64, _ int) {
			if f, err := os.OpenFile(path, flags, 0); err == nil {
				send(c, fmt.Sprintf(`{"id":%d,"ok":{},"fds":["file"]}`, id), f)
			}
		}
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]func(*net.UnixConn, uint64, int){
		"hangs":       func(*net.UnixConn, uint64, int) {},
		"closes":      func(c *net.UnixConn, _ uint64, _ int) { c.Close() },
		"no file":     func(c *net.UnixConn, _ uint64, _ int) { send(c, "{}") },
		"many files":  func(c *net.UnixConn, _ uint64, _ int) { send(c, "{}", many(250)...) },
		"a directory": open("/", os.O_RDONLY),
		"a FIFO":      open(fifo, os.O_RDWR),
		"a device":    open("/dev/zero", os.O_RDONLY),
		"other size":  open("/proc/self/exe", os.O_RDONLY),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["VK_LOADER_DEBUG"] = "warn,error"
			s := serve(t, w)
			s.fake(w, "served")
			s.onFile = bad
			reason := "what the driver service gives for a file is not the file that its index names"
			switch name {
			case "hangs", "closes":
				reason = "the driver service" // the reason is the service's behavior
			case "no file":
				reason = "the driver service refuses a file"
			case "many files":
				reason = "what the driver service sends is not of the protocol"
			}
			if said := fails(t, w); !strings.Contains(said, reason) {
				t.Errorf("it does not say %q: %s", reason, said)
			}
		})
	}
}

// A socket without a service that answers, or another file at its path, counts as no service.
//
// holds: PRO-008
func TestNoService(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"none":   func(string) error { return nil },
		"a file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"dead": func(path string) error {
			l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["VK_LOADER_DEBUG"] = "all"
			directory, err := os.MkdirTemp("", "vkc")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(directory) })
			if err := make(filepath.Join(directory, "loader.sock")); err != nil {
				t.Fatal(err)
			}
			w.Env["VKLOADERD_DIR"] = directory
			h := w.Start()
			if got := h.Do("create_instance").Result(); got != incompatibleDriver {
				t.Errorf("result %d", got)
			}
			if said := h.Quit().Stderr; strings.Contains(said, "service") {
				t.Errorf("it speaks of a service: %s", said)
			}
		})
	}
}

// Without a variable for it, the program looks for a service in the user's runtime directory. An elevated program does not.
//
// holds: PRO-008
func TestRuntimeDirectory(t *testing.T) {
	t.Parallel()
	for _, elevated := range []bool{false, true} {
		t.Run(fmt.Sprint("elevated ", elevated), func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			s := serve(t, w)
			s.fake(w, "served")
			runtime, err := os.MkdirTemp("", "vkr")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(runtime) })
			if err := os.Symlink(s.directory, filepath.Join(runtime, "vkloaderd")); err != nil {
				t.Fatal(err)
			}
			w.Env["VKLOADERD_DIR"], w.Env["XDG_RUNTIME_DIR"] = world.Unset, runtime
			want := success
			if elevated {
				w.Env["WORLD_ELEVATED"], want = "1", incompatibleDriver
			}
			h := w.Start()
			if got := h.Do("create_instance").Result(); got != want {
				t.Errorf("result %d", got)
			}
			h.Quit()
		})
	}
}

// The real service gives the machine's software renderer to a program that finds no driver.
//
// holds: PRO-048 PRO-049 PRO-050
func TestRealService(t *testing.T) {
	t.Parallel()
	manifest := "/usr/share/vulkan/icd.d/lvp_icd.json" // without the processor since Debian 13
	if _, err := os.Stat(manifest); err != nil {
		manifest = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
	}
	if _, err := os.Stat(manifest); err != nil || world.Target() != "" || world.Variant() != "" {
		t.Skip("this is about the machine's own lavapipe")
	}
	directory, err := os.MkdirTemp("", "vkc")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := filepath.Abs("../../../build/vkloader")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(tool, "service", "run", "--directory", directory)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + directory, "VK_DRIVER_FILES=" + manifest}
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("the tool is not built, run make: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		os.RemoveAll(directory)
		os.RemoveAll(directory + "-private")
	})
	ready := false // the service has examined the machine, so that a busy machine does not delay its answer
	for range 300 {
		status := exec.Command(tool, "service", "status")
		status.Env = []string{"VKLOADERD_DIR=" + directory}
		if text, err := status.CombinedOutput(); err == nil && strings.Contains(string(text), "lvp_icd") {
			ready = true
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !ready {
		t.Fatalf("the service offers no driver: %s", log.String())
	}
	w := world.New(t)
	w.Env["VKLOADERD_DIR"] = directory
	h := w.Start()
	before := h.Do("state")
	h.OK("create_instance")
	if got := devices(h); len(got) != 1 || !strings.HasPrefix(got[0], "llvmpipe") {
		t.Errorf("devices %v", got)
	}
	h.OK("create_device", "pd", world.Ref(h.Do("physical_devices").Ints("devices")[0]))
	h.Do("destroy_device")
	h.Do("destroy_instance")
	if after := h.Do("state"); before.Int("descriptors") != after.Int("descriptors") {
		t.Errorf("%d descriptors, then %d", before.Int("descriptors"), after.Int("descriptors"))
	}
	h.Quit()

	explain := exec.Command(tool, "explain")
	// The answer is for this loader, as the loader of programs.
	explain.Env = []string{"LD_LIBRARY_PATH=" + filepath.Dir(w.Loader), "VKLOADERD_DIR=" + directory, "XDG_DATA_DIRS=" + directory, "XDG_CONFIG_DIRS=" + directory, "HOME=" + directory}
	if text, err := explain.CombinedOutput(); err != nil || !strings.Contains(string(text), filepath.Base(manifest)+": offered by the driver service at "+directory) {
		t.Errorf("explain: %v\n%s", err, text)
	}
}

// A loader closes and leaves its drivers mapped. When it is opened again, it opens the files that the service sends then, and not an earlier
// file of the same descriptor number.
//
// holds: PRO-050
func TestDriversAfterReopening(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = "1"
	s := serve(t, w)
	s.fake(w, "first")
	first, paths := s.index, s.paths
	s.index.Files, s.index.Drivers, s.paths = nil, nil, nil
	s.fake(w, "second")
	second, others := s.index, s.paths
	h := w.Start()
	for _, c := range []struct {
		name  string
		index offer.Document
		paths []string
	}{{"first", first, paths}, {"second", second, others}} {
		s.changes(c.index, c.paths)
		h.OK("create_instance")
		if got := devices(h); !slices.Equal(got, []string{c.name}) {
			t.Errorf("devices %v, want that of %s", got, c.name)
		}
		h.Do("destroy_instance")
		h.Do("close")
		h.Do("open", "path", w.Loader)
	}
	h.Quit()
}

// The program requests the files of a driver in advance. Each is opened under its own name, except files that the system has, and no descriptor
// remains.
//
// holds: PRO-050
func TestManyLibraries(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	needed := compile(t, w.Path("lib", "libneeded.so"), "-Wl,-soname,libvkc-needed.so.1", "library/needed.c")
	driver := compile(t, w.Path("lib", "libneeding.so"), "library/needing.c", needed)
	text, err := os.ReadFile(needed)
	if err != nil {
		t.Fatal(err)
	}
	files, want := []string{}, []string{}
	for n := range 50 {
		name := fmt.Sprintf("more%d.so", n) // of different sizes, by which the library notices a wrong file
		files = append(files, w.Write("given/"+name, string(text)+strings.Repeat("x", n+1)))
		if n%3 == 1 {
			want = append(want, w.Write("own/"+name, string(text)))
		} else {
			want = append(want, files[n])
		}
	}
	serve(t, w).offers("many.json", world.DriverManifest("libneeding.so", "1.3.0"), append(files, needed, driver)...)
	w.Env["LD_LIBRARY_PATH"] = w.Path("own")
	h := w.Start()
	before := h.Do("state").Int("descriptors")
	if !strings.Contains(fmt.Sprint(h.OK("instance_extensions")), "VK_KHR_display") {
		t.Error("the driver's extension is not there")
	}
	if after := h.Do("state").Int("descriptors"); after != before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
	got := h.Do("maps", "match", "/more").Strings("maps")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(slices.Compact(got), want) {
		t.Errorf("it has %v, want %v", got, want)
	}
	h.Quit()
}
