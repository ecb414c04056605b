package client

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Users of the machine: the program's user, and another one.
const (
	programs = 4301
	neighbor = 4302
)

// confined returns a world whose programs run as an ordinary user, with directories that users other than root can enter.
func confined(t *testing.T) *world.World {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("services of several users take root")
	}
	if world.Emulated() {
		t.Skip("an emulator stands between the program and the kernel")
	}
	if text, err := exec.Command("unshare", "--mount", "--user", "--map-root-user", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v, %s", err, text)
	}
	w := world.New(t)
	w.CopyLoader("loader/libvulkan.so.1")
	w.NoShim = true
	w.Env["VK_LOADER_DEBUG"], w.Env["HOME"] = "warn,error", w.Root
	w.Env["VKLOADERD_DIR"], w.Env["XDG_RUNTIME_DIR"] = world.Unset, world.Unset
	for directory := w.Root; directory != "/"; directory = filepath.Dir(directory) {
		if info, err := os.Stat(directory); err != nil || info.Mode()&1 == 0 {
			if err := os.Chmod(directory, 0o755); err != nil || directory == filepath.Dir(directory) {
				t.Skipf("other users cannot reach %s: %v", directory, err)
			}
		}
	}
	if err := os.Chmod(w.Root, 0o777); err != nil { // the fakes write their log here
		t.Fatal(err)
	}
	return w
}

// hidden is a script that hides the machine's own drivers.
const hidden = "set -e\nfor d in /usr/share/vulkan /etc/vulkan /usr/local/share/vulkan /usr/local/etc/vulkan; do ! [ -d $d ] || mount -t tmpfs tmpfs $d; done\n"

// inside runs shell commands in a separate mount namespace, and then the host as an ordinary user; with namespace, as root of a user
// namespace of that user.
func inside(t *testing.T, w *world.World, namespace bool, script string) (result int, stderr string) {
	t.Helper()
	into := ""
	if namespace {
		into = "unshare --user --map-root-user "
	}
	script = fmt.Sprintf("%s%s\nexec setpriv --reuid=%d --regid=%d --clear-groups %s'%s' '%s'\n", hidden, script, programs, programs, into,
		w.CopyHost("bin/host"), w.Loader)
	h := w.StartProgram("unshare", "--mount", "--propagation", "private", "sh", "-c", script)
	result = h.Do("create_instance").Result()
	return result, h.Quit().Stderr
}

// A service counts if only root or the program's own user could have created its socket. In a user namespace without the IDs of other users,
// only the owner of the path counts.
//
// holds: PRO-008
func TestWhoOwnsThePath(t *testing.T) {
	t.Parallel()
	own := func(uid int, mode os.FileMode) func(s *service) error {
		return func(s *service) error {
			return errors.Join(os.Chown(s.directory, uid, uid), os.Chmod(s.directory, mode), os.Chown(s.socket(), uid, uid))
		}
	}
	for name, c := range map[string]struct {
		prepare         func(s *service) error
		plainly, within bool
	}{
		"root's":            {own(0, 0o755), true, false}, // in a directory like /tmp, in which other users could have created it
		"its own user's":    {own(programs, 0o755), true, true},
		"another user's":    {own(neighbor, 0o755), false, false},
		"nobody's":          {own(65534, 0o755), false, false},
		"open to all":       {own(0, 0o777), false, false},
		"open to its group": {func(s *service) error { return errors.Join(own(0, 0o775)(s), os.Chown(s.directory, 0, neighbor)) }, false, false},
		"a socket of others": {func(s *service) error {
			return errors.Join(own(0, 0o777|os.ModeSticky)(s), os.Chown(s.socket(), neighbor, 0))
		}, false, false},
		"behind a link": {own(0, 0o755), true, false},
	} {
		for _, namespace := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", namespace ", namespace), func(t *testing.T) {
				t.Parallel()
				w := confined(t)
				s := serve(t, w)
				s.fake(w, "served")
				if err := errors.Join(os.Chmod(s.socket(), 0o666), c.prepare(s)); err != nil {
					t.Fatal(err)
				}
				// place creates a directory like /tmp, with the service's directory below it, wherever temporary files are.
				const place = "mount -t tmpfs -o mode=1777 tmpfs /run\nmkdir /run/service\nln -s service /run/link\nmount --bind '%s' /run/service"
				w.Env["VKLOADERD_DIR"] = "/run/service"
				if name == "behind a link" {
					w.Env["VKLOADERD_DIR"] = "/run/link"
				}
				want := c.plainly
				if namespace {
					want = c.within
				}
				result, said := inside(t, w, namespace, fmt.Sprintf(place, s.directory))
				if (result == success) != want {
					t.Errorf("result %d: %s", result, said)
				}
				refused := "The driver service at " + w.Env["VKLOADERD_DIR"] + "/loader.sock is not used: another user can change"
				if !want && (!strings.Contains(said, refused) || len(s.methods()) > 0) {
					t.Errorf("it asked %v, and says: %s", s.methods(), said)
				}
			})
		}
	}
}

// The machine's service belongs to the machine's root, also in a namespace without an ID for that user. If it does not count, the user's own
// service is asked.
//
// holds: PRO-008
func TestMachineAndOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode  os.FileMode
		asked string // one of the two
	}{
		"root's":      {0o755, "machine"},
		"open to all": {0o777, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := confined(t)
			services := map[string]*service{"machine": serve(t, w), "own": serve(t, w)}
			w.Env["VKLOADERD_DIR"], w.Env["XDG_RUNTIME_DIR"] = world.Unset, "/run/user"
			for name, s := range services {
				s.fake(w, name)
				uid, mode := 0, c.mode
				if name == "own" {
					uid, mode = programs, 0o755
				}
				if err := errors.Join(os.Chown(s.directory, uid, 0), os.Chmod(s.directory, mode), os.Chmod(s.socket(), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			result, said := inside(t, w, true, fmt.Sprintf("mount -t tmpfs -o mode=755 tmpfs /run\nmkdir -p /run/vkloaderd /run/user/vkloaderd\n"+
				"chown %d /run/user\nmount --bind '%s' /run/vkloaderd\nmount --bind '%s' /run/user/vkloaderd",
				programs, services["machine"].directory, services["own"].directory))
			if result != success {
				t.Errorf("result %d: %s", result, said)
			}
			for name, s := range services {
				if asked := len(s.methods()) > 0; asked != (name == c.asked) {
					t.Errorf("the service of %s was asked: %v; %s", name, asked, said)
				}
			}
		})
	}
}

// The tool and the library accept the same services.
//
// holds: PRO-008
func TestToolTrustsAlike(t *testing.T) {
	t.Parallel()
	if world.Target() != "" || world.Variant() != "" {
		t.Skip("there is one tool")
	}
	text, err := os.ReadFile(filepath.Join(world.Top(), "build/vkloader"))
	if err != nil {
		t.Fatalf("the tool is not built, run make: %v", err)
	}
	for name, c := range map[string]struct {
		mode         os.FileMode
		script, says string
	}{
		"root's":      {0o755, "", "served.json"},
		"open to all": {0o777, "", "another user can change its socket"},
		"no proc":     {0o755, "mount -t tmpfs tmpfs /proc && ", "/proc is not mounted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := confined(t)
			s := serve(t, w)
			s.fake(w, "served")
			if err := errors.Join(os.Chmod(s.directory, c.mode), os.Chmod(s.socket(), 0o666)); err != nil {
				t.Fatal(err)
			}
			tool := w.Write("bin/vkloader", string(text))
			if err := os.Chmod(tool, 0o755); err != nil {
				t.Fatal(err)
			}
			script := fmt.Sprintf("%smount -t tmpfs -o mode=755 tmpfs /run\nmkdir /run/vkloaderd\nmount --bind '%s' /run/vkloaderd\n"+
				"exec setpriv --reuid=%d --regid=%d --clear-groups unshare --user --map-root-user --mount sh -c \"$0\"",
				hidden, s.directory, programs, programs)
			cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", script,
				c.script+"exec '"+tool+"' doctor")
			cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + w.Root, "LD_LIBRARY_PATH=" + filepath.Dir(w.Loader)}
			out, _ := cmd.CombinedOutput()
			if !strings.Contains(strings.Join(strings.Fields(string(out)), " "), c.says) {
				t.Errorf("no %q: %s", c.says, out)
			}
		})
	}
}

// Without /proc, no file of a service can be opened: the library does not ask the service, and the log says so.
//
// holds: PRO-008 PRO-050
func TestWithoutProc(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizers need /proc")
	}
	for _, namespace := range []bool{false, true} {
		t.Run(fmt.Sprint("namespace ", namespace), func(t *testing.T) {
			t.Parallel()
			w := confined(t)
			s := serve(t, w)
			s.fake(w, "served")
			if err := errors.Join(os.Chmod(s.directory, 0o755), os.Chmod(s.socket(), 0o666)); err != nil {
				t.Fatal(err)
			}
			as := fmt.Sprintf("exec setpriv --reuid=%d --regid=%d --clear-groups ", programs, programs)
			host := fmt.Sprintf("exec '%s' '%s'", w.CopyHost("bin/host"), w.Loader)
			script := hidden + "mount -t tmpfs tmpfs /proc\n" + as + "sh -c \"$0\""
			if namespace { // unshare writes to /proc, so it creates the namespace first
				script, host = hidden+as+"unshare --user --map-root-user --mount sh -c \"$0\"", "mount -t tmpfs tmpfs /proc && "+host
			}
			h := w.StartProgram("unshare", "--mount", "--propagation", "private", "sh", "-c", script, host)
			if got := h.Do("create_instance").Result(); got != incompatibleDriver {
				t.Errorf("result %d", got)
			}
			if said := h.Quit().Stderr; !strings.Contains(said, "/proc is not mounted") || len(s.methods()) > 0 {
				t.Errorf("it asked %v, and says: %s", s.methods(), said)
			}
		})
	}
}
