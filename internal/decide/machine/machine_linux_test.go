package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/test/lib/tree"
)

// laid makes files and links (content "-> TARGET") below a new directory. A secret is outside of this directory.
func laid(t *testing.T, files map[string]string) *Machine {
	t.Helper()
	top := t.TempDir()
	tree.Lay(t, top, map[string]string{"secret.json": "outside"})
	tree.Lay(t, filepath.Join(top, "root"), files)
	return &Machine{Root: filepath.Join(top, "root")}
}

// A link leads to the same file as on that machine, and never out of the root.
func TestLinksStayInside(t *testing.T) {
	t.Parallel()
	m := laid(t, map[string]string{
		"d/a.json": "a", "absolute": "-> /d", "d/up.json": "-> ../../../../d/a.json", "out.json": "-> ../secret.json",
		"secret.json": "inside", "l1": "-> l2", "l2": "-> l1", "far": "-> absolute/./up.json", "dangling": "-> /no/such",
		"s/abs.json": "-> /d/a.json",
	})
	for name, want := range map[string]string{
		"/d/a.json": "a", "absolute/a.json": "a", "/absolute/../secret.json": "inside", "/d/up.json": "a", "/far": "a", "/s/abs.json": "a",
		"/out.json": "inside", "/../secret.json": "inside", "//d//./a.json": "a",
	} {
		if got, err := m.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"/far": "/d/a.json", "/dangling/x": "/no/such/x", "out.json": "/secret.json"} {
		if got, err := m.Real(name); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := m.ReadFile("/l1"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a circle: %v", err)
	}
	if _, err := m.Open("/no/such"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), m.Root) {
		t.Errorf("the error does not show the machine's path: %v", err)
	}
	if info, err := m.Lstat("/dangling"); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if target, err := m.Readlink("/absolute/up.json"); err != nil || target != "../../../../d/a.json" {
		t.Errorf("%s, %v", target, err)
	}
	if m.Exists("/dangling") || !m.Exists("/far") {
		t.Error("what exists")
	}
	if entries, err := m.ReadDir("/absolute"); err != nil || len(entries) != 2 || entries[0].Name() != "a.json" {
		t.Errorf("%v, %v", entries, err)
	}
}

// A foreign machine has only the given variables, and none of this process.
func TestForeignSource(t *testing.T) {
	t.Setenv("VKLOADER_TEST_LEAK", "1")
	files, sorted := map[string]string{"d/b.json": "b", "d/a.json": "a", "d/c.txt": "c"}, []string{"a.json", "b.json"}
	for i := range 50 { // so many that no file system lists them sorted by chance
		name := fmt.Sprintf("x%02d.json", i*37%50)
		files["d/"+name] = ""
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	s := &Source{Machine: *laid(t, files)}
	s.Environ = []string{"A=1", "A=2", "AB=3"}
	if v := s.Var("VKLOADER_TEST_LEAK", false); v.Set {
		t.Error("a variable of this process")
	}
	if v := s.Var("A", true); v.Value != "1" {
		t.Errorf("%+v", v)
	}
	if f := s.Directory("/d"); !slices.Equal(f.Names, sorted) {
		t.Errorf("%+v", f)
	}
	if f := s.File("/d/b.json"); f.Content != "b" {
		t.Errorf("%+v", f)
	}
	if exe := s.Exe(); exe.Path != "" || !exe.Known {
		t.Errorf("%+v", exe)
	}
	if here := (&Source{}); here.Foreign() || here.Exe().Path == "" || !here.Exists("/") {
		t.Error("this machine")
	}
}

// The root of another process is the directory behind the kernel's link, not the text of that link.
func TestProcessRoot(t *testing.T) {
	t.Parallel()
	m := &Machine{Root: "/proc/self/root"}
	if !m.Foreign() || !m.Exists("/proc/version") || m.Exists("/no/such") {
		t.Error("the process's own root")
	}
}

// A file that is replaced by a link during reading never leads out of the root, with openat2 and without.
func TestSwappedLinks(t *testing.T) {
	t.Parallel()
	m := laid(t, map[string]string{"d/a.json": "inside", "spare": "x"})
	outside := filepath.Dir(m.Root)
	if err := os.WriteFile(filepath.Join(outside, "a.json"), []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	// "d" is alternately a directory and a link to the one outside.
	link := filepath.Join(m.Root, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan bool), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, filepath.Join(m.Root, "d"), unix.RENAME_EXCHANGE); err != nil {
				ended <- err
				return
			}
		}
	}()
	for range 2000 {
		if data, err := m.ReadFile("/d/a.json"); err == nil && string(data) != "inside" {
			t.Fatalf("read %q", data)
		}
		if f, err := walkOpen(t, m, "/d/a.json", unix.O_RDONLY); err == nil {
			data, _ := readAll(f)
			if f.Close(); string(data) != "inside" {
				t.Fatalf("read %q without openat2", data)
			}
		}
		if place, err := m.PlaceOf("/d/new.json", false); err == nil {
			err = place.Replace([]byte("new"), 0o644)
			place.Close()
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "new.json")); err == nil {
		t.Error("written outside")
	}
}

// Without openat2, paths lead to the same files.
func TestWalkOpen(t *testing.T) {
	t.Parallel()
	m := laid(t, map[string]string{"d/a.json": "a", "absolute": "-> /d", "d/up.json": "-> ../../../../d/a.json",
		"out.json": "-> ../secret.json", "l1": "-> l2", "l2": "-> l1"})
	for name, want := range map[string]string{"/absolute/up.json": "a", "/d/../absolute/./a.json": "a", "/out.json": "", "/l1": "", "/d/a.json/x": ""} {
		f, err := walkOpen(t, m, name, unix.O_RDONLY)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if data, _ := readAll(f); string(data) != want || want == "" {
			t.Errorf("%s: %q", name, data)
		}
		f.Close()
	}
}

// Every method treats the files in Without as missing.
func TestWithout(t *testing.T) {
	t.Parallel()
	s := &Source{Machine: *laid(t, map[string]string{"d/a.json": "a", "d/b.json": "b"})}
	s.Without = []string{"/d/a.json"}
	if s.Exists("/d//a.json") || len(s.Directory("/d").Names) != 1 || s.File("/d/a.json").Content != "" || s.File("/d/b.json").Content != "b" {
		t.Error("it is there")
	}
	if entries, err := s.ReadDir("/d"); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Link replaces a file in one step. Unlink removes an existing link.
func TestPlaceLinks(t *testing.T) {
	t.Parallel()
	m := &Machine{Root: t.TempDir()}
	place, err := m.PlaceOf("/lib/x", true)
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	left := filepath.Join(m.Root, "lib", fmt.Sprintf(".a.%d", os.Getpid())) // a file of an earlier process that was killed
	if err := os.Symlink("nowhere", left); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"one", "two"} {
		if err := place.Link("a", target); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(filepath.Join(m.Root, "lib/a")); got != target {
			t.Errorf("%s, %v", got, err)
		}
	}
	for range 2 {
		if err := place.Unlink("a"); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(m.Root, "lib")); len(entries) > 0 || err != nil {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// walkOpen opens a path as without openat2.
func walkOpen(t *testing.T, m *Machine, name string, flags int) (*os.File, error) {
	t.Helper()
	root, err := m.rootDirectory()
	if err != nil {
		t.Fatal(err)
	}
	return root.openResolved(name, flags)
}
