package process

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Memory reads fdinfo; nothing where the kernel's driver tells nothing, as NVIDIA's.
func (p *Process) Memory() []Memory {
	var list []Memory
	type client struct{ driver, device, id string }
	clients := map[client]bool{}
	for _, name := range p.descriptors() {
		data, err := os.ReadFile(p.file("fdinfo/" + name))
		if err != nil {
			continue
		}
		driver, device, id, regions := parseInfo(string(data))
		if driver == "" || clients[client{driver, device, id}] {
			continue // descriptors of one client tell the same
		}
		clients[client{driver, device, id}] = true
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
		return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Driver, b.Driver), strings.Compare(a.Region, b.Region))
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
