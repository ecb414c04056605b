package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// relativeChange matches a change to a directory whose name does not begin with "/", "." or an absolute variable.
var (
	relativeChange = regexp.MustCompile(`(?m)(^|[;&|({]|\b(then|do|else)\b)\s*cd +(-P +|-- +)?["']?([^/\s"'.-]|\$\()`)
	unsetPath      = regexp.MustCompile(`(?m)^unset CDPATH$`)
)

// absolute lists the scripts that change only to directories of absolute paths, with the reason.
var absolute = map[string]string{
	"tools/fresh.sh": "$home is below /home",
}

// An exported CDPATH leads no script to another directory: each script that changes to a relative directory removes the variable
// before. The Makefiles change to no directory.
func TestScriptsIgnoreCDPATH(t *testing.T) {
	t.Parallel()
	list, err := exec.Command("git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for _, name := range strings.Fields(string(list)) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			continue // deleted, and not committed yet
		}
		makefile := name == "Makefile" || strings.HasSuffix(name, ".mk")
		if !makefile && !regexp.MustCompile(`^#!.*\b(sh|bash|dash)\b`).Match(text) || absolute[name] != "" {
			continue
		}
		scripts++
		first := relativeChange.FindIndex(text)
		if first == nil {
			continue
		}
		if unset := unsetPath.FindIndex(text); makefile || unset == nil || unset[0] > first[0] {
			t.Errorf("%s changes to a relative directory with CDPATH: %.60s", name, text[first[0]:])
		}
	}
	if scripts < 30 {
		t.Errorf("%d scripts", scripts)
	}
}

// The scripts that only read and print work with an exported CDPATH that has directories of the repository's names.
func TestScriptsWithCDPATH(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for _, name := range []string{"tools", ".ci", "build", "docs", "..", "tools/..", ".ci/.."} {
		if err := os.MkdirAll(filepath.Join(elsewhere, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"tools/changed.sh"}, {"tools/emulator.sh", "none"}, {"tools/test.sh", "no-such-part"}, {"tools/test-fresh.sh", "may"}} {
		run := func(environ ...string) string {
			cmd := exec.Command("sh", words...)
			cmd.Dir, cmd.Env = top, append(os.Environ(), environ...)
			out, _ := cmd.CombinedOutput()
			return string(out)
		}
		if plain, with := run(), run("CDPATH="+elsewhere); plain != with {
			t.Errorf("%v: %q, with CDPATH %q", words, plain, with)
		}
	}
}
