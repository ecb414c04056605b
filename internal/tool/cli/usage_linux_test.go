package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/tool/exit"
)

// Errors about command lines name the word, and the help of the command.
func TestUsageErrors(t *testing.T) {
	s, _, errOut := world(t, goodRun)
	for line, want := range map[string]string{
		"lsit drivers":                           `unknown command "lsit" for "vkloader"`,
		"help nonsense":                          `unknown command "nonsense" for "vkloader"`,
		"docter":                                 `unknown command "docter" for "vkloader"`,
		"settings shwo":                          `unknown command "shwo" for "vkloader settings"`,
		"list driver":                            `unknown command "driver" for "vkloader list"`,
		"doctor --jsno":                          "unknown flag: --jsno",
		"doctor --nonsense":                      "unknown flag: --nonsense",
		"list devices --app a":                   "vkloader list devices has no option --app; these have it: bundle, doctor, explain, list variables, ",
		"explain --fix":                          "vkloader explain has no option --fix; these have it: doctor; see",
		"doctor --app ollama serve":              "--app takes one program: vkloader doctor --app ollama; see",
		"-q":                                     "unknown shorthand flag: 'q' in -q",
		"explain --picture --timeout 5":          "--timeout 5: it must be a time above zero, as 10s",
		"explain --picture --timeout soon":       "--timeout soon: it must be a time above zero, as 10s",
		"doctor --timeout -5s":                   "--timeout -5s: it must be a time above zero, as 10s",
		"check a":                                "the requirements of a are unknown: name them with --require",
		"doctor --pid abc":                       "--pid abc: it must be a number",
		"doctor --json=maybe":                    "--json maybe: it must be a number",
		"doctor --fix --force":                   "--force needs --undo",
		"doctor --force":                         "--force needs --undo",
		"doctor --undo --yes":                    "--yes needs --fix",
		"doctor --undo --dry-run":                "--dry-run needs --fix",
		"doctor --step x":                        "--step needs --fix",
		"doctor --fix --user mia":                "--fix and --user exclude each other",
		"explain --no-probe":                     "--no-probe needs --picture",
		"settings set --no-layers --layer a":     "--layer and --no-layers exclude each other",
		"run --json /bin/true":                   "--json needs --dry-run or --find-culprit",
		"run":                                    "an argument is missing: vkloader run [options] [--] PROGRAM [ARGUMENT]...; see vkloader run --help",
		"validate":                               "an argument is missing: vkloader validate FILE...",
		"settings forget":                        "an argument is missing: vkloader settings forget NAME",
		"doctor --probe --no-probe":              "--no-probe and --probe exclude each other",
		"doctor --json --markdown --fix":         "--fix and --json and --markdown exclude each other",
		"check a b":                              "too many arguments: vkloader check [PROGRAM]",
		"settings set --until-changed --layer a": "--until-changed needs --layer NAME=off or --driver NAME=off, and no other layers or drivers",
		"list --root":                            "flag needs an argument: --root",
		"doctor a b":                             `unknown command "a" for "vkloader doctor"`,
		"system use":                             "an argument is missing: vkloader system use distribution|vkloader",
		"service status more":                    `unknown command "more" for "vkloader service status"`,
		"settings layer":                         "an argument is missing: vkloader settings layer LAYER",
		"explain --bits 16":                      "--bits 16: it must be 32 or 64",
	} {
		errOut.Reset()
		if code := runLine(s, strings.Fields(line)); code != exit.Usage || !strings.HasPrefix(errOut.String(), "vkloader: "+want) {
			t.Errorf("%s: exit code %d\n%swant %s", line, code, errOut, want)
		}
	}
}

// Without a subcommand, these commands print the list of their show subcommand, with its options.
func TestBareCommandsShow(t *testing.T) {
	for bare, full := range map[string]string{"settings": "settings show", "system": "system status",
		"settings --json": "settings show --json", "--json --no-probe": "doctor --json --no-probe"} {
		s, out, errOut := world(t, goodRun)
		call := func(line string) string {
			out.Reset()
			code := runLine(s, strings.Fields(line))
			if code > exit.Problems || errOut.Len() > 0 || out.Len() == 0 {
				t.Errorf("%s: exit code %d, %s", line, code, errOut)
			}
			return out.String()
		}
		if a, b := call(bare), call(full); a != b {
			t.Errorf("%s:\n%s\n%s:\n%s", bare, a, full, b)
		}
	}
}

// A failed write to standard output is reported, and changes the exit code.
func TestFullOutput(t *testing.T) {
	for _, line := range []string{"help", "version", "list drivers", "list drivers --json", "doctor", "settings", "explain --picture --no-probe", "explain LAY-173"} {
		s, _, errOut := world(t, goodRun)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.out = full
		const want = "vkloader: nothing more can be written to standard output: no space left on device\n"
		if code := runLine(s, strings.Fields(line)); code != exit.NotLooked || errOut.String() != want {
			t.Errorf("%s: exit code %d, %s", line, code, errOut)
		}
		full.Close()
	}
}

// Warnings alone give the exit code 0 and a problem gives 1, for every command.
func TestExitCodeOfWarnings(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) string {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	doubtful := put("doubtful.json", `{"file_format_version":"1.0.0","ICD":{"library_path":"libx.so","api_version":"x"}}`)
	bad := put("bad.json", `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0"}}`)
	settings := func(name, log string) string {
		put(name+"/etc/vulkan/loader_settings.d/vk_loader_settings.json",
			`{"file_format_version":"1.0.0","settings":{"stderr_log":["`+log+`"]}}`)
		return filepath.Join(root, name)
	}
	warned := settings("warned", "everything")
	faulty := filepath.Join(root, "faulty")
	put("faulty/etc/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"layers":5}}`)
	for _, c := range []struct {
		line string
		code int
	}{
		{"validate --file-only " + doubtful, exit.Fine}, {"validate --file-only " + bad, exit.Problems},
		{"validate --file-only " + doubtful + " " + bad, exit.Problems},
		{"validate /no/such/file", exit.NotLooked}, {"validate --file-only " + bad + " /no/such/file", exit.NotLooked},
		{"settings --root " + warned, exit.Fine}, {"settings --root " + faulty, exit.Problems},
		{"list variables --set --root " + warned + " --env VK_LOADER_DEBUG=shout", exit.Fine},
		{"list variables --set --root " + warned + " --env VK_DRIVER_FILES=/no/such.json", exit.Problems},
		{"list variables --root " + warned + " --env VK_LOADER_DEBUG=shout", exit.Fine},
		{"list variables --root " + warned + " --env VK_DRIVER_FILES=/no/such.json", exit.Problems},
		{"list layers --root " + warned, exit.Fine}, {"list drivers --root " + warned, exit.Fine}, {"list drivers --root " + warned + " --env VK_DRIVER_FILES=/no/such.json", exit.Problems},
		{"list --root " + warned, exit.Fine}, {"explain --root " + warned, exit.Fine},
		{"run --dry-run --driver nothing*.json -- /bin/true", exit.Fine},
	} {
		for _, json := range []bool{false, true} {
			s, out, errOut := world(t, goodRun)
			args := strings.Fields(c.line)
			if json && (args[0] == "list" && args[1] == "--root") {
				continue
			}
			if json {
				args = append(args[:1:1], append([]string{"--json"}, args[1:]...)...)
				if args[0] == "list" {
					args[1], args[2] = args[2], args[1]
				}
			}
			if code := runLine(s, args); code != c.code {
				t.Errorf("%v: exit code %d, want %d\n%s%s", args, code, c.code, out, errOut)
			}
			if text := out.String(); !json && c.code == exit.Fine && strings.Contains(text, diag.Problem.String()+":") {
				t.Errorf("%v: a problem and exit code 0\n%s", args, text)
			}
		}
	}
}

// A question is written before its answer is read.
func TestQuestionIsWritten(t *testing.T) {
	s, out, _ := world(t, goodRun)
	s.environ = append(s.environ, "COLUMNS=80")
	s.in = bytes.NewReader(nil)
	runLine(s, []string{"version"})
	out.Reset()
	if _, err := s.out.Write([]byte("apply? ")); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Fatal("the beginning of a line was not kept")
	}
	s.in.Read(make([]byte, 1))
	if out.String() != "apply? " {
		t.Errorf("%q", out)
	}
}

// The error for an unknown layer or driver suggests the closest one.
func TestNamesThatWereMeant(t *testing.T) {
	s, _, errOut := world(t, goodRun)
	s.environ = append(s.environ, "HOME="+t.TempDir())
	for line, want := range map[string]string{
		"settings set --driver drivr.json":                  `did you mean "driver.json"?`,
		"settings set --driver drivr.json=off":              `did you mean "driver.json"?`,
		"settings set --driver driver.json=off":             "the settings would exclude every driver",
		"settings set --layer nonsense=off --until-changed": "no layer nonsense is installed",
		"settings set --layer VK_LAYER_onee":                `did you mean "VK_LAYER_one"?`,
	} {
		errOut.Reset()
		if code := runLine(s, strings.Fields(line)); code != exit.Problems || !strings.Contains(errOut.String(), want) {
			t.Errorf("%s: exit code %d\n%swant %s", line, code, errOut, want)
		}
	}
}

// help and explain describe each variable of the loader, each kind of finding and each statement; list alone lists drivers and layers.
func TestWordsAreExplained(t *testing.T) {
	s, out, errOut := world(t, goodRun)
	for line, want := range map[string]string{"help VK_DRIVER_FILES": "VK_DRIVER_FILES: a variable of the loader", "explain VK_DRIVER_FILES": "takes",
		"help layer-crashes": "a finding of vkloader doctor", "help WIN-057": "WIN-057  Elevation", "list": "\nLayers\n"} {
		out.Reset()
		if code := runLine(s, strings.Fields(line)); !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d: %s%s", line, code, out, errOut)
		}
	}
}
