package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// running starts a program with the loader, a driver (the null driver if null is set) and a layer, which then waits.
func running(t *testing.T, null bool) (*world.World, *world.Host) {
	t.Helper()
	w := world.New(t)
	if null {
		w.Env["VK_DRIVER_FILES"] = filepath.Join(built, "drivers/null_icd.json")
	} else {
		w.Driver("acme")
	}
	w.ImplicitLayer("VK_LAYER_ACME_overlay")
	w.ExplicitLayer("VK_LAYER_idle")
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices")
	return w, h
}

// mapsOf returns the mappings of a process.
func mapsOf(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// psOf returns the entry of a process in the output of ps.
func psOf(t *testing.T, w *world.World, pid int) map[string]any {
	t.Helper()
	out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), "ps", "--json")
	var said struct{ Processes []map[string]any }
	if err := json.Unmarshal([]byte(out), &said); err != nil || exit.Code != 0 {
		t.Fatalf("%v, exit code %d\n%s%s", err, exit.Code, out, exit.Stderr)
	}
	for _, p := range said.Processes {
		if p["pid"] == float64(pid) {
			return p
		}
	}
	t.Fatalf("process %d is not in\n%s", pid, out)
	return nil
}

// ps shows a program that holds the loader with the null driver and a layer, by their manifests.
func TestPs(t *testing.T) {
	t.Parallel()
	w, h := running(t, true)
	p := psOf(t, w, h.Pid())
	text := fmt.Sprint(p)
	for _, want := range []string{"class:64", "libvulkan.so.1.4.", "version:1.4.", "release:", "name:VK_LAYER_ACME_overlay", "name:null_icd.json",
		"manifest:" + filepath.Join(built, "drivers/null_icd.json"), "manifest:" + w.Path("implicit/VK_LAYER_ACME_overlay.json")} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "VK_LAYER_idle") || strings.Contains(text, "change:") {
		t.Errorf("a layer that is not there, or a change that never was: %s", text)
	}
	out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader"), "ps")
	if !strings.Contains(out, "null_icd.json") || !strings.Contains(out, "VK_LAYER_ACME_overlay") {
		t.Errorf("as a table:\n%s", out)
	}
	h.Quit()
}

// ps and "explain --pid" resolve $LIB in a manifest to the file that the dynamic linker has mapped.
func TestPsTokens(t *testing.T) {
	t.Parallel()
	_, h := running(t, false)
	libc := regexp.MustCompile(`(?m)/usr/(\S+)/libc\.so\.6$`).FindStringSubmatch(mapsOf(t, h.Pid()))
	h.Quit()
	if libc == nil {
		t.Skip("the host has no glibc below /usr")
	}
	for _, token := range []string{"$LIB", "${LIB}"} {
		w := world.New(t)
		w.Driver("acme")
		layer := w.ImplicitLayer("VK_LAYER_ACME_token")
		library := w.Path(libc[1], "mango", filepath.Base(layer.Library))
		if err := errors.Join(copyFile(layer.Library, library), copyFile(layer.Library+".script", library+".script")); err != nil {
			t.Fatal(err)
		}
		layer.Set("library_path", w.Path(token, "mango", filepath.Base(layer.Library)))
		h := w.Start()
		h.OK("create_instance")
		h.OK("physical_devices")
		if text := fmt.Sprint(psOf(t, w, h.Pid())["layers"]); !strings.Contains(text, "name:VK_LAYER_ACME_token") {
			t.Errorf("%s: ps has the layers %s", token, text)
		}
		out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader"), "explain", "--pid", fmt.Sprint(h.Pid()))
		if !strings.Contains(out, "VK_LAYER_ACME_token") || strings.Contains(out, "different now") || strings.Contains(out, "not loaded") {
			t.Errorf("%s: explain says\n%s", token, out)
		}
		h.Quit()
	}
}

// ps --watch prints the list again after each change, and not before.
func TestPsWatch(t *testing.T) {
	t.Parallel()
	w, h := running(t, false)
	// The test waits for the change, because the time of one check depends on the machine.
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	cmd := exec.CommandContext(watching, filepath.Join(built, "vkloader"), "ps", "--watch")
	cmd.Env = w.Environment()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	here, shown := fmt.Sprint(h.Pid())+"  ", 0
	gone := false // a new table has begun, and does not contain the process yet
	for lines := bufio.NewScanner(out); lines.Scan() && !gone; {
		switch line := strings.TrimSpace(lines.Text()); {
		case strings.HasPrefix(line, here):
			if shown++; shown == 1 {
				h.Quit()
			}
		case strings.HasPrefix(line, "No program") && shown > 0:
			gone = true
		case strings.HasPrefix(line, "pid  program") || strings.Contains(line, "pid  program"):
			gone = shown > 0 && !alive(h.Pid())
		}
	}
	if !gone {
		t.Errorf("it was shown %d times, and its end was not", shown)
	}
	stop()
	_ = cmd.Wait()
}

func alive(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

// The diagnosis of a process uses the process's variables and executable. It names updated files, and files that a new process would load
// differently.
func TestDoctorOfProcess(t *testing.T) {
	t.Parallel()
	w, h := running(t, false)
	pid := fmt.Sprint(h.Pid())
	tool := filepath.Join(built, "vkloader")
	bare := world.New(t) // without the process's variables
	ask := func(args ...string) string {
		out, exit := bare.Run(time.Minute, tool, append(args, "--pid", pid)...)
		if exit.Code != 0 && exit.Code != 1 {
			t.Fatalf("%v: exit code %d\n%s%s", args, exit.Code, out, exit.Stderr)
		}
		return out
	}
	if out := ask("doctor"); !strings.Contains(out, "acme.json") || !strings.Contains(out, "VK_LAYER_ACME_overlay") || strings.Contains(out, "process-") {
		t.Errorf("doctor, of a process that is as it should be:\n%s", out)
	}
	if out := ask("explain"); !strings.Contains(out, "VK_LAYER_ACME_overlay") || strings.Contains(out, "otherwise") {
		t.Errorf("explain, of a process that is as it should be:\n%s", out)
	}
	// An update replaces the layer's library and removes the driver's manifest; another layer is added.
	library := w.Path("lib/VK_LAYER_ACME_overlay.so")
	data, err := os.ReadFile(library)
	if err == nil {
		err = os.Remove(library)
	}
	if err == nil {
		err = os.WriteFile(library, data, 0o755)
	}
	if err == nil {
		err = os.Remove(w.Path("drivers/acme.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
	out := ask("doctor")
	for _, want := range []string{"warning process-old-file: VK_LAYER_ACME_overlay\n    file  " + library + "\n    what  its file has been replaced since",
		"do    Start the program again.", "warning process-differs: acme.so\n", "no manifest names it"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = ask("explain")
	for _, want := range []string{"Loaded, but different in a new process\n", "layer VK_LAYER_ACME_overlay: its file has been replaced since", "driver acme.so: it is loaded"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := ask("explain", "--json"); !strings.Contains(out, `"pid": `+pid) || !strings.Contains(out, `"differs": [`) {
		t.Errorf("as JSON:\n%s", out)
	}
	if out := ask("explain", "--env", "DISABLE_VK_LAYER_ACME_overlay=1"); !strings.Contains(out, "it is loaded, but a new process would not load it") {
		t.Errorf("with the layer switched off now:\n%s", out)
	}
	if p := psOf(t, w, h.Pid()); !strings.Contains(fmt.Sprint(p["layers"]), "change:replaced") {
		t.Errorf("ps says %v", p["layers"])
	}
	h.Quit()
	if _, exit := bare.Run(time.Minute, tool, "doctor", "--pid", pid); exit.Code != 3 || !strings.Contains(exit.Stderr, "process "+pid) {
		t.Errorf("of a process that has ended: exit code %d, %s", exit.Code, exit.Stderr)
	}
	if _, exit := bare.Run(time.Minute, tool, "doctor", "--pid", "1", "--app", "x"); exit.Code != 2 {
		t.Errorf("--pid with --app: exit code %d", exit.Code)
	}
}

// A driver without a manifest is named, also if an update has replaced its file.
func TestPsNamesReplacedDriverWithoutManifest(t *testing.T) {
	t.Parallel()
	w, h := running(t, false)
	library := w.Path("lib/acme.so")
	data, err := os.ReadFile(library)
	if err == nil {
		err = errors.Join(os.Remove(library), os.WriteFile(library, data, 0o755), os.Remove(w.Path("drivers/acme.json")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := fmt.Sprint(psOf(t, w, h.Pid())["drivers"]); !strings.Contains(p, "name:acme.so") || !strings.Contains(p, "change:replaced") {
		t.Errorf("ps says %s", p)
	}
	h.Quit()
}
