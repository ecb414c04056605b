package settings

import (
	"testing"

	"vkloader/internal/decide/machine"
)

// The name of a configuration is the name of a file in its directory, and can be printed.
func TestNamesOfConfigurations(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{Environ: []string{"HOME=/home/mia", "APPDATA=C:/Users/mia"}}
	for name, want := range map[string]bool{"validation": true, "my set": true, "größer": true, "": false, ".hidden": false, "-f": false, "../x": false,
		`a\b`: false, "C:x": false, "a\nb": false, "a\x1b[31mb": false, "a\x00b": false} {
		if _, err := ConfigurationFile(m, name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
