package discover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Device is a physical device as programs see it.
type Device struct {
	Index         uint32     `json:"index"`                 // place in the list of vkEnumeratePhysicalDevices, from 0
	Name          string     `json:"name"`                  // as "NVIDIA GeForce RTX 3080"
	Type          DeviceType `json:"type"`                  // the kind of device
	TypeText      string     `json:"type_text"`             // in words, as discrete GPU
	APIVersion    Version    `json:"api_version"`           // the newest version of Vulkan that it has
	APIText       string     `json:"api_version_text"`      // as 1.3.0
	DriverVersion uint32     `json:"driver_version"`        // as its maker packs it
	DriverText    string     `json:"driver_version_text"`   // as its maker writes it
	VendorID      uint32     `json:"vendor_id"`             // PCI number of the vendor, as 0x10de
	DeviceID      uint32     `json:"device_id"`             // PCI number of the device
	DriverName    string     `json:"driver_name"`           // as radv
	DriverInfo    string     `json:"driver_info"`           // as "Mesa 24.2.8"
	DeviceUUID    string     `json:"device_uuid,omitempty"` // 32 hexadecimal digits; "": the device has version 1.0
	DriverUUID    string     `json:"driver_uuid,omitempty"` // likewise, of the driver
	DriverID      uint32     `json:"driver_id,omitempty"`   // VkDriverId
	// version of the conformance test that it passed, as 1.3.0.0
	Conformance string `json:"conformance,omitempty"`
	// address on the bus, as 0000:01:00.0 and in [GPU].Name; "": unknown
	PCI  string `json:"pci,omitempty"`
	VRAM uint64 `json:"vram_bytes"` // bytes of the device's own memory
	// of its driver, from the loader's log; [Probe] leaves it empty
	Library string `json:"library,omitempty"`

	Extensions []string `json:"-"` // names of its device extensions
}

// ID returns a name of the device that is the same at every start of the machine, if its driver reports enough: its PCI
// address, else its UUID. Otherwise it is the device's number. Two drivers of one device give it the same ID.
func (d *Device) ID() string {
	switch {
	case d.PCI != "":
		return "pci-" + d.PCI
	case strings.Trim(d.DeviceUUID, "0") != "":
		return "uuid-" + d.DeviceUUID
	}
	return fmt.Sprintf("index-%d", d.Index)
}

// deviceOf converts a device of package probe.
func deviceOf(d *probe.Device) Device {
	return Device{Index: d.Index, Name: d.Name, Type: DeviceType(d.Type), TypeText: d.TypeText,
		APIVersion: Version(d.APIVersion),
		APIText:    d.APIText, DriverVersion: d.DriverVersion, DriverText: d.DriverText, VendorID: d.VendorID,
		DeviceID:   d.DeviceID,
		DriverName: d.DriverName, DriverInfo: d.DriverInfo, DeviceUUID: d.DeviceUUID, DriverUUID: d.DriverUUID,
		DriverID:    d.DriverID,
		Conformance: d.Conformance, PCI: d.PCI, VRAM: d.VRAM, Library: d.Library,
		Extensions: slices.Clone(d.Extensions)}
}

// Outcome is how the child of a probe ended.
type Outcome string

// Outcomes.
const (
	Fine    Outcome = "fine"
	Failed  Outcome = "failed"  // a function failed, or there is no device
	Crashed Outcome = "crashed" // a signal ended it
	Hung    Outcome = "hung"    // it did not end within the limit
)

// Report is the result of a probe.
type Report struct {
	Schema  int      `json:"schema"`            // number of the schema
	Library string   `json:"library"`           // the loader's file; "": it could not be opened
	Version Version  `json:"version"`           // the result of vkEnumerateInstanceVersion
	Devices []Device `json:"devices"`           // in the order in which programs get them
	Outcome Outcome  `json:"outcome"`           // how the child ended
	Problem string   `json:"problem,omitempty"` // one sentence, where the outcome is not Fine
	Signal  string   `json:"signal,omitempty"`  // as SIGSEGV; of a crash
	Phase   string   `json:"phase,omitempty"`   // in which it crashed or hung, as "create instance"

	Died bool `json:"-"` // a driver or layer ended the child, or kept it from ending

	refused bool // vkCreateInstance has found no driver
}

// ProbeOptions say how a probe is made. The zero value probes as a program with this process's variables.
type ProbeOptions struct {
	// the child's variables; nil: this process's. Those that no loader, driver or layer reads stay behind
	Env     []string
	Library string        // the loader: a path, or a name for the dynamic linker; "": libvulkan.so.1, or vulkan-1.dll
	Child   string        // the program that loads it; "": the child of an installed vkloader
	Limit   time.Duration // for the child; 0: 30 seconds
}

// Probe starts a child process that loads the Vulkan loader and uses it as a short program does: it creates an
// instance, lists the devices, and creates a device on each. The calling process loads nothing.
//
// The child is libexec/vkloader/probe of an installed vkloader, which Probe finds by PATH and in /usr and /usr/local.
// Without it the error is [ErrNoProbe]. A crash of the child is no error: the report has the signal and the phase.
func Probe(ctx context.Context, options ProbeOptions) (*Report, error) {
	ctx = contextOr(ctx)
	at, err := options.complete()
	if err != nil {
		return nil, err
	}
	environ := machine.WithoutVariable(options.Env, variables.Debug.Name()) // its lines would fill the child's log
	result, err := probe.Run(ctx, probe.Short, at, environ, options.Limit)
	if err = probeError(ctx, err); err != nil {
		return nil, err
	}
	return reportOf(result), nil
}

// complete enters the defaults, and returns the child and its library.
func (o *ProbeOptions) complete() (at probe.Companions, err error) {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Limit == 0 {
		o.Limit = 30 * time.Second
	}
	if o.Library == "" {
		o.Library = probe.LibraryName
	}
	if o.Child == "" {
		if o.Child, err = installedProbe(o.Env); err != nil {
			return at, err
		}
	}
	return probe.Companions{Library: o.Library, Child: o.Child, Guest: true}, nil
}

// installedProbe finds the child of an installed vkloader.
func installedProbe(environ []string) (string, error) {
	name := "probe"
	if runtime.GOOS == "windows" {
		name = "probe.exe"
	}
	m := machine.Machine{Environ: environ}
	path, _ := m.Lookup("PATH")
	prefixes := []string{"/usr", "/usr/local"}
	for _, directory := range filepath.SplitList(path) {
		if filepath.IsAbs(directory) {
			prefixes = append(prefixes, directory, filepath.Dir(directory))
		}
	}
	for _, prefix := range prefixes {
		place := filepath.Join(prefix, "libexec", "vkloader", name)
		if runtime.GOOS == "windows" { // beside the tool
			place = filepath.Join(prefix, "libexec", name)
		}
		if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() {
			return place, nil
		}
	}
	return "", fmt.Errorf("%w: install vkloader, or name the file libexec/vkloader/probe in ProbeOptions.Child",
		ErrNoProbe)
}

// probeError returns the error for a child that was not run to its end.
func probeError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNoProbe, err)
	}
	return err
}

// reportOf converts a child's result to a Report.
func reportOf(r *probe.Result) *Report {
	report := &Report{Schema: Schema, Library: r.Library, Version: Version(r.Version), Devices: []Device{},
		Problem: r.Problem,
		Died:    r.Died(), refused: r.NoDriver()}
	report.Outcome = map[probe.Outcome]Outcome{probe.Fine: Fine, probe.Crashed: Crashed, probe.Hung: Hung}[r.Outcome]
	if report.Outcome == "" {
		report.Outcome = Failed
	}
	if report.Outcome == Crashed || report.Outcome == Hung {
		report.Signal, report.Phase = r.Signal, r.Unfinished
	}
	for i := range r.Devices {
		d := deviceOf(&r.Devices[i])
		d.Library = ""
		report.Devices = append(report.Devices, d)
	}
	return report
}
