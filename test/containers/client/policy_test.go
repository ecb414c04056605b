package client

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// The library asks the service if it finds no other driver. If a settings file or a variable names all drivers, it does not ask.
//
// holds: PRO-049
func TestServicePolicy(t *testing.T) {
	t.Parallel()
	own := func(w *world.World) { w.Driver("own").MoveManifest(w.SystemPath("/etc/vulkan/icd.d")) }
	for _, c := range []struct {
		name, policy string
		set          func(w *world.World, s *service)
		want         []string // devices
		says         string
	}{
		{"another driver", `"stderr_log":["all"]`, func(w *world.World, _ *service) { own(w) }, []string{"own"}, ""},
		{"no other driver", `"stderr_log":["all"]`, func(*world.World, *service) {}, []string{"served"}, ""},
		{"exclusively", `"additional_drivers_use_exclusively":true,"additional_drivers":[{"path":"/etc/vulkan/icd.d/own.json"}]`,
			func(w *world.World, _ *service) { own(w) }, []string{"own"}, ""},
		{"a variable", `"stderr_log":["all"]`, func(w *world.World, _ *service) { w.Driver("own") }, []string{"own"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			s := serve(t, w)
			s.fake(w, "served")
			c.set(w, s)
			w.Write("system/etc/vulkan/loader_settings.d/vk_loader_settings.json", `{"file_format_version":"1.0.0","settings":{`+c.policy+`}}`)
			w.Env["VK_LOADER_DEBUG"] = "info"
			h := w.Start()
			if got := h.Do("create_instance").Result(); (got == success) != (c.want != nil) {
				t.Fatalf("result %d", got)
			}
			if c.want != nil {
				got := devices(h)
				slices.Sort(got)
				want := slices.Sorted(slices.Values(c.want))
				if !slices.Equal(got, want) {
					t.Errorf("devices %v", got)
				}
			}
			if said := h.Quit().Stderr; !strings.Contains(said, c.says) {
				t.Errorf("the log: %s", said)
			}
			if asked := len(s.methods()) > 0; asked != (slices.Contains(c.want, "served") || c.says != "") {
				t.Errorf("it was asked: %v", asked)
			}
		})
	}
}
