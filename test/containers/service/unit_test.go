package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// settings returns the values of a setting of a unit, such as SystemCallFilter.
func settings(t *testing.T, unit, name string) (values []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../packaging/systemd", unit))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, name+"="); is {
			values = append(values, strings.TrimSpace(value))
		}
	}
	if len(values) == 0 {
		t.Fatalf("%s has no %s", unit, name)
	}
	return values
}

// set returns the system calls of one of systemd's sets, such as @mount.
func set(t *testing.T, name string) (calls []string) {
	t.Helper()
	out, err := exec.Command("systemd-analyze", "syscall-filter", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		word, inside := strings.CutPrefix(line, "    ")
		switch word = strings.TrimSpace(word); {
		case !inside, word == "", strings.HasPrefix(word, "#"):
		case strings.HasPrefix(word, "@"):
			calls = append(calls, set(t, word)...)
		default:
			calls = append(calls, word)
		}
	}
	return calls
}

// callNumber matches a line of the header with the numbers of system calls.
var callNumber = regexp.MustCompile(`(?m)^#define __NR_(\w+) (\d+)$`)

// filtered returns a command line that starts a program under the system-call filter of a unit, or nil if this machine lacks the means. It
// builds the program that installs the filter, in a directory.
func filtered(t *testing.T, unit, directory string) []string {
	t.Helper()
	header, err := os.ReadFile("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
	if _, missing := exec.LookPath("systemd-analyze"); err != nil || missing != nil || runtime.GOARCH != "amd64" {
		t.Log("without the system-call filter: systemd-analyze or linux-libc-dev is not installed")
		return nil
	}
	allowed := set(t, "@default")
	for _, value := range settings(t, unit, "SystemCallFilter") {
		list, deny := strings.CutPrefix(value, "~")
		for _, word := range strings.Fields(list) {
			calls := []string{word}
			if strings.HasPrefix(word, "@") {
				calls = set(t, word)
			}
			if allowed = append(allowed, calls...); deny {
				allowed = slices.DeleteFunc(allowed, func(call string) bool { return slices.Contains(calls, call) })
			}
		}
	}
	known := set(t, "@known")
	var numbers []string
	for _, match := range callNumber.FindAllStringSubmatch(string(header), -1) {
		if slices.Contains(allowed, match[1]) {
			numbers = append(numbers, match[2])
		} else if slices.Contains(known, match[1]) {
			numbers = append(numbers, "-"+match[2])
		}
	}
	if len(numbers) < 100 || slices.Contains(allowed, "mount") {
		t.Fatalf("%s allows %d system calls", unit, len(numbers))
	}
	program := filepath.Join(directory, "filter")
	if out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-o", program, "testdata/filter.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{program, strings.Join(numbers, ",")}
}

// overall matches the verdict of systemd-analyze on a unit.
var overall = regexp.MustCompile(`Overall exposure level for \S+: (\d+\.\d+)`)

// systemd-analyze counts an exposure below 2 for every unit.
func TestUnitsAreConfined(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for _, unit := range []string{"vkloader.service", "vkloader-cdi.service", "user/vkloader.service"} {
		text, err := os.ReadFile(filepath.Join("../../../packaging/systemd", unit))
		if err != nil {
			t.Fatal(err)
		}
		directory := t.TempDir()
		file := filepath.Join(directory, filepath.Base(unit))
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "@BINDIR@", "/usr/bin")), 0o644); err != nil {
			t.Fatal(err)
		}
		words := []string{"security", "--offline=yes", "--no-pager"}
		if filepath.Dir(unit) == "user" {
			words = append(words, "--user")
		}
		cmd := exec.Command("systemd-analyze", append(words, file)...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+directory)
		out, err := cmd.CombinedOutput()
		match := overall.FindSubmatch(out)
		if err != nil || match == nil {
			t.Errorf("%s: %v\n%s", unit, err, out)
			continue
		}
		if level, err := strconv.ParseFloat(string(match[1]), 64); err != nil || level >= 2 {
			t.Errorf("%s: %s, %v\n%s", unit, match[1], err, out)
		}
	}
}

// The refresh of CDI files writes a file again under its unit's system-call filter, without any capability.
func TestRefreshUnderUnit(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root writes CDI files")
	}
	root, filter := machine(t), filtered(t, "vkloader-cdi.service", t.TempDir())
	if err := os.MkdirAll(filepath.Join(root, "etc/cdi"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "--root", root, "cdi", "generate", "-o", filepath.Join(root, "etc/cdi/a.json")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	icds := filepath.Join(root, "usr/share/vulkan/icd.d")
	for _, want := range []string{"unchanged", "written again"} {
		words := append([]string{"--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"}, filter...)
		out, err := exec.Command("setpriv", append(words, tool, "--root", root, "cdi", "refresh")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("not %q: %v\n%s", want, err, out)
		}
		if err := os.Rename(filepath.Join(icds, "null_icd.json"), filepath.Join(icds, "other.json")); err != nil && want != "written again" {
			t.Fatal(err)
		}
	}
}

// The tool starts, and starts child processes, under an old system-call filter, which refuses newer calls with EPERM, and on an old kernel,
// which does not have them.
func TestOldSystemCalls(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the numbers are those of x86-64")
	}
	const statx, pidfdOpen, clone3, closeRange, openat2, faccessat2, epollPwait2, futexWaitv = 332, 434, 435, 436, 437, 439, 441, 449
	newer := []int{statx, pidfdOpen, clone3, closeRange, openat2, faccessat2, epollPwait2, futexWaitv}
	manifest := filepath.Join(filepath.Dir(tool), "drivers", "null_icd.json")
	for name, refused := range map[string]bool{"old filter": true, "old kernel": false} {
		words := without(t, t.TempDir(), refused, newer...)
		for _, args := range [][]string{{"version"}, {"list", "drivers"}, {"doctor"}, {"list", "devices", "--details"}, {"run", "true"}} {
			cmd := exec.Command(words[0], append(append(words[1:], tool), args...)...)
			cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+manifest, "HOME=")
			if out, err := cmd.CombinedOutput(); err != nil || args[0] == "doctor" && !strings.Contains(string(out), "works") {
				t.Errorf("%s, %v: %v\n%.500s", name, args, err, out)
			}
		}
	}
}
