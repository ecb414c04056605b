package windows

import (
	"strings"
	"testing"
)

// holds: WIN-057 WIN-081
//
// TestSettingsRights checks that settings are written where their programs read them, or are refused.
func TestSettingsRights(t *testing.T) {
	type shown struct {
		File     string
		Elevated *struct{ File string }
	}
	const key, file = `SOFTWARE\Khronos\Vulkan\LoaderSettings`, `C:\all\vk_loader_settings.json`
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			clear := func() { toolAs(t, elevated, size, 0, "settings", "clear") }
			defer clear()
			show := func(as rights) shown { return askedAs[shown](t, as, size, 0, "settings", "show") }
			out := func(as rights) bool {
				e := askedAs[explained](t, as, size, 0, "explain", "--env", "VK_INSTANCE_LAYERS="+sampleLayer)
				return len(e.In) == 1
			}
			_, errOut := toolAs(t, elevated, size, 3, "run", "--find-culprit", "--apply", "--", `C:\windows\system32\cmd.exe`, "/c", "exit 0")
			if !strings.Contains(errOut, "--apply: nothing was written") || show(unelevated).File != "" {
				t.Errorf("--apply: %s", errOut)
			}
			_, errOut = toolAs(t, elevated, size, 0, "settings", "set", "--layer", sampleLayer+"=off")
			if !strings.Contains(errOut, "programs that run as administrator do not read these settings") || out(elevated) || !out(unelevated) {
				t.Errorf("settings set: %s", errOut)
			}
			if s := show(elevated); s.File == "" || s.Elevated == nil || s.Elevated.File != "" {
				t.Errorf("settings show: %+v", s)
			}
			if text, _ := toolAs(t, elevated, size, 0, "settings", "show"); !strings.Contains(text, "For programs that run as administrator\n  no settings: ") {
				t.Errorf("settings show: %s", text)
			}
			clear()
			if _, errOut = toolAs(t, unelevated, size, 0, "settings", "set", "--layer", sampleLayer+"=off"); strings.Contains(errOut, "warning") {
				t.Errorf("settings set, not elevated: %s", errOut)
			}
			clear()
			off := []string{"settings", "set", "--layer", sampleLayer + "=off", "--until-changed"}
			toolAs(t, elevated, size, 0, append(off, "--elevated=false")...)
			if out(elevated) || !out(unelevated) {
				t.Error("settings set --elevated=false: the layer is not out, or for elevated programs, too")
			}
			clear()
			toolAs(t, unelevated, size, 0, off...)
			if !out(unelevated) {
				t.Error("settings set --until-changed, not elevated: the layer is not out")
			}
			clear()

			manifestFile(t, "all/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{"layers":[{"name":"`+sampleLayer+
				`","path":`+quoted(windowsPath(t, size, `layers\VkLayer_drawstats.json`))+`,"control":"off"}]}}`)
			reg(t, "add", `HKLM\`+key, "/v", file, "/t", "REG_DWORD", "/d", "0", "/f", "/reg:"+bits[size])
			s, text := show(elevated), ""
			text, _ = toolAs(t, elevated, size, 0, "settings", "show")
			reg(t, "delete", `HKLM\`+key, "/v", file, "/f", "/reg:"+bits[size])
			if s.Elevated == nil || s.Elevated.File != file || s.File != file || !strings.Contains(text, "For programs that run as administrator\n  the same file") {
				t.Errorf("settings of all users: %+v\n%s", s, text)
			}
		})
	}
}
