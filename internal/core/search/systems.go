package search

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
)

// FreeBSD searches as Linux does; variables count for nothing where real and effective ids differ, which the system
// tells (BSD-001 to BSD-003).
func FreeBSD() Platform {
	p := Unix("/usr/local/etc", "/etc", "/etc/xdg", "/usr/local/share:/usr/share")
	p.Surfaces = xSurfaces
	return p
}

// OpenBSD is as FreeBSD, but tells no program its path (BSD-005).
func OpenBSD() Platform {
	p := FreeBSD()
	p.Pathless = true
	return p
}

// NetBSD and DragonFly have no look-up that knows of rights (BSD-004).
func NetBSD() Platform {
	p := FreeBSD()
	p.Rights = unknownRights
	return p
}

// DragonFly is as NetBSD.
func DragonFly() Platform { return NetBSD() }

// Hurd and Cygwin have secure_getenv (BSD-004).
func Hurd() Platform { return FreeBSD() }

// Cygwin is as GNU/Hurd.
func Cygwin() Platform { return FreeBSD() }

// QNX has one directory, and no fallbacks of XDG's variables (QNX-001, QNX-003, QNX-004).
func QNX() Platform {
	p := Unix("/etc", "", "", "")
	p.Rights = unknownRights
	p.Surfaces = []string{"VK_QNX_screen_surface"}
	return p
}

// unknownRights reads every variable plainly, and says so of each (BSD-004, QNX-003).
func unknownRights(_ *Platform, f *facts.Store) (said []Said) {
	f.SetRights(facts.AllRights)
	variables.Decisive(func(v variables.ID) {
		if v.Secure() {
			said = append(said, Said{diag.Info, diag.None, v.Name(), "", "Loader is using non-secure environment variable lookup for " + v.Name()})
		}
	})
	return said
}

// Fuchsia is the platform of a build from the loader's own sources (FUC-001, FUC-002, FUC-013).
func Fuchsia() Platform {
	p := Unix("/config", "/pkg/data", "", "")
	p.Rights = unsafeRights
	p.Pathless = true
	p.Surfaces = []string{"VK_FUCHSIA_imagepipe_surface"}
	return p
}

// FuchsiaManifests is the directory of the loader service's manifests, as the service gives it to its clients.
const FuchsiaManifests = "/svc/fuchsia.vulkan.loader.Loader/manifest-fs"

// FuchsiaService is the platform of Fuchsia's own loader, whose drivers are the loader service's (FUC-003, FUC-010).
func FuchsiaService() Platform {
	p := Fuchsia()
	p.SysConfDir = "/vulkan-loader-configuration"
	p.Steps = append([]Step{serviceManifests}, p.Steps...)
	return p
}

// serviceManifests has drivers come from the loader service alone.
func serviceManifests(b *Builder) {
	if b.Kind == Drivers {
		b.place(FuchsiaManifests, false, "the loader service")
		b.last = true
	}
}

// unsafeRights reads every variable, whatever the rights, and warns of it once (FUC-004, FUC-013).
func unsafeRights(_ *Platform, f *facts.Store) []Said {
	f.SetRights(facts.AllRights)
	return []Said{{diag.Warn, diag.None, "", "", "This loader honors variables with paths in every process, whatever its rights"}}
}

// OpenHarmony's variables are parameters of the system (OHO-002 to OHO-006, OHO-011).
func OpenHarmony() Platform {
	p := Unix("/system/etc:/vendor/etc", "", "", "")
	p.Steps = []Step{configHome, configDirs, igraphics, systemConfiguration, swapchain, dataHome, dataDirs, debugLayer}
	p.Rights = parameterRights
	p.Surfaces = []string{"VK_OHOS_surface"}
	return p
}

func igraphics(b *Builder) { b.add("/system/etc/vulkan/igraphics", kinds[b.Kind].suffix, "default") }
func swapchain(b *Builder) { b.add("/system/etc/vulkan/swapchain", kinds[b.Kind].suffix, "default") }

// debugLayer adds the manifest of the layer that the system's parameters name for this program, to every search.
func debugLayer(b *Builder) {
	parameter := func(name string) string { return b.Facts.Named("debug.graphic." + name).Value }
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
	b.place(at, true, "debug.graphic.debug_layer")
}

// parameterRights reads every parameter, whatever the rights; an empty one is none (OHO-003).
func parameterRights(_ *Platform, f *facts.Store) []Said {
	f.SetRights(facts.Parameters)
	return nil
}
