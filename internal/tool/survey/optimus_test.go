package survey

import (
	"strings"
	"testing"
	"vkloader/internal/decide/drivers"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// The steps show the effect of NVIDIA's layer according to its variables, and no effect if the layer is inactive.
func TestOptimus(t *testing.T) {
	t.Parallel()
	with := &plan.Answer{Layers: []*manifest.Layer{{Name: drivers.OptimusLayer}}, Active: []plan.Active{{Layer: 0}}}
	for _, c := range []struct {
		environ []string
		answer  *plan.Answer
		want    string
	}{
		{nil, with, ""},
		{[]string{"__NV_PRIME_RENDER_OFFLOAD=1"}, with, "puts the devices of NVIDIA's driver before all others: __NV_PRIME_RENDER_OFFLOAD=1"},
		{[]string{"__NV_PRIME_RENDER_OFFLOAD=1", "__VK_LAYER_NV_optimus=NVIDIA_only"}, with, "hides every device that is not of NVIDIA's driver: __NV_PRIME_RENDER_OFFLOAD=1 __VK_LAYER_NV_optimus=NVIDIA_only"},
		{[]string{"__VK_LAYER_NV_optimus=non_NVIDIA_only"}, with, "hides the devices of NVIDIA's driver"},
		{[]string{"__NV_PRIME_RENDER_OFFLOAD=1"}, &plan.Answer{}, "moves nothing: VK_LAYER_NV_optimus"},
	} {
		steps := orderOf(&machine.Source{Machine: machine.Machine{Environ: c.environ}}, c.answer, nil, nil)
		got := ""
		for _, s := range steps {
			got += s.What
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.environ, got, c.want)
		}
	}
}
