package doctor

import (
	"strings"

	"vkloader/internal/core/facts"
)

// leftBy are words of paths, in small letters, and the program that leaves a value with that path behind.
var leftBy = [...]struct{ word, program string }{
	{`obs-studio`, "OBS Studio"},
	{`obs-vulkan`, "OBS Studio"},
	{`bandicam`, "Bandicam"},
	{`bdcamvk`, "Bandicam"},
	{`rtssvk`, "RivaTuner Statistics Server"},
	{`rivatuner`, "RivaTuner Statistics Server"},
	{`twitch`, "Twitch"},
	{`mirillis`, "Mirillis Action!"},
	{`eosoverlay`, "the overlay of Epic Online Services"},
	{`galaxyoverlay`, "GOG Galaxy"},
	{`gog galaxy`, "GOG Galaxy"},
	{`overwolf`, "Overwolf"},
	{`ow-vulkan`, "Overwolf"},
	{`steamoverlay`, "Steam"},
	{`reshade`, "ReShade"},
}

// ownerOfPath is the program that puts a file of this path on PCs; "": not known.
func ownerOfPath(path string) string {
	path = strings.ToLower(path)
	for _, l := range leftBy {
		if strings.Contains(path, l.word) {
			return l.program
		}
	}
	return ""
}

// namedByDevice tells which display device names a manifest of a driver; "": none does.
func (e *pcExam) namedByDevice(manifest string) string {
	value := "VulkanDriverName"
	if e.pc.Elsewhere().Process().WOW64 {
		value += "Wow"
	}
	for _, d := range e.pc.Elsewhere().Devices(value).List {
		for _, path := range strings.Split(d.Data, "\x00") {
			if sameName(path, manifest) {
				return d.ID
			}
		}
	}
	return ""
}

// inWrongView offers to take a driver or layer out of the view of programs that cannot load its library.
func (e *pcExam) inWrongView(f *Finding, m Module) {
	e.values(func(at entry, v facts.Value) {
		if at.Hive == facts.LocalMachine && at.Bits == e.pc.WordSize() && sameName(v.Name, m.Manifest) {
			e.offering(f, pcChange{entry: at})
		}
	})
}

// ofAllSizes tells whether what names a driver or layer is read by programs of every word size, so that they all find those for the
// other one, too: the user's key, which has one view, and the package of the Compatibility Pack.
func (e *pcExam) ofAllSizes(m Module) bool {
	all := e.translates(m)
	e.values(func(at entry, v facts.Value) {
		all = all || at.Hive == facts.CurrentUser && sameName(v.Name, m.Manifest)
	})
	return all
}
