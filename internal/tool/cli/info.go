package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func newInfo(s *invocation) *cobra.Command {
	var (
		out               output
		full              bool
		library, fallback string
		limit             time.Duration
	)
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Show drivers, layers, devices and times with the tool's library",
		Long: "info measures the tool's own library, or that of --library.\n" +
			"Programs may get another loader: vkloader explain names it.\n\n" +
			"info starts a child process that uses the library as a small program does: it loads the library,\n" +
			"lists extensions and layers, creates an instance, lists the devices, and creates a device on each.\n" +
			"The child runs twice: once to measure the times, once with VK_LOADER_DEBUG=all for the loader's log.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			m, err := s.thisMachine(renamed["info"])
			if err != nil {
				return err
			}
			result, err := survey.Look(s.executable, m, survey.Options{Library: library, Fallback: fallback, Limit: limit})
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			return out.judge(s, result, result.Problem != "", func() {
				printInfo(s, result)
				if full {
					printInfoMore(s, result)
				}
			})
		},
	}
	out.option(cmd, decide.InspectionSchema)
	cmd.Flags().BoolVar(&full, "full", false, "also show instance extensions, memory and threads, and details of devices and layers")
	cmd.Flags().StringVar(&library, "library", "", ownLibraryHelp)
	cmd.Flags().StringVar(&fallback, "fallback-driver", "", "`MANIFEST` of the driver to use when no driver of the machine works")
	cmd.Flags().DurationVar(&limit, "timeout", 30*time.Second, "end a child process after this `TIME`")
	return cmd
}

// printInfo prints the result as text.
func printInfo(s *invocation, r *decide.Inspection) {
	title := func(text string) { fmt.Fprintf(s.out, "\n%s\n", s.style.Heading(text)) }

	fmt.Fprintf(s.out, "%s  %s\n", s.style.Heading("Library"), r.Library)
	if r.Fallback != "" {
		fmt.Fprintf(s.out, "This machine has no Vulkan driver that works; shown with %s instead.\n", r.Fallback)
	}

	title("Drivers")
	switch {
	case !r.Decided:
		fmt.Fprintln(s.out, "  unknown: this library is not the one that belongs to the tool")
	case len(r.Drivers) == 0:
		fmt.Fprintln(s.out, "  none found")
	default:
		table := term.NewTable("manifest", "API", "library", "result")
		for _, d := range r.Drivers {
			table.Row(d.Manifest, d.APIVersion, d.Library, resultOf(&d))
		}
		table.Print(s.out, "  ", s.style)
	}

	title("Layers")
	layers := term.NewTable("name", "API", "description", "in the chain")
	for _, l := range r.Layers {
		active := term.Either(!r.Decided, "unknown", "no")
		if l.Active != nil {
			active = "yes: " + l.Active.EnabledBy
			active += term.Enclosed(" (off with ", l.Active.Disable, ")")
		}
		layers.Row(l.Name, l.APIText, l.Description, active)
	}
	layers.PrintOr("none found", s.out, "  ", s.style)

	title("Chain")
	if !r.Decided {
		fmt.Fprintln(s.out, "  unknown")
	} else {
		fmt.Fprintf(s.out, "  %s\n", strings.Join(r.Chain, " -> "))
	}

	title("Devices")
	devices := term.NewTable(">#", "name", "type", "API", "driver", "version", "library")
	for _, d := range r.Devices {
		devices.Row(fmt.Sprint(d.Index), d.Name, d.TypeText, d.APIText, d.DriverName,
			d.DriverText, d.Library)
	}
	devices.PrintOr("none", s.out, "  ", s.style)

	title("Times")
	table := term.NewTable("phase", ">first", ">again")
	for _, t := range r.Times {
		again := ""
		if t.Again > 0 {
			again = term.Microseconds(t.Again)
		}
		table.Row(t.Phase, term.Microseconds(t.First), again)
	}
	table.Print(s.out, "  ", s.style)

	if len(r.Messages) > 0 {
		title("Messages of the loader")
		for _, m := range r.Messages {
			fmt.Fprintf(s.out, "  %s: %s\n", m.Severity, m.Text)
		}
	}
	if r.Problem != "" {
		fmt.Fprintf(s.out, "\n%s %s\n", s.style.Bad("Problem:"), r.Problem)
		printSearch(s.out, r.Died)
	}
}

// resultOf describes the result of a driver.
func resultOf(d *decide.InspectedDriver) string {
	switch {
	case d.Problem != "":
		return "failed"
	case d.Devices == 1:
		return "1 device"
	case d.Devices > 1:
		return fmt.Sprintf("%d devices", d.Devices)
	}
	return "no device"
}

// printInfoMore prints the additional parts of --full.
func printInfoMore(s *invocation, r *decide.Inspection) {
	line := func(format string, args ...any) {
		fmt.Fprintf(s.out, "  %s\n", term.OneLine(fmt.Sprintf(format, args...)))
	}
	for _, d := range r.Devices {
		fmt.Fprintf(s.out, "\n%s\n", s.style.Heading(fmt.Sprintf("Device %d: %s", d.Index, term.OneLine(d.Name))))
		line("vendor %04x, device %04x", d.VendorID, d.DeviceID)
		line("PCI address %s, device memory %s", term.Or(d.PCI, "unknown"), term.Size(d.VRAM))
		line("driver %s %s", d.DriverName, d.DriverInfo)
		if d.DeviceUUID != "" {
			line("device UUID %s, driver UUID %s", d.DeviceUUID, d.DriverUUID)
		}
	}
	for _, l := range r.Layers {
		fmt.Fprintf(s.out, "\n%s\n", s.style.Heading("Layer "+term.OneLine(l.Name)))
		line("%s; API %s, implementation %d", l.Description, l.APIText, l.ImplementationVersion)
		if l.Active != nil {
			line("manifest %s", l.Active.Manifest)
			line("library %s", l.Active.Library)
		}
	}
	fmt.Fprintf(s.out, "\n%s\n", s.style.Heading("Instance extensions"))
	extensions := term.NewTable("name", ">revision")
	for _, e := range r.Extensions {
		extensions.Row(e.Name, fmt.Sprint(e.Revision))
	}
	extensions.Print(s.out, "  ", s.style)
	fmt.Fprintf(s.out, "\n%s\n", s.style.Heading("Memory and threads"))
	table := term.NewTable("phase", ">resident", ">threads")
	for _, moment := range []string{"start", "load", "end"} {
		if u, ok := r.Usage[moment]; ok {
			table.Row(moment, fmt.Sprintf("%d kB", u.ResidentKB), fmt.Sprint(u.Threads))
		}
	}
	table.Print(s.out, "  ", s.style)
}
