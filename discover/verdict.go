package discover

import (
	"errors"
	"strconv"
	"strings"
)

// VerdictSchema is the number in a [Verdict]'s JSON.
const VerdictSchema = 2

// Verdict is a comparison of a [Report] with a [Requirement], as "vkloader check --json" prints it.
type Verdict struct {
	Schema  int    `json:"schema"`  // number of the schema
	Require string `json:"require"` // the request, in a fixed order
	Met     bool   `json:"met"`     // the requirement is met
	// the first requirement that is not met: health, driver, device, not, vendor, type, api, vram, extension or count
	Code    UnmetCode       `json:"code,omitempty"`
	What    string          `json:"what,omitempty"` // the unmet requirement in a sentence
	Library string          `json:"library"`        // the loader that was asked
	Devices []VerdictDevice `json:"devices"`        // in the order in which programs get them
}

// VerdictDevice is a device, and whether it meets the requirement.
type VerdictDevice struct {
	Index uint32 `json:"index"` // place in the list of vkEnumeratePhysicalDevices, from 0
	Name  string `json:"name"`  // as the driver reports it
	ID    string `json:"id"`    // an ID that does not change when the machine restarts
	Meets bool   `json:"meets"` // it meets the conditions on one device
}

// Verdict compares a report with the requirement, device by device. [Requirement.Check] is the same as an error.
func (n *Requirement) Verdict(r *Report) *Verdict {
	if r == nil {
		r = &Report{}
	}
	err := n.Check(r)
	v := &Verdict{Schema: VerdictSchema, Require: n.String(), Met: err == nil, Library: r.Library,
		Devices: []VerdictDevice{}}
	if what := (*UnmetError)(nil); errors.As(err, &what) {
		v.Code, v.What = what.Code, what.Text
	}
	for i := range r.Devices {
		d := &r.Devices[i]
		v.Devices = append(v.Devices, VerdictDevice{d.Index, d.Name, d.ID(), n.Meets(d)})
	}
	return v
}

// String returns the requirement in the form of [ParseRequirement]; "" for the zero value.
func (n Requirement) String() string {
	var list []string
	add := func(name, value string) { list = append(list, name+"="+value) }
	if n.API != 0 {
		add("api", short(n.API))
	}
	if n.Type != OtherType {
		add("type", n.Type.String())
	}
	if n.VRAM != 0 {
		add("vram", sizeText(n.VRAM))
	}
	for _, name := range n.Extensions {
		add("extension", name)
	}
	if n.Vendor != "" {
		add("vendor", n.Vendor)
	}
	if n.NotCPU {
		add("not", "cpu")
	}
	if n.Count != 0 {
		add("count", strconv.Itoa(n.Count))
	}
	return strings.Join(list, ",")
}

// sizeText returns a text that parseBytes reads as this size.
func sizeText(n uint64) string {
	for _, u := range units {
		if n%u.bytes == 0 {
			return strconv.FormatUint(n/u.bytes, 10) + u.letter
		}
	}
	return strconv.FormatUint(n, 10)
}
