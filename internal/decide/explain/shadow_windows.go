package explain

import "errors"

// ErrShadow is the error of ShadowSettings on Windows.
var ErrShadow = errors.New("settings cannot be tried on Windows before they are written: no variable names their file")

// TriesSettings reports whether ShadowSettings can give a child process other settings than those in force.
const TriesSettings = false

// ShadowSettings returns an error on Windows, where no variable names a settings file and a registry value would affect all
// programs. Empty settings need no file: it returns environ unchanged.
func ShadowSettings(environ []string, text string) (changed []string, remove func(), err error) {
	if text == SilentSettings {
		return environ, func() {}, nil
	}
	return nil, nil, ErrShadow
}

// AudibleSettings returns environ unchanged, for the same reason as ShadowSettings.
func AudibleSettings(environ []string) (changed []string, remove func()) { return environ, func() {} }
