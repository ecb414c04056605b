package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"vkloader/internal/containers/component"
	"vkloader/internal/containers/config"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/state"
	"vkloader/internal/containers/table"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

func checkService(s *invocation, source *machine.Source, c *config.Config) error {
	rows := term.NewTable("state", "driver", "for", "contents or reason")
	offered := false
	for _, name := range offer.Machines() {
		index, err := offer.Find(source, name)
		if err != nil {
			return exit.As(exit.NotLooked, err)
		}
		if len(index.Drivers) > 0 || name == ownMachine() { // other word sizes need no row without drivers
			addOffered(rows, &index.Document, index.LeftOut)
		}
		offered = offered || len(index.Drivers) > 0
	}
	some, err := checkComponents(rows, c, !source.Foreign())
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	rows.Print(s.out, "", s.style)
	if !offered && !some {
		return exit.Problem("no driver of this machine would be offered")
	}
	return nil
}

func addOffered(rows *term.Table, d *offer.Document, left []offer.LeftOut) {
	for _, driver := range d.Drivers {
		var size int64
		for _, at := range driver.Files {
			size += d.Files[at].Size
		}
		what := fmt.Sprintf("%s, %d MB", term.Count(len(driver.Files), "file"), (size+500_000)/1_000_000)
		what += term.Enclosed(", ", strings.Join(driver.Devices, " "), "")
		rows.Row("offered", driver.Name, d.Machine, what)
	}
	for _, l := range left {
		rows.Row("left out", l.Name, d.Machine, l.Why)
	}
}

// present collects the existing devices.
type present map[string]table.Device

// Add implements devices.Sink.
func (p present) Add(node, _ string, about table.Device) { p[node] = about }

// Remove implements devices.Sink.
func (p present) Remove(node string) { delete(p, node) }

// Idle implements devices.Sink.
func (p present) Idle() {}

// errOnce ends the enumeration of devices instead of watching for changes.
var errOnce = errors.New("only what is there now")

// checkComponents adds the rows of drivers from packages: those for existing devices, if here is set, and the software
// driver. It unpacks images into a temporary directory.
func checkComponents(rows *term.Table, c *config.Config, here bool) (offered bool, err error) {
	cache, err := machine.TemporaryDirectory("", "vkloader-check-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(cache)
	packages := resolver(cache, slog.New(slog.DiscardHandler))
	try := func(device, url string) {
		report, err := packages.Lookup(context.Background(), url, 0, func(component.Report) {})
		if err != nil {
			rows.Row("left out", url, device, report.Status+": "+exit.Message(err))
			return
		}
		report.Library.File.Close()
		offered = true
		rows.Row("offered", url, device, fmt.Sprintf("component, %d MB", (report.Library.Size+500_000)/1_000_000))
	}
	found := present{}
	if here && (c.AllowHardware || c.AllowEmulated) {
		once := &devices.DRM{Listen: func() (*os.File, devices.Decoder, error) { return nil, nil, errOnce }}
		if err := once.Run(context.Background(), found); !errors.Is(err, errOnce) {
			return false, err
		}
	}
	for _, node := range slices.Sorted(maps.Keys(found)) {
		answer, wrong := table.Lookup(config.GPUTables, found[node])
		for _, why := range append(wrong, answer.Wrong...) {
			rows.Row("left out", "", node, why)
		}
		for _, e := range answer.Entries {
			if e.Flags&state.Vulkan != 0 {
				try(node, e.URL)
			}
		}
	}
	if c.AllowSoftware && c.SoftwareURL != "" {
		try("lavapipe-0", component.Absolute(c.SoftwareURL, c.Directory))
	}
	return offered, nil
}
