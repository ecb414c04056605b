package systems

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/reasons"
)

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
	return []search.Message{{Flags: diag.Warn,
		Text: "This loader honors variables with paths in every process, whatever its rights"}}
}
