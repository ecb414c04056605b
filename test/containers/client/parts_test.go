package client

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/world"
)

// Layers are the program's own: the program finds them in its directories, also with drivers of the service. It asks the service for no
// layer, not even for a missing library of a layer whose name is in the index.
//
// holds: FLS-003 FLS-122 FLS-124
func TestLayersAreThePrograms(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "served")
	w.ImplicitLayer("whole", "intercept vkCreateInstance")
	lost := w.ImplicitLayer("lost", "intercept vkCreateInstance")
	moved := w.Path("elsewhere.so")
	if err := os.Rename(lost.Library, moved); err != nil {
		t.Fatal(err)
	}
	s.index.Files = append(s.index.Files, s.index.Files[0])
	s.index.Files[1].Name = filepath.Base(lost.Library)
	s.paths = append(s.paths, moved)
	h := w.Start()
	h.OK("create_instance")
	if got := devices(h); !slices.Equal(got, []string{"served"}) {
		t.Errorf("devices %v", got)
	}
	h.Quit()
	if log := w.Log(); len(log.By("whole")) == 0 || len(log.By("lost")) != 0 {
		t.Errorf("the layers saw %v and %v", log.By("whole").Names(), log.By("lost").Names())
	}
	for _, frame := range s.frames {
		if strings.Contains(frame, `"file":1`) {
			t.Errorf("it asks for the layer: %s", frame)
		}
	}

	without := world.New(t) // without a service, only the directories have drivers
	without.Env["VKLOADERD_DIR"] = w.Path("nowhere")
	without.Driver("own").MoveManifest(without.SystemPath("/etc/vulkan/icd.d"))
	h = without.Start()
	h.OK("create_instance")
	if got := devices(h); len(got) != 1 {
		t.Errorf("devices %v", got)
	}
	h.Quit()
}

// When the service ends, a program keeps its drivers. When it asks again, it gets the current ones: none, or others.
//
// holds: FLS-004 FLS-111 FLS-126
func TestComingAndGoing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	h := w.Start()
	if got := h.Do("create_instance").Result(); got != incompatibleDriver { // before there is any driver
		t.Errorf("result %d", got)
	}
	s.mu.Lock()
	first := s.fake(w, "first")
	s.mu.Unlock()
	h.OK("create_instance")
	if got := devices(h); !slices.Equal(got, []string{"first"}) {
		t.Errorf("devices %v", got)
	}
	h.Do("destroy_instance")
	// A driver with the same names and number as an earlier one is another driver.
	second := w.DirectDriver("second", "device name=second type=discrete")
	info, err := os.Stat(second.Library)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.paths[0], s.index.Files[0].Size = second.Library, info.Size()
	s.mu.Unlock()
	h.OK("create_instance")
	if got := devices(h); !slices.Equal(got, []string{"second"}) {
		t.Errorf("devices %v", got)
	}
	s.stop()
	if err := os.Remove(s.socket()); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if got := devices(h); !slices.Equal(got, []string{"second"}) {
		t.Errorf("after the service's end: devices %v", got)
	}
	h.OK("create_device", "pd", world.Ref(h.Do("physical_devices").Ints("devices")[0]))
	h.Do("destroy_device")
	h.Do("destroy_instance")
	if got := h.Do("create_instance").Result(); got != incompatibleDriver {
		t.Errorf("without a service: result %d", got)
	}
	h.Quit()
	if n := len(w.Log().By("first")); n == 0 {
		t.Errorf("%s was not called", first.Library)
	}
}

// A relay may be between a program and the service, because only the protocol matters.
//
// holds: FLS-001 FLS-005
func TestRelay(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "served")
	directory, err := os.MkdirTemp("", "vkc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: filepath.Join(directory, "loader.sock"), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.AcceptUnix()
			if err != nil {
				return
			}
			go relay(c, s.socket())
		}
	}()
	w.Env["VKLOADERD_DIR"] = directory
	h := w.Start()
	h.OK("create_instance")
	if got := devices(h); !slices.Equal(got, []string{"served"}) {
		t.Errorf("devices %v", got)
	}
	h.Quit()
}

// relay passes the requests of a connection to a socket, and the answers back with their descriptors.
func relay(from *net.UnixConn, socket string) {
	defer from.Close()
	to, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		return
	}
	defer to.Close()
	text, beside := make([]byte, 4096), make([]byte, unix.CmsgSpace(16))
	for {
		n, err := from.Read(text)
		if err != nil || n == 0 {
			return
		}
		if _, err := to.Write(text[:n]); err != nil {
			return
		}
		n, m, _, _, err := to.ReadMsgUnix(text, beside)
		if err != nil || n == 0 {
			return
		}
		_, _, err = from.WriteMsgUnix(text[:n], beside[:m], nil)
		messages, _ := unix.ParseSocketControlMessage(beside[:m])
		for i := range messages {
			fds, _ := unix.ParseUnixRights(&messages[i])
			for _, fd := range fds {
				unix.Close(fd)
			}
		}
		if err != nil {
			return
		}
	}
}

// Different programs may have different services. A service learns only that a program uses Vulkan, the machine of the program, and the files
// that it requests.
//
// holds: FLS-112
func TestSeveralServices(t *testing.T) {
	t.Parallel()
	plain := regexp.MustCompile(`^\{"id":[0-9]+,"method":("machine_drivers","machine":"[a-z0-9_]+"|"open_file","file":[0-9]+)\}$`)
	for _, name := range []string{"one", "other"} {
		w := world.New(t)
		s := serve(t, w)
		s.fake(w, name)
		h := w.Start()
		h.OK("create_instance", "app_name", "secret", "app", "1")
		if got := devices(h); !slices.Equal(got, []string{name}) {
			t.Errorf("devices %v", got)
		}
		h.Quit()
		for _, frame := range s.frames {
			if !plain.MatchString(frame) {
				t.Errorf("%s: it was sent %s", name, frame)
			}
		}
	}
}

// The first call waits until the service has examined the devices.
//
// holds: FLS-121
func TestWaitingForDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "served")
	s.onIndex = func(c *net.UnixConn) {
		time.Sleep(300 * time.Millisecond)
		s.sendIndex(c)
	}
	h := w.Start()
	began := time.Now()
	h.OK("instance_extensions", "count", "only")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("it did not wait: %v", took)
	}
	h.OK("create_instance")
	h.Quit()
}

// The library waits for a hanging service once, whether that sends nothing or no files, and the next calls do without it. It asks the
// service again after a few seconds, and another service at once.
//
// holds: PRO-048 FLS-119
func TestHungService(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"index", "file"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			other := serve(t, w)
			other.fake(w, "other")
			s := serve(t, w)
			s.fake(w, "hung")
			var wakes atomic.Bool
			s.onIndex = func(c *net.UnixConn) {
				if what == "file" || wakes.Load() {
					s.sendIndex(c)
				}
			}
			s.onFile = func(c *net.UnixConn, id uint64, number int) {
				if f, err := os.Open(s.paths[number]); err == nil && wakes.Load() {
					send(c, fmt.Sprintf(`{"id":%d,"ok":{},"fds":["file"]}`, id), f)
				}
			}
			w.Env["VK_LOADER_DEBUG"] = "warn"
			h := w.Start()
			for range 20 {
				if got := h.Do("create_instance").Result(); got != incompatibleDriver {
					t.Errorf("result %d", got)
				}
			}
			late := time.Now()
			if got := s.methods(); len(got) == 0 || slices.Contains(got[1:], "machine_drivers") {
				t.Errorf("it was asked for %v", got)
			}
			h.Do("setenv", "name", "VKLOADERD_DIR", "value", other.directory)
			h.OK("create_instance")
			if got := devices(h); !slices.Equal(got, []string{"other"}) {
				t.Errorf("devices %v", got)
			}
			h.Do("destroy_instance")
			h.Do("setenv", "name", "VKLOADERD_DIR", "value", s.directory)
			wakes.Store(true)
			time.Sleep(time.Until(late.Add(5 * time.Second)))
			h.OK("create_instance")
			if got := devices(h); !slices.Equal(got, []string{"hung"}) {
				t.Errorf("later: devices %v", got)
			}
			if said := h.Quit().Stderr; strings.Count(said, "it did not answer in time a moment ago, and is not asked again so soon") != 19 {
				t.Errorf("the log: %s", said)
			}
		})
	}
}

// The driver comes from the service, even if the program's own directories have a file of its name. If it cannot be opened, no other file
// replaces it. It is one ELF library.
//
// holds: FLS-123 FLS-113
func TestTheServicesOwnDriver(t *testing.T) {
	t.Parallel()
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprint("broken ", broken), func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			s := serve(t, w)
			s.fake(w, "served")
			s.index.Files[0].Name, s.index.Files[0].Soname = "libtwice.so", "libtwice.so"
			own := w.DirectDriver("own", "device name=own type=discrete")
			text, err := os.ReadFile(own.Library)
			if err != nil {
				t.Fatal(err)
			}
			twice := w.Write("own/libtwice.so", string(text))
			w.Env["LD_LIBRARY_PATH"], w.Env["VK_LOADER_DEBUG"] = filepath.Dir(twice), "error"
			if broken {
				s.paths[0] = w.Write("broken.so", "no library")
				s.index.Files[0].Size = int64(len("no library"))
			}
			h := w.Start()
			want := success
			if broken {
				want = incompatibleDriver
			}
			if got := h.Do("create_instance").Result(); got != want {
				t.Errorf("result %d", got)
			}
			if !broken {
				if got := devices(h); !slices.Equal(got, []string{"served"}) {
					t.Errorf("devices %v", got)
				}
			}
			if said := h.Quit().Stderr; strings.Contains(said, world.ShortError("libtwice.so")) != broken {
				t.Errorf("the reason: %s", said)
			}
		})
	}
}

// A program needs only the socket: the driver is in no file system of the program.
//
// holds: FLS-117
func TestNothingButTheSocket(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	needed := compile(t, w.Path("lib", "libneeded.so"), "-Wl,-soname,libvkc-needed.so.1", "library/needed.c")
	driver := compile(t, w.Path("lib", "libneeding.so"), "library/needing.c", needed)
	s := serve(t, w)
	s.offers("bare.json", world.DriverManifest("libneeding.so", "1.3.0"), needed, driver)
	for i, path := range s.paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fd, err := unix.MemfdCreate(filepath.Base(path), unix.MFD_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), path)
		t.Cleanup(func() { f.Close() })
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		s.paths[i] = fmt.Sprintf("/proc/self/fd/%d", fd)
	}
	h := w.Start()
	if !strings.Contains(fmt.Sprint(h.OK("instance_extensions")), "VK_KHR_display") {
		t.Error("the driver's extension is not there")
	}
	h.Quit()
}

// Several copies of the library work in one process.
//
// holds: FLS-133
func TestSeveralCopies(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	s := serve(t, w)
	s.fake(w, "served")
	text, err := os.ReadFile(w.Loader)
	if err != nil {
		t.Fatal(err)
	}
	cc := world.Compiler()
	program := w.Path("copies")
	words := append(slices.Clone(cc[1:]), "-o", program, "library/copies.c", "-ldl")
	if world.Variant() == "tsan" { // its runtime has too many thread-local variables for dlopen
		words = append(words, "-fsanitize=thread")
	}
	if out, err := exec.Command(cc[0], words...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, exit := w.Run(patience, program, w.Write("a/libvulkan.so.1", string(text)), w.Write("b/libvulkan.so.1", string(text)))
	lines := strings.Fields(out)
	if exit.Code != 0 || len(lines) != 6 || lines[0] == lines[3] || lines[1]+lines[2] != "01" || lines[4]+lines[5] != "01" {
		t.Errorf("%+v: %s", exit, out)
	}
}
