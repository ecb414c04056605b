package main

import (
	"fmt"
	"strings"

	"vkloader/internal/tool/report"
)

// print writes the result for people.
func (r *info) print(s *surroundings) {
	style := report.StyleFor(s.out, s.getenv)
	title := func(text string) { fmt.Fprintf(s.out, "\n%s\n", style.Heading(text)) }

	fmt.Fprintf(s.out, "%s  %s\n", style.Heading("Library"), r.Library)
	if r.Fallback != "" {
		fmt.Fprintf(s.out, "This machine has no Vulkan driver that works; shown with %s instead.\n", r.Fallback)
	}

	title("Drivers")
	switch {
	case !r.understood:
		fmt.Fprintln(s.out, "  unknown: this library's log is not that of vkloader")
	case len(r.Drivers) == 0:
		fmt.Fprintln(s.out, "  none found")
	default:
		table := report.NewTable("manifest", "API", "library", "result")
		for _, d := range r.Drivers {
			table.Row(d.Manifest, d.APIVersion, d.Library, d.result())
		}
		table.Print(s.out, "  ", style)
	}

	title("Layers")
	if len(r.Layers) == 0 {
		fmt.Fprintln(s.out, "  none found")
	} else {
		table := report.NewTable("name", "API", "description", "in the chain")
		for _, l := range r.Layers {
			active := "no"
			if !r.understood {
				active = "unknown"
			}
			if l.Active != nil {
				active = "yes: " + l.Active.EnabledBy
				if l.Active.Disable != "" {
					active += " (off with " + l.Active.Disable + ")"
				}
			}
			table.Row(l.Name, report.Version(l.APIVersion), l.Description, active)
		}
		table.Print(s.out, "  ", style)
	}

	title("Chain")
	if !r.understood {
		fmt.Fprintln(s.out, "  unknown")
	} else {
		fmt.Fprintf(s.out, "  %s\n", strings.Join(r.Chain, " -> "))
	}

	title("Devices")
	if len(r.Devices) == 0 {
		fmt.Fprintln(s.out, "  none")
	} else {
		table := report.NewTable(">#", "name", "type", "API", "driver", "version", "library")
		for _, d := range r.Devices {
			table.Row(fmt.Sprint(d.Index), d.Name, report.DeviceType(d.Type), report.Version(d.APIVersion), d.DriverName,
				report.DriverVersion(d.VendorID, d.DriverVersion), d.Library)
		}
		table.Print(s.out, "  ", style)
	}

	title("Times")
	table := report.NewTable("phase", ">first", ">again")
	for _, t := range r.Times {
		again := ""
		if t.Again > 0 {
			again = report.Microseconds(t.Again)
		}
		table.Row(t.Phase, report.Microseconds(t.First), again)
	}
	table.Print(s.out, "  ", style)

	if len(r.Messages) > 0 {
		title("Messages of the loader")
		for _, m := range r.Messages {
			fmt.Fprintf(s.out, "  %s: %s\n", m.Severity, m.Text)
		}
	}
	if r.Problem != "" {
		fmt.Fprintf(s.out, "\n%s %s\n", style.Bad("Problem:"), r.Problem)
	}
}

// printMore writes what --full adds.
func (r *info) printMore(s *surroundings) {
	style := report.StyleFor(s.out, s.getenv)
	line := func(format string, args ...any) {
		fmt.Fprintf(s.out, "  %s\n", report.OneLine(fmt.Sprintf(format, args...)))
	}
	for _, d := range r.Devices {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading(fmt.Sprintf("Device %d: %s", d.Index, report.OneLine(d.Name))))
		line("vendor %04x, device %04x", d.VendorID, d.DeviceID)
		line("driver %s %s", d.DriverName, d.DriverInfo)
		if d.DeviceUUID != "" {
			line("device UUID %s, driver UUID %s", d.DeviceUUID, d.DriverUUID)
		}
	}
	for _, l := range r.Layers {
		fmt.Fprintf(s.out, "\n%s\n", style.Heading("Layer "+report.OneLine(l.Name)))
		line("%s; API %s, implementation %d", l.Description, report.Version(l.APIVersion), l.ImplementationVersion)
		if l.Active != nil {
			line("manifest %s", l.Active.Manifest)
			line("library %s", l.Active.Library)
		}
	}
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Instance extensions"))
	extensions := report.NewTable("name", ">revision")
	for _, e := range r.Instance {
		extensions.Row(e.Name, fmt.Sprint(e.Revision))
	}
	extensions.Print(s.out, "  ", style)
	fmt.Fprintf(s.out, "\n%s\n", style.Heading("Memory and threads"))
	table := report.NewTable("at", ">resident", ">threads")
	for _, moment := range []string{"start", "load", "end"} {
		if u, ok := r.Usage[moment]; ok {
			table.Row(moment, fmt.Sprintf("%d kB", u.ResidentKB), fmt.Sprint(u.Threads))
		}
	}
	table.Print(s.out, "  ", style)
}

func (d driverInfo) result() string {
	switch {
	case d.Problem != "":
		return "failed"
	case d.Devices == 1:
		return "1 device"
	case d.Devices > 1:
		return fmt.Sprintf("%d devices", d.Devices)
	default:
		return "no device"
	}
}
