package devicemap

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

// Kinds are all of them.
func Kinds() []string { return []string{GGML, CUDA, DRI, Mesa} }

// Variable is a variable and its value.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variables are those by which programs of a kind get one of the rows alone. The error says why there are none.
func Variables(kind string, rows []Row, at int) ([]Variable, error) {
	r := &rows[at]
	switch kind {
	case GGML:
		return []Variable{{"GGML_VK_VISIBLE_DEVICES", strconv.Itoa(*r.GGMLRaw)}}, nil
	case CUDA:
		if r.CUDAUUID == "" {
			return nil, fmt.Errorf("%s is not a CUDA device: NVIDIA's driver does not list it", r.Name)
		}
		return []Variable{{"CUDA_VISIBLE_DEVICES", r.CUDAUUID}}, nil
	case DRI:
		switch {
		case r.OpenGL == "nvidia":
			return []Variable{{"__NV_PRIME_RENDER_OFFLOAD", "1"}, {"__GLX_VENDOR_LIBRARY_NAME", "nvidia"}, {"__VK_LAYER_NV_optimus", "NVIDIA_only"}}, nil
		case r.PCI == "":
			return nil, fmt.Errorf("%s has no known PCI address, which DRI_PRIME needs", r.Name)
		}
		return []Variable{{drivers.MesaPrime, drivers.MesaAddress(r.PCI) + "!"}}, nil
	case Mesa:
		for i := range rows {
			if i != at && rows[i].vendor == r.vendor && rows[i].device == r.device {
				return nil, fmt.Errorf("%s is not the only device with its numbers %04x:%04x, which %s takes: use --for %s", r.Name, r.vendor, r.device,
					drivers.MesaSelect, DRI)
			}
		}
		return []Variable{{drivers.MesaSelect, fmt.Sprintf("%04x:%04x!", r.vendor, r.device)}}, nil
	}
	return nil, fmt.Errorf("%q is not a kind of program", kind)
}
