package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goWords are texts of Go's errors and formatting, which a user does not understand.
var goWords = regexp.MustCompile(`(^|[^.\w])json: |cannot unmarshal|strconv\.|invalid character|looking for beginning of|yaml: |[Uu]nexpected end of JSON|Go (struct|value)|` +
	`\b(open|stat|lstat|read|readlink|mkdir) /\S+: |%!|&\{|map\[|<nil>|\bEOF\b|goroutine|panic|0xc0[0-9a-f]{8}`)

// wrongKinds are JSON values of every kind.
var wrongKinds = []string{"null", "true", "0", "-1", "1.5", "1e999", `""`, `"x"`, "[]", "[null]", `["x"]`, "{}", `{"a":1}`}

// brokenTexts are texts that are no JSON documents.
var brokenTexts = []string{"", " ", "{", "}", "[", `{"a":}`, `{"a":1,}`, `{"a":1} x`, `"text`, "nul", "\x00", "\xff\xfe{\x00}\x00", "\xef\xbb\xbf{", "- a\n  b: [", "a: b: c", "\t- x",
	`{"a":"\ud800"}`, `{"a":01}`, "<html>", "\x7fELF\x02\x01\x01"}

// variant is a document in which one member has a value of another kind.
type variant struct{ member, text string }

// variants returns copies of a document, each with another kind of value for one member, and the broken texts.
func variants(t *testing.T, document string) (list []variant) {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(document), &whole); err != nil {
		t.Fatal(err)
	}
	marshal := func(value any) string {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const hole = "the value of this member"
	var walk func(name string, at any, put func(any))
	walk = func(name string, at any, put func(any)) {
		put(hole)
		text := marshal(whole)
		put(at)
		for _, kind := range wrongKinds {
			list = append(list, variant{name, strings.Replace(text, marshal(hole), kind, 1)})
		}
		switch at := at.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(at)) {
				walk(key, at[key], func(value any) { at[key] = value })
			}
		case []any:
			for i := range at {
				walk(name, at[i], func(value any) { at[i] = value })
			}
		}
	}
	walk("", whole, func(value any) { whole = value })
	for _, text := range append(brokenTexts, document[:len(document)/2], document+document) {
		list = append(list, variant{"", text})
	}
	return list
}

// some returns every n-th variant, or all of them in the long form of the tests.
func some(list []variant, n int) (chosen []variant) {
	if os.Getenv("VKLOADER_TEST_ALL") != "" {
		return list
	}
	for i := range list {
		if i%n == 0 {
			chosen = append(chosen, list[i])
		}
	}
	return chosen
}

const (
	driverDocument = `{"file_format_version":"1.0.1","ICD":{"library_path":"./libx.so","api_version":"1.3.0","library_arch":"64","is_portability_driver":false}}`
	layerDocument  = `{"file_format_version":"1.2.1","layer":{"name":"VK_LAYER_x","type":"GLOBAL","library_path":"./libx.so","library_arch":"64","api_version":"1.3.0",` +
		`"implementation_version":"1","description":"d","functions":{"vkNegotiateLoaderLayerInterfaceVersion":"x"},"pre_instance_functions":{"vkEnumerateInstanceVersion":"y"},` +
		`"instance_extensions":[{"name":"VK_EXT_a","spec_version":"1"}],"device_extensions":[{"name":"VK_EXT_b","spec_version":"1","entrypoints":["vkB"]}],` +
		`"enable_environment":{"ON":"1"},"disable_environment":{"OFF":"1"},"features":{"presets":[{"label":"p","description":"d","platforms":["LINUX"],"settings":[{"key":"a","value":true}]}],` +
		`"settings":[{"key":"a","env":"A","label":"A","description":"d","type":"BOOL","default":true,"platforms":["LINUX"],"status":"STABLE","dependence":{"mode":"ALL","settings":[{"key":"b","value":1}]}},` +
		`{"key":"b","label":"B","description":"d","type":"INT","default":1,"range":{"min":0,"max":9},"unit":"ms"},` +
		`{"key":"c","label":"C","description":"d","type":"FLAGS","default":["f"],"flags":[{"key":"f","label":"F","description":"d"}]}]}}}`
	overrideDocument = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL","api_version":"1.3.0","implementation_version":"1","description":"d",` +
		`"component_layers":["VK_LAYER_x"],"override_paths":["/usr/share"],"app_keys":["/bin/x"],"blacklisted_layers":["VK_LAYER_y"],"disable_environment":{"OFF":"1"}}}`
	settingsDocument = `{"file_format_version":"1.0.0","settings":{"app_keys":["/bin/x"],"stderr_log":["error"],"log_file":"/x","layers":[{"name":"VK_LAYER_x","path":"/x.json","control":"on",` +
		`"treat_as_implicit_manifest":false}],"additional_drivers":[{"path":"/x.json"}],"additional_drivers_use_exclusively":false,` +
		`"device_configurations":[{"deviceUUID":[1,2],"driverUUID":[3],"driverVersion":5,"deviceName":"n"}],"vkloader_compute":"all"}}`
	specDocument = `{"cdiVersion":"0.6.0","kind":"nvidia.com/gpu","annotations":{"a":"b"},"containerEdits":{"env":["A=B"],"hooks":[{"hookName":"createContainer","path":"/bin/x","args":["x"],"env":["A=B"],"timeout":1}],` +
		`"mounts":[{"hostPath":"/x","containerPath":"/x","options":["ro"],"type":"bind"}]},"devices":[{"name":"all","annotations":{"a":"b"},"containerEdits":{"deviceNodes":[{"path":"/dev/x","hostPath":"/dev/x","type":"c",` +
		`"major":1,"minor":2,"fileMode":438,"permissions":"rw","uid":0,"gid":0}],"additionalGids":[5]}}]}`
)

// plain reports the Go words in an output.
func plain(t *testing.T, about, out string) {
	t.Helper()
	for _, line := range strings.Split(out, "\n") {
		if found := goWords.FindString(line); found != "" {
			t.Errorf("%s: %q in: %s", about, found, line)
		}
	}
}

// both runs the tool and returns its output and its messages as one text.
func both(t *testing.T, arguments ...string) string {
	t.Helper()
	out, code := runBuilt(t, arguments...)
	if code < 0 {
		t.Errorf("%q died: %s", arguments, out)
	}
	return out
}

// With values of every kind for every member of a manifest, validate names the file, and no command prints an error of Go.
func TestNoGoErrorsOfManifests(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{"icd.d": driverDocument, "implicit_layer.d": layerDocument, "explicit_layer.d": layerDocument, "override": overrideDocument} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			directory := map[string]string{"override": "implicit_layer.d"}[name]
			if directory == "" {
				directory = name
			}
			options := []string{"--root", root, "--env", "HOME=/home/mia"}
			list := some(variants(t, document), 5)
			var files []string
			for i, v := range list {
				file := fmt.Sprintf("/usr/share/vulkan/%s/%04d.json", directory, i)
				if err := put(filepath.Join(root, file), []byte(v.text)); err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			out := both(t, slices.Concat(options, []string{"validate", "--file-only"}, files)...)
			plain(t, "validate", out)
			for i, v := range list {
				if !strings.Contains(out, files[i]) {
					t.Errorf("validate does not name %s, whose %q is wrong: %s", files[i], v.member, v.text)
				}
			}
			for _, command := range [][]string{{"doctor", "--full"}, {"list", "drivers"}, {"list", "layers"}, {"explain"}, {"doctor", "--json"}, nil, {"settings"}} {
				plain(t, fmt.Sprint(command), both(t, slices.Concat(options, command)...))
			}
		})
	}
}

// Values of every kind for every member of a settings file and of the files beside it.
func TestNoGoErrorsOfSettings(t *testing.T) {
	t.Parallel()
	const directory = "/home/mia/.local/share/vulkan/loader_settings.d/"
	for i, v := range some(variants(t, settingsDocument), 9) {
		root := t.TempDir()
		options := []string{"--root", root, "--env", "HOME=/home/mia"}
		if err := put(filepath.Join(root, directory, "vk_loader_settings.json"), []byte(v.text)); err != nil {
			t.Fatal(err)
		}
		commands := [][]string{{"validate", directory + "vk_loader_settings.json"}, {"doctor", "--full"}, {"settings"}, {"explain"}}
		for n, command := range commands {
			if n < 2 || n%4 == i%4 { // of the other files, every fourth variant
				out := both(t, slices.Concat(options, command)...)
				plain(t, fmt.Sprintf("%q: %s", command, v.text), out)
				if n == 0 && !strings.Contains(out, "vk_loader_settings.json") {
					t.Errorf("validate does not name the file of %s: %s", v.text, out)
				}
			}
		}
	}
	for _, text := range brokenTexts {
		root := t.TempDir()
		for _, file := range []string{directory + "vk_loader_settings.json", "/home/mia/.local/state/vkloader/undo.json"} {
			if err := put(filepath.Join(root, file), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		plain(t, text, both(t, "--root", root, "--env", "HOME=/home/mia", "settings"))
	}
}

// Values of every kind for every member of a CDI file.
func TestNoGoErrorsOfCDI(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for i, v := range some(variants(t, specDocument), 7) {
		file := filepath.Join(directory, fmt.Sprint(i, ".json"))
		if err := os.WriteFile(file, []byte(v.text), 0o644); err != nil {
			t.Fatal(err)
		}
		plain(t, v.text, both(t, "cdi", "verify", file))
	}
}

// Package databases, files of /proc and /sys, and lists, with texts of other kinds.
func TestNoGoErrorsOfSystemFiles(t *testing.T) {
	t.Parallel()
	files := []string{"var/lib/dpkg/status", "var/lib/dpkg/arch", "var/lib/dpkg/info/mesa-vulkan-drivers.list", "var/lib/apt/lists/x_Packages", "var/lib/apt/lists/y_Packages.lz4",
		"var/lib/apt/lists/x_Contents-amd64.gz", "var/lib/rpm/rpmdb.sqlite", "usr/lib/sysimage/rpm/rpmdb.sqlite", "var/lib/pacman/local/mesa-1-1/desc", "var/lib/pacman/sync/core.db",
		"lib/apk/db/installed", "etc/apk/world", "etc/os-release", "etc/passwd", "etc/group", "etc/ld.so.conf", "etc/ld.so.cache", "proc/version", "proc/self/mountinfo", "proc/1/environ",
		"proc/driver/nvidia/version", "sys/bus/pci/devices/0000:03:00.0/class", "sys/devices/0000:03:00.0/vendor", "sys/devices/0000:03:00.0/device", "sys/devices/0000:03:00.0/uevent",
		"run/.containerenv", ".flatpak-info", "home/mia/vk_layer_settings.txt", "usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "usr/lib/x86_64-linux-gnu/libvulkan_radeon.so"}
	for i, text := range append(brokenTexts, strings.Repeat("x", 70000), strings.Repeat("\n:\n", 9), "Package: \n\nStatus\n", "name=\n=\n[\n", "DIRECTORY") {
		if i%3 != 0 && os.Getenv("VKLOADER_TEST_ALL") == "" {
			continue
		}
		root := t.TempDir()
		if _, err := build("testdata/situations/bases/amd.txtar", root); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			place := filepath.Join(root, file)
			err := os.RemoveAll(place)
			if text == "DIRECTORY" && err == nil {
				err = os.MkdirAll(place, 0o755)
			} else if err == nil {
				err = put(place, []byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		options := []string{"--root", root, "--env", "HOME=/home/mia", "--env", "VK_LAYER_SETTINGS_PATH=/home/mia/vk_layer_settings.txt", "--env", "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation"}
		for _, command := range [][]string{nil, {"doctor", "--full"}, {"doctor", "--user", "mia"}, {"list", "devices"}, {"list", "drivers"}, {"list", "layers"}, {"explain"}} {
			plain(t, fmt.Sprintf("%q of %.20q", command, text), both(t, slices.Concat(options, command)...))
		}
	}
}
