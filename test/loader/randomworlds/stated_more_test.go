package randomworlds

import (
	"fmt"
	"slices"
	"strings"
)

// grouped returns the groups of devices: a driver's groups, or each device by itself (PHY-061, PHY-062, PHY-074, PHY-075). A driver with
// an impossible group has groups of one device (PHY-078).
func (s *stated) grouped(i *instance) (list [][]*physical) {
	var all []*physical
	for _, m := range i.drivers {
		has := minor(s.reports(m.who)) >= v1_1
		if slices.Contains(i.exts, "VK_KHR_device_group_creation") {
			has = slices.Contains(m.exts, "VK_KHR_device_group_creation")
		}
		all = append(all, m.devices...)
		groups := s.seek(m.who, "group")
		own := len(list)
		sound := has && len(groups) > 0
		for _, words := range groups {
			var group []*physical
			for _, name := range words {
				for _, d := range m.devices {
					if d.name == name {
						group = append(group, d)
					}
				}
			}
			sound = sound && len(group) == len(words) && len(once(words)) == len(words)
			list = append(list, group)
		}
		if !sound { // PHY-078
			list = list[:own]
			for _, d := range m.devices {
				list = append(list, []*physical{d})
			}
		}
	}
	if i.set != nil && i.set.chooses { // SET-103
		if i.sorting && s.number("VK_LOADER_DISABLE_SELECT") == 0 { // SET-95: the first of an identity in the ordinary order
			s.sorted(i, all)
		}
		visible, _ := s.chosen(i, all)
		list = slices.DeleteFunc(list, func(group []*physical) bool {
			return slices.ContainsFunc(group, func(d *physical) bool { return !slices.Contains(visible, d) })
		})
	}
	if i.sorting && s.number("VK_LOADER_DISABLE_SELECT") == 0 {
		type keyed struct {
			first []int // the sort keys of the first member
			group []*physical
		}
		var order []keyed
		for _, group := range list {
			rank := s.ranks(i, group)
			slices.SortStableFunc(group, func(a, b *physical) int { return slices.Compare(rank[a], rank[b]) })
			order = append(order, keyed{rank[group[0]], group})
		}
		slices.SortStableFunc(order, func(a, b keyed) int { return slices.Compare(a.first, b.first) })
		for g := range order {
			list[g] = order[g].group
		}
	}
	return list
}

// surface predicts a headless surface, and which devices support it (WSI-001, WSI-013, WSI-026 to WSI-028).
func (s *stated) surface(i *instance, t try, first, last *physical, o *observation) {
	if !s.d.surfaces(t) {
		return
	}
	o.add("surface", "result 0, written 1")
	for _, d := range []*physical{first, last} {
		at := slices.IndexFunc(i.drivers, func(m *made) bool { return slices.Contains(m.devices, d) })
		m := i.drivers[at]
		made, _ := s.imposed(m.who, "vkCreateHeadlessSurfaceEXT", "")
		result, supported := int32(0), 0
		own := libraries[m.who].kind == "driver" || libraries[m.who].kind == "driver_nogpdpa"
		switch {
		case !slices.Contains(m.exts, "VK_KHR_surface"): // WSI-026
		case own && (!slices.Contains(m.exts, "VK_EXT_headless_surface") || made < 0): // WSI-027
		default: // a value that a driver does not write is VK_FALSE
			if result, _ = s.imposed(m.who, "vkGetPhysicalDeviceSurfaceSupportKHR", ""); result >= 0 {
				supported = 1
			}
		}
		o.add("surface support", fmt.Sprintf("result %d, supported %d", result, supported))
	}
}

// after predicts the end of an instance: its blocks are freed, lack of memory is reported, and a library that was closed and opened again
// behaves the same.
func (s *stated) after(t try, i *instance, o *observation, destroyed *[]string) {
	if s.d.has("allocator") {
		o.add("allocator", "live 0, faults 0") // ALC-006, ALC-017
		for _, n := range rations {
			o.add(fmt.Sprint("allocator of ", n, " blocks"), "no other result, live 0, faults 0") // ALC-027, ALC-028
		}
	}
	if s.d.has("reload") {
		var opened, calls []string
		before := s.log
		_, result := s.create(t, &opened, &calls, destroyed)
		s.log = before
		o.add("again: opened", opened...)
		o.add("again: calls", calls...)
		o.add("again: result", fmt.Sprint(result))
	}
}

// rations are the numbers of blocks that a limited allocator provides.
var rations = []int{0, 1, 3, 9, 30}

func (d *description) has(what string) bool { return slices.Contains(d.app.with, what) }

// surfaces reports whether the program creates a surface in this try.
func (d *description) surfaces(t try) bool {
	return d.has("surface") && slices.Contains(t.exts, "VK_KHR_surface") && slices.Contains(t.exts, "VK_EXT_headless_surface")
}

// severities returns the lines of standard error as messengers receive them (DBG-014): "ERROR text".
func severities(lines []string) (out []string) {
	for _, line := range lines {
		tag, text, _ := strings.Cut(line, ": ")
		severity, _, _ := strings.Cut(tag, "|")
		if severity == "DRIVER" || severity == "LAYER" {
			severity = "INFO"
		}
		out = append(out, severity+" "+strings.TrimLeft(text, " "))
	}
	return out
}
