package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// make ends before any other work if there is no Go, or one older than go.mod's version, and says where to get one.
func TestGoIsCheckedFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, says string }{
		"absent":   {"", "there is no program "},
		"Debian12": {"echo go1.19.8", "is Go 1.19.8"},
		"older":    {"echo go1.23.12", "is Go 1.23.12"},
		"local":    {"echo 'go: go.mod requires go >= 1.24.0 (running go 1.22.1; GOTOOLCHAIN=local)' >&2; exit 1", "running go 1.22.1"},
		"floor":    {"echo go1.24.0", ""},
		"newer":    {"echo go1.26.8-X:nodwarf5", ""},
		"next":     {"echo go1.100", ""},
		"devel":    {"echo devel +0123456789", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "go")
			if c.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, goal := range []string{"run", "deb"} {
				cmd := exec.Command("make", "-n", "GO="+program, goal)
				cmd.Dir, cmd.Env = "../..", []string{"PATH=" + os.Getenv("PATH"), "HOME=/"}
				out, err := cmd.CombinedOutput()
				text := string(out)
				if c.says == "" {
					if err != nil || strings.Contains(text, "go.dev") {
						t.Errorf("make %s: %v\n%.500s", goal, err, text)
					}
				} else if err == nil || !strings.HasPrefix(text, "make: building vkloader needs Go ") || !strings.Contains(text, c.says) ||
					!strings.Contains(text, "apt install golang-go") || !strings.Contains(text, "https://go.dev/dl/") {
					t.Errorf("make %s: %v\n%.500s", goal, err, text)
				}
			}
		})
	}
	cmd := exec.Command("make", "GO="+t.TempDir()+"/go", "help")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "make test") {
		t.Errorf("make help without Go: %v\n%s", err, out)
	}
}

// go.mod, the packages and the README name the same version of Go.
func TestOneGoVersion(t *testing.T) {
	t.Parallel()
	for file, expression := range map[string]string{"go.mod": `(?m)^go (\d+\.\d+)`, "debian/control": `golang-any:native \(>= 2:(\d+\.\d+)~\)`,
		"packaging/rpm/vkloader.spec": `golang >= (\d+\.\d+)`, "README.md": `From source you need Go (\d+\.\d+)`, "docs/packages.md": `Go (\d+\.\d+) is newer`} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(expression).FindSubmatch(text); found == nil || string(found[1]) != "1.24" {
			t.Errorf("%s: %q", file, found)
		}
	}
}
