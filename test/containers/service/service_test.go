package service

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tool is the path of the built tool.
var tool = func() string {
	path, err := filepath.Abs("../../../build/vkloader")
	if err != nil {
		panic(err)
	}
	return path
}()

// process is a running service.
type process struct {
	t         *testing.T
	cmd       *exec.Cmd
	directory string
	log       bytes.Buffer
	ended     chan error
}

// run starts a command that becomes a service, and waits until it reports on NOTIFY_SOCKET that it is ready.
func run(t *testing.T, directory string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, directory: directory, ended: make(chan error, 1)}
	path := filepath.Join(t.TempDir(), "notify")
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+path, "VKLOADERD_DIR="+directory, "JOURNAL_STREAM=")
	cmd.Stderr = &p.log
	if err := cmd.Start(); err != nil {
		t.Fatalf("the tool is not built, run make: %v", err)
	}
	go func() { p.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if p.ended != nil {
			// SIGTERM lets the service remove its directories, which are read-only.
			_ = cmd.Process.Signal(syscall.SIGTERM)
			<-p.ended
		}
	})
	if err := notify.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 100)
	if n, err := notify.Read(word); err != nil || string(word[:n]) != "READY=1" {
		t.Fatalf("it is not ready: %q, %v", word[:n], err)
	}
	return p
}

// stop ends the service by a signal and returns its state.
func (p *process) stop(signal syscall.Signal) error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.t.Fatal(err)
	}
	err := <-p.ended
	p.ended = nil
	return err
}

// vkloader runs a command of the tool.
func vkloader(directory string, args ...string) (out string, code int) {
	cmd := exec.Command(tool, args...)
	cmd.Env = append(os.Environ(), "VKLOADERD_DIR="+directory)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(text), exit.ExitCode()
	}
	if err != nil {
		return err.Error(), -1
	}
	return string(text), 0
}

// status returns the output of "service status" after the service has examined its drivers; the service answers earlier, too.
func status(t *testing.T, directory string, args ...string) (out string, code int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		out, code = vkloader(directory, append([]string{"service", "status"}, args...)...)
		if code != 0 || !strings.Contains(out, "still searching") || time.Now().After(end) {
			return out, code
		}
	}
}

// machine returns a root directory with one driver.
func machine(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	text, err := os.ReadFile("../../../build/drivers/libvk_null.so")
	if err != nil {
		t.Fatalf("the null driver is not built, run make: %v", err)
	}
	for name, data := range map[string][]byte{"usr/lib/x86_64-linux-gnu/libvk_null.so": text,
		"usr/share/vulkan/icd.d/null_icd.json": []byte(`{"file_format_version":"1.0.0","ICD":{"library_path":"libvk_null.so","api_version":"1.3.0"}}`),
		"usr/share/vulkan/icd.d/gone_icd.json": []byte(`{"file_format_version":"1.0.0","ICD":{"library_path":"libgone.so","api_version":"1.3.0"}}`)} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// holds: FLS-106 PRO-001 PRO-043 PRO-046
func TestLife(t *testing.T) {
	t.Parallel()
	directory, root := filepath.Join(t.TempDir(), "run"), machine(t)
	p := run(t, directory, exec.Command(tool, "service", "run", "--root", root))
	out, code := status(t, directory)
	if code != 0 || !strings.Contains(out, "null_icd.json") || !strings.Contains(out, "libgone.so is in no directory") {
		t.Errorf("status: %d\n%s", code, out)
	}
	out, code = vkloader(directory, "service", "status", "--json")
	var answer struct {
		Schema  int
		Drivers []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 0 || answer.Schema != 1 || len(answer.Drivers) != 1 {
		t.Errorf("status --json: %d %v\n%s", code, err, out)
	}
	out, code = vkloader(directory, "service", "inspect")
	var tree struct{ Root map[string]any }
	if err := json.Unmarshal([]byte(out), &tree); err != nil || code != 0 || tree.Root["config"] == nil {
		t.Errorf("inspect: %d %v\n%s", code, err, out)
	}
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	var text []byte
	for range 1000 {
		if text, _ = os.ReadFile(filepath.Join(directory+"-private", "inspect.json")); len(text) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Errorf("inspect.json: %v", err)
	}
	if err := p.stop(syscall.SIGTERM); err != nil {
		t.Errorf("its end: %v\n%s", err, p.log.String())
	}
	for _, name := range []string{"run/loader.sock", "run-private/loader-trusted.sock", "run-private/admin.sock", "run-private/debug"} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(directory), name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	if out, code := vkloader(directory, "service", "status"); code != 3 || !strings.Contains(out, "no service answers") {
		t.Errorf("without a service: %d %s", code, out)
	}
}

// A killed service does not prevent the next one.
//
// holds: PRO-001 FLS-108
func TestAfterKill(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := run(t, directory, exec.Command(tool, "service", "run", "--root", machine(t)))
	if err := p.stop(syscall.SIGKILL); err == nil {
		t.Error("it was killed")
	}
	p = run(t, directory, exec.Command(tool, "service", "run", "--root", machine(t)))
	if out, code := vkloader(directory, "service", "status"); code != 0 {
		t.Errorf("%d %s", code, out)
	}
	if err := p.stop(syscall.SIGINT); err != nil {
		t.Error(err)
	}
}

// holds: PRO-044 PRO-046
func TestRefusedStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--config", file("a", `{"colour":1}`)}, 2, `unknown key "colour"`},
		{[]string{"--config", filepath.Join(dir, "none")}, 1, "does not exist"},
		{[]string{"--set", "colour=1"}, 2, `unknown key "colour"`},
		{[]string{"--set", "open_device=5"}, 2, "open_device: needs a boolean"},
		{[]string{"--log-level", "loud"}, 2, "loud"},
		{[]string{"--directory", file("b", "") + "/below"}, 1, "not a directory"},
	} {
		out, code := vkloader(dir, append([]string{"service", "run"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.says) || strings.Count(out, "\n") != 1 {
			t.Errorf("%v: %d %q, want %d with %q in one line", c.args, code, out, c.code, c.says)
		}
	}
}

// systemd starts the service with open sockets, which the service must not remove.
//
// holds: PRO-001
func TestActivation(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	path := filepath.Join(directory, "elsewhere.sock")
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
	cmd := exec.Command("sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=loader exec "+tool+" service run --root "+machine(t))
	cmd.ExtraFiles = []*os.File{f}
	p := run(t, directory, cmd)
	f.Close()
	if out, code := status(t, directory, "--socket", path); code != 0 || !strings.Contains(out, "null_icd.json") {
		t.Errorf("%d %s", code, out)
	}
	if err := p.stop(syscall.SIGTERM); err != nil {
		t.Errorf("%v\n%s", err, p.log.String())
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the socket was not its own: %v", err)
	}
}

// Clients that connect and disconnect, with unread answers, leave no descriptor.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := run(t, directory, exec.Command(tool, "service", "run", "--root", machine(t), "--log-level", "error"))
	count := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	life := func() {
		c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: filepath.Join(directory, "loader.sock"), Net: "unixpacket"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, text := range []string{`{"id":1,"method":"machine_drivers","machine":"x86_64"}`, `{"id":2,"method":"inspect"}`,
			`{"id":3,"method":"connect_device_fs"}`} {
			if _, err := c.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Read(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	life()
	before := count()
	for range 200 {
		life()
	}
	after := count()
	for range 500 {
		if after <= before+5 {
			return
		}
		time.Sleep(10 * time.Millisecond)
		after = count()
	}
	t.Errorf("%d descriptors after 200 clients, %d before them", after, before)
}

// The log's lines have the journal's priorities.
func TestJournal(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(tool, "service", "run", "--root", machine(t), "--directory", t.TempDir())
	cmd.Env = append(os.Environ(), "JOURNAL_STREAM=8:1")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	found := false
	for !found && lines.Scan() {
		found = strings.HasPrefix(lines.Text(), "<6>msg=serving ")
	}
	if !found {
		t.Error("no line for the journal")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// With systemd's activation, a connection starts the service. Reading its directory does not.
//
// holds: FLS-102 PRO-001
func TestSystemdActivation(t *testing.T) {
	t.Parallel()
	activate, err := exec.LookPath("systemd-socket-activate")
	if err != nil {
		t.Skip("systemd-socket-activate is not installed")
	}
	directory := t.TempDir()
	path := filepath.Join(directory, "loader.sock")
	pid := filepath.Join(directory, "pid")
	cmd := exec.Command(activate, "--seqpacket", "-E", "VKLOADERD_DIR="+directory, "-l", path,
		"sh", "-c", "echo $$ >"+pid+"; exec "+tool+" service run --root "+machine(t))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // this process has become the service
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for range 1000 {
		if _, err = os.Stat(path); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(directory); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(directory+"-private", "inspect.json")); err == nil {
		t.Errorf("inspect.json: %s", text)
	}
	time.Sleep(200 * time.Millisecond)
	if _, err := os.Stat(pid); err == nil {
		t.Error("reading has started the service")
	}
	if out, code := status(t, directory); code != 0 || !strings.Contains(out, "null_icd.json") {
		t.Errorf("%d %s", code, out)
	}
	if _, err := os.Stat(pid); err != nil {
		t.Errorf("a client has not started it: %v", err)
	}
}

// systemd accepts the units of the machine and of a user.
func TestUnits(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for kind, from := range map[string]string{"--system": "../../../packaging/systemd", "--user": "../../../packaging/systemd/user"} {
		directory := t.TempDir()
		args := []string{kind, "--man=no", "verify"}
		for _, name := range []string{"vkloader.service", "vkloader.socket"} {
			text, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(directory, name)
			unit := strings.ReplaceAll(string(text), "@BINDIR@", filepath.Dir(tool))
			if err := os.WriteFile(path, []byte(unit), 0o644); err != nil {
				t.Fatal(err)
			}
			args = append(args, path)
		}
		cmd := exec.Command(analyze, args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+directory)
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), directory) {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
	}
}
