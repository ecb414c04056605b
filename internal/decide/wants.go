package decide

import (
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/vk"
)

// WantOf returns a program's requirements on a device by the names of its file, its needed libraries and its imported DLLs; nil:
// unknown. program is a path, or a name.
func WantOf(m *machine.Machine, program string) *drivers.Want {
	if program == "" {
		return nil
	}
	if want := drivers.WantOf(program); want != nil {
		return want
	}
	f, err := m.Open(program)
	if err != nil {
		return nil
	}
	defer f.Close()
	if l, err := binary.ReadELF(f); err == nil {
		return drivers.WantOf(l.Needed...)
	}
	return drivers.WantOf(binary.Imports(f)...)
}

// With returns the requirement and a program's want together.
func (n Requirement) With(want *drivers.Want) (Requirement, error) {
	if want == nil {
		return n, nil
	}
	if want.API != "" {
		api, err := vk.ParseVersion(want.API)
		if err != nil {
			return n, err
		}
		n.API = max(n.API, api)
	}
	n.Extensions = append(append([]string{}, n.Extensions...), want.Extensions...)
	return n, nil
}

// Limit returns in a sentence why the last drivers of a device's chip never meet the requirement; "": they may, or the chip is
// unknown.
func (n *Requirement) Limit(d *Device) (text string, never bool) {
	chip := drivers.ChipByPCI(d.VendorID, d.DeviceID)
	if chip == nil || n.Meets(d) {
		return "", false
	}
	want := &drivers.Want{}
	for _, s := range n.steps() {
		switch {
		case s.met(d):
		case s.code == UnmetAPI:
			want.API = short(n.API)
		case s.code == UnmetExtension:
			want.Extensions = append(want.Extensions, s.what[len("has "):])
		}
	}
	return chip.Limit(want)
}
