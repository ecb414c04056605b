package decide

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/vk"
)

// Parts of a child's report.
type (
	Device     = probe.Device  // a physical device as programs see it
	DeviceType = vk.DeviceType // a kind of device, as in VkPhysicalDeviceType
	Version    = vk.Version    // a version of Vulkan, as Vulkan packs it
)

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
	Schema   int      `json:"schema"`
	Library  string   `json:"library"` // the loader's file; "": it could not be opened
	Version  Version  `json:"version"` // the result of vkEnumerateInstanceVersion
	Devices  []Device `json:"devices"` // in the order in which programs get them
	Outcome  Outcome  `json:"outcome"`
	Problem  string   `json:"problem,omitempty"`  // one sentence, where the outcome is not Fine
	Signal   string   `json:"signal,omitempty"`   // as SIGSEGV; of a crash
	Phase    string   `json:"phase,omitempty"`    // in which it crashed or hung, as "create instance"
	Manifest string   `json:"manifest,omitempty"` // of the driver or layer without which it does not crash or hang
	File     string   `json:"file,omitempty"`     // its library, as the manifest names it

	Died bool `json:"-"` // a driver or layer ended the child, or kept it from ending

	refused bool // vkCreateInstance has found no driver
}

// ProbeOptions say how a probe is made. The zero value probes as a program with this process's variables.
type ProbeOptions struct {
	Env     []string      // the child's variables; nil: this process's. Those that no loader, driver or layer reads stay behind
	Library string        // the loader: a path, or a name for the dynamic linker; "": libvulkan.so.1, or vulkan-1.dll
	Child   string        // the program that loads it; "": the child of an installed vkloader
	Limit   time.Duration // for each child; 0: 30 seconds
	Whole   bool          // only one child: after a crash or hang, no further children find the driver or layer to blame
}

// Probe has a child load the Vulkan loader and use it as a short program does; see discover.Probe.
func Probe(ctx context.Context, options ProbeOptions) (*Report, error) {
	at, err := options.complete()
	if err != nil {
		return nil, err
	}
	result, err := probed(ctx, at, options.Env, options.Limit)
	if err != nil {
		return nil, err
	}
	report := reportOf(result)
	if report.Outcome != Crashed && report.Outcome != Hung || options.Whole {
		return report, nil
	}
	return report, blame(ctx, at, &options, report)
}

// complete enters the defaults, and returns the child and its library.
func (o *ProbeOptions) complete() (at probe.Companions, err error) {
	if o.Env == nil {
		o.Env = Local().variables()
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
	return "", fmt.Errorf("%w: install vkloader, or name the file libexec/vkloader/probe in ProbeOptions.Child", ErrNoProbe)
}

// probed runs one child.
func probed(ctx context.Context, at probe.Companions, environ []string, limit time.Duration) (*probe.Result, error) {
	environ = machine.WithoutVariable(environ, variables.Debug.Name()) // its lines would fill the child's log
	result, err := probe.RunUntil(ctx, at, environ, limit)
	return result, probeError(ctx, err)
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
	report := &Report{Schema: Schema, Library: r.Library, Version: Version(r.Version), Devices: []Device{}, Problem: r.Problem,
		Died: r.Died(), refused: r.NoDriver()}
	report.Outcome = map[probe.Outcome]Outcome{probe.Fine: Fine, probe.Crashed: Crashed, probe.Hung: Hung}[r.Outcome]
	if report.Outcome == "" {
		report.Outcome = Failed
	}
	if report.Outcome == Crashed || report.Outcome == Hung {
		report.Signal, report.Phase = r.Signal, r.Unfinished
	}
	for _, d := range r.Devices {
		d.Library, d.Extensions = "", slices.Clone(d.Extensions)
		report.Devices = append(report.Devices, d)
	}
	return report
}
