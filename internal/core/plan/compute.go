package plan

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/settings"
)

// overlays are the prefixes of the names of layers that draw on a program's pictures, change them or time them. They have
// no purpose in a program without a display. Layers that choose devices, validate or record are not in the list.
var overlays = [...]string{
	"VK_LAYER_MANGOHUD_", "VK_LAYER_MANGOAPP_", "VK_LAYER_VKBASALT_", "VK_LAYER_MESA_overlay", "VK_LAYER_VALVE_steam_overlay_",
	"VK_LAYER_reshade", "VK_LAYER_TORKEL104_libstrangle", "VK_LAYER_LS_frame_generation", "VK_LAYER_LSFGVK_", "VK_LAYER_EOS_Overlay",
	"VK_LAYER_OW_OVERLAY", "VK_LAYER_RTSS", "GalaxyOverlayVkLayer", "VK_LAYER_FROG_gamescope_wsi_",
}

// runtimes are programs that run games. They may list devices with an instance that has no surface.
var runtimes = [...]string{
	"wine", "wine64", "wine-preloader", "wine64-preloader", "proton", "steam", "vulkandriverquery", "vulkandriverquery64",
	"gamescope", "gamescope-wl", "gamescopereaper", "lutris", "heroic", "bottles", "retroarch", "java",
}

// IsOverlay reports whether a layer is useful only to programs that show pictures: by its name, or because its manifest
// has presentation extensions and no others.
func IsOverlay(l *manifest.Layer) bool {
	for i := range overlays {
		if strings.HasPrefix(l.Name, overlays[i]) {
			return true
		}
	}
	return len(l.Instance)+len(l.Device) > 0 && presents(l.Instance) && presents(l.Device)
}

// presents reports whether a list has only presentation extensions.
func presents(list []manifest.Extension) bool {
	for i := range list {
		name := list[i].Name
		if !isSurface(name) && !contains(name, "surface") && !contains(name, "swapchain") && !contains(name, "_present") {
			return false
		}
	}
	return true
}

// isSurface reports whether an instance extension is for presentation. Those of window systems have the same suffix.
func isSurface(name string) bool {
	return strings.HasSuffix(name, "_surface") || name == "VK_KHR_display"
}

func contains(text, part string) bool {
	for i := range text {
		if strings.HasPrefix(text[i:], part) {
			return true
		}
	}
	return false
}

// computePolicy excludes overlays from programs without a display.
type computePolicy struct {
	call
	file     *settingsFile
	switches *switches
}

// holds reports whether the settings' compute policy applies to the program: it enables no surface extension, and is not
// one of the runtimes.
func (p *computePolicy) holds() bool {
	if p.file.set == nil || p.file.set.Compute != settings.NoOverlays {
		return false
	}
	for i := range p.q.App.Extensions {
		if e := &p.q.App.Extensions[i]; e.Set && isSurface(e.Text) {
			return false
		}
	}
	program := p.q.base(p.f.Exe().Path)
	for _, name := range runtimes {
		if program == name {
			return false
		}
	}
	return true
}

// leavesOut reports whether the compute policy excludes an implicit layer that is active without a request. A layer with an
// extension that the program enables stays: without it vkCreateInstance would fail.
func (p *computePolicy) leavesOut(l *manifest.Layer) bool {
	if !IsOverlay(l) || !p.holds() || p.switches.enable.matches(l.Name) {
		return false
	}
	for i := range l.Instance {
		if p.q.enables(l.Instance[i].Name) {
			return false
		}
	}
	return true
}

// sayWithout logs that the compute policy excludes a layer.
func (p *computePolicy) sayWithout(l *manifest.Layer) {
	if !p.quiet {
		p.log(diag.Info|diag.Layer, "Layer \""+l.Name+"\" left out because "+p.reason())
	}
}

// reason returns the reason for excluding an overlay.
func (p *computePolicy) reason() string {
	return "the program enables no surface extension (compute policy of " + p.file.set.File + ")"
}
