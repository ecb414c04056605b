package ui

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/machine"
	"vkloader/test/lib/world"
)

// The user of the server and its programs where the tests run as root: root's page changes files of the system only.
const nobody = 65534

func TestMain(m *testing.M) {
	code := m.Run()
	endChromium()
	if directory, err := tool(); err == nil && directory != "" {
		os.RemoveAll(directory)
	}
	os.Exit(code)
}

// tool is a directory with copies of the built programs, which every user may read.
var tool = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "vkloader-ui-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(directory, 0o755); err != nil {
		return directory, err
	}
	library, err := os.Readlink("../../../build/libvulkan.so.1")
	if err != nil {
		return directory, err
	}
	for _, name := range []string{"vkloader", library, "libexec/vkloader/probe", "drivers/libvk_null.so", "layers/libVkLayer_drawstats.so"} {
		to := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return directory, err
		}
		content, err := os.ReadFile(filepath.Join("../../../build", name))
		if err != nil {
			return directory, err
		}
		if err := binary.WriteProgram(to, content); err != nil {
			return directory, err
		}
	}
	return directory, os.Symlink(library, filepath.Join(directory, "libvulkan.so.1"))
})

// site is a directory of a user with all files that the loader finds, and the server of the user's page.
type site struct {
	t         *testing.T
	tool      string
	directory string
	environ   []string
	address   string      // with the token
	tracer    []string    // the program that runs the server
	stdin     io.Writer   // of the server
	more      chan string // its output after the address
	server    int         // its process, or that of its tracer
}

// newSite returns a site with the null driver and an active layer.
func newSite(t *testing.T) *site {
	t.Helper()
	machine.Built(t)
	directory, err := os.MkdirTemp("", "vkui")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	built, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, tool: built, directory: directory}
	s.environ = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + s.path("home"), "TMPDIR=" + s.path("tmp"), "XDG_RUNTIME_DIR=" + s.path("run"),
		"XDG_CONFIG_HOME=" + s.path("home/.config"), "XDG_DATA_HOME=" + s.path("home/.local/share"), "XDG_CONFIG_DIRS=" + s.path("etc"),
		"XDG_DATA_DIRS=" + s.path("share"), "LD_LIBRARY_PATH=" + built}
	for _, sub := range []string{"home", "tmp", "run", "work"} {
		s.own(sub)
	}
	s.write("share/vulkan/icd.d/null_icd.json", strings.Replace(manifestOf("ICD", map[string]any{"library_path": filepath.Join(built, "drivers/libvk_null.so"), "api_version": "1.3.0"}), "1.2.0", "1.0.1", 1))
	s.layer("implicit_layer.d/first.json", "VK_LAYER_TEST_first", map[string]any{"disable_environment": map[string]any{"DISABLE_FIRST": "1"}})
	s.layer("implicit_layer.d/second.json", "VK_LAYER_TEST_second", map[string]any{"disable_environment": map[string]any{"DISABLE_SECOND": "1"}})
	return s
}

// path returns a path below the site's directory.
func (s *site) path(name string) string { return filepath.Join(s.directory, name) }

// own creates a directory that the site's user may write.
func (s *site) own(name string) {
	s.t.Helper()
	if err := os.MkdirAll(s.path(name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(s.path(name), nobody, nobody); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := os.Chmod(s.directory, 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// write writes a file that the site's user may read.
func (s *site) write(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// read returns a file's text; "" without the file.
func (s *site) read(name string) string {
	text, _ := os.ReadFile(s.path(name))
	return string(text)
}

// replace changes the text of a file.
func (s *site) replace(name, old, new string) {
	s.t.Helper()
	text := s.read(name)
	if !strings.Contains(text, old) {
		s.t.Fatalf("no %q in %s", old, text)
	}
	if err := os.WriteFile(s.path(name), []byte(strings.Replace(text, old, new, 1)), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// layer writes the manifest of a layer, with a copy of the built library: two layers in one library would be one.
func (s *site) layer(name, layer string, more map[string]any) {
	s.t.Helper()
	library, err := os.ReadFile(filepath.Join(s.tool, "layers/libVkLayer_drawstats.so"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("lib/"+layer+".so", string(library))
	content := map[string]any{"name": layer, "type": "GLOBAL", "library_path": s.path("lib/" + layer + ".so"), "api_version": "1.3.0",
		"implementation_version": "1", "description": "a layer of the test"}
	for key, value := range more {
		content[key] = value
	}
	s.write("share/vulkan/"+name, manifestOf("layer", content))
}

// driver adds a fake driver.
func (s *site) driver(name string, lines ...string) {
	s.t.Helper()
	fake := world.New(s.t).Driver(name, lines...)
	for _, suffix := range []string{"", ".script"} {
		text, err := os.ReadFile(fake.Library + suffix)
		if err != nil {
			s.t.Fatal(err)
		}
		if suffix != "" { // its first line names the log
			_, rest, _ := strings.Cut(string(text), "\n")
			text = []byte("log " + world.Encode(s.path("tmp/log")) + "\n" + rest)
		}
		s.write("lib/"+name+".so"+suffix, string(text))
	}
	s.write("share/vulkan/icd.d/"+name+".json", manifestOf("ICD", map[string]any{"library_path": s.path("lib/" + name + ".so"), "api_version": "1.3.0"}))
}

func manifestOf(kind string, content map[string]any) string {
	text, err := json.MarshalIndent(map[string]any{"file_format_version": "1.2.0", kind: content}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// command returns the command for a program in the site.
func (s *site) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = s.environ, s.path("work")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// run runs a command line of the tool and returns its output.
func (s *site) run(args ...string) string {
	s.t.Helper()
	cmd := s.command(filepath.Join(s.tool, "vkloader"), args...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := within(s.t, "the end of "+cmd.String(), cmd.Run); err != nil {
		s.t.Fatalf("vkloader %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), said.String())
	}
	return out.String()
}

// serve starts the server of the page; it ends with its standard input.
func (s *site) serve(args ...string) *site {
	s.t.Helper()
	cmd := s.command(filepath.Join(s.tool, "vkloader"), append([]string{"ui"}, args...)...)
	if s.tracer != nil {
		path, err := exec.LookPath(s.tracer[0])
		if err != nil {
			s.t.Fatal(err)
		}
		cmd.Args = append(slices.Clone(s.tracer), append([]string{cmd.Path}, cmd.Args[1:]...)...)
		cmd.Path = path
	}
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	s.stdin, s.more, s.server = in, make(chan string, 10), cmd.Process.Pid
	go func() {
		defer close(s.more)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			s.more <- strings.TrimSpace(line)
		}
	}()
	s.t.Cleanup(func() {
		defer cmd.Process.Kill() // if it does not end
		in.Close()
		err := within(s.t, "the end of the server", func() error {
			for range s.more {
			}
			return cmd.Wait()
		})
		if err != nil || s.t.Failed() {
			s.t.Errorf("the server ended: %v\n%s", err, said.String())
		}
	})
	s.address = s.told()
	return s
}

// told returns the next line that the server writes, which is an address.
func (s *site) told() string {
	s.t.Helper()
	line := within(s.t, "an address of the server", func() string { return <-s.more })
	if line == "" {
		s.t.Fatal("the server tells no address")
	}
	return line
}

// page opens a page of the server in a browser, and waits until it is shown.
func (s *site) page(address string) *browser {
	s.t.Helper()
	b := browse(s.t)
	b.open(s.address)
	b.wait(`document.querySelector("main > [data-title]") && !document.querySelector("main[aria-busy]")`)
	b.to(address)
	return b
}

// to opens another page of the server, and waits until it is shown.
func (b *browser) to(address string) {
	b.t.Helper()
	before := eval[int](b, `loading`)
	eval[bool](b, `(() => { if (location.hash === %s) { load() } else { location.hash = %s } return true })()`, "#/"+address, "#/"+address)
	b.loaded(before)
}

// loaded waits for a page after a number of loads.
func (b *browser) loaded(before int) {
	b.t.Helper()
	b.wait(`loading > %s && !document.querySelector("main[aria-busy]")`, before)
}

// then runs an action that opens another page, and waits until the page is shown.
func (b *browser) then(what func()) {
	b.t.Helper()
	before := eval[int](b, `loading`)
	what()
	b.loaded(before)
}

// validation writes a manifest of the validation layer. The settings of the installed one differ between versions.
func (s *site) validation() {
	s.t.Helper()
	manifest, err := os.ReadFile("testdata/validation.json")
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json", string(manifest))
}

// program is a running program with the loader, as the site's user.
type program struct {
	pid int
	end func()
}

// start starts a program of this name, which has created an instance.
func (s *site) start(name string) *program {
	s.t.Helper()
	w := world.New(s.t)
	path := w.CopyHost(name)
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	syscall.ForkLock.RLock() // a child of another test would keep the file open for writing, and it could not be started
	s.write("bin/"+name, string(text))
	syscall.ForkLock.RUnlock()
	if err := os.Chmod(s.path("bin/"+name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.command(s.path("bin/"+name), filepath.Join(s.tool, "libvulkan.so.1"))
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	end := sync.OnceFunc(func() {
		defer cmd.Process.Kill() // if it does not end
		in.Close()
		_ = within(s.t, "the end of "+name, func() error {
			_, _ = io.Copy(io.Discard, answers)
			return cmd.Wait()
		})
	})
	s.t.Cleanup(end)
	if _, err := io.WriteString(in, "create_instance\n"); err != nil {
		s.t.Fatal(err)
	}
	answer := within(s.t, "an instance of "+name, func() string {
		line, _ := answers.ReadString('\n')
		return line
	})
	if answer == "" || strings.Contains(answer, "error") {
		end()
		s.t.Fatalf("the program answers %q\n%s", answer, said.String())
	}
	return &program{cmd.Process.Pid, end}
}
