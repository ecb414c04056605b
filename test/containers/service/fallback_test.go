package service

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/protocol"
	"vkloader/test/lib/binary"
)

// without returns a command line that starts a program under a filter of system calls. The filtered calls fail as on an older kernel, or as
// under the filter of a sandbox.
func without(t *testing.T, directory string, refused bool, calls ...int) []string {
	t.Helper()
	program := filepath.Join(directory, "filter")
	if out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-o", program, "testdata/filter.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list []string
	for call := range 500 {
		switch {
		case !slices.Contains(calls, call):
			list = append(list, fmt.Sprint(call))
		case refused:
			list = append(list, fmt.Sprint(-call))
		}
	}
	return []string{program, strings.Join(list, ",")}
}

// questions lists a request for each kind of descriptor; that for the device is the last.
func questions(device string) []protocol.Request {
	machine, file, name := offer.Machines()[0], 0, "0-libfake.so"
	return []protocol.Request{{Method: protocol.MachineDrivers, Machine: &machine}, {Method: protocol.OpenFile, File: &file},
		{Method: protocol.Get, Name: &name}, {Method: protocol.Inspect}, {Method: protocol.ManifestFS}, {Method: protocol.DeviceFS},
		{Method: protocol.OpenDevice, Path: &device}}
}

// A service that cannot make read-only mounts gives clients of its own user sealed copies of libraries. Clients of other users get no library.
// All other requests for files are unsupported. The log has the reason.
//
// holds: PRO-013 PRO-053 FLS-010
func TestWithoutMounts(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"older kernel": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, err := os.MkdirTemp("", "mounts")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(top) })
			root, directory, source := withPackage(t, machine(t)), filepath.Join(top, "run"), filepath.Join(top, "devices")
			if err := errors.Join(os.Chmod(top, 0o755), os.Mkdir(directory, 0o755), os.Mkdir(directory+"-private", 0o755)); err != nil {
				t.Fatal(err)
			}
			words := append(without(t, top, refused, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR), tool, "service", "run", "--root", root, "--set", "open_device=true", "--test-source", source)
			log := serve(t, exec.Command(words[0], words[1:]...), directory)
			device(t, source, filepath.Join(root, "package"))
			c, err := protocol.Dial(filepath.Join(directory, "loader.sock"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			var features struct{ Features uint64 }
			if _, err := c.Ask(protocol.Request{Method: protocol.Features}, &features); err != nil ||
				features.Features&(protocol.FeatureOpenDevice|protocol.FeatureManifestFS|protocol.FeatureDeviceFS) != 0 {
				t.Errorf("features %#x, %v", features.Features, err)
			}
			for _, r := range questions("class/drm/null") {
				var answer struct{ Backing string }
				files, err := c.Ask(r, &answer)
				switch r.Method {
				case protocol.OpenDevice: // the machine does not have this node
					if len(files) != 0 || err == nil {
						t.Errorf("%s: %d descriptors, %v", r.Method, len(files), err)
					}
				case protocol.ManifestFS, protocol.DeviceFS:
					if len(files) != 0 || err == nil || err.Error() != protocol.ErrUnsupported.Error() {
						t.Errorf("%s: %d descriptors, %v", r.Method, len(files), err)
					}
				case protocol.OpenFile, protocol.Get:
					if answer.Backing != "memfd" {
						t.Errorf("%s: backing %q", r.Method, answer.Backing)
					}
					fallthrough
				default:
					if err != nil || len(files) != 1 {
						t.Errorf("%s: %d descriptors, %v", r.Method, len(files), err)
						continue
					}
					if done := attempts(files[0], false); len(done) > 0 {
						t.Errorf("%s: %v", r.Method, done)
					}
				}
				protocol.Discard(files)
			}
			if !strings.Contains(log(), "no file is handed out itself, no directory and no device") {
				t.Errorf("the log has no reason:\n%s", log())
			}
			if os.Getuid() != 0 {
				return
			}
			own := filepath.Join(top, "attacker")
			self, err := os.ReadFile("/proc/self/exe")
			if err = errors.Join(err, binary.WriteProgram(own, self)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(own, attackerWord, directory)
			cmd.Dir, cmd.Env = "/", []string{"TMPDIR=/tmp"}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
			out, err := cmd.CombinedOutput()
			for _, method := range []string{"machine_drivers", "get", "connect_manifest_fs", "connect_device_fs"} {
				if !strings.Contains(string(out), "got "+method+": UNSUPPORTED") {
					t.Errorf("another user, %s: %v\n%s", method, err, out)
				}
			}
			if strings.Contains(string(out), "broken") {
				t.Errorf("%s", out)
			}
		})
	}
}

// A client that removes the permissions of its descriptors does not change those of other clients.
//
// holds: PRO-053
func TestModesAreNotShared(t *testing.T) {
	t.Parallel()
	root, directory, source := withPackage(t, machine(t)), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "devices")
	if err := errors.Join(os.Mkdir(directory, 0o755), os.Mkdir(directory+"-private", 0o755)); err != nil {
		t.Fatal(err)
	}
	serve(t, exec.Command(tool, "service", "run", "--root", root, "--test-source", source), directory)
	device(t, source, filepath.Join(root, "package"))
	answers := func() map[string]*os.File {
		c, err := protocol.Dial(filepath.Join(directory, "loader.sock"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		list := map[string]*os.File{}
		for _, r := range questions("")[:6] {
			files, err := c.Ask(r, nil)
			if err != nil && !strings.Contains(err.Error(), "UNSUPPORTED") || err == nil && len(files) != 1 {
				t.Fatalf("%s: %d descriptors, %v", r.Method, len(files), err)
			}
			if err == nil {
				list[string(r.Method)] = files[0]
				t.Cleanup(func() { files[0].Close() })
			}
		}
		return list
	}
	first, other := answers(), answers()
	for _, f := range first {
		_ = f.Chmod(0) // fails for a shared file
	}
	third := answers()
	for _, client := range []map[string]*os.File{other, third} {
		for method, f := range client {
			info, err := f.Stat()
			if err != nil || info.Mode().Perm()&0o400 == 0 {
				t.Errorf("%s: %v, %v", method, info.Mode(), err)
			}
			again, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
			if err != nil {
				t.Errorf("%s: %v", method, err)
				continue
			}
			again.Close()
		}
	}
	if len(first) < 4 {
		t.Errorf("descriptors of %d methods", len(first))
	}
}

// devices is a script that creates device nodes in a separate mount namespace, and starts a program there.
const devices = `set -e
mount -t tmpfs -o mode=755 tmpfs /dev
mkdir /dev/dri
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/dri/null c 1 3
mknod -m 600 /dev/dri/private c 1 3
mknod -m 666 /dev/zero c 1 5
ln -s ../zero /dev/dri/link
echo text > /dev/dri/plain
mkfifo -m 666 /dev/dri/pipe
exec "$@"`

// A client gets the machine's device node for reading and writing, and cannot change the node's mode or owner. It gets no node that its user
// may not open, no other kind of file, and no target of a link.
//
// holds: PRO-039 PRO-053
func TestOpenDevice(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root makes device nodes")
	}
	top, err := os.MkdirTemp("", "device")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	root, directory, source, own := withPackage(t, machine(t)), filepath.Join(top, "run"), filepath.Join(top, "devices"), filepath.Join(top, "attacker")
	self, err := os.ReadFile("/proc/self/exe")
	if err = errors.Join(err, binary.WriteProgram(own, self), os.Chmod(top, 0o755), os.Mkdir(directory, 0o755), os.Mkdir(directory+"-private", 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", devices, "sh", tool, "service", "run", "--root", root, "--set", "open_device=true", "--test-source", source)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	serve(t, cmd, directory)
	device(t, source, filepath.Join(root, "package"))
	for _, node := range []string{"private", "link", "plain", "pipe", "absent"} {
		scripted(t, source, "add "+node)
	}
	c, err := protocol.Dial(filepath.Join(directory, "loader.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for node, want := range map[string]string{"null": "", "private": "", "link": "ACCESS_DENIED", "plain": "ACCESS_DENIED", "pipe": "ACCESS_DENIED",
		"absent": "NOT_FOUND", "zero": "NOT_FOUND", "../../zero": "NOT_FOUND"} {
		path := "class/drm/" + node
		files, err := c.Ask(protocol.Request{Method: protocol.OpenDevice, Path: &path}, nil)
		for end := time.Now().Add(5 * time.Minute); err != nil && want != "NOT_FOUND" && strings.HasPrefix(err.Error(), "NOT_FOUND") &&
			time.Now().Before(end); time.Sleep(10 * time.Millisecond) { // the service adds the devices one by one
			files, err = c.Ask(protocol.Request{Method: protocol.OpenDevice, Path: &path}, nil)
		}
		if want != "" {
			if err == nil || len(files) > 0 || node != "../../zero" && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %d descriptors, %v, want %s", node, len(files), err, want)
			}
			continue
		}
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d descriptors, %v", node, len(files), err)
			continue
		}
		var info unix.Stat_t
		if err := unix.Fstat(int(files[0].Fd()), &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFCHR || info.Rdev != unix.Mkdev(1, 3) {
			t.Errorf("%s: %+v, %v", node, info, err)
		}
		if n, err := files[0].WriteString("text"); n != 4 || err != nil {
			t.Errorf("%s: written %d, %v", node, n, err)
		}
		if done := attempts(files[0], true); len(done) > 0 {
			t.Errorf("%s: %v", node, done)
		}
		protocol.Discard(files)
	}
	other := exec.Command(own, attackerWord, directory, "class/drm/private")
	other.Dir, other.Env = "/", []string{"TMPDIR=/tmp"}
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	if out, err := other.CombinedOutput(); err != nil || !strings.Contains(string(out), "got open_device: ACCESS_DENIED") {
		t.Errorf("another user and a private node: %v\n%s", err, out)
	}
}
