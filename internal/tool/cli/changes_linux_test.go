package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// A command line that changes a file, with HOME for the home directory.
type changing struct {
	line  string
	file  string   // the file, below the home directory
	text  string   // its content, where the change needs one
	first []string // command lines that come before
}

const (
	settingsOfHome = ".config/vulkan/loader_settings.d/vk_loader_settings.json"
	overrideOfHome = ".local/share/vulkan/implicit_layer.d/VkLayer_override.json"
	undoOfHome     = ".local/state/vkloader/undo.json"
	oneOfHome      = ".config/vkloader/configurations/one.json"
)

// brokenOverride is a manifest that "doctor --fix" removes.
const brokenOverride = `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_LUNARG_override","type":"GLOBAL",
"api_version":"1.3.0","implementation_version":"1","description":"x","component_layers":["VK_LAYER_gone"],"disable_environment":{"NO_OVERRIDE":"1"}}}`

// ownCDI is a CDI file of this tool.
const ownCDI = `{"cdiVersion":"0.5.0","kind":"vkloader/vulkan","devices":[{"name":"all",
"containerEdits":{"hooks":[{"hookName":"createContainer","path":"/usr/bin/vkloader","args":["vkloader","cdi","hook","--given","--spec-only"]}]}}]}`

// ownSettings is a settings file of this tool.
const ownSettings = `{"vkloader":{"written_by":"vkloader settings"},"settings_array":[]}`

// changesOf has each command that changes files. The others are in readers.
var changesOf = map[string][]changing{
	"bundle":       {{line: "bundle --no-probe --force -o HOME/out.tar.gz", file: "out.tar.gz"}},
	"cdi generate": {{line: "cdi generate --force -o HOME/a.json", file: "a.json"}},
	"cdi refresh":  {{line: "cdi refresh --remove --directory HOME/cdi", file: "cdi/a.json", text: ownCDI}},
	"doctor": {{line: "doctor --fix --yes", file: overrideOfHome, text: brokenOverride},
		{line: "doctor --undo", file: overrideOfHome, text: brokenOverride, first: []string{"doctor --fix --yes"}},
		{line: "doctor --undo", file: undoOfHome, first: []string{"doctor --fix --yes"}}},
	"run":             {{line: "run --log HOME/a.log -- /bin/true", file: "a.log"}},
	"settings clear":  {{line: "settings clear", file: settingsOfHome, text: ownSettings}},
	"settings forget": {{line: "settings forget one", file: oneOfHome, text: ownSettings}},
	"settings layer": {{line: "settings layer VK_LAYER_one loud=true",
		file: ".local/share/vulkan/settings.d/vk_layer_settings.txt"}},
	"settings save": {{line: "settings save one --force", file: oneOfHome, text: "{}"}},
	"settings set":  {{line: "settings set --force --log error", file: settingsOfHome, text: "{}"}, {line: "settings set --hardware awake", file: settingsOfHome, text: "{}"}},
	"settings use": {{line: "settings use one", file: settingsOfHome, text: ownSettings,
		first: []string{"settings save one"}}},
}

// readers are the commands that change no file that a person names or has. Each of those that write has its reason.
var readers = map[string]string{"": "", "cdi": "", "cdi check": "", "cdi list": "", "cdi verify": "", "cdi why": "",
	"check": "", "explain": "", "list": "", "list devices": "", "list drivers": "", "list layers": "", "list paths": "", "list variables": "",
	"ps": "", "service": "", "service inspect": "", "service status": "", "settings": "",
	"settings show": "", "system": "", "system status": "", "validate": "", "version": "", "follow": "",
	"cdi hook":       "the files of a container, below its root: TestIntoVolume",
	"pages":          "the manual, when the project is built",
	"service border": "the service's mounts: TestBorder",
	"service run":    "the service's own directory: TestBorder",
	"system use":     "its files are links of ldconfig: TestSystemText",
	"ui":             "the functions of settings and doctor: TestPlanOfALink",
}

// Each command that changes files changes exactly the file that it names. A link in the file's place is refused, whatever it
// leads to, and no other file changes.
func TestEachChangeFollowsNoLink(t *testing.T) {
	t.Parallel()
	var walk func(cmd *cobra.Command, path string)
	walk = func(cmd *cobra.Command, path string) {
		_, reads := readers[path]
		if _, changes := changesOf[path]; cmd.Runnable() && changes == reads {
			t.Errorf("%q must be in one of changesOf and readers", path)
		}
		for _, sub := range cmd.Commands() {
			walk(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	walk(newRoot(&invocation{}, nil), "")
	for _, list := range changesOf {
		for _, c := range list {
			for _, kind := range []string{"no link", "file", "directory", "nothing", "another owner"} {
				t.Run(c.line+", "+kind, func(t *testing.T) { c.try(t, kind) })
			}
		}
	}
}

// try runs the line with another kind of file in its file's place.
func (c changing) try(t *testing.T, kind string) {
	if kind == "another owner" && os.Getuid() != 0 {
		t.Skip("making files of another user takes root")
	}
	s, out, errOut := world(t, goodRun)
	top := t.TempDir()
	home, target := filepath.Join(top, "home"), filepath.Join(top, "home/target")
	place := filepath.Join(home, c.file)
	s.environ = slices.DeleteFunc(append(s.environ, "HOME="+home), func(pair string) bool {
		return strings.HasPrefix(pair, "VK_") && strings.HasPrefix(c.line, "doctor")
	})
	run := func(line string) int {
		out.Reset()
		errOut.Reset()
		return runLine(s, strings.Fields(strings.ReplaceAll(line, "HOME", home)))
	}
	err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.WriteFile(place, []byte(c.text), 0o644),
		os.MkdirAll(filepath.Join(target, "directory"), 0o755), os.WriteFile(filepath.Join(target, "file"), []byte(c.text), 0o600))
	for _, line := range c.first {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(home, overrideOfHome)), 0o755),
			os.WriteFile(filepath.Join(home, overrideOfHome), []byte(brokenOverride), 0o644))
		run(line)
	}
	switch kind {
	case "no link":
	case "another owner":
		if len(c.first) > 0 { // the file is gone, or the state of the tool
			return
		}
		err = errors.Join(err, os.Chown(place, 4242, 4242))
	default:
		err = errors.Join(err, os.RemoveAll(place), os.Symlink(filepath.Join(target, kind), place))
	}
	if err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, top)
	code := run(c.line)
	after := filesBelow(t, top)
	for _, own := range []string{undoOfHome, settingsOfHome + ".before-vkloader"} { // what the tool keeps for its undo
		if own != c.file {
			delete(before, filepath.Join(home, own))
			delete(after, filepath.Join(home, own))
		}
	}
	if kind == "no link" || kind == "another owner" {
		delete(before, place)
		delete(after, place)
		if c.first != nil {
			delete(before, filepath.Join(home, overrideOfHome))
			delete(after, filepath.Join(home, overrideOfHome))
		}
	} else if text := strings.Join(strings.Fields(out.String()+errOut.String()), " "); kind == "file" &&
		!strings.Contains(text, "is a link") {
		t.Errorf("the link is not named: exit code %d, %s", code, text)
	}
	if !maps.Equal(before, after) {
		t.Errorf("exit code %d, %s%s\nbefore\n%v\nafter\n%v", code, out, errOut, before, after)
	}
}

// filesBelow describes each file below a directory: its type, mode, owner, and content or target. New directories do not count.
func filesBelow(t *testing.T, top string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content bytes.Buffer
		if info.Mode()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(path)
			content.WriteString(to)
		} else if text, err := os.ReadFile(path); err == nil {
			content.Write(text)
		}
		files[path] = fmt.Sprint(info.Mode(), info.Sys().(*syscall.Stat_t).Uid, content.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
