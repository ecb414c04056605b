package windows

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A build in another directory gives the same bytes: the files contain neither the time nor the path of a build. The core in C is up to
// date.
func TestBuildsAreTheSame(t *testing.T) {
	t.Parallel()
	root(t)
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			parts := []string{"Makefile", "VERSION", "go.mod", "internal/machines", "spine", "internal/core/runtime", "build/windows/core.c"}
			for _, fragments := range []string{"*/build.mk", "*/*/build.mk", "*/*/*/build.mk"} {
				found, err := filepath.Glob(filepath.Join("../../..", fragments))
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range found {
					parts = append(parts, strings.TrimPrefix(filepath.ToSlash(file), "../../../"))
				}
			}
			copied := exec.Command("cp", append([]string{"-r", "--parents", "-t", top}, parts...)...)
			copied.Dir = "../../.."
			if out, err := copied.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			dll := filepath.Join("build/windows", size, "vulkan-1.dll")
			make := exec.Command("make", "-s", "-o", "build/windows/core.c", "TARGET=windows/"+size, dll)
			make.Dir = top
			make.Env = append(os.Environ(), "TARGET=", "MAKEFLAGS=")
			if out, err := make.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, end := range []string{"", ".debug"} {
				ours, err := os.ReadFile(filepath.Join("../../..", dll) + end)
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := os.ReadFile(filepath.Join(top, dll) + end)
				if err != nil {
					t.Fatal(err)
				}
				if at := firstDifference(ours, theirs); at >= 0 {
					t.Errorf("%s%s: two builds differ at byte %d of %d and %d", dll, end, at, len(ours), len(theirs))
				}
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}
