package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// Memory is what a process holds of one region of a device's memory, as the driver in the kernel tells it in fdinfo
// (drm-usage-stats in the kernel's documentation).
type Memory struct {
	Device string `json:"device,omitempty"` // PCI address
	Driver string `json:"driver"`           // of the kernel
	Region string `json:"region"`           // in the driver's words: vram, gtt, system0, ...
	Bytes  uint64 `json:"bytes"`
}

// Memory reads fdinfo; nothing where the kernel's driver tells nothing, as NVIDIA's.
func (p *Process) Memory() []Memory {
	var list []Memory
	clients := map[string]bool{}
	for _, name := range p.descriptors() {
		data, err := os.ReadFile(p.file("fdinfo/" + name))
		if err != nil {
			continue
		}
		driver, device, client, regions := parseInfo(string(data))
		if key := driver + " " + device + " " + client; driver == "" || clients[key] {
			continue // descriptors of one client tell the same
		} else {
			clients[key] = true
		}
		for region, bytes := range regions {
			at := slices.IndexFunc(list, func(m Memory) bool { return m.Driver == driver && m.Device == device && m.Region == region })
			if at < 0 {
				at = len(list)
				list = append(list, Memory{Device: device, Driver: driver, Region: region})
			}
			list[at].Bytes += bytes
		}
	}
	slices.SortFunc(list, func(a, b Memory) int {
		return strings.Compare(a.Device+" "+a.Driver+" "+a.Region, b.Device+" "+b.Driver+" "+b.Region)
	})
	return list
}

// kinds of memory keys, the better one first: what is resident, what the older form says, what is allocated.
var kinds = []string{"drm-resident-", "drm-memory-", "drm-total-"}

// parseInfo takes one file of fdinfo apart; driver is "" for a descriptor that is no device's.
func parseInfo(text string) (driver, device, client string, regions map[string]uint64) {
	regions = map[string]uint64{}
	best := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "drm-driver":
			driver = value
		case "drm-pdev":
			device = value
		case "drm-client-id":
			client = value
		}
		for rank, kind := range kinds {
			region, is := strings.CutPrefix(key, kind)
			if bytes, ok := size(value); is && ok && bytes > 0 {
				if before, had := best[region]; !had || rank < before {
					best[region], regions[region] = rank, bytes
				}
			}
		}
	}
	return driver, device, client, regions
}

// size reads "NUMBER [KiB|MiB]".
func size(text string) (uint64, bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(fields[0], 10, 64)
	if len(fields) > 1 {
		switch fields[1] {
		case "KiB":
			n <<= 10
		case "MiB":
			n <<= 20
		}
	}
	return n, err == nil
}
