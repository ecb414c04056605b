package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// mapped are the devices that programs see under all their names.
type mapped struct {
	Schema  int                  `json:"schema"`
	Kind    string               `json:"kind"`
	Devices []survey.DeviceNames `json:"devices"` // in the order in which programs get them
	Problem string               `json:"problem,omitempty"`
}

// mapOf maps the devices of this machine that programs see.
func mapOf(m *machine.Machine, devices *survey.Devices) *mapped {
	var seen []discover.Device
	for i := range devices.List {
		if devices.List[i].In {
			seen = append(seen, devices.List[i].Device)
		}
	}
	return &mapped{Schema: listSchema, Kind: "map", Devices: survey.NamesOf(seen, gpus.List(m)), Problem: devices.Problem}
}

// printMap prints the devices, each with its names.
func printMap(s *invocation, m *mapped) {
	style := term.StyleFor(s.out, s.getenv)
	if len(m.Devices) == 0 {
		fmt.Fprintln(s.out, "No device.")
		return
	}
	for i := range m.Devices {
		r := &m.Devices[i]
		style.Lines(s.out, fmt.Sprintf("%d ", r.Index), style.Heading, r.Name)
		row := func(name, value string) {
			if value != "" {
				style.Lines(s.out, fmt.Sprintf("  %-14s ", name), nil, value)
			}
		}
		row("PCI address", r.PCI)
		row("kernel driver", r.Kernel)
		row("nodes", strings.TrimSpace(r.Card+" "+r.Render))
		row("llama.cpp", ggmlText(r))
		row("CUDA", strings.TrimSpace(r.CUDAUUID+numberText(", %d in the order of the bus", r.CUDAIndex)))
		row("OpenGL", r.OpenGL)
		row("VA-API", r.VAAPI)
	}
	fmt.Fprintln(s.out)
	style.Lines(s.out, "", nil, "\"vkloader env --for ggml|cuda|dri|mesa --device NUMBER\" prints the variables that choose a device.")
}

// ggmlText are the two numbers of llama.cpp.
func ggmlText(r *survey.DeviceNames) string {
	text := numberText("GGML_VK_VISIBLE_DEVICES=%d", r.GGMLRaw)
	if r.GGMLCompact == nil {
		return text + "; not used without it"
	}
	return text + numberText("; Vulkan%d without it", r.GGMLCompact)
}

// numberText is a number in words; "" for none.
func numberText(format string, number *int) string {
	if number == nil {
		return ""
	}
	return fmt.Sprintf(format, *number)
}

// chooseDevice prints the variables by which programs of a kind get one device.
func chooseDevice(s *invocation, kind, device string, out *output, limit time.Duration) error {
	if device == "" {
		return errors.New("--for needs --device")
	}
	m, err := s.thisMachine("env --for")
	if err != nil {
		return err
	}
	devices, err := askForDevices(s, limit)
	if err != nil {
		return err
	}
	all := mapOf(&m, devices)
	places, err := selected([]string{device}, devices.Selected()[:len(all.Devices)])
	if err != nil {
		return err
	}
	if len(places) != 1 {
		return exit.Problem("--device %s: it names %d devices; name one", device, len(places))
	}
	list, err := survey.DeviceVariables(kind, all.Devices, places[0])
	if err != nil {
		return exit.Problem("--for %s: %w", kind, err)
	}
	return out.print(s, struct {
		Schema    int                     `json:"schema"`
		For       string                  `json:"for"`
		Device    survey.DeviceNames      `json:"device"`
		Variables []survey.DeviceVariable `json:"variables"`
	}{chooseSchema, kind, all.Devices[places[0]], list}, func() {
		for _, v := range list {
			fmt.Fprintf(s.out, "%s=%s\n", v.Name, term.Quoted(v.Value))
		}
	})
}
