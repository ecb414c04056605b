package layersettings

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
)

// FileName is the name of the file.
const FileName = "vk_layer_settings.txt"

// PathVariable names the file, or its directory.
const PathVariable = "VK_LAYER_SETTINGS_PATH"

// WorkingDirectory is what names the file there.
const WorkingDirectory = "the working directory"

// written is the first line of a file that this package has made.
const written = "# Written by vkloader settings layer."

// Place is a file that layers look for.
type Place struct {
	File string `json:"file"`
	From string `json:"from"` // what names it: the user's directory, a variable, or the working directory
}

// Places are the files that layers look for, in order: the first one that is there counts. directory is the working
// directory of the program, "" when it is not known.
func Places(m *machine.Machine, directory string) (list []Place) {
	data, _ := m.Lookup(variables.DataHome.Name())
	from := variables.DataHome.Name()
	if home, ok := m.Lookup(variables.Home.Name()); data == "" && ok && home != "" {
		data, from = path.Join(home, ".local/share"), variables.Home.Name()
	}
	if path.IsAbs(data) {
		list = append(list, Place{path.Join(data, "vulkan/settings.d", FileName), from})
	}
	if named, _ := m.Lookup(PathVariable); named != "" {
		if info, err := m.Stat(named); err == nil {
			if info.IsDir() {
				named = path.Join(named, FileName)
			}
			return append(list, Place{named, PathVariable})
		}
	}
	if directory != "" {
		list = append(list, Place{path.Join(directory, FileName), WorkingDirectory})
	}
	return list
}

// File is a file with settings of layers.
type File struct {
	Place
	lines []string
}

// Value is a setting in a file.
type Value struct {
	Name  string `json:"name"` // as the file has it, such as khronos_validation.enables
	Value string `json:"value"`
	Line  int    `json:"line"`
}

// InForce reads the file that counts; nil when there is none.
func InForce(m *machine.Machine, places []Place) (*File, error) {
	for _, place := range places {
		info, err := m.Stat(place.File)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		return Open(m, place)
	}
	return nil, nil
}

// Open reads a file; one that is not there is empty.
func Open(m *machine.Machine, place Place) (*File, error) {
	text, err := m.ReadFile(place.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := &File{Place: place}
	if len(text) > 0 {
		f.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return f, nil
}

// parse reads a line; false for a comment and for what is no setting.
func parse(line string) (name, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	name, value, ok = strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return name, value, ok && name != ""
}

// Values are the settings of a file, in order.
func (f *File) Values() (list []Value) {
	for i, line := range f.lines {
		if name, value, ok := parse(line); ok {
			list = append(list, Value{name, value, i + 1})
		}
	}
	return list
}

// Find is the value of a setting: the last one of its name.
func (f *File) Find(name string) (Value, bool) {
	list := f.Values()
	for i := range slices.Backward(list) {
		if list[i].Name == name {
			return list[i], true
		}
	}
	return Value{}, false
}

// Set changes a setting, where it is or at the end, and Unset removes it. All other lines stay as they are.
func (f *File) Set(name, value string) {
	line := name + " = " + value
	if at, ok := f.Find(name); ok {
		f.lines[at.Line-1] = line
		return
	}
	if len(f.lines) == 0 {
		f.lines = []string{written}
	}
	f.lines = append(f.lines, line)
}

// Unset removes a setting.
func (f *File) Unset(name string) {
	f.lines = slices.DeleteFunc(f.lines, func(line string) bool {
		other, _, ok := parse(line)
		return ok && other == name
	})
}

// Text is the content of the file.
func (f *File) Text() string {
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

// Over tells whether nothing is left of a file that this package has made.
func (f *File) Over() bool { return len(f.Values()) == 0 && f.Text() == written+"\n" }

// Write writes the file, in one step; one that this package has made goes when nothing is left in it.
func (f *File) Write(m *machine.Machine) (removed bool, err error) {
	at, err := m.PlaceOf(f.File, true)
	if err != nil {
		return false, err
	}
	defer at.Close()
	_, mode, err := at.Read("")
	switch {
	case err == nil && f.Over():
		return true, at.Remove()
	case err != nil:
		mode = 0o644
	}
	return false, at.Replace("", []byte(f.Text()), mode)
}
