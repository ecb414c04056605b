package explain

import (
	"path"
	"slices"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/machine"
)

// SettingsMark is the member that marks a file as the tool's own; SettingsWriter is its value.
const (
	SettingsMark   = "vkloader"
	SettingsWriter = "vkloader settings"
)

// SettingsPlaces returns the settings files that the loader tries, in order; it uses the first that exists (SET-1, SET-7).
func SettingsPlaces(from facts.Provider) []string {
	var places []string
	platform := Platform(from)
	facts.Resolve(facts.NewStore(), from, func(s *facts.Store) {
		places = nil
		if platform.Rights != nil {
			platform.Rights(&platform, s)
		}
		for _, place := range platform.Settings(&platform, s) {
			if machine.Style == pathname.Slash {
				place = path.Clean(place)
			}
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	})
	return places
}

// SettingsOurs reports whether a file exists and has the tool's mark.
func SettingsOurs(m *machine.Machine, place string) bool {
	data, err := m.ReadFile(place)
	if err != nil {
		return false
	}
	doc, fault := document.Parse(string(data))
	if fault != nil {
		return false
	}
	writer, _ := doc.Top().Member(SettingsMark).Member("written_by").Text()
	return writer == SettingsWriter
}

// SilentSettings is the text of a settings file without settings.
const SilentSettings = `{"file_format_version": "1.0.0", "settings_array": []}`
