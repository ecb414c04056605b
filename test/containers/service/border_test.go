package service

import (
	"errors"
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

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/test/lib/binary"
)

// attackerWord is the argument with which this program is a client with every capability that tries to change the service's files.
const attackerWord = "service-attacker"

func TestMain(m *testing.M) {
	if len(os.Args) >= 3 && os.Args[1] == attackerWord {
		list := questions("class/drm/null")
		if len(os.Args) > 3 { // only this device
			list = questions(os.Args[3])[6:]
		}
		attack(os.Args[2], list)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// attack requests descriptors, tries every change on each, and prints the successful ones.
func attack(directory string, list []protocol.Request) {
	c, err := protocol.Dial(filepath.Join(directory, "loader.sock"))
	if err != nil {
		fmt.Println("no service:", err)
		return
	}
	defer c.Close()
	for _, r := range list {
		files, err := c.Ask(r, nil)
		if err != nil {
			fmt.Printf("got %s: %v\n", r.Method, err)
			continue
		}
		fmt.Printf("got %s: %d\n", r.Method, len(files))
		for _, f := range files {
			for _, done := range attempts(f, r.Method == protocol.OpenDevice) {
				fmt.Printf("broken %s: %s\n", r.Method, done)
			}
		}
		protocol.Discard(files)
	}
}

// attempts tries to change a file, or to leave a directory, through a descriptor, and returns the successful attempts. The mode and times of a
// sealed memory file do not count, because it is for this client alone.
func attempts(f *os.File, device bool) (done []string) {
	fd := int(f.Fd())
	path := fmt.Sprintf("/proc/self/fd/%d", fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return []string{"fstat: " + err.Error()}
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	const all = unix.F_SEAL_SEAL | unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK
	own := err == nil && seals&all == all
	try := func(what string, err error) {
		if err == nil {
			done = append(done, what)
		}
	}
	reopened := func(flags int) error {
		again, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return err
		}
		defer unix.Close(again)
		if own {
			_, err = unix.Pwrite(again, []byte("x"), 0)
		}
		return err
	}
	if !own {
		try("fchmod", unix.Fchmod(fd, info.Mode&0o7777))
		try("chmod", unix.Chmod(path, info.Mode&0o7777))
		try("fchown", unix.Fchown(fd, int(info.Uid), int(info.Gid)))
		try("fchownat", unix.Fchownat(fd, "", int(info.Uid), int(info.Gid), unix.AT_EMPTY_PATH))
		try("utimensat", unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}, 0))
		try("setxattr", unix.Fsetxattr(fd, "user.x", []byte("x"), 0))
		try("setxattr trusted", unix.Fsetxattr(fd, "trusted.x", []byte("x"), 0))
		try("linkat", unix.Linkat(fd, "", unix.AT_FDCWD, filepath.Join(os.TempDir(), fmt.Sprint("linked", fd, os.Getpid())), unix.AT_EMPTY_PATH))
		try("FS_IOC_SETFLAGS", unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x80))
	}
	if !device {
		try("reopen for writing", reopened(unix.O_RDWR))
		try("reopen to append", reopened(unix.O_WRONLY|unix.O_APPEND))
		try("reopen and truncate", reopened(unix.O_RDWR|unix.O_TRUNC))
		try("an unnamed file", reopened(unix.O_RDWR|unix.O_TMPFILE))
		try("ftruncate", unix.Ftruncate(fd, info.Size+1))
		try("fallocate", unix.Fallocate(fd, 0, 0, 1))
		_, err = unix.Mmap(fd, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		try("mmap", err)
		_, err = unix.Write(fd, []byte("x"))
		try("write", err)
	}
	if own {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
		try("seals", err)
	}
	// Changes of the mount: make it writable, mount it, make a writable clone of it.
	clear := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	try("mount_setattr", unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, clear))
	clone, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if try("open_tree", err); err == nil {
		unix.Close(clone)
	}
	at, err := os.MkdirTemp("", "at")
	if err == nil && info.Mode&unix.S_IFMT != unix.S_IFDIR {
		at = filepath.Join(at, "file")
		err = os.WriteFile(at, nil, 0o600)
	}
	if err == nil {
		err = unix.MoveMount(fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
	try("move_mount", err)
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		_, err = os.Stat(path + "/..")
		try("/..", err)
		return done
	}
	for _, leave := range []string{"..", "../..", "class/../.."} {
		var out unix.Stat_t
		if err := unix.Fstatat(fd, leave, &out, 0); err == nil && (out.Ino != info.Ino || out.Dev != info.Dev) {
			done = append(done, leave)
		}
	}
	var out unix.Stat_t
	if err := unix.Stat(path+"/..", &out); err == nil && (out.Ino != info.Ino || out.Dev != info.Dev) {
		done = append(done, path+"/..")
	}
	for what, change := range map[string]error{"mkdirat": unix.Mkdirat(fd, "new", 0o755), "symlinkat": unix.Symlinkat("x", fd, "link"),
		"unlinkat": unix.Unlinkat(fd, "class/drm/null", 0), "fchmodat": unix.Fchmodat(fd, ".", 0o777, 0)} {
		try(what, change)
	}
	return done
}

// attackFrom runs the client in a new mount namespace, as its user or as root of a new user namespace, and returns its output.
func attackFrom(t *testing.T, directory, own string, uid int, namespace bool) string {
	t.Helper()
	cmd := exec.Command(own, attackerWord, directory)
	cmd.Dir, cmd.Env = directory, []string{"TMPDIR=" + filepath.Dir(own)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if namespace {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// unprivileged is the ID of a user without any rights on the machine.
const unprivileged = 4243

// A client with every capability changes no file and leaves no directory through its descriptors. The service belongs to root or to an
// ordinary user, with and without the capabilities, user namespace, umask and system calls of its unit.
//
// holds: PRO-037 PRO-053
func TestBorder(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("a client with every capability takes root")
	}
	asUser := []string{"setpriv", fmt.Sprint("--reuid=", unprivileged), fmt.Sprint("--regid=", unprivileged), "--clear-groups", "--no-new-privs"}
	bounding := "--bounding-set=-all"
	for _, capability := range strings.Fields(settings(t, "vkloader.service", "CapabilityBoundingSet")[0]) {
		bounding += ",+" + strings.ToLower(strings.TrimPrefix(capability, "CAP_"))
	}
	for name, how := range map[string]struct {
		uid  int
		with []string
		unit string // whose system calls are allowed; "": all
	}{
		"root": {}, "user": {uid: unprivileged, with: asUser},
		"system unit": {with: []string{"setpriv", "--no-new-privs", bounding, "--inh-caps=-all"}, unit: "vkloader.service"},
		"user unit": {uid: unprivileged, with: append(slices.Clone(asUser), "unshare", "--user", "--map-current-user", "--mount"),
			unit: "user/vkloader.service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, err := os.MkdirTemp("", "border")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(top) })
			own := filepath.Join(top, "client", "attacker")
			root, at, source := withPackage(t, machine(t)), filepath.Join(top, "service"), filepath.Join(top, "service", "devices")
			self, err := os.ReadFile("/proc/self/exe")
			err = errors.Join(err, os.MkdirAll(filepath.Dir(own), 0o777), binary.WriteProgram(own, self), os.MkdirAll(filepath.Join(at, "run"), 0o755),
				os.Mkdir(filepath.Join(at, "run-private"), 0o755), os.Chmod(top, 0o755), os.Chown(top, how.uid, how.uid), os.Chown(at, how.uid, how.uid), os.CopyFS(filepath.Join(at, "root"), os.DirFS(root)))
			if err == nil {
				err = filepath.WalkDir(at, func(path string, _ os.DirEntry, err error) error {
					return errors.Join(err, os.Chown(path, how.uid, how.uid))
				})
			}
			if err = errors.Join(err, os.Chown(filepath.Dir(own), how.uid, how.uid)); err != nil {
				t.Fatal(err)
			}
			directory := filepath.Join(at, "run")
			args := slices.Clone(how.with)
			if how.unit != "" {
				args = append(args, filtered(t, how.unit, filepath.Dir(own))...)
			}
			copied := filepath.Join(filepath.Dir(own), "vkloader") // the user may not be allowed to enter the directory of the build
			if text, err := os.ReadFile(tool); err != nil || binary.WriteProgram(copied, text) != nil {
				t.Fatalf("no copy of the tool: %v", err)
			}
			args = append(args, copied, "service", "run", "--root", filepath.Join(at, "root"), "--set", "open_device=true", "--test-source", source)
			serve(t, exec.Command(args[0], args[1:]...), directory)
			device(t, source, filepath.Join(at, "root", "package"))
			for _, namespace := range []bool{false, true} {
				said := attackFrom(t, directory, own, how.uid, namespace)
				for _, want := range []string{"machine_drivers: 1", "open_file: 1", "connect_manifest_fs: 1", "connect_device_fs: 1", "get: 1", "inspect: 1"} {
					if !strings.Contains(said, "got "+want) {
						t.Errorf("in a user namespace %v: no %s", namespace, want)
					}
				}
				if strings.Contains(said, "broken") || testing.Verbose() {
					t.Logf("in a user namespace %v:\n%s", namespace, said)
				}
				if strings.Contains(said, "broken") {
					t.Fail()
				}
			}
		})
	}
}

// serve starts a service, perhaps of another user, and waits for its socket. It returns a function that reads the log.
func serve(t *testing.T, cmd *exec.Cmd, directory string) func() string {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	read := func() string {
		text, _ := os.ReadFile(log.Name())
		return string(text)
	}
	cmd.Dir, cmd.Stderr, cmd.Env = "/", log, append(os.Environ(), "VKLOADERD_DIR="+directory, "NOTIFY_SOCKET=", "JOURNAL_STREAM=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := protocol.Dial(filepath.Join(directory, "loader.sock"))
		if err == nil {
			c.Close()
			return read
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%v\n%s", err, read())
		default:
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// withPackage adds a driver's package to a root.
func withPackage(t *testing.T, root string) string {
	t.Helper()
	for name, text := range map[string]string{
		"meta/metadata/metadata.json": `{"version":1,"file_path":"lib.so","manifest_path":"icd.json"}`,
		"icd.json":                    `{"file_format_version":"1.0.0","ICD":{"library_path":"libfake.so","api_version":"1.3.0"}}`,
		"lib.so":                      "a library",
	} {
		path := filepath.Join(root, "package", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// device creates a scripted device with the driver of a package.
func device(t *testing.T, source, directory string) {
	t.Helper()
	scripted(t, source, "add null", fmt.Sprintf(`icds [{"component_url":"file://%s","flags":1}]`, directory))
}

// scripted creates a scripted device, and sends lines of its script.
func scripted(t *testing.T, source string, lines ...string) {
	t.Helper()
	c, err := net.Dial("unix", source)
	for end := time.Now().Add(5 * time.Minute); err != nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		c, err = net.Dial("unix", source) // the script's socket appears after the service's
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, line := range lines {
		fmt.Fprintln(c, line)
		if _, err := c.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
}
