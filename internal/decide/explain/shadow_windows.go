package explain

import (
	"fmt"

	"vkloader/internal/tool/exit"
)

// ShadowSettings gives an environment in which a child of the tool gets this settings file in place of any other. Here no variable
// leads a program to settings, so that there is none: a value in the registry is for all programs. Where no settings file is
// in force, one that says nothing is what a child gets anyway.
func ShadowSettings(environ []string, text string) (changed []string, remove func(), err error) {
	if text == SilentSettings {
		return environ, func() {}, nil
	}
	return nil, nil, exit.As(exit.NotLooked, fmt.Errorf("settings cannot be tried on Windows before they are written: no variable names their file"))
}

// AudibleSettings gives an environment in which the loader's log is not set by a settings file; as with ShadowSettings there is none.
func AudibleSettings(environ []string) (changed []string, remove func()) { return environ, func() {} }
