package survey

import (
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// NVIDIA's layer that puts its devices first or hides the others, with its variables, from the README of NVIDIA's driver
// (chapter "PRIME Render Offload").
const (
	optimusLayer   = "VK_LAYER_NV_optimus"
	optimusOffload = "__NV_PRIME_RENDER_OFFLOAD"
	optimusFilter  = "__VK_LAYER_NV_optimus"
)

// Effects of NVIDIA's layer on the order. The text is the variables, as NAME=VALUE.
type (
	optimusIdle  string // the layer is inactive
	optimusSorts string
	optimusOnly  string // it hides other devices
	optimusNone  string // it hides NVIDIA's devices
)

func (o optimusIdle) say() string {
	return string(o) + " moves nothing: " + optimusLayer + ", which reads it, is not used here; it comes with NVIDIA's driver, in nvidia_layers.json"
}

func (o optimusSorts) say() string {
	return optimusLayer + " puts the devices of NVIDIA's driver before all others: " + string(o)
}

func (o optimusOnly) say() string {
	return optimusLayer + " hides every device that is not of NVIDIA's driver: " + string(o)
}

func (o optimusNone) say() string {
	return optimusLayer + " hides the devices of NVIDIA's driver: " + string(o)
}

// optimusSteps returns the effects of NVIDIA's layer on the order; none without its variables.
func optimusSteps(source *machine.Source, answer *plan.Answer) []OrderReason {
	offload, _ := source.Lookup(optimusOffload)
	filter, _ := source.Lookup(optimusFilter)
	text := ""
	if offload != "" {
		text = optimusOffload + "=" + offload
	}
	if filter != "" && text != "" {
		text += " "
	}
	if filter != "" {
		text += optimusFilter + "=" + filter
	}
	if text == "" {
		return nil
	}
	used := false
	for _, a := range answer.Active {
		used = used || answer.Layers[a.Layer].Name == optimusLayer
	}
	var why fact
	switch {
	case !used:
		why = optimusIdle(text)
	case filter == "NVIDIA_only":
		why = optimusOnly(text)
	case filter == "non_NVIDIA_only":
		why = optimusNone(text)
	default:
		why = optimusSorts(text)
	}
	return []OrderReason{step(ByLayer, "PHY-032", why)}
}
