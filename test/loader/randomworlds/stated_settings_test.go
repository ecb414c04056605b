package randomworlds

import (
	"path/filepath"
	"slices"
	"strings"
)

// entry is a layer entry of a settings file.
type entry struct {
	control, name, path string
	implicit            bool
}

// settings are the content of a settings file (chapter 6).
type settings struct {
	layers    bool // it controls layers
	quiet     bool // it disables lines that VK_LOADER_DEBUG=all would show
	entries   []entry
	drivers   []string
	exclusive bool
	devices   []configured
	chooses   bool            // the file has device configurations
	off       map[string]bool // names that may not be active
}

// settingsPath finds the file (SET-1 to SET-7).
func (s *stated) settingsPath() string {
	var bases []string
	first := func(name, otherwise string) bool {
		text, _ := s.secure(name)
		if text == "" {
			text = otherwise
		}
		head, _, _ := strings.Cut(text, ":") // SET-4
		if head != "" && (len(head) > 1 || !strings.Contains(text, ":")) {
			bases = append(bases, head)
		}
		return text != ""
	}
	config, data := first("XDG_CONFIG_HOME", ""), first("XDG_DATA_HOME", "")
	home, set := s.secure("HOME")
	if !config && set {
		bases = append(bases, home+"/.config")
	}
	if !data && set {
		bases = append(bases, home+"/.local/share")
	}
	first("XDG_CONFIG_DIRS", "/etc/xdg")
	bases = append(bases, "/usr/local/etc", "/etc")
	first("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
	for _, base := range bases {
		path := base + "/vulkan//loader_settings.d/vk_loader_settings.json"
		if _, there := s.files[filepath.Clean(path)]; there || s.isDirectory(path) {
			return path
		}
	}
	return ""
}

// settings reads the file. It returns nil if no settings are in force.
func (s *stated) settings() *settings {
	path := s.settingsPath()
	if path == "" {
		return nil
	}
	top := s.document(path)
	if _, ok := top.str("file_format_version"); !ok { // SET-21
		return nil
	}
	var objects []*value
	if array := top.get("settings_array"); array != nil { // SET-23
		objects = array.items
	} else {
		at := slices.IndexFunc(top.members, func(m member) bool { return strings.EqualFold(m.name, "settings") })
		if at < 0 {
			return nil
		}
		for _, m := range top.members[at:] { // SET-35
			objects = append(objects, m.value)
		}
	}
	var chosen *value
	for _, o := range objects { // SET-28 to SET-34
		if o.kind != 'o' {
			break
		}
		if keys := o.get("app_keys"); keys == nil {
			if chosen == nil {
				chosen = o
			}
		} else if slices.Contains(o.strs("app_keys"), s.exe) {
			chosen = o
			break
		}
	}
	return parts(chosen)
}

// parts reads a settings object (SET-25, SET-27). It returns nil if it has no valid member.
func parts(v *value) *settings {
	out := &settings{}
	valid, all := false, false
	words := map[string]bool{"all": true, "error": true, "warn": true, "info": true, "debug": true, "perf": true, "layer": true, "driver": true,
		"validation": true}
	if level := v.get("stderr_log"); level != nil { // SET-76
		for _, item := range level.items {
			if item.kind != 's' {
				break
			}
			valid = valid || words[item.text]
			all = all || item.text == "all"
		}
		out.quiet = valid && !all // SET-77
	}
	if layers := v.get("layers"); layers != nil {
		if out.entries, out.layers = entriesOf(layers); out.layers {
			valid = true
		}
	}
	if out.devices, out.chooses = configuredBy(v.get("device_configurations")); out.chooses { // SET-92
		valid = true
	}
	if list := v.get("additional_drivers"); list != nil && list.kind == 'a' { // SET-85
		for _, item := range list.items {
			path, ok := item.str("path")
			if !ok {
				out.drivers = nil
				break
			}
			out.drivers = append(out.drivers, path)
		}
		valid = valid || len(out.drivers) > 0
	}
	only := v.get("additional_drivers_use_exclusively")
	out.exclusive = only != nil && only.kind == 't' // SET-87
	if !valid {
		return nil
	}
	return out
}

// entriesOf reads the layers (SET-36 to SET-40). It returns false if all are discarded.
func entriesOf(v *value) (list []entry, ok bool) {
	for _, item := range v.items {
		var e entry
		if e.control, ok = item.str("control"); !ok {
			return nil, false
		}
		if e.control == "unordered_layer_location" {
			list = append(list, e)
			continue
		}
		if e.control != "on" && e.control != "off" {
			e.control = "auto" // SET-37
		}
		if e.name, ok = item.str("name"); !ok {
			return nil, false
		}
		if e.path, ok = item.str("path"); !ok {
			return nil, false
		}
		as := item.get("treat_as_implicit_manifest")
		e.implicit = as != nil && as.kind == 't'
		list = append(list, e)
	}
	return list, true
}

// layers returns the layer list, with a settings file (6.5) or without.
func (s *stated) layers(set *settings) []*layer {
	if set == nil || !set.layers {
		return s.regular()
	}
	var own []*layer
	at := -1 // index of the regular layers
	blocked := map[string]bool{}
	for _, e := range set.entries {
		switch {
		case e.control == "unordered_layer_location":
			if at < 0 {
				at = len(own)
			}
		case e.control == "off": // SET-43
			blocked[e.name] = true
			set.decide(e.name, true)
		case strings.HasSuffix(e.path, ".json"): // SET-42
			if l := named(s.layersOf(e.path, e.implicit), e.name); l != nil {
				set.decide(e.name, false)
				l.control, l.settled = e.control, true
				same := slices.ContainsFunc(own, func(o *layer) bool { return o.name == l.name && o.library == l.library && !o.meta })
				if !same && !set.off[e.name] { // SET-44: a meta-layer has no library, SET-56
					own = append(own, l)
				}
			}
		}
	}
	if at < 0 {
		return s.native(own)
	}
	regular := s.regular()
	native := s.native(slices.Concat(own, regular))
	left := func(l *layer) bool { return !slices.Contains(native, l) }
	for _, l := range own { // SET-47
		blocked[l.name] = blocked[l.name] || !left(l)
	}
	regular = slices.DeleteFunc(regular, func(l *layer) bool { return left(l) || blocked[l.name] })
	before, after := slices.DeleteFunc(slices.Clone(own[:at]), left), slices.DeleteFunc(slices.Clone(own[at:]), left)
	return slices.Concat(before, regular, after)
}

// decide records the first entry of a name among those that have an effect (SET-42, SET-56).
func (set *settings) decide(name string, off bool) {
	if set.off == nil {
		set.off = map[string]bool{}
	}
	if _, decided := set.off[name]; !decided {
		set.off[name] = off
	}
}
