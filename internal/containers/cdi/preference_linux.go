package cdi

import (
	"fmt"
	"slices"

	"vkloader/internal/core/manifest"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
)

// hostWins reports whether the host's driver replaces the image's own, and why.
func (b *box) hostWins(own *manifest.Driver, library string) (wins bool, why string) {
	family := drivers.Of(library)
	if b.Host == nil || family == nil || family.Software() {
		return false, ""
	}
	for _, g := range b.cards(family) {
		have := drivers.MesaRelease(b.machine, b.find.Find(own.Library).File.Path)
		other := drivers.MesaRelease(b.machine, library)
		if have == "" || other == "" || binary.CompareVersions(other, have) <= 0 {
			return false, ""
		}
		switch c := drivers.ChipOf(b.Host, g.Vendor, g.Device, g.Directory); {
		case c == nil:
			return true, fmt.Sprintf(
				"in place of the image's own: Mesa %s is newer than %s, and nothing is known of %s", other, have,
				g.Title())
		case c.Mesa != "" && binary.CompareVersions(have, c.Mesa) < 0:
			return true, fmt.Sprintf("in place of the image's own of Mesa %s: %s needs Mesa %s", have, c.Name, c.Mesa)
		}
	}
	return false, ""
}

// cards returns the container's cards that a driver serves.
func (b *box) cards(family *drivers.Family) (list []*drivers.GPU) {
	for _, g := range drivers.GPUs(b.Host) {
		if family.Uses(g.Kernel) &&
			slices.ContainsFunc(g.Nodes, func(node string) bool { return slices.Contains(b.Nodes, node) }) {
			list = append(list, g)
		}
	}
	return list
}
