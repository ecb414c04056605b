package client

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/test/lib/binary"
)

// asking is the variable with a directory; with it, this test program asks the service there and prints the result.
const asking = "VKLOADER_TEST_ASK"

func TestMain(m *testing.M) {
	directory, set := os.LookupEnv(asking)
	if !set {
		os.Exit(m.Run())
	}
	s := Ask(func(name string, _ bool) facts.Var {
		return facts.Var{Value: directory, Set: name == variables.ServiceDirectory.Name()}
	})
	fmt.Println("state", s.State)
}

// An elevated tool asks no driver service, as the library does in an elevated process.
//
// holds: PRO-008
func TestRaised(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("making a set-user-ID program of another user takes root")
	}
	directory, err := os.MkdirTemp("", "vkr") // every user can reach it, and a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(directory, "program")
	if err := binary.WriteProgram(program, text); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: filepath.Join(directory, "loader.sock"), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	for name, mode := range map[string]os.FileMode{directory: 0o755, filepath.Join(directory, "loader.sock"): 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		mode os.FileMode
		want facts.ServiceState
	}{{0o755, facts.ServiceEnded}, {0o755 | os.ModeSetuid, facts.ServiceNone}, {0o755 | os.ModeSetgid, facts.ServiceNone}} {
		if err := os.Chmod(program, c.mode); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.Env = []string{asking + "=" + directory}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.Output()
		if want := fmt.Sprintln("state", c.want); err != nil || strings.TrimSpace(string(out)) != strings.TrimSpace(want) {
			t.Errorf("%v: %v, %q, want %q", c.mode, err, out, want)
		}
	}
}
