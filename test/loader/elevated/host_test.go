package elevated

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

const (
	nobody = 65534 // the user who runs the host
	owner  = 1     // another user, who owns the program
)

// kind is a way to get more rights than the user has.
type kind struct {
	name     string
	uid, gid int
	mode     os.FileMode
	setcap   bool
	secure   bool
}

var (
	ordinary   = kind{name: "ordinary", mode: 0o755}
	setUser    = kind{name: "set-user-ID", uid: owner, mode: 0o755 | os.ModeSetuid, secure: true}
	setRoot    = kind{name: "set-user-ID of root", mode: 0o755 | os.ModeSetuid, secure: true}
	setGroup   = kind{name: "set-group-ID", gid: owner, mode: 0o755 | os.ModeSetgid, secure: true}
	capability = kind{name: "file capability", mode: 0o755, setcap: true, secure: true}
	elevations = []kind{setUser, setRoot, setGroup, capability}
)

// directories are the system's directories over which the case's are mounted. All exist on every machine, except
// perhaps /etc/vulkan.
var directories = []string{"/usr/share", "/usr/local/share", "/usr/local/etc", "/etc/xdg", "/etc/vulkan", "/run"}

// newWorld creates a world that another user can reach, with a copy of the loader. It skips the test if this process
// cannot make a program with more rights.
func newWorld(t *testing.T) *world.World {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making a set-user-ID program of another user takes root")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || !strings.Contains(string(status), "NoNewPrivs:\t0") {
		t.Skip("no program gets more rights below this process: NoNewPrivs is set")
	}
	for _, program := range []string{"unshare", "setpriv", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	w := world.New(t)
	w.NoShim = true
	if err := os.Chmod(filepath.Dir(w.Root), 0o755); err != nil { // created for this test alone
		t.Fatal(err)
	}
	for directory := w.Root; directory != "/"; directory = filepath.Dir(directory) {
		if info, err := os.Stat(directory); err != nil || info.Mode()&1 == 0 {
			t.Skipf("other users cannot reach %s: set TMPDIR to a directory that they can", directory)
		}
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(w.Root, &fs); err != nil || fs.Flags&2 != 0 { // ST_NOSUID
		t.Skipf("%s is mounted nosuid: set TMPDIR to a directory that is not", w.Root)
	}
	os.Chmod(w.Root, 0o777) // the fakes, running as any user, write their log here
	for _, directory := range directories {
		if err := os.MkdirAll(w.SystemPath(directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.Loader = install(t, w, filepath.Dir(world.Library()))
	w.Env["HOME"] = world.Unset
	for _, name := range []string{"VK_DRIVER_FILES", "VK_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH"} {
		w.Env[name] = world.Unset
	}
	return w
}

// install copies the loader into the world, like make install, and returns the library's path.
func install(t *testing.T, w *world.World, from string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(filepath.Join(from, "libvulkan.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	w.Write("opt/"+filepath.Base(real), string(content))
	link := w.Path("opt/libvulkan.so.1")
	if err := os.Symlink(filepath.Base(real), link); err != nil {
		t.Fatal(err)
	}
	return link
}

// start runs a host of a kind, as an ordinary user, without opening a loader, with additional variables. It skips the
// test if the machine lacks the kind's requirements.
func start(t *testing.T, w *world.World, k kind, more ...string) *world.Host {
	t.Helper()
	host := w.CopyHost("bin/host")
	if err := os.Chown(host, k.uid, k.gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(host, k.mode); err != nil {
		t.Fatal(err)
	}
	if k.setcap {
		setcap, err := exec.LookPath("setcap")
		if err != nil {
			t.Skip("file capabilities need setcap: ", err)
		}
		if out, err := exec.Command(setcap, "cap_net_bind_service=ep", host).CombinedOutput(); err != nil {
			t.Skipf("no file capabilities here: %v, %s", err, out)
		}
	}
	script := ""
	for _, directory := range directories {
		script += fmt.Sprintf("! [ -d %s ] || mount --bind '%s' %s || exit 77\n", directory, w.SystemPath(directory), directory)
	}
	script += fmt.Sprintf("exec setpriv --reuid=%d --regid=%d --clear-groups env '%s' '%s'\n", nobody, nobody,
		strings.Join(append([]string{"WORLD=1"}, more...), "' '"), host)
	h := w.StartProgram("unshare", "--mount", "--propagation", "private", "sh", "-c", script)
	if _, ok := h.Try("state"); !ok {
		exit := h.Wait()
		if exit.Code == 77 || strings.Contains(exit.Stderr, "unshare failed") {
			t.Skipf("no mounts of its own for the host: %s", strings.TrimSpace(exit.Stderr))
		}
		t.Fatalf("the host ended with code %d, signal %v: %s", exit.Code, exit.Signal, exit.Stderr)
	}
	if got := secure(t, h.Pid()); got != k.secure {
		t.Fatalf("%s: AT_SECURE is %v", k.name, got)
	}
	return h
}

// secure reads the AT_SECURE that the kernel set for a process.
func secure(t *testing.T, pid int) bool {
	t.Helper()
	vector, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", pid))
	if err != nil {
		t.Fatal(err)
	}
	for ; len(vector) >= 16; vector = vector[16:] {
		if binary.NativeEndian.Uint64(vector) == 23 {
			return binary.NativeEndian.Uint64(vector[8:]) != 0
		}
	}
	t.Fatal("no AT_SECURE")
	return false
}
