package source

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The same files give the same bytes at any time, in any order, in any time zone, and with any permissions of others. Only programs
// are executable in the archive.
func TestSameFilesGiveSameArchive(t *testing.T) {
	t.Parallel()
	names := []string{"README.txt", "x64/vkloader.exe", "x64/libexec/probe.exe", "x86/vkloader.exe"}
	archive := filepath.Join(t.TempDir(), "a.zip")
	packed := func(names []string, text, program os.FileMode, at time.Time, zone string) (sum string) {
		t.Helper()
		top := filepath.Join(t.TempDir(), "vkloader-1")
		for _, name := range names {
			path, mode := filepath.Join(top, name), text
			if strings.HasSuffix(name, ".exe") {
				mode = program
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("of "+name), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("tools/zipped.sh", archive, top)
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), "TZ="+zone)
		out, err := cmd.Output()
		if err != nil || len(out) != 65 {
			t.Fatalf("%v: %q", err, out)
		}
		return string(out)
	}
	one := packed(names, 0o644, 0o755, time.Unix(1600000000, 0), "UTC")
	slices.Reverse(names)
	if other := packed(names, 0o600, 0o700, time.Unix(1650000000, 0), "Asia/Tokyo"); one != other {
		t.Error("two archives of the same files differ")
	}
	read, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for _, f := range read.File {
		name := strings.TrimPrefix(f.Name, "vkloader-1/")
		at := slices.Index(names, name)
		if at < 0 && !strings.HasSuffix(f.Name, "/") || !f.FileInfo().IsDir() && f.Mode()&0o100 != 0 != strings.HasSuffix(name, ".exe") {
			t.Errorf("%s has the permissions %v", f.Name, f.Mode())
		}
		if at >= 0 {
			names = slices.Delete(names, at, at+1)
		}
	}
	if len(names) > 0 {
		t.Errorf("%v are missing", names)
	}
}
