package plan

import (
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/settings"
)

// overlays are how the names of layers begin that draw on a program's pictures, change them or time them, and have nothing
// to do in a program that shows none. Layers that choose devices, validate or record are not among them.
var overlays = [...]string{
	"VK_LAYER_MANGOHUD_", "VK_LAYER_MANGOAPP_", "VK_LAYER_VKBASALT_", "VK_LAYER_MESA_overlay", "VK_LAYER_VALVE_steam_overlay_",
	"VK_LAYER_reshade", "VK_LAYER_TORKEL104_libstrangle", "VK_LAYER_LS_frame_generation", "VK_LAYER_LSFGVK_", "VK_LAYER_EOS_Overlay",
	"VK_LAYER_OW_OVERLAY", "VK_LAYER_RTSS", "GalaxyOverlayVkLayer", "VK_LAYER_FROG_gamescope_wsi_",
}

// runtimes are the programs that run games, which may ask for devices with an instance that shows nothing.
var runtimes = [...]string{
	"wine", "wine64", "wine-preloader", "wine64-preloader", "proton", "steam", "vulkandriverquery", "vulkandriverquery64",
	"gamescope", "gamescope-wl", "gamescopereaper", "lutris", "heroic", "bottles", "retroarch", "java",
}

// IsOverlay tells whether a layer is for programs that show pictures alone: by its name, or because its manifest offers
// commands or extensions of presentation and of nothing else.
func IsOverlay(l *manifest.Layer) bool {
	for i := range overlays {
		if strings.HasPrefix(l.Name, overlays[i]) {
			return true
		}
	}
	return len(l.Instance)+len(l.Device) > 0 && presents(l.Instance) && presents(l.Device)
}

// presents tells whether a list of extensions is of presentation alone.
func presents(list []manifest.Extension) bool {
	for i := range list {
		name := list[i].Name
		if !isSurface(name) && !contains(name, "surface") && !contains(name, "swapchain") && !contains(name, "_present") {
			return false
		}
	}
	return true
}

// isSurface tells whether an instance extension is for showing pictures: its name ends as those of all window systems do.
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

// computePolicy leaves out layers that are for programs that show pictures.
type computePolicy struct {
	call
	file     *settingsFile
	switches *switches
}

// holds tells whether the compute policy of the settings holds for the program: it enables no surface extension, and is
// none of those that run games.
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

// leavesOut tells whether the compute policy leaves out an implicit layer that is active by itself. One that offers an
// extension which the program enables stays: without it there would be no instance.
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

// sayWithout says that the compute policy leaves a layer out.
func (p *computePolicy) sayWithout(l *manifest.Layer) {
	if !p.quiet {
		p.log(diag.Info|diag.Layer, "Layer \""+l.Name+"\" left out because "+p.reason())
	}
}

// reason is why an overlay is left out.
func (p *computePolicy) reason() string {
	return "the program enables no surface extension (compute policy of " + p.file.set.File + ")"
}
