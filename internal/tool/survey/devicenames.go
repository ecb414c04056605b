package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/discover"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// DeviceNames holds all names of a device. Unknown names are absent.
type DeviceNames struct {
	Index  uint32 `json:"index"` // the number in Vulkan
	Name   string `json:"name"`
	PCI    string `json:"pci,omitempty"`
	Kernel string `json:"kernel_driver,omitempty"`
	Card   string `json:"card,omitempty"`   // the DRM primary node, for display
	Render string `json:"render,omitempty"` // the DRM render node

	GGMLRaw     *int `json:"ggml_raw,omitempty"`     // the number for GGML_VK_VISIBLE_DEVICES
	GGMLCompact *int `json:"ggml_compact,omitempty"` // the number in llama.cpp without that variable: Vulkan0 is 0

	CUDAUUID  string `json:"cuda_uuid,omitempty"`
	CUDAIndex *int   `json:"cuda_index,omitempty"` // the number with CUDA_DEVICE_ORDER=PCI_BUS_ID

	OpenGL string `json:"opengl,omitempty"` // Mesa's driver name, or nvidia
	VAAPI  string `json:"vaapi,omitempty"`  // the name for LIBVA_DRIVER_NAME

	vendor, device uint32
}

// Values of VkPhysicalDeviceType and VkDriverId.
const (
	integrated = 1
	discrete   = 2

	amdProprietary    = 1
	amdOpenSource     = 2
	mesaRADV          = 3
	nvidiaProprietary = 4
	intelWindows      = 5
	mesaANV           = 6
	mesaNVK           = 23
)

// NamesOf maps the devices of programs, in their order, to the kernel's devices.
func NamesOf(devices []discover.Device, kernel []*drivers.GPU) []DeviceNames {
	rows := make([]DeviceNames, len(devices))
	for i := range devices {
		d, at := &devices[i], i
		rows[i] = DeviceNames{Index: d.Index, Name: d.Name, PCI: d.PCI, GGMLRaw: &at, vendor: d.VendorID, device: d.DeviceID}
		if g := find(d, kernel); g != nil {
			rows[i].enter(g)
		}
	}
	compact(devices, rows)
	cuda(devices, rows)
	return rows
}

// find returns the kernel's device with the same address, or else the only one with the same IDs.
func find(d *discover.Device, kernel []*drivers.GPU) (found *drivers.GPU) {
	for _, g := range kernel {
		switch {
		case d.PCI != "" && strings.EqualFold(g.Name, d.PCI):
			return g
		case d.PCI == "" && g.Vendor != "" && drivers.PCINumber(g.Vendor) == d.VendorID && drivers.PCINumber(g.Device) == d.DeviceID:
			if found != nil {
				return nil
			}
			found = g
		}
	}
	return found
}

// enter adds the kernel's data.
func (r *DeviceNames) enter(g *drivers.GPU) {
	r.Kernel = g.Kernel
	if r.PCI == "" && strings.Count(g.Name, ":") == 2 {
		r.PCI = g.Name
	}
	for _, name := range g.Cards {
		switch {
		case strings.HasPrefix(name, "card") && r.Card == "":
			r.Card = "/dev/dri/" + name
		case strings.HasPrefix(name, "renderD") && r.Render == "":
			r.Render = "/dev/dri/" + name
		}
	}
	r.OpenGL, r.VAAPI = drivers.NamesOf(g.Kernel)
}

// compact assigns llama.cpp's numbers: to discrete and integrated devices in order, each UUID once with the preferred
// driver. Without any of them, it takes the first device.
func compact(devices []discover.Device, rows []DeviceNames) {
	var chosen []int
	for i := range devices {
		d := &devices[i]
		if d.Type != discrete && d.Type != integrated {
			continue
		}
		at := slices.IndexFunc(chosen, func(o int) bool { return d.DeviceUUID != "" && devices[o].DeviceUUID == d.DeviceUUID })
		switch {
		case at < 0:
			chosen = append(chosen, i)
		case preference(d.DriverID) < preference(devices[chosen[at]].DriverID):
			chosen = append(slices.Delete(chosen, at, at+1), i)
		}
	}
	if len(chosen) == 0 && len(devices) > 0 {
		chosen = []int{0}
	}
	for number, i := range chosen {
		rows[i].GGMLCompact = &number
	}
}

// preference ranks the drivers of one device, the best first.
func preference(driver uint32) int {
	switch driver {
	case mesaRADV, mesaANV, nvidiaProprietary:
		return 1
	case amdOpenSource, intelWindows, mesaNVK:
		return 2
	case amdProprietary:
		return 3
	}
	return 4
}

// cuda assigns CUDA's names to the devices of NVIDIA's own driver.
func cuda(devices []discover.Device, rows []DeviceNames) {
	var list []int
	for i := range devices {
		if devices[i].VendorID == 0x10de && devices[i].DriverID == nvidiaProprietary {
			rows[i].CUDAUUID = cudaUUID(devices[i].DeviceUUID)
			if rows[i].PCI != "" {
				list = append(list, i)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(rows[a].PCI, rows[b].PCI) })
	for number, i := range list {
		rows[i].CUDAIndex = &number
	}
}

// cudaUUID returns a UUID in nvidia-smi's format; "" for none.
func cudaUUID(digits string) string {
	if len(digits) != 32 || strings.Trim(digits, "0") == "" {
		return ""
	}
	return "GPU-" + digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// Kinds of programs with known variables.
const (
	GGML = "ggml"
	CUDA = "cuda"
	DRI  = "dri"
	Mesa = "mesa"
)

// VariableKinds returns the kinds of a system. Windows has neither DRI nor Mesa's device selection layer.
func VariableKinds(windows bool) []string {
	return term.Either(windows, []string{GGML, CUDA}, []string{GGML, CUDA, DRI, Mesa})
}

// DeviceVariable is a variable with a value.
type DeviceVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DeviceVariables returns the variables that give programs of a kind only the device in row at. The error gives the reason
// if it is impossible.
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
