package machine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// Manifests is the directory of driver manifests in Debian's packages.
const Manifests = "/usr/share/vulkan/icd.d"

// packageOf returns the Debian package of a file that the tests use, from tools/test-packages.txt.
func packageOf(t *testing.T, name string) string {
	list, err := os.ReadFile(filepath.Join(Repository(t), "tools/test-packages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			return words[1]
		}
	}
	return "that has it"
}

// Need fails the test if a program or a file is missing, and names its package.
func Need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		var err error
		if strings.HasPrefix(name, "/") {
			_, err = os.Stat(name)
		} else {
			_, err = exec.LookPath(name)
		}
		if err != nil {
			t.Fatalf("%s is missing: install the package %s (%v)", name, packageOf(t, name), err)
		}
	}
}

// Repository returns the root of the module.
func Repository(t *testing.T) string {
	t.Helper()
	return world.Top()
}

// Built returns the build directory of the library under test.
func Built(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(Repository(t), "build")
	for _, name := range []string{"libvulkan.so.1", "vkloader", "libexec/vkloader/probe"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatalf("not built: %v; run make first", err)
		}
	}
	return dir
}

// Loader is a loader library for programs.
type Loader struct {
	Name      string
	Directory string // for LD_LIBRARY_PATH
}

// Ours returns the built library.
func Ours(t *testing.T) Loader {
	return Loader{"ours", Built(t)}
}

// Debians returns the loader of the package libvulkan1.
func Debians(t *testing.T) Loader {
	Need(t, "/usr/lib/x86_64-linux-gnu/libvulkan.so.1")
	return Loader{"Debian's", "/usr/lib/x86_64-linux-gnu"}
}

// Stage is the environment of a test's programs: directories and variables.
type Stage struct {
	t       *testing.T
	Dir     string // working directory
	environ []string
	screen  string      // file of WithX's framebuffer
	until   func() bool // condition that ends a program
}

// New returns a stage in a new directory. The path is short, because it contains sockets.
func New(t *testing.T) *Stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "vkp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Stage{t: t, Dir: dir}
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

// With returns the same stage with more variables; later ones win.
func (s *Stage) With(pairs ...string) *Stage {
	more := *s
	more.environ = append(append([]string(nil), s.environ...), pairs...)
	return &more
}

// Until returns the same stage, whose programs are interrupted (SIGINT) once the condition holds.
func (s *Stage) Until(condition func() bool) *Stage {
	more := *s
	more.until = condition
	return &more
}

// FirstOf returns the first of the files that exists. The test fails if none does, and names the package of the last.
func FirstOf(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	Need(t, names[len(names)-1])
	return ""
}

// Lavapipe returns the manifest of Mesa's software driver, whose name has no processor since Debian 13.
func Lavapipe(t *testing.T) string {
	t.Helper()
	return FirstOf(t, Manifests+"/lvp_icd.json", Manifests+"/lvp_icd.x86_64.json")
}

// OnLavapipe returns the same stage with Mesa's software driver only.
func (s *Stage) OnLavapipe() *Stage {
	return s.With("VK_DRIVER_FILES=" + Lavapipe(s.t))
}

// Outcome describes the end of a program.
type Outcome struct {
	Command string
	Out     string
	Err     string
	Code    int // -1: killed by a signal
	How     string
	Mapped  []string // the initialized libraries, for RunTraced
}

// patience is the time limit of a program; several run at once on few cores.
const patience = 3 * time.Minute

// Run runs a program on a loader and waits for it.
func (s *Stage) Run(l Loader, name string, args ...string) Outcome {
	s.t.Helper()
	if !strings.HasPrefix(name, "/") {
		Need(s.t, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(s.Dir, "work")
	cmd.Env = append(append([]string(nil), s.environ...), "LD_LIBRARY_PATH="+l.Directory)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Start()
	if err == nil {
		go s.interrupt(ctx, cmd.Process)
		err = cmd.Wait()
		cancel()
	}
	result := Outcome{
		Command: fmt.Sprintf("%s on %s loader", strings.Join(append([]string{filepath.Base(name)}, args...), " "), l.Name),
		Out:     out.String(), Err: errOut.String(), How: "ended",
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		result.Code, result.How = -1, fmt.Sprintf("hung for %s", patience)
	case errors.As(err, &exit):
		result.Code, result.How = exit.ExitCode(), exit.String()
	case err != nil:
		s.t.Fatalf("%s: %v", result.Command, err)
	}
	return result
}

// interrupt sends SIGINT to a process once the stage's condition holds, unless the context is cancelled before.
func (s *Stage) interrupt(ctx context.Context, process *os.Process) {
	for s.until != nil && ctx.Err() == nil {
		if s.until() {
			process.Signal(os.Interrupt)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

var linkerTalk = regexp.MustCompile(`^\s+\d+:\t(?:calling init: (.*))?`)

// RunTraced runs a program like Run, and records the libraries that it and its children load, as the dynamic linker reports them.
func (s *Stage) RunTraced(l Loader, name string, args ...string) Outcome {
	s.t.Helper()
	o := s.With("LD_DEBUG=files").Run(l, name, args...)
	var kept []string
	for _, line := range strings.Split(o.Err, "\n") {
		switch talk := linkerTalk.FindStringSubmatch(line); {
		case talk == nil:
			kept = append(kept, line)
		case talk[1] != "":
			o.Mapped = append(o.Mapped, talk[1])
		}
	}
	o.Err = strings.Join(kept, "\n")
	return o
}

// HasLibrary reports whether a library was loaded, by its path or by its name alone.
func (o Outcome) HasLibrary(name string) bool {
	for _, path := range o.Mapped {
		if path == name || filepath.Base(path) == name {
			return true
		}
	}
	return false
}

// WantExit fails the test unless the program ended with this exit code.
func (o Outcome) WantExit(t *testing.T, code int) {
	t.Helper()
	if o.Code != code {
		t.Fatalf("%s: %s, want exit code %d\n%s\n%s", o.Command, o.How, code, Tail(o.Out), Tail(o.Err))
	}
}

// Tail returns the end of a long text.
func Tail(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) > 60 {
		lines = append([]string{"..."}, lines[len(lines)-60:]...)
	}
	return strings.Join(lines, "\n")
}

// WithX returns the stage with a new X server, on a display number that the server chooses. Servers that start at
// the same moment may want the same number; then one of them gives up and is started again.
func (s *Stage) WithX() *Stage {
	s.t.Helper()
	Need(s.t, "Xvfb")
	var err error
	for range 3 {
		var number int
		var directory string
		if directory, err = os.MkdirTemp(s.Dir, "screen"); err != nil {
			break
		}
		if number, err = s.startX(directory); err == nil {
			s = s.With(fmt.Sprintf("DISPLAY=:%d", number))
			s.screen = filepath.Join(directory, "Xvfb_screen0")
			return s
		}
	}
	s.t.Fatalf("Xvfb names no display: %v", err)
	return nil
}

func (s *Stage) startX(directory string) (number int, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer read.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset",
		"-fbdir", directory)
	cmd.ExtraFiles = []*os.File{write}
	s.start(cmd)
	write.Close()
	read.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, err = fmt.Fscanln(read, &number)
	return number, err
}

// Pixel returns the colour at a place on the screen of WithX, 0xRRGGBB, from the server's framebuffer file. The file has the
// format of xwd: a header of big-endian words, colours of 12 bytes each, and rows of little-endian pixels.
func (s *Stage) Pixel(x, y int) (uint32, error) {
	const headerSize, rowSize, colours = 0, 12, 19 // words of the header
	f, err := os.Open(s.screen)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return 0, err
	}
	word := func(i int) int64 { return int64(binary.BigEndian.Uint32(header[4*i:])) }
	pixel := make([]byte, 4)
	if _, err := f.ReadAt(pixel, word(headerSize)+12*word(colours)+int64(y)*word(rowSize)+4*int64(x)); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(pixel) & 0xffffff, nil
}

// WithWeston returns the stage with a new headless compositor.
func (s *Stage) WithWeston() *Stage {
	s.t.Helper()
	Need(s.t, "weston")
	cmd := exec.Command("weston", "--backend=headless-backend.so", "--socket=wayland-test", "--idle-time=0", "--no-config",
		"--width=800", "--height=600")
	log := s.start(cmd)
	// The socket exists before the shell, which programs need.
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(log)
		if err == nil && strings.Contains(string(text), "launching '") && strings.Contains(string(text), "desktop-shell'") {
			break
		}
		if time.Now().After(end) {
			s.t.Fatal("weston starts no shell")
		}
	}
	return s.With("WAYLAND_DISPLAY=wayland-test")
}

// start runs a server until the end of the test, and shows the server's output if the test fails.
func (s *Stage) start(cmd *exec.Cmd) (logPath string) {
	s.t.Helper()
	log, err := os.CreateTemp(s.Dir, "server")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.environ, s.Dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		// Its own process group: its children end with it.
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
			s.t.Logf("%s said:\n%s", cmd.Path, Tail(string(text)))
		}
		log.Close()
	})
	return log.Name()
}

// Difference returns the lines in which two texts differ; "" for equal texts.
func Difference(a, b string) string {
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
