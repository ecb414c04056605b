package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/machine"
	"vkloader/test/lib/world"
)

// The list of four drivers costs few system calls and reads few bytes: it reads parts of libraries, loads none, and starts no
// process.
func TestListIsCheap(t *testing.T) {
	t.Parallel()
	machine.Need(t, "strace")
	w := world.New(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		w.Driver(name, "device name="+name)
	}
	file := w.Path("calls")
	out, exit := w.Run(time.Minute, "strace", "-f", "-qq", "-y", "-o", file, filepath.Join(built, "vkloader"), "list", "drivers")
	if exit.Code != 0 || strings.Count(out, ".json") < 4 {
		t.Fatalf("exit code %d\n%s%s", exit.Code, out, exit.Stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bytes, opened := 0, strings.Count(string(text), " openat(")+strings.Count(string(text), " openat2(")
	for _, call := range regexp.MustCompile(`(?m) (?:read|pread64)\(.*= (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(call[0], "/libvulkan.so") { // the loader itself, whose size depends on the build
			continue
		}
		n, _ := strconv.Atoi(call[1])
		bytes += n
	}
	if started := regexp.MustCompile(` (execve|fork|vfork)\(`).FindAllString(string(text), -1); len(started) != 1 {
		t.Errorf("started: %q", regexp.MustCompile(`.*(execve|fork)\(.*`).FindAllString(string(text), -1))
	}
	t.Logf("%d files opened, %d bytes read", opened, bytes)
	if opened > mostOpened || bytes > mostRead {
		t.Errorf("%d files opened, %d bytes read", opened, bytes)
	}
}

// A list of drivers reads no library of a layer, and a list of layers reads no library of a driver. The list of both reads both.
func TestListReadsItsKind(t *testing.T) {
	t.Parallel()
	machine.Need(t, "strace")
	w := world.New(t)
	driver, layer := w.Driver("driver", "device name=a").Library, w.ImplicitLayer("VK_LAYER_ACME_one").Library
	file := w.Path("calls")
	for kind, want := range map[string][2]bool{"drivers": {true, false}, "layers": {false, true}} {
		words := []string{"-f", "-qq", "-e", "trace=openat,openat2", "-o", file, filepath.Join(built, "vkloader"), "list", kind}
		out, exit := w.Run(time.Minute, "strace", words...)
		text, err := os.ReadFile(file)
		if err != nil || exit.Code != 0 {
			t.Fatalf("%v, exit code %d\n%s%s", err, exit.Code, out, exit.Stderr)
		}
		reads := func(library string) bool { return strings.Contains(string(text), library+`"`) }
		if got := [2]bool{reads(driver), reads(layer)}; got != want {
			t.Errorf("list %s reads the driver, the layer: %v, not %v", kind, got, want)
		}
	}
}

// Bounds of TestListIsCheap: 1.5 times a measured run.
const (
	mostOpened = 190
	mostRead   = 4 << 20 // the drivers of the tests have debug information
)

// The tool shows the lines that a driver writes to standard error during its trial, with the driver's name.
func TestLinesOfDrivers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	talker := w.Driver("talker", "device name=talker")
	w.Driver("silent", "device name=silent")
	w.Write("talk.c", `#include <stdio.h>
__attribute__((constructor)) static void talk(void) { fputs("NVK requires nouveau\nsecond line\n", stderr); }
`)
	wrapped := w.Path("talking.so")
	if err := world.Compile("-shared", "-fPIC", "-o", wrapped, w.Path("talk.c"), talker.Library); err != nil {
		t.Fatal(err)
	}
	talker.Set("library_path", wrapped)
	out, exit := w.Run(time.Minute, tool, "doctor", "--json")
	var report struct {
		Probes []struct {
			Name  string
			Kind  string
			Wrote []string
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s%s", err, out, exit.Stderr)
	}
	heard := false
	for _, p := range report.Probes {
		wrote := strings.Join(p.Wrote, "\n")
		switch p.Name {
		case "talker.json":
			heard = strings.Contains(wrote, "NVK requires nouveau") && strings.Contains(wrote, "second line")
		case "silent.json":
			if wrote != "" {
				t.Errorf("%+v", p)
			}
		}
	}
	if text, _ := w.Run(time.Minute, tool, "doctor"); !heard || !strings.Contains(text, "talker.json wrote  NVK requires nouveau") || strings.Contains(text, "silent.json wrote") {
		t.Errorf("%+v\n%s", report.Probes, text)
	}
	if text, exit := w.Run(time.Minute, tool, "explain", "NVK requires nouveau"); exit.Code != 0 || !strings.Contains(text, "talker.json") || strings.Contains(text, "silent.json") {
		t.Errorf("explain: exit code %d: %s", exit.Code, text)
	}
}

// Without /proc or /sys, the verdict begins with that: the devices are not known.
func TestWithoutKernelFiles(t *testing.T) {
	t.Parallel()
	needSys(t)
	machine.Need(t, "unshare")
	if exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").Run() != nil {
		t.Skip("this kernel gives no user namespaces")
	}
	for hidden, want := range map[string]string{"/sys": "The devices are unknown, because /sys is not mounted; ", "/proc": "The devices are unknown, because /proc is not mounted; ",
		"/sys /proc": "The devices are unknown, because /proc and /sys are not mounted; "} {
		t.Run(hidden, func(t *testing.T) {
			t.Parallel()
			script := "for place in " + hidden + "; do mount -t tmpfs none $place || exit 99; done; exec " + filepath.Join(built, "vkloader") + " \"$@\""
			node := "mount -t tmpfs none /mnt && cd /mnt && mkdir dri && touch null dri/renderD128 && mount --bind /dev/null null && " +
				"mount --bind /dev/null dri/renderD128 && mount --rbind /mnt /dev || exit 99; cd /; "
			for before, begins := range map[string]string{"": "vkloader null device works; no problems found", node: want} {
				if hidden != "/sys" || os.Getuid() != 0 { // root of another user's namespace tries no file of that user
					continue
				}
				cmd := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", before+script, "sh", "doctor", "--timeout", "2m")
				cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+filepath.Join(built, "drivers/null_icd.json"))
				text, _ := cmd.Output() // a driver that needs no device works
				says := strings.Contains(string(text), "problem system-files: sys") && !strings.Contains(string(text), "no kernel driver")
				if cmd.ProcessState.ExitCode() != 99 && (!strings.HasPrefix(string(text), begins) || says != (before != "")) {
					t.Errorf("tried: exit code %d: %s", cmd.ProcessState.ExitCode(), text)
				}
			}
			for _, args := range [][]string{{"--no-probe"}, {"doctor", "--no-probe"}} {
				cmd := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"}, args...)...)
				text, _ := cmd.Output()
				if cmd.ProcessState.ExitCode() == 99 {
					t.Skip("nothing can be mounted here")
				}
				if !strings.HasPrefix(strings.Join(strings.Fields(string(text)), " "), want) || cmd.ProcessState.ExitCode() != 1 {
					t.Errorf("%q: exit code %d: %s", args, cmd.ProcessState.ExitCode(), text)
				}
			}
		})
	}
}
