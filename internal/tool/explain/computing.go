package explain

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/settings"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/machine"
)

// Computing is the decision for a program that shows nothing, where the settings have a policy for it; nil without one.
func Computing(source *machine.Source, answer *plan.Answer) (*plan.Answer, error) {
	if answer.Settings == nil || answer.Settings.Compute == settings.AllLayers {
		return nil, nil
	}
	return decision.AskFor(plan.App{}, source)
}

// WithoutOverlays are the layers that the compute policy leaves out in a decision.
func WithoutOverlays(answer *plan.Answer) (out []Item) {
	if answer == nil {
		return nil
	}
	for _, row := range Layers.Rows(answer) {
		if row.Code == diag.LayerCompute {
			out = append(out, Item{Kind: Layers.One, Name: row.Subject, Manifest: row.Path, Line: row.Line, Column: row.Column,
				Code: row.Code.String(), Statement: row.Statement, Why: row.Why, subject: row.Subject, code: row.Code})
		}
	}
	return out
}
