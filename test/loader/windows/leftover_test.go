package windows

import (
	"regexp"
	"strings"
	"testing"
)

// holds: DRV-042 WIN-036
//
// TestLeftoverOverlay checks that the leftovers of an uninstalled overlay are removed: a registry value, and a
// manifest without its library.
func TestLeftoverOverlay(t *testing.T) {
	const library = `C:\gone\overlay.dll`
	for _, size := range sizes {
		for _, key := range []string{"ImplicitLayers", "ExplicitLayers", "Drivers"} {
			t.Run(size+" "+key, func(t *testing.T) {
				const manifest, name = `C:\left.json`, "VK_LAYER_left"
				subject := name
				if key == "Drivers" {
					subject = "left.json"
					registered(t, size, key, "left.json", driverManifest(library))
				} else {
					registered(t, size, key, "left.json", `{"file_format_version":"1.2.0","layer":{"name":"`+name+`","type":"GLOBAL","api_version":"1.3.0",
						"implementation_version":"1","description":"a test","library_path":`+quoted(library)+`,"disable_environment":{"DISABLE_left":"1"}}}`)
				}
				// a layer that no program requests is only a warning
				code := map[bool]int{true: 0, false: 1}[key == "ExplicitLayers"]
				for _, as := range both {
					e := askedAs[examined](t, as, size, code, "doctor", "--no-probe")
					at := e.find("library-missing")
					if at < 0 || e.Findings[at].Subject != subject || len(e.Findings[at].Commands) != 1 {
						t.Fatalf("%s: %+v", as, e)
					}
					if line := e.Findings[at].Commands[0]; !strings.HasPrefix(line, `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\`+key+`" /v "`+manifest+`" /f`) {
						t.Errorf("%s: %s", as, line)
					}
					for _, list := range [][]string{{"--no-probe"}, {"explain"}, {"list", map[bool]string{true: "drivers", false: "layers"}[key == "Drivers"]}} {
						out, _ := toolAs(t, as, size, anyCode, list...)
						out = strings.Join(strings.Fields(out), " ")
						if key != "ExplicitLayers" && !strings.Contains(out, "its library is missing") ||
							regexp.MustCompile(`(?i)Layers [^N]*`+name+"|no variable changes this").MatchString(out) {
							t.Errorf("%s: %q:\n%s", as, list, out)
						}
					}
				}
				out, _ := toolAs(t, elevated, size, 0, "doctor", "--fix", "--yes")
				if !strings.Contains(out, "1 step done") || strings.Contains(reg(t, "query", `HKLM\SOFTWARE\Khronos\Vulkan\`+key, "/reg:"+bits[size]), manifest) {
					t.Errorf("--fix: %s", out)
				}
				toolAs(t, elevated, size, 0, "doctor", "--undo")
				if !strings.Contains(reg(t, "query", `HKLM\SOFTWARE\Khronos\Vulkan\`+key, "/reg:"+bits[size]), manifest) {
					t.Error("--undo does not restore the value")
				}
			})
		}
	}
}
