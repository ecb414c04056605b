package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

// Root's bundle, even with --force, follows no other user's link to a file of root.
func TestBundleThroughALink(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("making files of another user takes root")
	}
	const somebody = 4242
	top := t.TempDir()
	precious, theirs := filepath.Join(top, "precious"), filepath.Join(top, "theirs")
	link := filepath.Join(theirs, "bundle.tar.gz")
	err := errors.Join(os.WriteFile(precious, []byte("as it was"), 0o600), os.Mkdir(theirs, 0o755), os.Symlink(precious, link),
		os.Lchown(link, somebody, somebody), os.Chown(theirs, somebody, somebody))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeBundle(link, true, nil); err == nil {
		t.Error("it is written")
	}
	if f, err := machine.Output(link, 0o666); err == nil {
		t.Error("a log is written")
		f.Close()
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "as it was" {
		t.Errorf("%q, %v", text, err)
	}
}

// The tool writes only through package machine, which holds directories by descriptors, because a path used twice, or a
// symbolic link, can be redirected. The exceptions write below a private directory, or run in the build.
func TestWritesByPath(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`\bos\.(Create|CreateTemp|WriteFile|OpenFile|Rename|Remove|RemoveAll|Mkdir|MkdirAll|Symlink|Link|Chmod|Chown|Truncate)\(`)
	except := map[string]string{
		"tool/cli/root.go":                "a temporary directory, mode 0700",
		"tool/cli/cdiwhy_linux.go":        "what another process has open, which the kernel names",
		"tool/cli/pages.go":               "the manual, when the project is built",
		"tool/cli/ui_unix.go":             "a temporary directory, mode 0700",
		"tool/doctor/probed.go":           "a node, which is opened alone",
		"decide/explain/change_unix.go":   "a temporary directory, mode 0700",
		"decide/machine/output_linux.go":  "the functions themselves: what is there is opened, nothing is made",
		"decide/machine/machine_linux.go": "for reading",
	}
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, "_windows.go") || strings.HasSuffix(path, "_darwin.go") || strings.HasSuffix(path, "_other.go") {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		if room, _, _ := strings.Cut(strings.TrimPrefix(name, "containers/"), "/"); room != "cdi" && strings.HasPrefix(name, "containers/") {
			return nil // the service has its own files
		}
		text, err := os.ReadFile(path)
		found := names.FindAllString(string(text), -1)
		if _, excepted := except[name]; len(found) > 0 && !excepted {
			t.Errorf("%s: %s", name, strings.Join(found, " "))
		} else if excepted && len(found) == 0 {
			t.Errorf("%s: no exception any more", name)
		}
		delete(except, name)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for name := range except {
		t.Errorf("%s: no file", name)
	}
}
