package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// --fix makes the trials of doctor, and excludes a driver and a layer that crash when they are loaded. The other drivers and layers are used as before.
// --undo restores the settings, unless their file has changed since.
func TestFixExcludesCrashes(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = w.Path("share"), w.Path("etc")
	for name, line := range map[string]string{"bad": "die vkEnumeratePhysicalDevices", "good": "device name=good", "too": "device name=too"} {
		w.Driver(name, "device name="+name, line).API("1.2.0").MoveManifest("share/vulkan/icd.d")
	}
	w.ImplicitLayer("VK_LAYER_dies", "die vkEnumeratePhysicalDevices")
	w.ImplicitLayer("VK_LAYER_lives")
	w.ExplicitLayer("VK_LAYER_idle")
	settings := w.Path("home/.config/vulkan/loader_settings.d/vk_loader_settings.json")
	uses := func(title string, want map[string]bool) {
		t.Helper()
		out, _ := tried(w, "explain")
		in, _, _ := strings.Cut(out, "Not used")
		for name, is := range want {
			if strings.Contains(in, name) != is {
				t.Errorf("%s: %s in use is %v\n%s", title, name, !is, out)
			}
		}
	}
	all := map[string]bool{"bad.json": true, "good.json": true, "too.json": true, "VK_LAYER_dies": true, "VK_LAYER_lives": true}
	rest := map[string]bool{"bad.json": false, "good.json": true, "too.json": true, "VK_LAYER_dies": false, "VK_LAYER_lives": true}

	// With --no-probe the tool loads nothing, so it has no finding about the crash.
	if out, _ := tried(w, "doctor", "--fix", "--yes", "--no-probe"); strings.Contains(out, "--until-changed") {
		t.Errorf("with --no-probe:\n%s", out)
	}
	fix := []string{"doctor", "--fix", "--yes", "--timeout", "60s"}
	out, exit := tried(w, fix...)
	for _, want := range []string{"problem driver-crashes: bad.json\n", "step  vkloader settings set --driver bad.json=off --until-changed\n", "problem layer-crashes: VK_LAYER_dies\n",
		"step  vkloader settings set --layer VK_LAYER_dies=off --until-changed\n          writes " + settings + "\n", "2 steps done"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, exit.Stderr)
		}
	}
	if _, left, _ := strings.Cut(out, "Not fixed"); strings.Contains(left, "bad.json") || strings.Contains(left, "VK_LAYER_dies") {
		t.Errorf("left to do:\n%s", out)
	}
	uses("excluded", rest)
	if out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader"), "settings", "show"); !strings.Contains(out, "VK_LAYER_dies off until ") ||
		!strings.Contains(out, "drivers (no others until ") {
		t.Errorf("settings:\n%s", out)
	}

	if _, exit := tried(w, "doctor", "--undo"); exit.Code != 0 {
		t.Errorf("undo: %d, %s", exit.Code, exit.Stderr)
	}
	uses("undone", all)
	if left, _ := filepath.Glob(filepath.Dir(settings) + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	// The tool does not change another program's settings, so it prints no step.
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"file_format_version":"1.0.0","settings":{"stderr_log":["error"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _ := tried(w, fix...); strings.Contains(out, "--until-changed") ||
		!strings.Contains(out, "bad.json: killed by SIGABRT in vkEnumeratePhysicalDevices\n") {
		t.Errorf("beside another program's settings:\n%s", out)
	}
	uses("beside another program's settings", all)
}

// A manifest that shows a portability driver to every program is a decision of the user.
func TestFixLeavesPortabilityToTheUser(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := build("testdata/machines/portability-only.txtar", root); err != nil {
		t.Fatal(err)
	}
	out, _ := execute(t, "--root", root, "--env", "HOME=/home/user", "doctor", "--fix", "--yes")
	if !strings.Contains(out, "Nothing was done") {
		t.Error(out)
	}
}

// --fix makes the trials of doctor. It ends with each remaining finding and its step: here an export, which it does not write for a layer
// that fails.
func TestFixMakesTheTrialsOfDoctor(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good", "device name=good")
	w.ImplicitLayer("VK_LAYER_fails", "result vkCreateInstance VK_ERROR_INITIALIZATION_FAILED")
	out, exit := tried(w, "doctor", "--fix", "--yes", "--timeout", "60s")
	for _, want := range []string{"Nothing was done: the steps below are left to you.\n\nNot fixed\n  problem  VK_LAYER_fails: ",
		"\n      do  export DISABLE_VK_LAYER_fails=1\n", "\nBroken: VK_LAYER_fails fails; 1 problem\n"} {
		if exit.Code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", exit.Code, want, out, exit.Stderr)
		}
	}
	w.Env["DISABLE_VK_LAYER_fails"] = "1"
	if out, exit := tried(w, "doctor", "--fix", "--yes", "--timeout", "60s"); exit.Code != 0 || !strings.HasPrefix(out, "Nothing to do.\n") {
		t.Errorf("exit code %d: %s%s", exit.Code, out, exit.Stderr)
	}
}

// doctor names "doctor --fix" if and only if --fix has a step. The command is for the same machine, and its line fits the screen.
func TestDoctorNamesFix(t *testing.T) {
	t.Parallel()
	machines, err := filepath.Glob("testdata/machines/*.txtar")
	if err != nil || len(machines) == 0 {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?ms)^To fix what is in your own files: (vkloader doctor --fix.*)\z`)
	steps := 0
	for _, file := range machines {
		t.Run(filepath.Base(file), func(t *testing.T) {
			root := t.TempDir()
			m, err := build(file, root)
			if err != nil {
				t.Fatal(err)
			}
			place := []string{"--root", root}
			for _, variable := range m.env {
				place = append(place, "--env", variable)
			}
			out, _ := execute(t, append([]string{"doctor"}, place...)...)
			shown, _ := execute(t, append([]string{"doctor", "--fix", "--dry-run"}, place...)...)
			line := named.FindStringSubmatch(out)
			if does := !strings.Contains(shown, "There are no steps."); does != (line != nil) {
				t.Fatalf("--fix has steps: %v\n%s\n%s", does, out, shown)
			}
			if line == nil {
				return
			}
			steps++
			if want := "vkloader doctor --fix " + strings.Join(place, " "); !strings.Contains(strings.Join(strings.Fields(line[1]), " "), want) {
				t.Errorf("got %q, want %q", line[1], want)
			}
			keepsTo80(t, file, in80(t, "", append([]string{"doctor"}, place...)...))
		})
	}
	if steps == 0 {
		t.Error("no machine has a step")
	}
}
