package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/test/lib/binary"
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

// Programs of the running machine need no emulator, also where uname(1) has another name for it than the table.
func TestOwnMachineNeedsNoEmulator(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"x86_64": "amd64", "armv7l": "armhf", "armv8l": "armhf", "armv5tel": "armel", "armv6l": "armel", "mips64": "mips64el",
		"riscv64": "riscv64", "ppc64le": "ppc64el", "loongarch64": "loong64"} {
		directory := t.TempDir()
		if err := binary.WriteProgram(filepath.Join(directory, "uname"), []byte("#!/bin/sh\necho "+name+"\n")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("tools/emulator.sh", target)
		cmd.Dir, cmd.Env = "../..", []string{"PATH=" + directory + ":/usr/bin:/bin"}
		if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
			t.Errorf("%s on %s: %v, %s", target, name, err, text)
		}
	}
}
