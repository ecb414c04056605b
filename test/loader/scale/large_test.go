package scale

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// Kinds of files, with the numbers of the program with counters.
const (
	explicitManifest = iota
	implicitManifest
	driverManifest
	settingsFile
)

// large are files that grow to a megabyte. In the piece, @ stands for its number.
var large = []struct {
	about             string
	kind              uint8
	head, piece, tail string
}{
	{"many layers in a manifest", explicitManifest, `{"file_format_version":"1.2.0","layers":[`,
		`{"name":"VK_LAYER_@","type":"GLOBAL","library_path":"./gone.so","api_version":"1.1.0","implementation_version":"1","description":"d"},`, ``},
	{"many extensions of a layer", implicitManifest, `{"file_format_version":"1.2.0","layer":{"disable_environment":{"NO":""},"instance_extensions":[`,
		`{"name":"VK_ACME_@","spec_version":"1"},`, `{}],`},
	{"one long text", explicitManifest, `{"file_format_version":"1.2.0","x":"`, `text\u00e9 \n`, `","layer":{`},
	{"many members", driverManifest, `{"file_format_version":"1.0.1",`, `"@":[{"a":[1,2.5e3,null]}],` + "\n", `"ICD":`},
	{"many additional drivers", settingsFile, `{"file_format_version":"1.0.0","settings":{"additional_drivers":[`, `{"path":"/gone/@.json"},`, ``},
	{"settings of many programs", settingsFile, `{"file_format_version":"1.0.0","settings_array":[`,
		`{"app_keys":["/opt/games/@/bin/game"],"stderr_log":["all"],"layers":[]},`, ``},
	{"many layers in a settings file", settingsFile, `{"file_format_version":"1.0.0","settings":{"layers":[`,
		`{"name":"VK_LAYER_@","path":"/gone/@.json","control":"off"},`, `{"control":"unordered_layer_location"},`},
}

// Manifests and settings files of a megabyte work in the library, and the cost of deciding with them grows in
// proportion to their size.
//
// holds: FUZ-023
func TestMegabytes(t *testing.T) {
	t.Parallel()
	count := counter(t)
	for _, c := range large {
		t.Run(c.about, func(t *testing.T) {
			w := world.New(t)
			last := w.ExplicitLayer("VK_LAYER_last").MoveManifest("last/last.json")
			driver := w.Driver("acme")
			w.Env["VK_LAYER_PATH"] = w.Path("last")
			end := map[uint8]string{
				explicitManifest: `"name":"VK_LAYER_last","type":"GLOBAL","library_path":"` + last.Library + `","api_version":"1.1.0","implementation_version":"1","description":"d"}`,
				driverManifest:   `{"library_path":"` + driver.Library + `","api_version":"1.0.0"}}`,
				settingsFile:     `{"name":"VK_LAYER_last","path":"` + last.ManifestPath + `","control":"on"}]}}`,
			}[c.kind%4]
			path := last.ManifestPath
			switch {
			case c.about == "many layers in a manifest":
				end = `{` + end + `]}`
			case c.kind == explicitManifest:
				end += `}`
			case c.kind == implicitManifest:
				end = `"name":"VK_LAYER_last","type":"GLOBAL","library_path":"` + last.Library + `","api_version":"1.1.0","implementation_version":"1","description":"d"}}`
				w.Env["VK_LAYER_PATH"], w.Env["VK_IMPLICIT_LAYER_PATH"] = world.Unset, w.Path("last")
			case c.kind == driverManifest:
				path = driver.ManifestPath
			case c.kind == settingsFile:
				path = w.Path("home/.config/vulkan/loader_settings.d/vk_loader_settings.json")
			}
			switch c.about {
			case "many additional drivers":
				end = `{"path":"` + driver.ManifestPath + `"}]}}`
				w.Env["VK_DRIVER_FILES"] = ""
			case "settings of many programs":
				end = `{"layers":[` + strings.TrimSuffix(end, "}}") + `}]}`
			}
			times := 1 << 20 / len(strings.ReplaceAll(c.piece, "@", "0000"))
			text := func(times int) string { return repeated(c.head, c.piece, c.tail+end, times) }
			if size := len(text(times)); size < 1<<20 {
				t.Fatalf("only %d bytes", size)
			}
			small, big := count(t, c.kind, text(times/40)), count(t, c.kind, text(times/4))
			t.Logf("%d bytes: %.0f blocks; %d bytes: %.0f blocks", len(text(times/40)), small, len(text(times/4)), big)
			if big > growth*small || small < 5000 {
				t.Errorf("ten times as much is %.1f times the work", big/small)
			}

			w.Write(path, text(times))
			h := w.Start()
			wanted := c.kind == explicitManifest || c.kind == driverManifest
			var words []string
			if wanted {
				words = []string{"layer", "VK_LAYER_last"}
			}
			h.OK("create_instance", words...)
			who := w.Log().Fn("vkCreateInstance").Who()
			if !slices.Contains(who, "acme") || slices.Contains(who, "VK_LAYER_last") == (c.about == "many additional drivers") {
				t.Errorf("%v made an instance", who)
			}
			h.Do("destroy_instance")
			layers := h.OK("instance_layers").Strings("layers")
			want := 1
			if c.about == "many layers in a manifest" {
				want += times
			}
			if len(layers) != want {
				t.Errorf("%d layers are listed, want %d", len(layers), want)
			}
			if c.kind == implicitManifest {
				if n := len(h.OK("instance_extensions").Strings("extensions")); n < times {
					t.Errorf("%d extensions, want %d and more", n, times)
				}
			}
			h.Quit()
		})
	}
}
