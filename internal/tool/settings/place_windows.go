package settings

import (
	"os"
	"path/filepath"
	"slices"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/exit"
)

// key is the registry key with the path of the settings file (WIN-081).
const key = `SOFTWARE\Khronos\Vulkan\LoaderSettings`

// ownPlace returns the path of a user's file.
func ownPlace(m *machine.Machine) (string, error) {
	local, _ := m.Lookup("LOCALAPPDATA")
	if local == "" {
		return "", exit.Unable("there is no place for your settings: LOCALAPPDATA is not set")
	}
	return local + `\vkloader\vk_loader_settings.json`, nil
}

func configurationDirectory(m *machine.Machine) (string, error) {
	own, err := ownPlace(m)
	return filepath.Join(filepath.Dir(own), "configurations"), err
}

// isRegistered reports whether the user's key names a file.
func isRegistered(place string) bool {
	values := windows.Registry(facts.CurrentUser, key, "64").Values
	return slices.ContainsFunc(values, func(v facts.Value) bool { return v.Name == place })
}

// enter makes a file known to loaders: it adds the file to the user's key.
func enter(place string) error {
	if isRegistered(place) {
		return nil
	}
	return windows.Register(key, place)
}

// leave removes a file at the tool's own path from the user's key.
func leave(place string) error {
	if own, err := ownPlace(&machine.Machine{Environ: os.Environ()}); err != nil || own != place {
		return nil
	}
	return windows.Unregister(key, place)
}

// place returns the file to write: the file in the user's key, or else the tool's own path.
func (c *Options) place(p *FileSet) (string, error) {
	if c.System {
		return "", exit.Unable(
			"--system: settings of all users are a value in HKEY_LOCAL_MACHINE\\%s, which the tool does not write", key)
	}
	if len(p.Places) > 0 && isRegistered(p.Places[0]) {
		return p.Places[0], nil
	}
	if f := p.InForce(); f != nil && !c.Force {
		return "", exit.Problem(
			"%s has settings for all users. A file of your own would replace them: --force writes it", f.Path)
	}
	return ownPlace(&p.Machine)
}
