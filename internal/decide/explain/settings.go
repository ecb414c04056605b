package explain

import (
	"path"
	"slices"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/machine"
)

// SettingsMark is the member that says that the file is the tool's own; SettingsWriter is what stands in it.
const (
	SettingsMark   = "vkloader"
	SettingsWriter = "vkloader settings"
)

// SettingsPlaces are the files that the loader tries, in order; the first that exists is the one that counts (SET-1, SET-7).
func SettingsPlaces(from facts.Source) []string {
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

// SettingsOurs tells whether a file is there and has the tool's mark.
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

// SilentSettings are settings that say nothing.
const SilentSettings = `{"file_format_version": "1.0.0", "settings_array": []}`
