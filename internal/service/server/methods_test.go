package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/service/component"
	"vkloader/internal/service/devices"
	"vkloader/internal/service/protocol"
	"vkloader/internal/service/state"
)

// staged is a service whose devices a test makes, and a directory with packages.
type staged struct {
	t         *testing.T
	directory string
	packages  string
	socket    string
}

// stage starts a service of scripted devices.
func stage(t *testing.T, change ...func(*Options)) *staged {
	t.Helper()
	s := &staged{t: t, packages: t.TempDir(), socket: filepath.Join(t.TempDir(), "test.sock")}
	s.directory = service(t, nil, append([]func(*Options){func(o *Options) {
		o.TestSource = s.socket
		o.Resolver = &component.Resolver{Roots: []string{s.packages}, Step: time.Minute, Log: o.Log}
	}}, change...)...)
	return s
}

// pack makes a package pkg://test/NAME whose library is lib.so with this content; without content it has no library.
func (s *staged) pack(name, content string) string {
	s.t.Helper()
	directory := filepath.Join(s.packages, "test", name)
	for file, text := range map[string]string{
		"meta/metadata/metadata.json": `{"version":1,"file_path":"lib.so","manifest_path":"icd.json"}`,
		"icd.json":                    `{"file_format_version":"1.0.0","ICD":{"library_path":"lib` + name + `.so","api_version":"1.3.0"}}`,
		"lib.so":                      content,
	} {
		if text == "" {
			continue
		}
		path := filepath.Join(directory, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	return "pkg://test/" + name
}

// device is a scripted device.
type device struct {
	t     *testing.T
	conn  net.Conn
	lines *bufio.Scanner
}

func (s *staged) device(node string) *device {
	s.t.Helper()
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	d := &device{s.t, conn, bufio.NewScanner(conn)}
	d.say("add " + node)
	return d
}

// say sends a line and waits until the service has it.
func (d *device) say(line string) {
	d.t.Helper()
	fmt.Fprintln(d.conn, line)
	if !d.lines.Scan() {
		d.t.Fatalf("%s: no answer: %v", line, d.lines.Err())
	}
}

// lists answers which drivers the device has.
func (d *device) lists(urls ...string) {
	d.t.Helper()
	var entries []string
	for _, url := range urls {
		entries = append(entries, fmt.Sprintf(`{"component_url":%q,"flags":1}`, url))
	}
	d.say("icds [" + strings.Join(entries, ",") + "]")
}

// close takes the device away and waits for that.
func (d *device) close() {
	fmt.Fprintln(d.conn, "close")
	for d.lines.Scan() {
	}
}

// got is the answer to get.
type got struct {
	Lib     *int
	Size    int
	Backing string
}

func get(t *testing.T, c *protocol.Client, name string) (got, *os.File) {
	t.Helper()
	var ok got
	files, err := c.Ask(protocol.Request{Method: protocol.Get, Name: &name}, &ok)
	if err != nil {
		t.Fatal(err)
	}
	if (ok.Lib == nil) != (len(files) == 0) {
		t.Fatalf("%+v with %d descriptors", ok, len(files))
	}
	if len(files) == 0 {
		return ok, nil
	}
	t.Cleanup(func() { files[0].Close() })
	return ok, files[0]
}

// later runs an ask and gives its result over a channel.
func later[T any](do func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- do() }()
	return done
}

func inspectTree(t *testing.T, c *protocol.Client) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal([]byte(ask(t, c, protocol.Request{Method: protocol.Inspect}, nil)), &tree); err != nil {
		t.Fatal(err)
	}
	return tree["root"].(map[string]any)
}

// until asks for the tree until it is as wanted.
func until(t *testing.T, c *protocol.Client, what string, wanted func(map[string]any) bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !wanted(inspectTree(t, c)); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: never in %v", what, inspectTree(t, c))
		}
	}
}

// holds: FLS-002 FLS-016 FLS-021 FLS-023 FLS-024 PRO-010 PRO-011 PRO-012 PRO-014
func TestGet(t *testing.T) {
	t.Parallel()
	s := stage(t)
	d := s.device("renderD128")
	d.lists(s.pack("fake", strings.Repeat("no ELF file ", 1000)))
	c := dial(t, s.directory)
	ok, first := get(t, c, "0-libfake.so")
	if first == nil || ok.Size != 12000 || ok.Backing != "memfd" {
		t.Fatalf("%+v", ok)
	}
	_, second := get(t, c, "0-libfake.so")
	if none, _ := get(t, c, "not-present"); none.Lib != nil {
		t.Error("a library that is not there")
	}
	a, b := int(first.Fd()), int(second.Fd())
	text := make([]byte, 5)
	if _, err := io.ReadFull(first, text); err != nil || string(text) != "no EL" {
		t.Errorf("%q, %v", text, err)
	}
	if at, err := second.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		t.Errorf("the second one is at %d: both share a position", at)
	}
	for what, err := range map[string]error{
		"write":    func() error { _, err := unix.Write(a, []byte("x")); return err }(),
		"truncate": unix.Ftruncate(a, 1),
		"map": func() error {
			_, err := unix.Mmap(a, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			return err
		}(),
		"again for writing": func() error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", a), os.O_RDWR, 0)
			if err == nil {
				_, err = f.WriteAt([]byte("x"), 0)
			}
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s: a client can change the library", what)
		}
	}
	private, err := unix.Mmap(a, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("as code: %v", err)
	}
	defer unix.Munmap(private)
	if err := unix.Mprotect(private, unix.PROT_READ|unix.PROT_WRITE); err != nil { // as a debugger would, in its own mapping
		t.Fatal(err)
	}
	private[0] = 'X'
	_, third := get(t, c, "0-libfake.so")
	again, err := unix.Mmap(int(third.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil || again[0] != 'n' {
		t.Errorf("what one client changes, another one sees: %v", err)
	}
	defer unix.Munmap(again)
	var one, other unix.Stat_t
	if unix.Fstat(a, &one) != nil || unix.Fstat(b, &other) != nil || one.Ino != other.Ino || one.Dev != other.Dev {
		t.Error("two descriptors are of two files: a program would load it twice")
	}
}

// holds: FLS-012 FLS-019 FLS-020 FLS-022 FLS-041 PRO-003 PRO-007 PRO-034
func TestWaiting(t *testing.T) {
	t.Parallel()
	s := stage(t)
	url := s.pack("fake", "x")
	open := s.device("renderD128") // lists nothing yet
	name := "0-libfake.so"
	c := dial(t, s.directory)
	waiting := dial(t, s.directory)
	known := later(func() got { ok, _ := get(t, waiting, name); return ok })
	unknown := dial(t, s.directory)
	none := later(func() got { ok, _ := get(t, unknown, "9-none"); return ok })
	idle := dial(t, s.directory)
	manifests := later(func() []string {
		files, err := idle.Ask(protocol.Request{Method: protocol.ManifestFS, Options: 1 | 1<<7}, nil)
		if err != nil {
			t.Error(err)
			return nil
		}
		defer protocol.Discard(files)
		names, err := files[0].Readdirnames(-1)
		if err != nil {
			t.Error(err)
		}
		return names
	})
	until(t, c, "three that wait", func(root map[string]any) bool { return root["stats"].(map[string]any)["waiting"] == 3.0 })
	// Without the bit nobody waits, and other questions of a waiting connection are answered.
	files, err := c.Ask(protocol.Request{Method: protocol.ManifestFS}, nil)
	if err != nil {
		t.Fatal(err)
	}
	live := files[0]
	defer live.Close()
	if names, err := live.Readdirnames(-1); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	s.device("renderD129").lists(url)
	if ok := <-known; ok.Lib == nil {
		t.Error("a library that is known is not handed out while others are looked up")
	}
	select {
	case <-none:
		t.Error("\"there is none\" while a device is still to be asked")
	case <-manifests:
		t.Error("a directory while a device is still to be asked")
	case <-time.After(50 * time.Millisecond):
	}
	open.lists()
	if ok := <-none; ok.Lib != nil {
		t.Errorf("%+v", ok)
	}
	if names := <-manifests; !slices.Equal(names, []string{name + ".json"}) {
		t.Errorf("manifests: %v", names)
	}
	if _, err := live.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if names, err := live.Readdirnames(-1); err != nil || !slices.Equal(names, []string{name + ".json"}) {
		t.Errorf("a directory that is open already is not live: %v, %v", names, err)
	}
}

// holds: FLS-030 FLS-032 FLS-072 FLS-085 FLS-088 FLS-095 PRO-032 PRO-036 PRO-037 PRO-040
func TestManifestDirectory(t *testing.T) {
	t.Parallel()
	s := stage(t)
	c := dial(t, s.directory)
	files, err := c.Ask(protocol.Request{Method: protocol.ManifestFS}, nil)
	if err != nil {
		t.Fatal(err)
	}
	directory := files[0]
	defer directory.Close()
	path := fmt.Sprintf("/proc/self/fd/%d", directory.Fd())
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	events := os.NewFile(uintptr(watch), "inotify")
	defer events.Close()
	if _, err := unix.InotifyAddWatch(watch, path, unix.IN_MOVED_TO|unix.IN_CREATE|unix.IN_CLOSE_WRITE); err != nil {
		t.Fatal(err)
	}
	d := s.device("renderD128")
	d.lists(s.pack("bad", ""), s.pack("fake", "x"), s.pack("third", "y"))
	event := make([]byte, 4096)
	if n, err := events.Read(event); err != nil || n == 0 || event[4]&0xff != unix.IN_MOVED_TO {
		t.Errorf("it comes by a rename: %v %v", event[:n], err)
	}
	const name = "1-libfake.so.json"
	text, err := os.ReadFile(path + "/" + name)
	if err != nil || !strings.Contains(string(text), `"library_path": "1-libfake.so"`) {
		t.Errorf("%s, %v", text, err)
	}
	operators, err := os.ReadFile(s.directory + "/debug/manifest-fs/" + name)
	if err != nil || string(operators) != string(text) {
		t.Errorf("debug: %v", err)
	}
	for file, mode := range map[string]os.FileMode{path + "/.": 0o555, path + "/" + name: 0o444} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if s.readOnly() {
		if err := os.WriteFile(path+"/x", nil, 0o644); !errors.Is(err, unix.EROFS) {
			t.Errorf("a client writes: %v", err)
		}
		if err := os.Chmod(path, 0o777); !errors.Is(err, unix.EROFS) {
			t.Errorf("a client changes the mode: %v", err)
		}
	}
	d.close()
	until(t, c, "no device", func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == 0 })
	if entries, err := os.ReadDir(s.directory + "/debug/manifest-fs"); err != nil || len(entries) != 0 {
		t.Errorf("a manifest without its device: %v, %v", entries, err)
	}
}

// readOnly tells whether this process may make the mounts that only read.
func (s *staged) readOnly() bool {
	fd, err := unix.OpenTree(unix.AT_FDCWD, s.directory, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// holds: FLS-033 FLS-090 FLS-093 PRO-039
func TestDeviceDirectory(t *testing.T) {
	t.Parallel()
	s := stage(t)
	s.device("renderD128")
	s.device("null") // a node that every machine has, in the place of a device
	c := dial(t, s.directory)
	files, err := c.Ask(protocol.Request{Method: protocol.DeviceFS}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files[0].Close()
	target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d/class/drm/renderD128", files[0].Fd()))
	if err != nil || target != "/dev/dri/renderD128" {
		t.Errorf("%s, %v", target, err)
	}
	for path, want := range map[string]*protocol.Error{
		"class/drm/card0": protocol.ErrNotFound, "class/drm/null": protocol.ErrNotFound, "class": protocol.ErrNotFound,
		"class/drm/../drm/null": protocol.ErrInvalidArguments, "/dev/null": protocol.ErrInvalidArguments,
		"../debug": protocol.ErrInvalidArguments, "..": protocol.ErrInvalidArguments, "": protocol.ErrInvalidArguments,
		"class//drm/null": protocol.ErrInvalidArguments,
	} {
		var wrong *protocol.Error
		if _, err := c.Ask(protocol.Request{Method: protocol.OpenDevice, Path: &path}, nil); !errors.As(err, &wrong) || *wrong != *want {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

func TestOpenNode(t *testing.T) {
	t.Parallel()
	f, err := openNode("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_ACCMODE != unix.O_RDWR || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#x, %v", flags, err)
	}
	if _, err := openNode("/proc/self/exe"); err == nil {
		t.Error("a link passes for a device")
	}
	if _, err := openNode(t.TempDir()); err == nil {
		t.Error("a directory passes for a device")
	}
}

// holds: FLS-034 FLS-035 PRO-047
func TestExecGrant(t *testing.T) {
	t.Parallel()
	var wrong *protocol.Error
	if _, err := dial(t, service(t, nil)).Ask(protocol.Request{Method: protocol.ExecGrant}, nil); !errors.As(err, &wrong) || wrong.Code != 1 {
		t.Errorf("no software driver is allowed: %v", err)
	}
	allowed := service(t, nil, func(o *Options) { o.State.AllowSoftware = true })
	files, err := dial(t, allowed).Ask(protocol.Request{Method: protocol.ExecGrant}, nil)
	if may := execAllowed(); len(files) != 0 || (err == nil) != may || err != nil && (!errors.As(err, &wrong) || wrong.Code != 2) {
		t.Errorf("%v, %d descriptors; the kernel allows it: %v", err, len(files), may)
	}
}

// holds: FLS-098 FLS-099 FLS-100 FLS-101 FLS-063 FLS-064 FLS-097 PRO-042
func TestInspect(t *testing.T) {
	t.Parallel()
	s := stage(t, func(o *Options) { o.State.SoftwareURL = "soft" })
	c := dial(t, s.directory)
	golden := func(stage, want string) {
		t.Helper()
		root := inspectTree(t, c)
		root["fuchsia.inspect.Health"].(map[string]any)["start_timestamp_nanos"] = 1
		delete(root, "stats")
		delete(root, "machine_drivers")
		got, err := json.MarshalIndent(root, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if squeeze(string(got)) != squeeze(want) {
			t.Errorf("%s:\n%s\nwant\n%s", stage, got, want)
		}
	}
	tree := func(devices, health, icds, pending string) string {
		return `{"config":{"allow_goldfish_icd":true,"allow_lavapipe_icd":false,"allow_magma_icds":true,"lavapipe_icd_url":"soft"},
			"devices":{` + devices + `},"fuchsia.inspect.Health":{"start_timestamp_nanos":1,"status":"` + health + `"},"icds":{` + icds +
			`},"pending":[` + pending + `]}`
	}
	golden("empty", tree("", "STARTING_UP", "", ""))
	d := s.device("renderD128")
	golden("a device that was not asked yet", tree(`"drm-renderD128":{"active_icd":""}`, "STARTING_UP", "", `"device renderD128"`))
	d.lists("pkg://test/none", s.pack("fake", "x"))
	until(t, c, "a driver", func(root map[string]any) bool {
		return root["devices"].(map[string]any)["drm-renderD128"].(map[string]any)["active_icd"] == "1"
	})
	icds := `"0":{"component_url":"pkg://test/none","create_response":4,"status":"uninitialized"},
		"1":{"component_url":"pkg://test/fake","file_path":"lib.so","library_path":"1-libfake.so",
		"manifest_contents":"{\n    \"file_format_version\": \"1.0.0\",\n    \"ICD\": {\n        \"library_path\": \"1-libfake.so\",\n        \"api_version\": \"1.3.0\"\n    }\n}\n",
		"status":"initialized","version":1}`
	golden("with a driver", tree(`"drm-renderD128":{"0":{"component_url":"pkg://test/none","flags":1},
		"1":{"component_url":"pkg://test/fake","flags":1},"active_icd":"1"}`, "OK", icds, ""))
	virtual := s.device("renderD129")
	virtual.say("emulated")
	virtual.lists("pkg://test/fake")
	until(t, c, "an emulated device", func(root map[string]any) bool { return len(root["pending"].([]any)) == 0 })
	d.close()
	until(t, c, "one device", func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == 1 })
	golden("the other device", tree(`"virt-renderD129":{"0":{"component_url":"pkg://test/fake"},"active_icd":"1"}`, "OK", icds, ""))
}

func squeeze(text string) string {
	return strings.NewReplacer("\n", "", "\t", "", " ", "").Replace(text)
}

// holds: FLS-049 FLS-056 FLS-058 PRO-029
func TestScriptedDevices(t *testing.T) {
	t.Parallel()
	s := stage(t)
	c := dial(t, s.directory)
	count := func(n int) {
		t.Helper()
		until(t, c, fmt.Sprintf("%d devices", n), func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == n })
	}
	first, second := s.device("renderD128"), s.device("renderD129")
	count(2)
	first.say("fail-query")
	count(1)
	second.say(`icds [{"flags":1},{"component_url":"pkg://test/b"},{"component_url":"pkg://test/c","flags":2}]`)
	until(t, c, "one driver", func(root map[string]any) bool {
		d := root["devices"].(map[string]any)["drm-renderD129"].(map[string]any)
		only, there := d["0"].(map[string]any)
		return there && len(d) == 2 && only["component_url"] == "pkg://test/c" && len(root["icds"].(map[string]any)) == 0
	})
	second.conn.Close()
	count(0)
}

// holds: FLS-106 FLS-110 PRO-046 PRO-001
func TestEnd(t *testing.T) {
	t.Parallel()
	var directory string
	var ended <-chan error
	t.Run("service", func(t *testing.T) { // its end is the service's
		s := stage(t)
		directory = s.directory
		s.device("renderD128").lists(s.pack("fake", "x"))
		c := dial(t, s.directory)
		if _, f := get(t, c, "0-libfake.so"); f == nil {
			t.Error("no library")
		}
		s.device("renderD129") // never lists anything: this question waits to the end
		waiting := dial(t, s.directory)
		ended = later(func() error {
			_, err := waiting.Ask(protocol.Request{Method: protocol.Get, Name: pointer("x")}, nil)
			return err
		})
		until(t, c, "one that waits", func(root map[string]any) bool { return root["stats"].(map[string]any)["waiting"] == 1.0 })
		second := Options{Log: slog.New(slog.DiscardHandler), Directory: s.directory, Source: nil, State: state.Options{}}
		if err := Run(t.Context(), second); err == nil || !strings.Contains(err.Error(), "another service") {
			t.Errorf("a second service in the same directory: %v", err)
		}
	})
	if err := <-ended; err == nil {
		t.Error("a question that waits was answered at the end")
	}
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// holds: PRO-044
func TestIdleExit(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	ready := make(chan struct{})
	ended := later(func() error {
		return Run(t.Context(), Options{Log: slog.New(slog.DiscardHandler), Directory: directory, IdleExit: 50 * time.Millisecond,
			Sockets: Sockets{Ready: func() { close(ready) }}})
	})
	<-ready
	c := dial(t, directory)
	select {
	case <-ended:
		t.Fatal("it ended with a client")
	case <-time.After(200 * time.Millisecond):
	}
	c.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// holds: PRO-001
func TestGivenSockets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "given.sock")
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	directory := service(t, nil, func(o *Options) { o.Sockets.Plain = []*os.File{f} })
	if _, err := os.Stat(filepath.Join(directory, Socket)); err == nil {
		t.Error("a socket of its own as well")
	}
	var features struct{ Features uint64 }
	ask(t, dialTo(t, filepath.Dir(path), "given.sock"), protocol.Request{Method: protocol.Features}, &features)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	wrong := Options{Log: slog.New(slog.DiscardHandler), Directory: t.TempDir(), Sockets: Sockets{Plain: []*os.File{os.NewFile(uintptr(fds[1]), "wrong")}}}
	if err := Run(t.Context(), wrong); err == nil {
		t.Error("a socket of another type is taken")
	}
}

// holds: FLS-007 PRO-001
func TestTrustedClients(t *testing.T) {
	t.Parallel()
	me := protocol.Peer{UID: uint32(os.Geteuid())}
	stranger := protocol.Peer{UID: 4242, GID: 0}
	root, err := os.ReadFile("/etc/group")
	if err != nil {
		t.Fatal(err)
	}
	group, _, _ := strings.Cut(string(root), ":")
	if !mayTrust(me, nil) || !mayTrust(protocol.Peer{}, nil) || mayTrust(stranger, nil) || mayTrust(stranger, []string{"no-such-group"}) ||
		!mayTrust(stranger, []string{group}) {
		t.Error("who is trusted")
	}
	directory := service(t, nil)
	for name, mode := range map[string]os.FileMode{Socket: 0o666, TrustedSocket: 0o600} {
		if info, err := os.Stat(filepath.Join(directory, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
}

// holds: PRO-027 FLS-046 FLS-107
func TestMissingSource(t *testing.T) {
	t.Parallel()
	options := Options{Log: slog.New(slog.DiscardHandler), Directory: t.TempDir(), State: state.Options{AllowHardware: true}, Devices: noDevices(t)}
	if err := Run(t.Context(), options); err == nil {
		t.Error("it runs without its source of devices")
	}
	// Nothing is watched that nobody wants.
	service(t, nil, func(o *Options) { o.Devices, o.State = noDevices(t), state.Options{} })
	directory := service(t, nil, func(o *Options) { o.Devices, o.TolerateMissing = noDevices(t), true })
	if ok, _ := get(t, dial(t, directory), "x"); ok.Lib != nil {
		t.Error(ok)
	}
}

// noDevices is a source that cannot be watched, of a machine without devices.
func noDevices(t *testing.T) *devices.DRM {
	return &devices.DRM{Root: t.TempDir(), Listen: func() (*os.File, devices.Decoder, error) { return nil, nil, errors.New("no") }}
}

// The kernel's devices, with what a table says of them: everybody sees render nodes, trusted clients the others as well.
//
// holds: FLS-009 FLS-031 FLS-033 FLS-043 FLS-090 FLS-091 FLS-093 PRO-025 PRO-028 PRO-038
func TestKernelDevices(t *testing.T) {
	t.Parallel()
	root, tables, packages := t.TempDir(), t.TempDir(), &staged{t: t, packages: t.TempDir()}
	packages.pack("amd", "x")
	for name, text := range map[string]string{
		root + "/dev/dri/renderD128": "", root + "/sys/class/drm/renderD128/device/uevent": "DRIVER=amdgpu\nPCI_ID=1002:73BF\n",
		root + "/sys/class/drm/renderD128/device/drm/card0/dev": "226:0",
		tables + "/amd.json": `{"match":[{"module":"amdgpu","pci_vendor":"1002"}],"icds":[{"component_url":"pkg://test/amd","flags":1}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	directory := service(t, nil, func(o *Options) {
		o.Devices, o.TolerateMissing, o.Tables = noDevices(t), true, []string{tables}
		o.Devices.Root = root
		o.Resolver = &component.Resolver{Roots: []string{packages.packages}, Step: time.Minute, Log: o.Log}
	})
	if _, f := get(t, dial(t, directory), "0-libamd.so"); f == nil {
		t.Error("the table's driver is not there")
	}
	for socket, want := range map[string][]string{Socket: {"renderD128"}, TrustedSocket: {"card0", "renderD128"}} {
		files, err := dialTo(t, directory, socket).Ask(protocol.Request{Method: protocol.DeviceFS}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer files[0].Close()
		entries, err := os.ReadDir(fmt.Sprintf("/proc/self/fd/%d/class/drm", files[0].Fd()))
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %v, %v", socket, names, err)
		}
	}
}
