package commands

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const columns = 80

// keepsTo80 reports lines that are too long for 80 columns.
func keepsTo80(t *testing.T, what, text string) {
	t.Helper()
	keepsTo(t, what, text, columns)
}

// command matches a line that users copy: it is not wrapped, and has at most the word "do" or "step" before it.
var command = regexp.MustCompile(`^ *((do|step) +)?(export|unset|env|vkloader|rm|chmod|mkdir|apt) \S.*$`)

// keepsTo reports lines that are too long. A command may be longer, and a line that consists of indentation, a short label and one word.
func keepsTo(t *testing.T, what, text string, columns int) {
	t.Helper()
	unbreakable := regexp.MustCompile(fmt.Sprintf(`^ *(\S[^/]{0,24} +)?['"(]?\S{%d,}$`, columns-35))
	for _, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > columns && !unbreakable.MatchString(line) && !command.MatchString(line) {
			t.Errorf("%s: a line of %d columns:\n%s", what, utf8.RuneCountInString(line), line)
		}
	}
}

func in80(t *testing.T, directory string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(built, "vkloader"), args...)
	cmd.Dir = directory
	cmd.Env = append(os.Environ(), fmt.Sprintf("COLUMNS=%d", columns))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// The help of every command and topic fits 80 columns, and the list of commands has one line for each.
func TestHelpKeepsTo80Columns(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`(?m)^  ([a-z-]+) `)
	lists := regexp.MustCompile(`(?ms)^(?:Available Commands|Additional help topics):\n(.*?)\n\n`)
	count := 0
	var walk func(args []string)
	walk = func(args []string) {
		help := in80(t, "", append([]string{"help"}, args...)...)
		count++
		keepsTo80(t, "help "+strings.Join(args, " "), help)
		for _, list := range lists.FindAllStringSubmatch(help+"\n", -1) {
			for _, line := range strings.Split(list[1], "\n") {
				if strings.HasPrefix(line, "   ") {
					t.Errorf("help %s: the description of a command goes on in a second line:\n%s", strings.Join(args, " "), line)
				}
			}
			for _, name := range names.FindAllStringSubmatch(list[1], -1) {
				walk(append(args[:len(args):len(args)], name[1]))
			}
		}
	}
	walk(nil)
	if count < 35 {
		t.Errorf("only %d commands", count)
	}
}

// longNames returns a machine with many faults and long names.
func longNames(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	long := strings.Repeat("long", 12)
	put := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", long, long + long + long} {
		put("usr/share/vulkan/icd.d/"+name+".json", `{"file_format_version":"1.0.0","ICD":{"library_path":"lib`+name+`.so","api_version":"1.3.0"}}`)
		put("usr/share/vulkan/implicit_layer.d/"+name+".json", `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_`+name+`","type":"INSTANCE",
			"library_path":"/opt/`+name+`/lib`+name+`.so","api_version":"1.3.0","implementation_version":"1","description":"a layer with a long description `+
			strings.Repeat("and words ", 10)+`","disable_environment":{"DISABLE_`+strings.ToUpper(name)+`":"1"}}}`)
		put("usr/share/vulkan/explicit_layer.d/"+name+".json", `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_explicit_`+name+`",
			"type":"INSTANCE","library_path":"./lib`+name+`.so","api_version":"1.1.0","implementation_version":"x","description":""}}`)
	}
	put("usr/share/vulkan/icd.d/broken.json", `{"file_format_version":"1.0.0","ICD":{"library_path":"","api_version":"1.3.0",}}`)
	put("etc/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"app_keys":["program"],
		"layers":[{"name":"VK_LAYER_`+long+`","path":"/nowhere/`+long+`.json","control":"on"},{"control":"sometimes"}],
		"additional_drivers":[{"path":"/nowhere/`+long+long+`"}],"stderr_log":["everything"]}}`)
	put("home/user/.local/share/vulkan/icd.d/"+long+"2.json", "{}")
	return root
}

// The outputs of the commands fit 80 columns, on this machine and on one with long names. Lines for a shell and JSON are not wrapped, because
// users copy them, so "run --dry-run" is not in the list. The test ignores the content of the output and the exit codes.
func TestOutputsKeepTo80Columns(t *testing.T) {
	t.Parallel()
	root := longNames(t)
	manifests, err := filepath.Glob(root + "/*/*/*/*/*.json")
	if err != nil || len(manifests) < 8 {
		t.Fatalf("%q, %v", manifests, err)
	}
	settings := root + "/etc/vulkan/loader_settings.d/vk_loader_settings.json"
	variables := []string{"--env", "HOME=/home/user", "--env", "VK_LOADER_DRIVERS_DISABLE=*longlonglonglonglonglonglong*,nothing*",
		"--env", "VK_LAYER_PATH=/a/path/that/is/not/there:/another/one/that/is/not/there", "--env", "VK_INSTANCE_LAYERS=VK_LAYER_a:VK_LAYER_b",
		"--env", "VK_LOADER_DRIVER_DISABLE=misspelled", "--env", "VK_ICD_FILENAMES=/nowhere/at/all.json", "--env", "MESA_VK_DEVICE_SELECT=list"}
	there := func(args ...string) []string { return append(append(args, "--root", root), variables...) }
	for name, args := range map[string][]string{
		"doctor": {"doctor"}, "doctor full": {"doctor", "--full", "--rules"}, "screen": {}, "list drivers": {"list", "drivers"},
		"list layers": {"list", "layers", "--rules"}, "list paths": {"list", "paths"}, "list variables": {"list", "variables"},
		"list devices": {"list", "devices"}, "env": {"list", "variables", "--set"}, "explain": {"explain"}, "explain program": {"explain", "sh"}, "info": {"list", "devices", "--details"},
		"ps": {"ps"}, "settings": {"settings", "show"}, "system": {"system", "status"},
		"version": {"version"}, "statement": {"explain", "LAY-173"}, "service": {"service", "status"}, "cdi": {"cdi", "list"},

		"there: doctor": there("doctor"), "there: doctor full": there("doctor", "--full", "--rules"), "there: screen": there(),
		"there: drivers": there("list", "drivers", "--rules"), "there: layers": there("list", "layers"), "there: paths": there("list", "paths"),
		"there: variables": there("list", "variables"), "there: env": there("list", "variables", "--set"), "there: explain": there("explain"),
		"there: explain layer": there("explain", "VK_LAYER_a"), "there: settings": there("settings", "show"),
		"there: system": there("system", "status"), "there: info": there("list", "devices", "--details"),

		"validate": append([]string{"validate", settings}, manifests...), "no such command": {"nonsense"}, "no such flag": {"doctor", "--nonsense"},
		"no such file":    {"validate", "/no/such/file/anywhere/in/this/file/system/of/this/machine.json"},
		"no such device":  {"run", "--device", "no such device as this one", "/bin/true"},
		"no such layer":   {"settings", "set", "--layer", "VK_LAYER_none"},
		"no such program": {"explain", "/no/such/program"}, "no such pid": {"explain", "--pid", "1000000000"},
		"no subcommand": {"cdi"}, "too many words": {"doctor", "a", "b"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			out := in80(t, root, args...)
			if out == "" {
				t.Error("no output")
			}
			keepsTo80(t, strings.Join(args, " "), out)
		})
	}
}
