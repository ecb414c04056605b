package survey

import (
	"fmt"
	"strconv"

	"vkloader/internal/tool/drivers"
)

// Kinds of programs whose variables are known.
const (
	GGML = "ggml"
	CUDA = "cuda"
	DRI  = "dri"
	Mesa = "mesa"
)

// VariableKinds are those of a system. Windows has neither DRI nor Mesa's layer that chooses a device.
func VariableKinds(windows bool) []string {
	if windows {
		return []string{GGML, CUDA}
	}
	return []string{GGML, CUDA, DRI, Mesa}
}

// DeviceVariable is a variable and its value.
type DeviceVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DeviceVariables are those by which programs of a kind get one of the rows alone. The error says why there are none.
func DeviceVariables(kind string, rows []DeviceNames, at int) ([]DeviceVariable, error) {
	r := &rows[at]
	switch kind {
	case GGML:
		return []DeviceVariable{{"GGML_VK_VISIBLE_DEVICES", strconv.Itoa(*r.GGMLRaw)}}, nil
	case CUDA:
		if r.CUDAUUID == "" {
			return nil, fmt.Errorf("%s is not a CUDA device: NVIDIA's driver does not list it", r.Name)
		}
		return []DeviceVariable{{"CUDA_VISIBLE_DEVICES", r.CUDAUUID}}, nil
	case DRI:
		switch {
		case r.OpenGL == "nvidia":
			return []DeviceVariable{{"__NV_PRIME_RENDER_OFFLOAD", "1"}, {"__GLX_VENDOR_LIBRARY_NAME", "nvidia"}, {"__VK_LAYER_NV_optimus", "NVIDIA_only"}}, nil
		case r.PCI == "":
			return nil, fmt.Errorf("%s has no known PCI address, which DRI_PRIME needs", r.Name)
		}
		return []DeviceVariable{{drivers.MesaPrime, drivers.MesaAddress(r.PCI) + "!"}}, nil
	case Mesa:
		for i := range rows {
			if i != at && rows[i].vendor == r.vendor && rows[i].device == r.device {
				return nil, fmt.Errorf("%s is not the only device with its numbers %04x:%04x, which %s takes: use --for %s", r.Name, r.vendor, r.device,
					drivers.MesaSelect, DRI)
			}
		}
		return []DeviceVariable{{drivers.MesaSelect, fmt.Sprintf("%04x:%04x!", r.vendor, r.device)}}, nil
	}
	return nil, fmt.Errorf("%q is not a kind of program", kind)
}
