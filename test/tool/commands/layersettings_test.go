package commands

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// The installed validation layer reads the file that the tool writes: it reports into the file that the settings name.
func TestSettingsLayer(t *testing.T) {
	t.Parallel()
	const layer = "VK_LAYER_KHRONOS_validation"
	w, _ := computing(t)
	w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = world.Unset, world.Unset
	w.Env["VK_INSTANCE_LAYERS"], w.Env["LD_LIBRARY_PATH"] = layer, built
	run := func(args ...string) string {
		t.Helper()
		out, exit := tried(w, append([]string{"settings", "layer"}, args...)...)
		if exit.Code != 0 {
			t.Fatalf("%v: %d, %s%s", args, exit.Code, out, exit.Stderr)
		}
		return out
	}
	if out := run(layer); !strings.Contains(out, "\n  report_flags\n    flags, default: error\n") || !strings.Contains(out, "\n      warn\n") {
		t.Errorf("the layer's settings:\n%s", out)
	}
	for wrong, why := range map[string]string{"report_flag=error": "did you mean report_flags?", "report_flags=warning": "did you mean warn?",
		"duplicate_message_limit=none": "whole number"} {
		if _, exit := tried(w, "settings", "layer", layer, wrong); exit.Code != 2 || !strings.Contains(exit.Stderr, why) {
			t.Errorf("%s: %d, %s", wrong, exit.Code, exit.Stderr)
		}
	}
	report := func(name string) string {
		w.Run(time.Minute, filepath.Join(built, "test/compute"), "libvulkan.so.1", "1")
		text, _ := os.ReadFile(w.Path(name))
		return string(text)
	}
	if out := run(layer, "log_filename="+w.Path("report"), "report_flags=error,warn,info,perf", "debug_action=VK_DBG_LAYER_ACTION_LOG_MSG"); !strings.Contains(out, "All programs of this user read it.") {
		t.Error(out)
	}
	if report("report") == "" {
		t.Error("the layer does not follow its settings")
	}
	out, _ := tried(w, "explain")
	if want := "khronos_validation.log_filename = " + w.Path("report"); !strings.Contains(out, want) {
		t.Errorf("explain has no %q:\n%s", want, out)
	}
	if out, _ := tried(w, "settings", "show"); !strings.Contains(out, "khronos_validation.report_flags = error,warn,info,perf") {
		t.Errorf("settings show:\n%s", out)
	}
	// With its last setting, the file is removed, and the layer has its defaults again.
	if out := run(layer, "log_filename=", "report_flags=", "debug_action="); !strings.Contains(out, "No setting is left: the tool removed ") {
		t.Error(out)
	}
	if err := os.Remove(w.Path("report")); err != nil || report("report") != "" {
		t.Errorf("still reported: %v", err)
	}
	// An empty value is another setting than the default. --empty is an error for a setting that is no list.
	if !strings.Contains(run(layer, "--empty", "disables", "--dry-run"), "\nkhronos_validation.disables = \n") {
		t.Error("disables is not empty")
	}
	for _, key := range []string{"fine_grained_locking", "duplicate_message_limit", "nonsense"} {
		if _, exit := tried(w, "settings", "layer", layer, "--empty", key); exit.Code != 2 {
			t.Errorf("--empty %s: %d, %s", key, exit.Code, exit.Stderr)
		}
	}
	// The settings of one directory, whose file exists and is in force, and the variables.
	directory := w.Path("game")
	if err := errors.Join(os.Mkdir(directory, 0o755), os.WriteFile(filepath.Join(directory, "vk_layer_settings.txt"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	w.Env["VK_LAYER_SETTINGS_PATH"] = directory
	run(layer, "log_filename="+w.Path("other"), "report_flags=error,warn,info,perf")
	w.Env["VK_LAYER_SETTINGS_PATH"] = world.Unset
	if report("other") != "" {
		t.Error("a program elsewhere reads it")
	}
	w.Env["VK_LAYER_SETTINGS_PATH"] = directory
	if report("other") == "" {
		t.Error("it does not follow the file that the variable names")
	}
	if out := run(layer, "--variables", "enables=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT"); out != "export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT\n" {
		t.Error(out)
	}
}

// A configuration has settings of layers, which no layer reads before the configuration is used.
func TestSettingsLayerOfConfiguration(t *testing.T) {
	t.Parallel()
	const layer = "VK_LAYER_ACME_x"
	w := world.New(t)
	w.Driver("fake", "device name=One type=discrete api=1.3.0")
	w.ExplicitLayer(layer).Set("features", map[string]any{"settings": []any{
		map[string]any{"key": "size", "type": "INT", "default": 1}, map[string]any{"key": "name", "type": "STRING", "default": ""}}})
	program := w.CopyHost("game")
	run := func(args ...string) string {
		t.Helper()
		out, exit := tried(w, append([]string{"settings"}, args...)...)
		if exit.Code != 0 {
			t.Fatalf("%v: %d, %s%s", args, exit.Code, out, exit.Stderr)
		}
		return out
	}
	inForce := func() string { return run("show") }
	if _, exit := tried(w, "settings", "layer", layer, "--variables", "name=x"); exit.Code != 1 {
		t.Errorf("no variable: %d", exit.Code)
	}
	run("set", "--layer", layer+"=on")
	run("save", "big one")
	if out := run("layer", layer, "size=7", "name=a", "--configuration", "big one"); !strings.Contains(out, "vkloader settings use 'big one'\n") {
		t.Errorf("after the change: %q", out)
	}
	run("layer", layer, "name=", "--configuration", "big one")
	shown := run("layer", layer, "size=8", "--configuration", "big one", "--dry-run")
	line := 1 + strings.Count(shown[:strings.Index(shown, "acme_x.size")], "\n")
	if out := run("layer", layer, "--configuration", "big one"); !strings.Contains(out, fmt.Sprintf("int, line %d: 7", line)) || strings.Contains(out, "line 0") {
		t.Errorf("in the configuration, line %d:\n%s", line, out)
	}
	if out := run("layer", layer); !strings.Contains(out, "int, default: 1") || strings.Contains(inForce(), "acme_x") {
		t.Errorf("before its use: %s%s", out, inForce())
	}
	run("use", "big one")
	if got := inForce(); !strings.Contains(got, "acme_x.size = 7") || strings.Contains(got, "acme_x.name") {
		t.Errorf("after its use: %s", got)
	}
	if _, exit := tried(w, "settings", "use", "big one", "--app", program); !strings.Contains(exit.Stderr, "in big one are for all programs") {
		t.Errorf("for one program: %s", exit.Stderr)
	}
	run("clear", "--everything")
	if out := run("clear", "--everything"); out != "There is nothing to undo.\n" {
		t.Errorf("the second time: %s", out)
	}
	for _, wrong := range [][]string{{"--configuration", "gone"}, {"--configuration", "../x"}, {"--variables", "--configuration", "big one"}} {
		if out, exit := tried(w, append([]string{"settings", "layer", layer, "size=2"}, wrong...)...); exit.Code == 0 {
			t.Errorf("%v: %s", wrong, out)
		}
	}
}

// A setting without a key or a known type is not shown, and the other settings are. Other members of the wrong form change nothing. Defaults have the form of the settings file: lists and objects
// by their keys, numbers with all digits.
func TestSettingsOfWrongForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, setting string
		says          string // ""; the setting is not shown
	}{
		{"a large number", `{"key": "odd", "type": "INT", "default": 100000000}`, "int, default: 100000000"},
		{"a small number", `{"key": "odd", "type": "FLOAT", "default": 0.00000001}`, "float, default: 0.00000001"},
		{"a list of objects", `{"key": "odd", "type": "LIST", "default": ["a", {"key": "b", "enabled": true}, {"key": "c", "enabled": false}, {"number": 7}]}`, "list, default: a,b,7"},
		{"an object", `{"key": "odd", "type": "STRING", "default": {"a": 1}}`, `string, default: {"a":1}`},
		{"a label", `{"key": "odd", "type": "BOOL", "label": 3, "default": true}`, "odd bool, default: true 3"},
		{"a key", `{"key": {}, "type": "BOOL", "default": true}`, ""},
		{"a type", `{"key": "odd", "type": "BOOLEAN", "default": true}`, ""},
		{"a range", `{"key": "odd", "type": "INT", "range": [1], "default": 1}`, "odd int, default: 1"},
		{"flags", `{"key": "odd", "type": "ENUM", "flags": 3, "default": "a"}`, "enum, default: a"},
		{"one flag", `{"key": "odd", "type": "ENUM", "flags": [3, {"key": "a"}], "default": "a"}`, "enum, default: a"},
		{"a dependence", `{"key": "odd", "type": "BOOL", "default": true, "dependence": 7}`, "odd bool, default: true"},
		{"no object", `7`, ""}, {"null", `null`, ""}, {"a list", `[]`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Env["HOME"] = w.Path("home")
			w.Write("layers/l.json", `{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_ACME_x", "type": "GLOBAL", "library_path": "./libx.so",
 "api_version": "1.3.0", "implementation_version": "v2-beta", "description": "x", "features": {"settings": [`+c.setting+`, {"key": "good", "type": "BOOL", "default": true}]}}}`)
			w.Env["VK_LAYER_PATH"] = w.Path("layers")
			out, exit := w.Run(time.Minute, tool, "settings", "layer", "VK_LAYER_ACME_x")
			squeezed := strings.Join(strings.Fields(out), " ")
			if exit.Code != 0 || !strings.Contains(squeezed, "good bool, default: true") || !strings.Contains(squeezed, c.says) || c.says == "" && strings.Contains(squeezed, "odd") {
				t.Errorf("exit code %d\n%s%s", exit.Code, out, exit.Stderr)
			}
		})
	}
}
