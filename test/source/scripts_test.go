package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// textsOf returns the files of the repository with one of some patterns, or all, by their names.
func textsOf(t *testing.T, patterns ...string) map[string][]byte {
	t.Helper()
	list, err := exec.Command("git", append([]string{"-C", "../..", "ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, name := range strings.Fields(string(list)) {
		if text, err := os.ReadFile(filepath.Join("../..", name)); err == nil { // else deleted, and not committed yet
			texts[name] = text
		}
	}
	return texts
}

// An exported CDPATH leads no script to another directory: each script that changes to a relative directory removes the variable
// before. The Makefiles change to no directory.
func TestScriptsIgnoreCDPATH(t *testing.T) {
	t.Parallel()
	scripts := 0
	for name, text := range textsOf(t) {
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

var (
	forgiven = regexp.MustCompile(`\|\| *(:|true)($|[\s;)}'"])`)
	reason   = regexp.MustCompile(`^\s*# |\s# \w`)
)

// A script forgives a failed step only with a reason: a comment on the line, or above the lines that forgive.
func TestForgivenStepsHaveReasons(t *testing.T) {
	t.Parallel()
	list, err := exec.Command("git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range strings.Fields(string(list)) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			continue // deleted, and not committed yet
		}
		recipes := name == "Makefile" || strings.HasSuffix(name, ".mk") || name == "debian/rules" || strings.HasPrefix(name, "packaging/")
		if !recipes && !regexp.MustCompile(`^#!.*\b(sh|bash|dash)\b`).Match(text) {
			continue
		}
		explained := false // the line before is a comment, or forgives with a reason
		for i, line := range strings.Split(string(text), "\n") {
			forgives := forgiven.MatchString(line)
			if forgives {
				found++
			}
			explained = reason.MatchString(line) || forgives && explained
			if forgives && !explained {
				t.Errorf("%s:%d forgives a failure without a reason: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	}
	if found < 20 {
		t.Errorf("%d steps", found)
	}
}

// "make deb" fails if it cannot build for an architecture, and names the missing compiler. A compiler that tools/cross.sh fetches
// is used.
func TestDebNeedsEveryArchitecture(t *testing.T) {
	t.Parallel()
	for _, fetched := range []bool{false, true} {
		tree := t.TempDir()
		script, err := os.ReadFile("../../tools/deb.sh")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"tools/deb.sh": string(script), "tools/packages.sh": "#!/bin/sh\n",
			"tools/cross.sh":               "#!/bin/sh\necho \"$*\" >> fetched\n[ " + strconv.FormatBool(fetched) + " = true ]\n",
			"debian/rules":                 "#!/bin/sh\n",
			"programs/dpkg-architecture":   "#!/bin/sh\nif [ \"$2\" = arm64 ] && [ \"$(cat fetched 2>&1)\" != \"compiler arm64\" ] || [ " + strconv.FormatBool(fetched) + " = false ]; then echo gcc-of-$2; fi\n",
			"programs/dpkg-buildpackage":   "#!/bin/sh\nfor a; do [ \"$b\" != -a ] || touch \"build/deb/vkloader_1-1_$a.deb\"; b=$a; done\n",
			"programs/dpkg-parsechangelog": "#!/bin/sh\necho 1-1\n",
		} {
			if err := os.MkdirAll(filepath.Join(tree, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := binary.WriteProgram(filepath.Join(tree, name), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(tree, "VERSION"), []byte("1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(tree, "tools/deb.sh"), "amd64", "arm64")
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(tree, "programs")+":"+os.Getenv("PATH"))
		text, err := cmd.CombinedOutput()
		if built := strings.Count(string(text), ".deb\n"); fetched && (err != nil || built != 2) || !fetched && (err == nil || !strings.Contains(string(text), "missing is gcc-of-amd64")) {
			t.Errorf("fetched %v: %v, %s", fetched, err, text)
		}
	}
}

// A script says for which target it calls make: "make test TARGET=macos" passes its variables on to every make that it starts.
func TestScriptsNameTheTarget(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`(?:^|[;&|({!]|\b(?:then|do|else|exec|in_root|env -i .*)) *make (?:-|[a-z])`)
	inherited := regexp.MustCompile(`(?m)^unset .*\bTARGET\b.*\bMAKEFLAGS\b|^unset .*\bMAKEFLAGS\b.*\bTARGET\b`)
	scripts, err := filepath.Glob("../../tools/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if inherited.Match(text) || filepath.Base(name) == "fresh.sh" { // which runs in an environment without variables
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if call.MatchString(line) {
				if calls++; !strings.Contains(line, "TARGET=") {
					t.Errorf("%s:%d calls make for the caller's target: %s", filepath.Base(name), i+1, strings.TrimSpace(line))
				}
			}
		}
	}
	if calls < 15 {
		t.Errorf("%d calls", calls)
	}
}

// sourcePath is a file of the sources in a script, but no file that a build makes.
var sourcePath = regexp.MustCompile(`(?:^|[^A-Za-z0-9_./-])(?:"?\$top"?/|\./)?((?:test|tools|spine|internal|docs|packaging|debian|drivers|layers|discover|examples|cmd)/` +
	`[A-Za-z0-9_/-]+\.(?:c|go|h|S|sh|md|txt|json|mk))\b`)

// The files of the sources that scripts and recipes name exist. A script that a person runs seldom keeps no path of a file that has moved.
func TestScriptsNameFiles(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range textsOf(t, "*.sh", "*.mk", "Makefile", ".ci/run", "debian/rules") {
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			for _, match := range sourcePath.FindAllStringSubmatch(line, -1) {
				found++
				if _, err := os.Stat(filepath.Join("../..", match[1])); err != nil && !slices.Contains(madeSources, match[1]) {
					t.Errorf("%s names %s, which does not exist", name, match[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d names", found)
	}
}

// madeSources are files that a build writes beside the sources.
var madeSources = []string{"spine/gen/core.c"}
