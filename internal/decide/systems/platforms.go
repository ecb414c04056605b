package systems

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/reasons"
)

// freeBSD returns Linux's search rules. A process whose real and effective ids differ, which the system reports, ignores
// variables (BSD-001 to BSD-003).
func freeBSD() search.Platform {
	p := search.Unix("/usr/local/etc", "/etc", "/etc/xdg", "/usr/local/share:/usr/share")
	p.Surfaces = search.XSurfaces
	return p
}

// openBSD returns FreeBSD's rules without the program's path, which the system does not report (BSD-005).
func openBSD() search.Platform {
	p := freeBSD()
	p.Pathless = true
	return p
}

// netBSD returns FreeBSD's rules without a check of rights: the system has no getenv that checks them (BSD-004).
func netBSD() search.Platform {
	p := freeBSD()
	p.Rights = unknownRights
	return p
}

// dragonFly returns NetBSD's rules.
func dragonFly() search.Platform { return netBSD() }

// hurd returns FreeBSD's rules: GNU/Hurd has secure_getenv (BSD-004).
func hurd() search.Platform { return freeBSD() }

// cygwin returns FreeBSD's rules: Cygwin has secure_getenv (BSD-004).
func cygwin() search.Platform { return freeBSD() }

// qnx returns rules with one directory, and without fallbacks for XDG's variables (QNX-001, QNX-003, QNX-004).
func qnx() search.Platform {
	p := search.Unix("/etc", "", "", "")
	p.Rights = unknownRights
	p.Surfaces = []string{"VK_QNX_screen_surface"}
	return p
}

// unknownRights reads every variable without a check of the rights, and logs that for each (BSD-004, QNX-003).
func unknownRights(_ *search.Platform, f *facts.Store) (said []search.Message) {
	f.SetRights(facts.AllRights)
	variables.Decisive(func(v variables.ID) {
		if v.Secure() {
			said = append(said, search.Message{Flags: diag.Info, Subject: v.Name(),
				Text: "Loader is using non-secure environment variable lookup for " + v.Name()})
		}
	})
	return said
}

// fuchsiaUpstream returns the platform of a build from the loader's own sources (FUC-001, FUC-002, FUC-013).
func fuchsiaUpstream() search.Platform {
	p := search.Unix("/config", "/pkg/data", "", "")
	p.Rights = unsafeRights
	p.Pathless = true
	p.Surfaces = []string{"VK_FUCHSIA_imagepipe_surface"}
	return p
}

// fuchsiaManifests is the directory of the loader service's manifests, as its clients see it.
const fuchsiaManifests = "/svc/fuchsia.vulkan.loader.Loader/manifest-fs"

// fuchsiaPlatform returns the platform of Fuchsia's own loader, whose drivers come from the loader service (FUC-003,
// FUC-010).
func fuchsiaPlatform() search.Platform {
	p := fuchsiaUpstream()
	p.SysConfDir = "/vulkan-loader-configuration"
	p.Steps = append([]search.Step{serviceManifests}, p.Steps...)
	return p
}

// serviceManifests makes the loader service the only source of drivers.
func serviceManifests(b *search.Builder) {
	if b.Kind == search.Drivers {
		b.Place(fuchsiaManifests, false, reasons.LoaderService)
		b.End()
	}
}

// unsafeRights reads every variable without a check of the rights, and logs one warning (FUC-004, FUC-013).
func unsafeRights(_ *search.Platform, f *facts.Store) []search.Message {
	f.SetRights(facts.AllRights)
	return []search.Message{{Flags: diag.Warn, Text: "This loader honors variables with paths in every process, whatever its rights"}}
}

// openHarmonyPlatform returns the platform of OpenHarmony, whose variables are parameters of the system (OHO-002 to OHO-006,
// OHO-011).
func openHarmonyPlatform() search.Platform {
	p := search.Unix("/system/etc:/vendor/etc", "", "", "")
	p.Steps = []search.Step{search.ConfigHome, search.ConfigDirs, igraphics, search.SystemConfiguration, swapchainDirectory, search.DataHome,
		search.DataDirs, debugLayer}
	p.Rights = parameterRights
	p.Surfaces = []string{"VK_OHOS_surface"}
	return p
}

func igraphics(b *search.Builder)          { b.Add("/system/etc/vulkan/igraphics", "default") }
func swapchainDirectory(b *search.Builder) { b.Add("/system/etc/vulkan/swapchain", "default") }

// debugLayer adds the manifest of the program's debug layer, from the system's parameters, to every search.
func debugLayer(b *search.Builder) {
	parameter := func(name string) string { return b.Facts.ManifestVariable("debug.graphic." + name).Value }
	layer, program, at := parameter("debug_layer"), parameter("debug_hap"), parameter("vklayer_json_path")
	flag := parameter("system_layer_flag")
	own := b.Facts.Bundle()
	if layer == "" || program == "" || program != own.Name {
		return
	}
	if at == "" {
		at = "/data/storage/el2/base/haps/entry/files/" + layer + ".json"
		if flag == "1" && !own.Release {
			at = "/vendor/etc/vulkan/debuglayer/" + layer + ".json"
		}
	}
	b.Place(at, true, "debug.graphic.debug_layer")
}

// parameterRights reads every parameter without a check of the rights; an empty one counts as unset (OHO-003).
func parameterRights(_ *search.Platform, f *facts.Store) []search.Message {
	f.SetRights(facts.Parameters)
	return nil
}

// iOS returns the platform of iOS, tvOS and watchOS: that of macOS with another surface (MAC-020).
func iOS() search.Platform {
	p := search.MacOS()
	p.Surfaces = []string{"VK_MVK_ios_surface", "VK_EXT_metal_surface"}
	return p
}
