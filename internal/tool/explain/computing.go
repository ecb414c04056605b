package explain

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
)

// WithoutOverlays are the layers that the compute policy leaves out in a decision; nil is one that was not made.
func WithoutOverlays(answer *plan.Answer) (out []Item) {
	if answer == nil {
		return nil
	}
	for _, row := range Layers.Rows(answer) {
		if row.Code == diag.LayerCompute {
			out = append(out, row.item(Layers, row.Subject))
		}
	}
	return out
}
