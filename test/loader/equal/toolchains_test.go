package equal

import (
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestToolchains checks that the previous and the next release of Go, if installed, translate the core to C that gives the same
// answers. They are found in PATH, from golang.org/dl, or fetched by a go command (GOTOOLCHAIN).
func TestToolchains(t *testing.T) {
	t.Parallel()
	var major, minor int
	if _, err := fmt.Sscanf(version.Lang(runtime.Version()), "go%d.%d", &major, &minor); err != nil {
		t.Skipf("this is Go %s, which has no neighbours: %v", runtime.Version(), err)
	}
	for _, wanted := range []int{minor - 1, minor + 1} {
		release := fmt.Sprintf("go%d.%d", major, wanted)
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			command := toolchain(t, release)
			if command == "" {
				t.Skipf("no toolchain of %s is installed; any go command fetches one: GOTOOLCHAIN=%s.0 go version", release, release)
			}
			calls := questions(t)
			core := translated(t, command, release)
			equal(t, release, calls, inGoCorpus(), compiled(t, core, []string{"gcc"}, []string{"-O1"}).inC(t, calls))
		})
	}
}

// toolchain returns the newest go command of a release.
func toolchain(t *testing.T, release string) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	patterns := []string{filepath.Join(home, "sdk", release+"*", "bin/go"),
		filepath.Join(strings.TrimSpace(string(cache)), "golang.org/toolchain@v*-"+release+"*."+runtime.GOOS+"-"+runtime.GOARCH, "bin/go")}
	for _, directory := range filepath.SplitList(os.Getenv("PATH")) {
		patterns = append(patterns, filepath.Join(directory, release+"*"))
	}
	best, newest := "", ""
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			cmd := exec.Command(path, "env", "GOVERSION")
			cmd.Env = foreign(t.TempDir())
			out, err := cmd.Output()
			v := strings.TrimSpace(string(out))
			if err == nil && version.Lang(v) == release && (best == "" || version.Compare(v, newest) > 0) {
				best, newest = path, v
			}
		}
	}
	t.Log(newest, best)
	return best
}

// foreign returns the environment for a toolchain other than the test's.
func foreign(path string) []string {
	own := slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"GOROOT", "GOTOOLCHAIN", "GOFLAGS", "PATH"}, name)
	})
	return append(own, "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "CGO_ENABLED=0", "PATH="+path+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// translated returns the core in C, as goc translates it from a copy of the source and that toolchain's library. A later release also
// compiles goc, because goc must understand its library; an earlier one may be too old for goc's imports.
func translated(t *testing.T, command, release string) (core string) {
	t.Helper()
	copied, bin := t.TempDir(), t.TempDir()
	core = filepath.Join(copied, "core.c")
	arguments := []string{"-o", core, "-macro", "vkloader/internal/core/search.linuxSysConfDir=VKL_SYSCONFDIR",
		"-macro", "vkloader/internal/core/search.linuxExtraDir=VKL_EXTRASYSCONFDIR", "-macro", "vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS",
		"./internal/core/entry", "Begin=core_go_begin", "Add=core_go_add", "Decide=core_go_decide"}
	// goc uses the first go command in PATH.
	if err := os.Symlink(command, filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	copies := []string{"internal/core"}
	var cmd *exec.Cmd
	if version.Compare(release, version.Lang(runtime.Version())) < 0 {
		goc := filepath.Join(bin, "goc")
		build := exec.Command("go", "build", "-o", goc, "./tools/goc")
		build.Dir = top
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		// the core imports only Go's library
		module := "module vkloader\n\ngo " + strings.TrimPrefix(release, "go") + ".0\n"
		if err := os.WriteFile(filepath.Join(copied, "go.mod"), []byte(module), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd = exec.Command(goc, arguments...)
	} else {
		copies = append(copies, "tools/goc", "go.mod", "go.sum")
		cmd = exec.Command(command, append([]string{"run", "./tools/goc"}, arguments...)...)
	}
	for _, name := range copies {
		cp := exec.Command("cp", "-r", "--parents", name, copied)
		cp.Dir = top
		if text, err := cp.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	cmd.Dir, cmd.Env = copied, foreign(bin)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.4000s", command, err, text)
	}
	return core
}
