package discovery

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// logged returns the content of a file; "" if there is none.
func logged(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// withLog creates a world whose settings write the log to a file in the world.
func withLog(t *testing.T, path, more string) (*world.World, string) {
	w := world.New(t)
	w.Driver("card")
	path = w.Path(path)
	settingsObject(w, `{"vkloader_log_file":"`+path+`"`+more+`}`)
	return w, path
}

func makeInstance(h *world.Host) {
	h.OK("create_instance")
	h.Do("destroy_instance")
}

// TestLogFile checks that an instance's lines of stderr_log's levels are in the file, that only the user may access
// the file, and that standard error does not change.
func TestLogFile(t *testing.T) {
	t.Parallel()
	w, path := withLog(t, "loader.log", `,"stderr_log":["all"]`)
	h := w.Start()
	before := h.Do("state").Int("descriptors")
	makeInstance(h)
	if after := h.Do("state").Int("descriptors"); after != before {
		t.Errorf("%d descriptors, before %d", after, before)
	}
	info, err := os.Stat(path)
	wanted := os.FileMode(0o600)
	if world.Windows() {
		wanted = 0o640 // Wine's form of rights that the owner alone has
	}
	if err != nil || info.Mode().Perm() != wanted {
		t.Fatalf("%v, %v", info, err)
	}
	text := logged(t, path)
	line := regexp.MustCompile(`^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ \d+ \[Vulkan Loader\] .*$`)
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if !line.MatchString(l) {
			t.Errorf("line %q", l)
		}
	}
	for _, want := range []string{"an instance is created", "DRIVER: Searching for driver manifest files", "Unloading driver library"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// Without stderr_log: errors and warnings, only in the file.
	w.Env["VK_ADD_DRIVER_FILES"] = w.Path("gone.json")
	settingsObject(w, `{"vkloader_log_file":"`+path+`"}`)
	h.Quit()
	os.Remove(path)
	h = w.Start()
	makeInstance(h)
	h.Quit()
	if text := logged(t, path); strings.Contains(text, "DRIVER: ") || strings.Count(text, "\n") < 1 {
		t.Errorf("without stderr_log:\n%s", text)
	}
	if said := h.Stderr(); strings.Contains(said, "[Vulkan Loader]") {
		t.Errorf("standard error:\n%s", said)
	}
}

// TestLogFileLongLine checks that a line longer than the log's limit is cut off before its line feed, for each length
// around the limit.
func TestLogFileLongLine(t *testing.T) {
	t.Parallel()
	if world.Windows() {
		t.Skip("the line is made by the same code")
	}
	directory := t.TempDir()
	program := filepath.Join(directory, "logline")
	if err := world.Compile("-std=gnu11", "-D_GNU_SOURCE", "-I../../../spine", "-I../../../spine/asm/linux", "-o", program,
		"testdata/logline.c", "../../../spine/process/logline.c", "../../../spine/process/posix/logfile.c"); err != nil {
		t.Fatal(err)
	}
	longest := 0
	for n := 620; n < 720; n++ {
		path := filepath.Join(directory, "log")
		if out, err := world.Command(t.Context(), program, path, strconv.Itoa(n)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text := logged(t, path)
		_, body, _ := strings.Cut(text, "[Vulkan Loader] ")
		if body != strings.Repeat("x", len(body)-1)+"\n" || len(body)-1 > n {
			t.Errorf("%d bytes: %q", n, text)
		}
		longest = max(longest, len(text))
		must(t, os.Remove(path))
	}
	if longest != 699 {
		t.Errorf("the longest line has %d bytes", longest)
	}
}

// TestLogFileElsewhere checks that the file is written only if no other user can redirect the path. On Windows the
// directory's access rights do not matter: only users who may create links could redirect, and the opened file is
// checked.
func TestLogFileElsewhere(t *testing.T) {
	t.Parallel()
	const precious = "as it was"
	for _, c := range []struct {
		name    string
		make    func(t *testing.T, w *world.World, path string)
		written bool
	}{
		{"a new file", func(*testing.T, *world.World, string) {}, true},
		{"a file of the user's", func(t *testing.T, _ *world.World, path string) { write(t, path, precious) }, true},
		{"a link", func(t *testing.T, w *world.World, path string) {
			write(t, w.Path("precious"), precious)
			must(t, os.Symlink(w.Path("precious"), path))
		}, false},
		{"a dangling link", func(t *testing.T, w *world.World, path string) { must(t, os.Symlink(w.Path("precious"), path)) }, false},
		{"another name of a file", func(t *testing.T, w *world.World, path string) {
			write(t, w.Path("precious"), precious)
			must(t, os.Link(w.Path("precious"), path))
		}, false},
		{"a pipe", func(t *testing.T, _ *world.World, path string) { must(t, syscall.Mkfifo(path, 0o600)) }, false},
		{"a directory", func(t *testing.T, _ *world.World, path string) { must(t, os.Mkdir(path, 0o700)) }, false},
		{"a directory for everybody", func(t *testing.T, _ *world.World, path string) { must(t, os.Chmod(filepath.Dir(path), 0o777)) }, world.Windows()},
		{"a shared directory like /tmp", func(t *testing.T, _ *world.World, path string) {
			must(t, os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky))
		}, true},
		{"a directory that a link leads to", func(t *testing.T, w *world.World, path string) {
			must(t, os.Rename(filepath.Dir(path), w.Path("precious")))
			must(t, os.Symlink(w.Path("precious"), filepath.Dir(path)))
		}, false},
		{"another user's directory", func(t *testing.T, _ *world.World, path string) {
			if os.Getuid() != 0 {
				t.Skip("another user's directory takes root")
			}
			must(t, os.Chown(filepath.Dir(path), 4242, 4242))
		}, world.Windows()},
		{"another user's file", func(t *testing.T, w *world.World, path string) {
			if os.Getuid() != 0 {
				t.Skip("another user's file takes root")
			}
			write(t, path, precious)
			must(t, os.Chown(path, 4242, 4242))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, path := withLog(t, "logs/log", `,"stderr_log":["warn"]`)
			must(t, os.Mkdir(w.Path("logs"), 0o700))
			c.make(t, w, path)
			h := w.Start()
			makeInstance(h)
			h.Quit()
			refused := strings.Contains(h.Stderr(), "The log file "+path+" of the settings file cannot be written")
			written := false
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				written = strings.Contains(logged(t, path), "an instance is created")
			}
			if written != c.written || refused == c.written {
				t.Errorf("written: %v, refused: %v\n%s", written, refused, h.Stderr())
			}
			if text, err := os.ReadFile(w.Path("precious")); err == nil && string(text) != precious {
				t.Errorf("another file became %q", text)
			}
			if left, _ := os.ReadDir(w.Path("precious")); len(left) > 0 {
				t.Errorf("a file was made elsewhere: %v", left)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestLogFileIsBounded checks that the file never exceeds a megabyte: it is renamed to the single previous file. A
// forked child writes, too; on Windows, another thread.
func TestLogFileIsBounded(t *testing.T) {
	t.Parallel()
	w, path := withLog(t, "loader.log", "")
	write(t, path+".1", "older")
	write(t, path, strings.Repeat("x", 1<<20-10))
	h := w.Start()
	h.Do("script", "as", "s", "line", world.Line("create_instance", "as", "j"), "line", world.Line("destroy_instance", "instance", "j"))
	makeInstance(h)
	if old := logged(t, path+".1"); len(old) != 1<<20-10 {
		t.Errorf("the file before has %d bytes", len(old))
	}
	was := logged(t, path)
	if !strings.Contains(was, "an instance is created") || len(was) > 10000 {
		t.Errorf("the new file has %d bytes", len(was))
	}
	h.Do("attempt", "script", "s")
	if now := logged(t, path); !strings.HasPrefix(now, was) || !strings.Contains(now[len(was):], "an instance is created") {
		t.Errorf("a child writes %q", now[len(was):])
	}
	h.Quit()
}
