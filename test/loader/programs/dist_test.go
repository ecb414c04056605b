package programs

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// "make dist" makes the same archive each time. Its source, unpacked in another directory, gives the same library without Go and, with
// Go, the same tool, probe, man pages and completions as the build here: no shipped file depends on the directory of the build.
func TestDistIsReproducible(t *testing.T) {
	t.Parallel()
	machine.Need(t, "make", "gcc", "git", "tar")
	repository, built := machine.Repository(t), machine.Built(t)
	dir := t.TempDir()
	run := func(in string, environment []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), environment...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}

	// The present tree, committed or not, through a separate git index.
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	run(repository, index, "git", "read-tree", "HEAD")
	run(repository, index, "git", "add", "-A")
	tree := run(repository, index, "git", "write-tree")
	var archives [2]string
	for i, name := range []string{"a", "a directory"} {
		to := filepath.Join(dir, name)
		if err := os.Mkdir(to, 0o755); err != nil {
			t.Fatal(err)
		}
		run(repository, nil, "make", "-s", "dist", "DIST="+to, "DIST_TREE="+tree)
		archives[i] = glob(t, filepath.Join(to, "vkloader-*.tar.gz"))[0]
	}
	same(t, archives[0], archives[1])

	// The other directory's path has spaces and an apostrophe, and CDPATH has directories of the repository's names.
	spaced, elsewhere := filepath.Join(dir, "a user's other directory"), filepath.Join(dir, "elsewhere")
	for _, name := range []string{spaced, filepath.Join(elsewhere, "tools"), filepath.Join(elsewhere, "build"), filepath.Join(elsewhere, "spine")} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run(spaced, nil, "tar", "-xf", archives[0])
	other := strings.TrimSuffix(filepath.Join(spaced, filepath.Base(archives[0])), ".tar.gz")
	confusing := []string{"CDPATH=" + elsewhere}
	run(other, confusing, "make", "-s", "spine", "GO=false")
	run(other, confusing, "make", "-s", "tool")
	run(other, confusing, "make", "-s", "install", "DESTDIR="+filepath.Join(spaced, "installed here"))
	if installed := glob(t, filepath.Join(spaced, "installed here", "*/*/lib*/libvulkan.so.1"))[0]; installed == "" {
		t.Error("make install installed no library")
	}
	compared := 0
	for _, shipped := range []string{
		"libvulkan.so." + libraryVersion(t), "vkloader", "libexec/vkloader/probe", "share",
	} {
		filepath.WalkDir(filepath.Join(built, shipped), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			below, err := filepath.Rel(built, path)
			if err != nil {
				t.Fatal(err)
			}
			same(t, path, filepath.Join(other, "build", below))
			compared++
			return nil
		})
	}
	if compared < 10 {
		t.Errorf("only %d files were compared", compared)
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Errorf("%s (%d bytes) and %s (%d bytes) differ", a, len(one), b, len(two))
	}
}
