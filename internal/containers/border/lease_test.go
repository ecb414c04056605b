package border

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// leaser is the variable with which TestLeases starts this test's program as a client.
const leaser = "BORDER_TEST_LEASES"

// lease takes a lease on a file, as a process may that has the file's owner's user ID.
func lease(f *os.File) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return err
}

// A client that is not the machine's root takes no lease on a file that it got. The lease of root delays no replacement
// of the file.
func TestLeases(t *testing.T) {
	if os.Getenv(leaser) != "" {
		if err := lease(os.NewFile(3, "library")); err != nil {
			t.Fatal("no lease:", err)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root makes mounts")
	}
	name := filepath.Join(t.TempDir(), "library")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opened, err := (&Border{}).Open(Library, f)
	if errors.Is(err, ErrUnsupported) {
		t.Skip("this machine makes no mounts:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	library := opened[0]
	defer library.Close()
	client := exec.Command("/proc/self/exe", "-test.run=^TestLeases$")
	client.Env, client.ExtraFiles, client.Dir = []string{leaser + "=1"}, []*os.File{library}, "/"
	client.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242}}
	if out, err := client.CombinedOutput(); err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("another user: %v\n%s", err, out)
	}
	if err := lease(library); err != nil {
		t.Skip("this file system has no leases:", err)
	}
	if err := os.WriteFile(name+".new", []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
	if kind, err := unix.FcntlInt(library.Fd(), unix.F_GETLEASE, 0); err != nil || kind != unix.F_RDLCK {
		t.Errorf("the replacement had to break the lease: %d %v", kind, err)
	}
}
