package doctor_test

import (
	"strings"
	"testing"

	"vkloader/test/lib/dlltest"
)

// Registry values of uninstalled overlays are found in each key and view. The finding names the overlay and the command that
// was tried.
//
// holds: WIN-055
func TestLeftoverOverlays(t *testing.T) {
	t.Parallel()
	for path, owner := range map[string]string{
		`C:\ProgramData\obs-studio-hook\obs-vulkan64.json`:                             "OBS Studio",
		`C:\Program Files (x86)\BandiMPEG1\bdcamvk64.json`:                             "Bandicam",
		`C:\Program Files (x86)\RivaTuner Statistics Server\Vulkan\RTSSVkLayer64.json`: "RivaTuner Statistics Server",
		`C:\Users\u\AppData\Roaming\Twitch\Bin\TwitchOverlay64.json`:                   "Twitch",
		`C:\Program Files (x86)\Mirillis\Action!\MirillisActionVulkanLayer.json`:       "Mirillis Action!",
		`C:\Program Files\Epic Games\EOSOverlay\EOSOverlayVkLayer-Win64.json`:          "the overlay of Epic Online Services",
		`C:\Program Files (x86)\GOG Galaxy\GalaxyOverlayVkLayer.json`:                  "GOG Galaxy",
		`C:\Program Files (x86)\Overwolf\1.0\ow-vulkan-overlay64.json`:                 "Overwolf",
		`C:\Program Files (x86)\Steam\SteamOverlayVulkanLayer64.json`:                  "Steam",
		`C:\ProgramData\ReShade\ReShade64.json`:                                        "ReShade",
		`C:\Program Files\Somebody\layer.json`:                                         "",
	} {
		for key, line := range map[string]string{
			layersOf64: `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers" /v "` + path + `" /f /reg:64`,
			layersUser: `reg delete "HKCU\SOFTWARE\Khronos\Vulkan\ImplicitLayers" /v "` + path + `" /f`,
			`[HKLM\SOFTWARE\WOW6432Node\Khronos\Vulkan\ImplicitLayers]` + "\n": `reg delete "HKLM\SOFTWARE\Khronos\Vulkan\ImplicitLayers" /v "` + path + `" /f /reg:32`,
		} {
			s := on(t, "windows")
			s.Machine = laid(t, map[string]string{"c/d/a.json": driverManifest("a.dll"), "c/d/a.dll": icd("64"), "c/d/b.json": driverManifest("b.dll"), "c/d/b.dll": icd("32")})
			r := examined(t, s, driversOf64+good64+driversOf32+good32+key+`"`+strings.ReplaceAll(path, `\`, `\\`)+`"=dword:0`+"\n")
			if got, want := told(r), "warning registry-stale "+path; got != want || len(r.Findings[0].Commands) != 1 || string(r.Findings[0].Commands[0]) != line {
				t.Fatalf("%q, want %q with %s\n%+v", got, want, line, r.Findings)
			}
			if said := r.Findings[0].What; owner != "" && !strings.HasSuffix(said, "; a file of this name belongs to "+owner) || owner == "" && strings.Contains(said, "belongs") {
				t.Errorf("%s: %s", path, said)
			}
		}
	}
}

// A loader in the program's directory replaces the system's. The finding gives maker, version and signer of both.
//
// holds: WIN-001
func TestLoaderBesideProgram(t *testing.T) {
	t.Parallel()
	s := on(t, "windows")
	s.Machine = laid(t, map[string]string{"c/d/a.json": driverManifest("a.dll"), "c/d/a.dll": icd("64"), "c/d/b.json": driverManifest("b.dll"), "c/d/b.dll": icd("32"),
		"c/Windows/System32/vulkan-1.dll": string(dlltest.Signed(t, dlltest.Versioned(64, [4]uint16{1, 3, 296, 0}, "LunarG, Inc.", "vkCreateInstance"), 64, "LunarG, Inc.")),
		"c/Windows/SysWOW64/x":            "",
		"c/game/game.exe":                 string(dlltest.Library(64)), "c/game/vulkan-1.dll": string(dlltest.Versioned(64, [4]uint16{1, 0, 61, 1}, "Studio", "vkCreateInstance"))})
	s.Program = `C:\game\game.exe`
	r := examined(t, s, driversOf64+good64+driversOf32+good32)
	if got, want := told(r), "warning loader-shadows vulkan-1.dll"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	if said, want := r.Findings[0].What, `the program gets C:\game\vulkan-1.dll (1.0.61.1, Studio, no signature) instead of C:\Windows\System32\vulkan-1.dll (1.3.296.0, LunarG, Inc., signed by LunarG, Inc.)`; said != want {
		t.Errorf("%q, want %q", said, want)
	}
	if len(r.Loaders) != 2 || r.Loaders[0].Version != "1.0.61.1" || r.Loaders[1].Version != "1.3.296.0" || r.Loaders[0].Signer != "" || r.Loaders[1].Signer != "LunarG, Inc." ||
		r.Loaders[1].Altered {
		t.Errorf("%+v", r.Loaders)
	}
}
