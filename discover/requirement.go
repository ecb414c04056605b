package discover

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/drivers"
)

// Requirement is a program's requirements. The zero value is met by any device.
type Requirement struct {
	API        Version    // least version of the device; 0: any
	Type       DeviceType // OtherType: any
	VRAM       uint64     // least bytes of the device's own memory
	Extensions []string   // device extensions
	Vendor     string     // a name, as nvidia, or a hexadecimal number; "": any
	NotCPU     bool       // a device that computes on the CPU does not count
	Count      int        // how many devices must meet all of this; 0: one
}

// UnmetCode names the requirement that is not met.
type UnmetCode string

// Requirements that are not met.
const (
	UnmetDriver    UnmetCode = "driver"    // vkCreateInstance finds no driver
	UnmetDevice    UnmetCode = "device"    // there is no device
	UnmetHealth    UnmetCode = "health"    // the child crashed or hung
	UnmetNotCPU    UnmetCode = "not"       // every device computes on the CPU
	UnmetVendor    UnmetCode = "vendor"    // no device is of the vendor
	UnmetType      UnmetCode = "type"      // no device is of the kind
	UnmetAPI       UnmetCode = "api"       // no device has the version
	UnmetVRAM      UnmetCode = "vram"      // no device has the memory
	UnmetExtension UnmetCode = "extension" // no device has the extension
	UnmetCount     UnmetCode = "count"     // too few devices meet everything
)

// UnmetError names the requirement that a machine does not meet. It is ErrNoDriver or ErrNoDevice for errors.Is.
type UnmetError struct {
	Code   UnmetCode // the condition that is not met
	Text   string    // one English sentence
	Report *Report   // that was compared
}

// Error returns the sentence.
func (e *UnmetError) Error() string { return e.Text }

// Is reports whether the error is ErrNoDriver or ErrNoDevice.
func (e *UnmetError) Is(target error) bool {
	return target == ErrNoDevice || target == ErrNoDriver && e.Code == UnmetDriver
}

// Meets reports whether one device meets the requirement, for any Count.
func (n *Requirement) Meets(d *Device) bool {
	for _, s := range n.conditions() {
		if !s.met(d) {
			return false
		}
	}
	return true
}

// step is one condition on a device.
type step struct {
	code UnmetCode
	what string // in words: the required property of a device
	met  func(*Device) bool
}

// phrase returns the words for a number of devices.
func (s *step) phrase(count int) string {
	verb, rest, _ := strings.Cut(s.what, " ")
	switch {
	case count == 1:
		return s.what
	case s.code == UnmetNotCPU:
		return "are GPUs"
	case verb == "is":
		return "are " + rest
	}
	return "have " + rest
}

// deviceCount says how many devices there are.
func deviceCount(count int) string {
	if count == 1 {
		return "there is 1 device"
	}
	return fmt.Sprintf("there are %d devices", count)
}

// conditions returns the conditions in order of judgement.
func (n *Requirement) conditions() (list []step) {
	add := func(code UnmetCode, what string, met func(*Device) bool) { list = append(list, step{code, what, met}) }
	if n.NotCPU {
		add(UnmetNotCPU, "is a GPU", func(d *Device) bool { return d.Type != CPU })
	}
	if n.Vendor != "" {
		add(UnmetVendor, "is of the vendor "+n.Vendor, func(d *Device) bool { return isOfVendor(d, n.Vendor) })
	}
	if n.Type != OtherType {
		add(UnmetType, "is of the type "+n.Type.String(), func(d *Device) bool { return d.Type == n.Type })
	}
	if n.API != 0 {
		add(UnmetAPI, "has Vulkan "+short(n.API), func(d *Device) bool { return d.APIVersion >= n.API })
	}
	if n.VRAM != 0 {
		add(UnmetVRAM, "has "+bytesText(n.VRAM)+" of memory", func(d *Device) bool { return d.VRAM >= n.VRAM })
	}
	for _, name := range n.Extensions {
		add(UnmetExtension, "has "+name, func(d *Device) bool { return slices.Contains(d.Extensions, name) })
	}
	return list
}

// short returns a version without a patch number of 0.
func short(v Version) string { return strings.TrimSuffix(v.String(), ".0") }

func isOfVendor(d *Device, vendor string) bool {
	if strings.EqualFold(drivers.VendorName(d.VendorID), vendor) {
		return true
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(vendor), "0x"), 16, 32)
	return err == nil && d.VendorID == uint32(number)
}

// Check reports whether a report meets the requirement: nil, or an *[UnmetError]. A nil report has no devices.
func (n *Requirement) Check(r *Report) error {
	if r == nil {
		r = &Report{}
	}
	unmet := func(code UnmetCode, format string, args ...any) error {
		return &UnmetError{Code: code, Text: fmt.Sprintf(format, args...), Report: r}
	}
	switch {
	case r.Outcome == Crashed || r.Outcome == Hung:
		return unmet(UnmetHealth, "the child process that asks for devices %s", r.Problem)
	case r.refused:
		return unmet(UnmetDriver, "no Vulkan driver works here")
	case len(r.Devices) == 0:
		return unmet(UnmetDevice, "there is no Vulkan device: %s", cmp.Or(r.Problem, "the drivers list none"))
	}
	wanted := max(n.Count, 1)
	left := make([]*Device, 0, len(r.Devices))
	for i := range r.Devices {
		left = append(left, &r.Devices[i])
	}
	if len(left) < wanted {
		return unmet(UnmetCount, "%s; %d are required", deviceCount(len(left)), wanted)
	}
	for _, s := range n.conditions() {
		before := left
		left = slices.DeleteFunc(slices.Clone(left), func(d *Device) bool { return !s.met(d) })
		switch {
		case len(left) == 0:
			noun := "device"
			if n.NotCPU && s.code != UnmetNotCPU {
				noun = "GPU"
			}
			return unmet(s.code, "no %s %s; available: %s", noun, s.what, names(before))
		case len(left) < wanted:
			return unmet(UnmetCount, "%d devices are required, and only %d %s: %s", wanted, len(left),
				s.phrase(len(left)), names(left))
		}
	}
	return nil
}

// names lists devices in words.
func names(list []*Device) string {
	var words []string
	for _, d := range list {
		words = append(words, fmt.Sprintf("%s (%s, Vulkan %s, %s)", d.Name, d.Type, d.APIVersion, bytesText(d.VRAM)))
	}
	return strings.Join(words, ", ")
}

// units of memory, the largest first.
var units = [...]struct {
	letter string
	bytes  uint64
}{{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

// bytesText returns a size in the largest unit that is not larger than the size.
func bytesText(n uint64) string {
	for _, u := range units {
		if n >= u.bytes {
			text := strconv.FormatFloat(float64(n)/float64(u.bytes), 'f', 1, 64)
			return strings.TrimSuffix(text, ".0") + " " + u.letter + "iB"
		}
	}
	return strconv.FormatUint(n, 10) + " bytes"
}

// ParseRequirement reads requirements: NAME=VALUE, separated by commas. The names are api (1.3), type (discrete,
// integrated, virtual, cpu), vram (a number of bytes, or with K, M, G or T), extension (may be repeated), vendor,
// count, and not (cpu).
func ParseRequirement(text string) (Requirement, error) {
	var n Requirement
	for _, word := range strings.Split(text, ",") {
		if strings.TrimSpace(word) == "" {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimSpace(word), "=")
		if !ok || value == "" {
			return Requirement{}, fmt.Errorf("%q is not NAME=VALUE, such as api=1.3", word)
		}
		if err := n.setCondition(name, value); err != nil {
			return Requirement{}, err
		}
	}
	return n, nil
}

var errNeed = errors.New("not a requirement")

// setCondition enters one requirement.
func (n *Requirement) setCondition(name, value string) (err error) {
	switch name {
	case "api":
		n.API, err = ParseVersion(value)
	case "type":
		for t := Integrated; t <= CPU; t++ {
			if t.String() == value {
				n.Type = t
				return nil
			}
		}
		return fmt.Errorf("type %q: %w: discrete, integrated, virtual or cpu", value, errNeed)
	case "vram":
		n.VRAM, err = parseBytes(value)
	case "extension":
		n.Extensions = append(n.Extensions, value)
	case "vendor":
		n.Vendor = value
	case "count":
		if n.Count, err = strconv.Atoi(value); err != nil || n.Count < 1 {
			return fmt.Errorf("count %q: %w: a number from 1", value, errNeed)
		}
	case "not":
		if value != "cpu" {
			return fmt.Errorf("not %q: %w: cpu", value, errNeed)
		}
		n.NotCPU = true
	default:
		return fmt.Errorf("%q: %w: api, type, vram, extension, vendor, count or not", name, errNeed)
	}
	return err
}

// parseBytes reads a size: 8G, 512M, 1024.
func parseBytes(text string) (uint64, error) {
	number, unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "IB"), "B"), uint64(1)
	for _, u := range units {
		if rest, is := strings.CutSuffix(number, u.letter); is {
			number, unit = rest, u.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || value < 0 || value*float64(unit) >= 1<<63 {
		return 0, fmt.Errorf("vram %q: %w: a size such as 8G", text, errNeed)
	}
	return uint64(value * float64(unit)), nil
}
