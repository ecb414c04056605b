package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manifests is where Debian's packages put their driver manifests.
const manifests = "/usr/share/vulkan/icd.d"

// packageOf says which Debian package brings what the tests use.
var packageOf = map[string]string{
	"vulkaninfo": "vulkan-tools", "vkcube": "vulkan-tools", "vkcube-wayland": "vulkan-tools", "Xvfb": "xvfb",
	"weston": "weston", "gcc": "gcc", "make": "make", "cmake": "cmake", "pkg-config": "pkg-config",
	manifests + "/lvp_icd.x86_64.json":                                   "mesa-vulkan-drivers",
	"/usr/share/vulkan/explicit_layer.d/VkLayer_MESA_overlay.json":       "mesa-vulkan-drivers",
	"/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json": "mesa-vulkan-drivers",
	"/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json": "vulkan-validationlayers",
	"/usr/lib/x86_64-linux-gnu/libvulkan.so.1":                           "libvulkan1",
}

// need fails the test when a program or a file is missing, with the package that has it.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		var err error
		if strings.HasPrefix(name, "/") {
			_, err = os.Stat(name)
		} else {
			_, err = exec.LookPath(name)
		}
		if err != nil {
			t.Fatalf("%s is missing: install the package %s (%v)", name, packageOf[name], err)
		}
	}
}

// repository is the root of the module.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// built is the build folder with the library in it.
func built(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(repository(t), "build")
	for _, name := range []string{"libvulkan.so.1", "vkloader", "libexec/vkloader/probe"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatalf("not built: %v; run make first", err)
		}
	}
	return dir
}

// loader is one of the two libraries that programs are run on.
type loader struct {
	name   string
	folder string // for LD_LIBRARY_PATH
}

func ours(t *testing.T) loader {
	return loader{"ours", built(t)}
}

func debians(t *testing.T) loader {
	need(t, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1")
	return loader{"Debian's", "/usr/lib/x86_64-linux-gnu"}
}

// stage is a test's own surroundings: folders and variables.
type stage struct {
	t       *testing.T
	dir     string // working folder
	environ []string
}

// newStage has a short path, because sockets are made in it.
func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "vkp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &stage{t: t, dir: dir}
	for _, sub := range []string{"home", "run", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.environ = []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + dir,
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
	}
	return s
}

// with gives the same stage with more variables; later ones win.
func (s *stage) with(pairs ...string) *stage {
	more := *s
	more.environ = append(append([]string(nil), s.environ...), pairs...)
	return &more
}

// onLavapipe leaves only Mesa's software driver.
func (s *stage) onLavapipe() *stage {
	need(s.t, manifests+"/lvp_icd.x86_64.json")
	return s.with("VK_DRIVER_FILES=" + manifests + "/lvp_icd.x86_64.json")
}

// outcome is what a program left behind.
type outcome struct {
	command string
	out     string
	err     string
	code    int // -1 when it was killed
	how     string
}

// patience is how long a program may take; several run at once on few cores.
const patience = 3 * time.Minute

// run runs a program on a loader and waits for it.
func (s *stage) run(l loader, name string, args ...string) outcome {
	s.t.Helper()
	if !strings.HasPrefix(name, "/") {
		need(s.t, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(s.dir, "work")
	cmd.Env = append(append([]string(nil), s.environ...), "LD_LIBRARY_PATH="+l.folder)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	result := outcome{
		command: fmt.Sprintf("%s on %s loader", strings.Join(append([]string{filepath.Base(name)}, args...), " "), l.name),
		out:     out.String(), err: errOut.String(), how: "ended",
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		result.code, result.how = -1, fmt.Sprintf("no end within %s", patience)
	case errors.As(err, &exit):
		result.code, result.how = exit.ExitCode(), exit.String()
	case err != nil:
		s.t.Fatalf("%s: %v", result.command, err)
	}
	return result
}

// wantExit fails the test when the program ended otherwise.
func (o outcome) wantExit(t *testing.T, code int) {
	t.Helper()
	if o.code != code {
		t.Fatalf("%s: %s, want exit code %d\n%s\n%s", o.command, o.how, code, tail(o.out), tail(o.err))
	}
}

func tail(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) > 60 {
		lines = append([]string{"..."}, lines[len(lines)-60:]...)
	}
	return strings.Join(lines, "\n")
}

// withX gives the stage with an X server of its own, on a display number that the server chooses. Servers that start at
// the same moment may want the same number; then one of them gives up and is started again.
func (s *stage) withX() *stage {
	s.t.Helper()
	need(s.t, "Xvfb")
	var err error
	for range 3 {
		var number int
		if number, err = s.startX(); err == nil {
			return s.with(fmt.Sprintf("DISPLAY=:%d", number))
		}
	}
	s.t.Fatalf("Xvfb names no display: %v", err)
	return nil
}

func (s *stage) startX() (number int, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer read.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	s.start(cmd)
	write.Close()
	read.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, err = fmt.Fscanln(read, &number)
	return number, err
}

// withWeston gives the stage with a headless compositor of its own.
func (s *stage) withWeston() *stage {
	s.t.Helper()
	need(s.t, "weston")
	cmd := exec.Command("weston", "--backend=headless-backend.so", "--socket=wayland-test", "--idle-time=0", "--no-config",
		"--width=800", "--height=600")
	log := s.start(cmd)
	// The socket is there before the shell is; programs need the shell.
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(log)
		if err == nil && strings.Contains(string(text), "launching '") && strings.Contains(string(text), "desktop-shell'") {
			break
		}
		if time.Now().After(end) {
			s.t.Fatal("weston starts no shell")
		}
	}
	return s.with("WAYLAND_DISPLAY=wayland-test")
}

// start runs a server until the test's end; what it says is shown when the test fails.
func (s *stage) start(cmd *exec.Cmd) (logPath string) {
	s.t.Helper()
	log, err := os.CreateTemp(s.dir, "server")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.environ, s.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		// Its own process group: what it has started goes with it.
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if s.t.Failed() {
			log.Seek(0, io.SeekStart)
			text, _ := io.ReadAll(log)
			s.t.Logf("%s said:\n%s", cmd.Path, tail(string(text)))
		}
		log.Close()
	})
	return log.Name()
}

// difference shows where two texts differ, line by line; empty when they do not.
func difference(a, b string) string {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	count := map[string]int{}
	for _, line := range left {
		count[line]++
	}
	for _, line := range right {
		count[line]--
	}
	var only []string
	for _, side := range []struct {
		sign  string
		lines []string
		way   int
	}{{"-", left, 1}, {"+", right, -1}} {
		for _, line := range side.lines {
			if count[line]*side.way > 0 {
				count[line] -= side.way
				only = append(only, side.sign+" "+line)
			}
		}
	}
	if len(only) == 0 && a != b {
		return "the same lines in another order"
	}
	if len(only) > 40 {
		only = append(only[:40], fmt.Sprintf("... and %d more", len(only)-40))
	}
	return strings.Join(only, "\n")
}
