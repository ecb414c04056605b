//go:build unix

package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// enter makes a file known to loaders, and leave undoes that. On Linux the file's path suffices.
func enter(string) error { return nil }
func leave(string) error { return nil }

func configurationDirectory(m *machine.Machine) (string, error) {
	home, _ := m.Lookup(variables.Home.Name())
	base, _ := m.Lookup(variables.ConfigHome.Name())
	base, _, _ = strings.Cut(base, ":")
	if base == "" && home != "" {
		base = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(base) {
		return "", exit.Unable("there is no place for your configurations: HOME is not set")
	}
	return filepath.Join(base, "vkloader/configurations"), nil
}

// place returns the file to write: the file in force, or else the first place.
func (c *Options) place(p *FileSet) (string, error) {
	homes, places := []string{}, p.Places
	for _, v := range []variables.ID{variables.Home, variables.ConfigHome, variables.DataHome} {
		value, _ := p.Machine.Lookup(v.Name())
		if value, _, _ = strings.Cut(value, ":"); value != "" { // the first element of a list counts (SET-4)
			homes = append(homes, value)
		}
	}
	ofUser := func(place string) bool {
		return slices.ContainsFunc(homes,
			func(h string) bool { return strings.HasPrefix(place, filepath.Clean(h)+"/") })
	}
	ofSystem := func(place string) bool {
		return strings.HasPrefix(place, explain.Platform(p.Source).SysConfDir+"/")
	}
	f := p.InForce()
	at := slices.IndexFunc(places, term.Either(c.System, ofSystem, ofUser))
	switch {
	case f != nil && !c.System && ofUser(f.Path):
		return f.Path, nil
	case at < 0 && c.System:
		return "", exit.Unable("there is no place for the settings of all users")
	case at < 0:
		return "", exit.Unable(
			"there is no place for your settings: HOME is not set; --system writes settings for all users")
	case f != nil && slices.Index(places, f.Path) < at:
		return "", exit.Problem("%s would be ignored: %s takes precedence over it", places[at], f.Path)
	case f != nil && !c.System && !c.Force:
		return "", exit.Problem("%s has settings for all users. A file of your own would replace them: --force "+
			"writes it, --system changes the settings for all users", f.Path)
	}
	return places[at], nil
}
