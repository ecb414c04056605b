package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"vkloader/internal/core/document"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// Configuration is a named set of settings. Its file is a loader settings file in the user's configuration
// directory. Loaders read only the settings file into which "settings use" copies it.
type Configuration struct {
	Name     string
	File     string
	Text     string       // of the file
	Settings *ForPrograms // nil: it changes nothing
	Layers   []LayerValue // the settings of layers, which "settings use" writes into the layer settings file
	UsedBy   []string     // the programs with exactly these settings; AllPrograms: those without settings of their own
	Problem  string       // the reason if it cannot be used

	object map[string]any // its settings
}

// AllPrograms stands for programs without settings of their own.
const AllPrograms = "all programs"

const (
	configurationSuffix = ".json"
	// layerSettingsMember is the member of the mark with the settings of layers.
	layerSettingsMember = "layer_settings"
)

// ConfigurationFile returns the file of a configuration.
func ConfigurationFile(m *machine.Machine, name string) (string, error) {
	if name == "" || len(name) > 100 || strings.ContainsAny(name, `/\:`) ||
		strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name[:1], ".-") {
		return "", fmt.Errorf(
			"%q is no name of a configuration: a name has no /, \\, : or control character, and begins with no dot or -", name)
	}
	directory, err := configurationDirectory(m)
	return filepath.Join(directory, name+configurationSuffix), err
}

// Configurations returns all configurations by name.
func (p *FileSet) Configurations() (list []*Configuration, err error) {
	directory, err := configurationDirectory(&p.Machine)
	if err != nil {
		return nil, nil // a user without a directory has none
	}
	entries, err := p.Machine.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, exit.As(exit.NotLooked, err)
	}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), configurationSuffix)
		if _, err := ConfigurationFile(&p.Machine, name); !is || err != nil {
			continue
		}
		c, err := p.Configuration(name)
		if err != nil {
			c = &Configuration{Name: name, File: filepath.Join(directory, e.Name()), Problem: err.Error()}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *Configuration) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Configuration reads a configuration.
func (p *FileSet) Configuration(name string) (*Configuration, error) {
	c, err := p.readConfiguration(name)
	if err != nil {
		return nil, err
	}
	if err := c.locate(p); err != nil {
		c.Problem = err.Error()
	}
	if doc, fault := document.Parse(c.Text); fault == nil {
		c.Settings = settingsFor(doc, nil, c.File, "")
	}
	if content, err := p.InForce().Decode(); err == nil && c.Problem == "" {
		for _, object := range Objects(content) {
			if textWithoutApps(object) == textWithoutApps(c.object) {
				c.UsedBy = append(c.UsedBy, term.Either(Apps(object) == nil, []string{AllPrograms}, Apps(object))...)
			}
		}
	}
	return c, nil
}

// readConfiguration reads the file of a configuration.
func (p *FileSet) readConfiguration(name string) (*Configuration, error) {
	file, err := ConfigurationFile(&p.Machine, name)
	if err != nil {
		return nil, err
	}
	text, err := p.Machine.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		entries, _ := p.Machine.ReadDir(filepath.Dir(file))
		nameOf := func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), configurationSuffix) }
		return nil, exit.Problem("there is no configuration %s%s", name,
			term.DidYouMean(name, term.Words(entries, nameOf)))
	}
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	c, err := p.parseConfiguration(string(text), file, "")
	if err != nil {
		return nil, err
	}
	c.Name, c.File, c.Text = name, file, string(text)
	return c, nil
}

// parseConfiguration reads a settings file. app is the program whose settings count; "": all.
func (p *FileSet) parseConfiguration(text, file, app string) (*Configuration, error) {
	content, err := decode([]byte(text))
	if err != nil {
		return nil, exit.Problem("%s: %w", file, err)
	}
	c := &Configuration{}
	if one, is := content["settings"].(map[string]any); is && content["settings_array"] == nil {
		content["settings_array"] = []any{one}
	}
	if _, is := content["settings_array"].([]any); !is {
		return nil, exit.Problem("%s is no settings file", file)
	}
	found := objectFor(content, app)
	if list := Objects(content); found == nil && app == "" && len(list) == 1 {
		found = list[0]
	} else if found == nil && len(list) > 0 {
		return nil, exit.Problem("%s has no settings for %s: choose the program with --app", file,
			term.Or(app, AllPrograms))
	}
	c.object = clone(found)
	delete(c.object, "app_keys")
	mark, _ := content[explain.SettingsMark].(map[string]any)
	values, _ := mark[layerSettingsMember].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if value, is := values[name].(string); is {
			c.Layers = append(c.Layers, LayerValue{Name: name, Value: value})
		}
	}
	return c, nil
}

// locate enters the manifests of layers whose files the configuration does not name, or no longer names.
func (c *Configuration) locate(p *FileSet) error {
	list, _ := entries(c.object)
	for _, e := range list {
		if path, _ := e["path"].(string); isOthers(e) || path != "" && p.Machine.Exists(path) {
			continue
		}
		fresh, err := (&Options{Layers: []LayerChoice{{nameOf(e), controlOf(e)}}}).layerEntries(p)
		if err != nil {
			return err
		}
		maps.Copy(e, fresh[0])
	}
	return nil
}

func (c *Configuration) content() map[string]any {
	mark := map[string]any{"written_by": explain.SettingsWriter}
	if len(c.Layers) > 0 {
		values := map[string]any{}
		for _, v := range c.Layers {
			values[v.Name] = v.Value
		}
		mark[layerSettingsMember] = values
	}
	return map[string]any{"file_format_version": "1.0.0", "settings_array": []any{c.object}, explain.SettingsMark: mark}
}

func (c *Configuration) apply(object map[string]any) error {
	if c.Problem != "" {
		return exit.Problem("configuration %s: %s", c.Name, c.Problem)
	}
	apps, has := object["app_keys"]
	clear(object)
	maps.Copy(object, c.object)
	if has {
		object["app_keys"] = apps
	}
	return nil
}

// layerFile returns the layer settings file with the values of the configuration; nil if it has none. Its layers keep
// no other values.
func (c *Configuration) layerFile(p *FileSet) (*LayerFile, error) {
	if len(c.Layers) == 0 {
		return nil, nil
	}
	file, err := (&LayerChange{}).file(&p.Machine)
	if err != nil {
		return nil, err
	}
	for _, now := range file.Values() {
		layer, _, _ := strings.Cut(now.Name, ".")
		if slices.ContainsFunc(c.Layers, func(v LayerValue) bool { return strings.HasPrefix(v.Name, layer+".") }) {
			file.Unset(now.Name)
		}
	}
	for _, v := range c.Layers {
		file.Set(v.Name, v.Value)
	}
	return file, nil
}

// Saving makes a configuration: the options of "settings save".
type Saving struct {
	Name  string
	From  string `option:"from"`  // a configuration or a file; "": the settings in force
	App   string `option:"app"`   // the program whose settings count; "": all programs
	Move  bool   `option:"move"`  // remove the configuration From
	Force bool   `option:"force"` // replace a configuration
	Dry   bool   `option:"dry-run"`
}

// Saved is the result of Save.
type Saved struct {
	File    string
	Removed string // the file of the renamed configuration
}

// Save makes a configuration.
func (p *FileSet) Save(s *Saving) (*Saved, error) {
	file, err := ConfigurationFile(&p.Machine, s.Name)
	if err != nil {
		return nil, err
	}
	if p.Machine.Exists(file) && !s.Force {
		return nil, exit.Problem("there is a configuration %s already: choose another name, or replace it with --force",
			s.Name)
	}
	saved := &Saved{File: file}
	c, err := p.source(s)
	if err != nil {
		return nil, err
	}
	if s.Move {
		if c.File == "" || c.File == file {
			return nil, errors.New("--move needs the name of another configuration in --from")
		}
		saved.Removed = c.File
	}
	content := c.content()
	if err := judge(content, file); err != nil {
		return nil, err
	}
	text, err := Encode(content)
	if err == nil {
		err = p.do(edit.Edit{Path: file, Text: string(text)})
	}
	if err == nil && s.Move {
		err = p.do(edit.Edit{Path: c.File, Remove: true})
	}
	return saved, err
}

func (p *FileSet) source(s *Saving) (*Configuration, error) {
	app, err := RealApp(&p.Machine, s.App)
	if err != nil {
		return nil, err
	}
	if s.From == "" {
		f := p.InForce()
		if f == nil {
			return &Configuration{object: map[string]any{}}, nil
		}
		c, err := p.parseConfiguration(f.Content, f.Path, app)
		if err == nil && !p.Machine.Foreign() {
			list, _ := entries(c.object)
			names := slices.DeleteFunc(term.Words(list, nameOf), func(n string) bool { return n == "" })
			if shown, err := ShowLayers(&p.Machine, names...); err == nil && shown != nil && len(names) > 0 {
				c.Layers = shown.Values
			}
		}
		return c, err
	}
	if !strings.ContainsAny(s.From, `/\`) {
		c, err := p.Configuration(s.From)
		if err == nil && c.Problem != "" && !s.Move {
			err = exit.Problem("configuration %s: %s", c.Name, c.Problem)
		}
		return c, err
	}
	text, err := p.Machine.ReadFile(s.From)
	if err != nil {
		return nil, exit.Problem("--from: %w", err)
	}
	c, err := p.parseConfiguration(string(text), s.From, app)
	if err == nil {
		err = c.locate(p)
	}
	return c, err
}

// Forget removes a configuration. Programs keep settings that were copied from it.
func (p *FileSet) Forget(name string) error {
	c, err := p.Configuration(name)
	if err != nil {
		return err
	}
	return p.do(edit.Edit{Path: c.File, Remove: true})
}
