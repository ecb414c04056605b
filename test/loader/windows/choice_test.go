package windows

import (
	"strings"
	"testing"
)

// holds: WIN-057
//
// TestRunRights checks that run reports the part of a choice that a program running as administrator ignores, and
// refuses a driver that does not exist.
func TestRunRights(t *testing.T) {
	const driver, cmd = `C:\windows\system32\winevulkan.json`, `C:\windows\system32\cmd.exe`
	for _, size := range sizes {
		for _, as := range both {
			for _, choice := range [][]string{{"--driver", driver}, {"--driver", "winevulkan.json"}, {"--no-layers"}, {"--layer", sampleLayer}, {"--device", "0"}} {
				_, errOut := toolAs(t, as, size, 0, append(append([]string{"run"}, choice...), "--", cmd, "/c", "exit 0")...)
				if strings.Contains(errOut, "runs as administrator, as this prompt does, and ignores VK_") != (as == elevated) {
					t.Errorf("%s, %s: %q: %s", size, as, choice, errOut)
				}
			}
			out, errOut := toolAs(t, as, size, 3, "run", "--driver", `C:\gone\driver.json`, "--", cmd, "/c", "echo begun")
			if !strings.Contains(errOut, `C:\gone\driver.json`) || strings.Contains(out, "begun") {
				t.Errorf("%s, %s: %s%s", size, as, out, errOut)
			}
		}
	}
}

// holds: WIN-049 WIN-051
//
// TestListRights checks that layers of HKEY_CURRENT_USER are listed for the programs that get them.
func TestListRights(t *testing.T) {
	const key, name = `HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers`, `C:\user.json`
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			manifestFile(t, "user.json", `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_user","type":"GLOBAL","api_version":"1.3.0",
				"implementation_version":"1","description":"a test","library_path":`+quoted(windowsPath(t, size, `layers\VkLayer_drawstats.dll`))+`,"disable_environment":{"DISABLE_user":"1"}}}`)
			reg(t, "add", key, "/v", name, "/t", "REG_DWORD", "/d", "0", "/f")
			defer reg(t, "delete", key, "/v", name, "/f")
			for _, list := range [][]string{{"list", "layers"}, {"list", "paths"}} {
				for _, c := range []struct {
					as     rights
					option string
					has    bool
				}{{elevated, "", false}, {elevated, "--elevated=false", true}, {unelevated, "", true}, {unelevated, "--elevated", false}} {
					args := list
					if c.option != "" {
						args = append(append([]string{}, list...), c.option)
					}
					if out, _ := toolAs(t, c.as, size, 0, append(args, "--bits", bits[size])...); strings.Contains(out, name) != c.has {
						t.Errorf("%s: %q:\n%s", c.as, args, out)
					}
				}
			}
			for _, severity := range []string{"warning", "note"} {
				e := askedAs[examined](t, elevated, size, 0, "doctor", "--no-probe")
				if at := e.find("elevated-user-key"); at < 0 || e.Findings[at].Severity != severity {
					t.Errorf("%s: %+v", severity, e)
				}
				if severity == "warning" {
					dropFile(t, "user.json") // a value without a file has no effect on other programs
				}
			}
		})
	}
}
