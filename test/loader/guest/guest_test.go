package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

var (
	built     sync.Once
	directory string
	failure   error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if directory != "" {
		os.RemoveAll(directory)
	}
	os.Exit(code)
}

// compile builds a program or library from C files of this package, and returns its path.
func compile(t testing.TB, name string, arguments ...string) string {
	t.Helper()
	built.Do(func() { directory, failure = os.MkdirTemp("", "guest") })
	if failure != nil {
		t.Fatal(failure)
	}
	// A directory for each call: tests run at once.
	own, err := os.MkdirTemp(directory, "")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(own, name)
	all := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-o", out}
	all = append(all, sanitizer()...)
	for _, a := range arguments {
		files, err := filepath.Glob(a)
		if err == nil && len(files) > 0 {
			all = append(all, files...)
		} else {
			all = append(all, a)
		}
	}
	if err := world.Compile(append(all, "-ldl", "-lpthread")...); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// sanitizer returns the flags with which programs are built, so that a sanitized library finds its runtime.
func sanitizer() []string {
	switch world.Variant() {
	case "asan":
		return []string{"-fsanitize=address,undefined"}
	case "tsan":
		return []string{"-fsanitize=thread"}
	}
	return nil
}

// plain skips cases that measure or limit memory if the library has a sanitizer, which needs much more.
func plain(t testing.TB) {
	t.Helper()
	if world.Variant() != "" {
		t.Skip("not with a sanitizer")
	}
}

// root skips cases that change mounts or users.
func root(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
}

var program = sync.OnceValue(func() func(testing.TB) string {
	var once sync.Once
	var path string
	return func(t testing.TB) string {
		once.Do(func() { path = compile(t, "guest", "-rdynamic", "program/*.c") })
		return path
	}
})

// run is the way to run a case.
type run struct {
	loader  string            // the loader under test
	program string            // the guest program
	env     map[string]string // added to the usual variables
	prefix  []string          // words before the program, such as another program that starts it
	limit   time.Duration     // by default three minutes
}

type ended struct {
	state          *os.ProcessState
	stdout, stderr string
}

// start runs a case to its end.
func (r run) start(t testing.TB, words ...string) ended {
	t.Helper()
	if r.loader == "" {
		r.loader = world.Library()
	}
	if r.program == "" {
		r.program = program()(t)
	}
	if r.limit == 0 {
		r.limit = 3 * time.Minute // a busy machine is no failure
	}
	if world.Variant() != "" {
		r.limit *= 4
	}
	empty := t.TempDir()
	manifest := filepath.Join(world.Build(), "drivers/null_icd.json")
	env := map[string]string{
		"PATH": "/usr/bin:/bin", "HOME": empty, "LC_ALL": "C",
		"VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest,
		"VK_LAYER_PATH": empty, "VK_IMPLICIT_LAYER_PATH": empty,
		"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigill=0:handle_sigbus=0:use_sigaltstack=0",
		"TSAN_OPTIONS": "handle_segv=0:handle_abort=0:die_after_fork=0:report_signal_unsafe=0",
	}
	for k, v := range r.env {
		env[k] = v
	}
	for _, k := range []string{"GUEST_SECONDS", "GUEST_CHILDREN", "GUEST_DEPTH"} {
		if v, ok := os.LookupEnv(k); ok {
			env[k] = v
		}
	}
	if s := os.Getenv("GUEST_SECONDS"); s != "" {
		if d, err := time.ParseDuration(s + "s"); err == nil {
			r.limit += d
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	command := world.Command(ctx, r.program, append([]string{r.loader}, words...)...)
	if len(r.prefix) > 0 {
		line := append(append(append([]string{}, r.prefix...), r.program, r.loader), words...)
		command = exec.CommandContext(ctx, line[0], line[1:]...)
	}
	for k, v := range env {
		command.Env = append(command.Env, k+"="+v)
	}
	var out, talk bytes.Buffer
	command.Stdout, command.Stderr = &out, &talk
	command.WaitDelay = time.Second
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", words[0], err, talk.String())
	}
	if ctx.Err() != nil {
		t.Fatalf("%s: not at an end after %v\n%s", words[0], r.limit, talk.String())
	}
	return ended{command.ProcessState, out.String(), talk.String()}
}

// holds runs a case that must succeed, and returns its output.
func (r run) holds(t testing.TB, words ...string) string {
	t.Helper()
	e := r.start(t, words...)
	if e.state.ExitCode() != 0 {
		t.Fatalf("%s: %v\n%s%s", words, e.state, e.stdout, e.stderr)
	}
	if text := strings.TrimSpace(e.stdout); text != "" {
		t.Log(text)
	}
	return e.stdout
}

// control also runs the case with the distribution's loader, if installed.
func control(t *testing.T, words ...string) {
	t.Helper()
	t.Run("control", func(t *testing.T) {
		if world.Variant() != "" || os.Getenv("VKLOADER_TEST_LIBRARY") != "" {
			t.Skip("seen with the plain build")
		}
		if _, err := os.Stat(world.SystemLibrary); err != nil {
			t.Skip(err)
		}
		run{loader: world.SystemLibrary}.holds(t, words...)
	})
}

// both runs a case on the loader under test and on the control.
func both(t *testing.T, words ...string) {
	t.Helper()
	run{}.holds(t, words...)
	control(t, words...)
}

// standIn links the library under test again, from the objects of its build, with library/standin.c in front of the
// core.
func standIn(t testing.TB) string {
	t.Helper()
	if os.Getenv("VKLOADER_TEST_LIBRARY") != "" {
		t.Skip("another library's objects are not known")
	}
	directory := filepath.Join(world.Build(), world.Variant(), "obj")
	objects := []string{filepath.Join(directory, "core.o")}
	err := filepath.WalkDir(filepath.Join(directory, "spine"), func(path string, _ fs.DirEntry, err error) error {
		if source, ours := strings.CutSuffix(path, ".o"); err == nil && ours {
			_, gone := os.Stat(filepath.Join(world.Top(), strings.TrimPrefix(source, directory)))
			if gone == nil { // otherwise its source was renamed since
				objects = append(objects, path)
			}
		}
		return err
	})
	if err != nil || len(objects) < 20 {
		t.Fatalf("%d objects of the build: %v", len(objects), err)
	}
	return compile(t, "libvulkan.so.1", append([]string{"-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-soname,libvulkan.so.1",
		"-Wl,-Bsymbolic", "-Wl,--wrap=core_go_decide", "library/standin.c"}, objects...)...)
}

// copyFile copies a file, following links, and returns the copy's path.
func copyFile(t testing.TB, from, to string) string {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = binary.WriteProgram(to, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// readableByAll returns a run with copies of the loader and the null driver in a directory that every user can read,
// since the build directory may be in a home directory. It is for cases that give up root.
func readableByAll(t testing.TB) run {
	t.Helper()
	place, err := os.MkdirTemp("", "guest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	if err := os.Chmod(place, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libvk_null.so", "null_icd.json"} {
		copyFile(t, filepath.Join(world.Build(), "drivers", name), filepath.Join(place, name))
	}
	manifest := filepath.Join(place, "null_icd.json")
	return run{loader: copyFile(t, world.Library(), filepath.Join(place, "libvulkan.so.1")),
		env: map[string]string{"VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest}}
}

// resolved returns the real path of a temporary directory.
func resolved(t testing.TB) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func wantText(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not said in\n%s", part, text)
		}
	}
}

// result runs a case that prints the VkResult of its call, and must not crash with any result.
func (r run) result(t testing.TB, words ...string) (int, string) {
	t.Helper()
	e := r.start(t, words...)
	var value int
	if _, err := fmt.Sscan(e.stdout, &value); err != nil || e.state.ExitCode() != 0 {
		t.Fatalf("%v: %v\n%s%s", words, e.state, e.stdout, e.stderr)
	}
	return value, e.stderr
}
