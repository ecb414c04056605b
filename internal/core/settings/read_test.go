package settings

import (
	"testing"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
)

// FuzzRead reads arbitrary settings files; the result can be dumped and compared.
func FuzzRead(f *testing.F) {
	const uuid = `[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]`
	for _, s := range []string{
		`{"file_format_version":"1.0.0","settings":{"stderr_log":["all"],"layers":[{"name":"a","path":"/a.json","control":"on"},{"control":"unordered_layer_location"}]}}`,
		`{"file_format_version":"1","settings_array":[{"app_keys":["/bin/p"],"layers":[]},{"layers":[{"name":"a","path":"","control":"off","treat_as_implicit_manifest":true}]},5]}`,
		`{"file_format_version":"1","settings":{"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"/d.json"}]}}`,
		`{"file_format_version":"1","settings":{"device_configurations":[{"deviceUUID":` + uuid + `,"driverUUID":` + uuid + `,"driverVersion":-1e99,"deviceName":"\u0000"}]}}`,
		`{"file_format_version":1}`, `[]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, fault := document.Parse(text)
		if fault != nil {
			return
		}
		for _, exe := range []facts.Exe{{Path: "/bin/p", Known: true}, {}} {
			program := func() facts.Exe { return exe }
			s, outcome, _ := Read(doc, "/s.json", pathname.Slash, program)
			if (s != nil) != (outcome == In) {
				t.Fatal("settings without being in force, or in force without settings")
			}
			if s == nil {
				continue
			}
			if len(s.Dump()) == 0 {
				t.Fatal("nothing to show")
			}
			again, _, _ := Read(doc, "/s.json", pathname.Slash, program)
			if s.Same(again) == s.Merged() {
				t.Fatal("the same file twice is the same, unless it asks for the ordinary search (SET-14)")
			}
		}
	})
}
