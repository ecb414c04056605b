package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// got is the answer to the request get.
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

// later calls a function in a goroutine, and returns a channel with its result.
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

// until requests the tree until it is as wanted.
func until(t *testing.T, c *protocol.Client, what string, wanted func(map[string]any) bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !wanted(inspectTree(t, c)); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: never in %v", what, inspectTree(t, c))
		}
	}
}

// A client may use get alone. It can map the library as code although the package's file is not executable.
//
// holds: FLS-002 FLS-014 FLS-016 FLS-021 FLS-023 FLS-024 FLS-076 PRO-010 PRO-011 PRO-012 PRO-014
func TestGet(t *testing.T) {
	t.Parallel()
	s := stage(t)
	d := s.device("renderD128")
	d.lists(s.pack("fake", strings.Repeat("no ELF file ", 1000)))
	if info, err := os.Stat(filepath.Join(s.packages, "test/fake/lib.so")); err != nil || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("the package's file may be executed: %v, %v", info, err)
	}
	c := dial(t, s.directory)
	ok, first := get(t, c, "0-libfake.so")
	if first == nil || ok.Size != 12000 || ok.Backing != "memory" {
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
	// Without the bit the reply does not wait, and a waiting connection gets replies to other requests.
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
	operators, err := os.ReadFile(PrivateDirectory(s.directory) + "/debug/manifest-fs/" + name)
	if err != nil || string(operators) != string(text) {
		t.Errorf("debug: %v", err)
	}
	// A service without root's rights makes the directory writable for the rename, and read-only again after it.
	for info, err := os.Stat(path + "/."); err == nil && info.Mode().Perm() != 0o555 && t.Context().Err() == nil; info, err = os.Stat(path + "/.") {
		runtime.Gosched()
	}
	for file, mode := range map[string]os.FileMode{path + "/.": 0o555, path + "/" + name: 0o444} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if err := os.WriteFile(path+"/x", nil, 0o644); !errors.Is(err, unix.EROFS) {
		t.Errorf("a client writes: %v", err)
	}
	if err := os.Chmod(path, 0o777); !errors.Is(err, unix.EROFS) {
		t.Errorf("a client changes the mode: %v", err)
	}
	d.close()
	until(t, c, "no device", func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == 0 })
	entries, err := os.ReadDir(PrivateDirectory(s.directory) + "/debug/manifest-fs")
	for tries := 0; err == nil && len(entries) != 0 && tries < 500; tries++ { // the next notification removes the entry
		time.Sleep(10 * time.Millisecond)
		entries, err = os.ReadDir(PrivateDirectory(s.directory) + "/debug/manifest-fs")
	}
	if err != nil || len(entries) != 0 {
		t.Errorf("a manifest without its device: %v, %v", entries, err)
	}
}

// Programs can search the directory of manifests: the library's own decision accepts every manifest there.
//
// holds: FLS-089
func TestDirectoryForPrograms(t *testing.T) {
	t.Parallel()
	s := stage(t)
	s.device("renderD128").lists(s.pack("one", "x"))
	s.device("renderD129").lists(s.pack("two", "y"))
	c := dial(t, s.directory)
	until(t, c, "both", func(root map[string]any) bool { return len(root["pending"].([]any)) == 0 })
	files, err := c.Ask(protocol.Request{Method: protocol.ManifestFS, Options: protocol.WaitForIdle}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files[0].Close()
	// The decision is for another root, in which programs search the directory.
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/vulkan"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(root, "etc/vulkan/icd.d"), os.DirFS(fmt.Sprintf("/proc/self/fd/%d", files[0].Fd()))); err != nil {
		t.Fatal(err)
	}
	source := &machine.Source{Machine: machine.Machine{Root: root}}
	answer, err := explain.Decide(source)
	if err != nil {
		t.Fatal(err)
	}
	var libraries []string
	for _, d := range answer.Drivers {
		libraries = append(libraries, d.Library)
	}
	slices.Sort(libraries)
	if !slices.Equal(libraries, []string{"0-libone.so", "1-libtwo.so"}) {
		t.Errorf("%v", libraries)
	}
}

// holds: FLS-033 FLS-090 FLS-093 PRO-039
func TestDeviceDirectory(t *testing.T) {
	t.Parallel()
	s := stage(t)
	s.device("renderD128")
	s.device("null") // every machine has this node; here it is a GPU
	c := dial(t, s.directory)
	until(t, c, "both devices", func(root map[string]any) bool { return len(root["devices"].(map[string]any)) == 2 })
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

// A device is the same file through the directory's link and through open_device.
//
// holds: FLS-094 PRO-039
func TestOneDevice(t *testing.T) {
	t.Parallel()
	base, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	trees, err := makeTrees(base, &testBorder)
	if err != nil {
		t.Fatal(err)
	}
	defer trees.close()
	const path = class + "/renderD128"
	if err := trees.devices.Link(path, "/dev/null"); err != nil { // every machine has it
		t.Fatal(err)
	}
	s := &Server{trees: trees, options: Options{Border: testBorder}}
	c := &connection{peer: protocol.Peer{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}, log: slog.New(slog.DiscardHandler)}
	opened, failed := s.openDevice(c, path)
	if failed != nil || len(opened.files) != 1 {
		t.Fatalf("%+v, %v", opened, failed)
	}
	defer protocol.Discard(opened.files)
	var one, other unix.Stat_t
	if err := unix.Fstat(int(opened.files[0].Fd()), &one); err != nil {
		t.Fatal(err)
	}
	if err := unix.Stat(filepath.Join(filepath.Join(base.Name(), debug), "device-fs", path), &other); err != nil || one.Rdev != other.Rdev || one.Ino != other.Ino {
		t.Errorf("%+v and %+v, %v", one, other, err)
	}
}

// holds: PRO-039
func TestOpenNode(t *testing.T) {
	t.Parallel()
	anybody := func(*os.File) error { return nil }
	if _, err := openNode("/dev/null", &testBorder, func(*os.File) error { return os.ErrPermission }); !errors.Is(err, os.ErrPermission) {
		t.Errorf("against what was said: %v", err)
	}
	f, err := openNode("/dev/null", &testBorder, anybody)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_ACCMODE != unix.O_RDWR || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#x, %v", flags, err)
	}
	if err := unix.Fchmod(int(f.Fd()), 0o666); !errors.Is(err, unix.EROFS) {
		t.Errorf("a client changes the node's mode: %v", err)
	}
	if _, err := openNode("/proc/self/exe", &testBorder, anybody); err == nil {
		t.Error("a link passes for a device")
	}
	if _, err := openNode(t.TempDir(), &testBorder, anybody); err == nil {
		t.Error("a directory passes for a device")
	}
}

// A grant reports the kernel's rule: whether memory that a process has written can become code.
//
// holds: FLS-034 FLS-035 FLS-036 PRO-047
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
	granted := err == nil
	code, err := sealed.Code("code", strings.NewReader(strings.Repeat("x", 4096)))
	if err == nil {
		defer code.Close()
		var mapped []byte
		if mapped, err = unix.Mmap(int(code.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE); err == nil {
			err = unix.Munmap(mapped)
		}
	}
	if (err == nil) != granted {
		t.Errorf("it is granted: %v, and: %v", granted, err)
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
