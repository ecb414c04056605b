//go:build unix

package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
)

// andThen stands between two lines of a shell in one.
const andThen = "; "

// line returns one change as a line for a shell.
func (c Change) line() shell.Line {
	switch {
	case c.Text != "":
		return "mkdir -p -- " + shell.Quoted(path.Dir(c.File)) + " && echo " +
			shell.Quoted(strings.TrimSuffix(c.Text, "\n")) + " > " + shell.Quoted(c.File)
	case c.File != "":
		return "rm -- " + shell.Quoted(c.File)
	case c.Set:
		return "export " + c.Assignment()
	}
	return "unset " + shell.Quoted(c.Variable)
}

// Assignment returns a change that sets a variable as NAME=VALUE, quoted for a shell.
func (c Change) Assignment() shell.Line {
	return shell.Quoted(c.Variable) + "=" + shell.Quoted(c.Value)
}

// Starting returns a shell line that starts a program with changed variables, and leaves other programs as they are.
func (c Change) Starting(program shell.Line) shell.Line {
	var unset, set shell.Line
	for at := &c; at != nil; at = at.And {
		if at.Set {
			set += at.Assignment() + " "
		} else {
			unset += "-u " + shell.Quoted(at.Variable) + " "
		}
	}
	return "env " + unset + set + program
}

// TriesSettings reports whether ShadowSettings can give a child process other settings than those in force.
const TriesSettings = true

// ShadowSettings returns an environment in which a child of the tool reads this settings file instead of any other. It
// puts a directory with only this file first in XDG_CONFIG_HOME and changes nothing else. No other user can replace the
// file, which names libraries that the child loads. remove deletes the directory.
func ShadowSettings(environ []string, text string) (changed []string, remove func(), err error) {
	directory, err := machine.TemporaryDirectory("", "vkloader-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(directory) }
	below := filepath.Join(directory, "vulkan/loader_settings.d")
	if err = os.MkdirAll(below, 0o755); err == nil {
		err = os.WriteFile(filepath.Join(below, "vk_loader_settings.json"), []byte(text), 0o644)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	m := machine.Machine{Environ: environ}
	name := variables.ConfigHome.Name()
	rest, _ := m.Lookup(name)
	if home, ok := m.Lookup(variables.Home.Name()); rest == "" && ok {
		rest = home + "/.config"
	}
	return machine.WithVariable(environ, name, directory+":"+rest), remove, nil
}

// AudibleSettings returns an environment in which the settings file does not set the loader's log: it replaces the file
// in force with a copy without stderr_log. A file that is not valid JSON stays in force.
func AudibleSettings(environ []string) (changed []string, remove func()) {
	none := func() {}
	source := &machine.Source{Machine: machine.Machine{Environ: environ}}
	before := settingsInForce(source)
	var content map[string]any
	if !bytes.Contains(before, []byte("stderr_log")) || json.Unmarshal(before, &content) != nil {
		return environ, none
	}
	objects, _ := content["settings_array"].([]any)
	for _, object := range append(objects, content["settings"]) {
		if o, ok := object.(map[string]any); ok {
			delete(o, "stderr_log")
		}
	}
	text, err := json.Marshal(content)
	if err != nil {
		return environ, none
	}
	if changed, remove, err = ShadowSettings(environ, string(text)); err != nil {
		return environ, none
	}
	return changed, remove
}

// settingsInForce returns the settings file of programs; nil if there is none, or it cannot be read.
func settingsInForce(source *machine.Source) []byte {
	for _, place := range SettingsPlaces(source) {
		text, err := source.ReadFile(place)
		if !errors.Is(err, fs.ErrNotExist) {
			return text
		}
	}
	return nil
}
