package doctor

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"vkloader/internal/core/settings"
)

// Each field of the settings alone, if it has an effect, is part of the sentence about the file.
func TestEffectsOfSettings(t *testing.T) {
	t.Parallel()
	inert := map[string]bool{"File": true, "Level": true} // Level: with HasLevel
	changes := map[string]settings.Settings{
		"HasLevel": {HasLevel: true, Level: 1}, "LogFile": {LogFile: "/log"}, "ControlsLayers": {ControlsLayers: true},
		"Layers": {ControlsLayers: true, Layers: []settings.LayerEntry{{Name: "a"}}}, "Exclusively": {Exclusively: true},
		"Drivers": {Drivers: []string{"/d.json"}}, "Hardware": {Hardware: settings.AwakeHardware},
		"HasDevices": {HasDevices: true}, "Devices": {HasDevices: true, Devices: []settings.Device{{}}},
	}
	for i := range reflect.TypeFor[settings.Settings]().NumField() {
		name := reflect.TypeFor[settings.Settings]().Field(i).Name
		s, known := changes[name]
		if !known && !inert[name] {
			t.Errorf("this test has no case for Settings.%s", name)
			continue
		}
		said := string(overruling(&s, true, true, time.Time{}))
		if strings.Contains(said, "changes nothing") != inert[name] {
			t.Errorf("%s: %s", name, said)
		}
	}
}
