package randomworlds

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// extension is a name and its version.
type extension struct {
	name string
	spec uint32
}

func (e extension) String() string { return fmt.Sprint(e.name, " ", e.spec) }

// layer is the content of a layer's manifest.
type layer struct {
	name, manifest, library string
	implicit, meta          bool
	components              []string
	api                     uint32
	file                    [4]uint32 // version of the manifest
	description             string
	disable, enable, value  string // variables, and the required value
	enables                 bool
	instance, device        []extension
	hooks                   map[string]string // pre-instance functions
	negotiate               string            // the renamed function
	black, paths, keys      []string
	control                 string // under settings: on, auto; "" for regular layers
	settled                 bool   // a settings file names it
}

// beside resolves a library's path (LAY-49 to LAY-51).
func beside(manifest, library string) string {
	if strings.HasPrefix(library, "/") || !strings.Contains(library, "/") || !strings.Contains(manifest, "/") {
		return library
	}
	return manifest[:strings.LastIndex(manifest, "/")+1] + library
}

// layersOf reads a manifest (1.3).
func (s *stated) layersOf(path string, implicit bool) (found []*layer) {
	top := s.document(path)
	if top == nil {
		return nil
	}
	file, ok := top.str("file_format_version") // LAY-21
	if !ok {
		s.say("WARNING|LAYER: loader_add_layer_properties: Manifest " + path + " missing required field file_format_version")
		return nil
	}
	s.say("INFO: Found manifest file " + path + " (file version " + file + ")") // LAY-22
	version := versionParts(file)
	add := func(v *value) {
		if l := s.layerOf(v, path, version, implicit); l != nil {
			found = append(found, l)
		}
	}
	if layers := top.get("layers"); layers != nil { // LAY-25 to LAY-29
		for _, item := range layers.items {
			if item.kind != 'o' {
				break
			}
			add(item)
		}
		return found
	}
	at := slices.IndexFunc(top.members, func(m member) bool { return strings.EqualFold(m.name, "layer") })
	switch old := pack(version) < pack([4]uint32{0, 1, 0, 1}); {
	case at < 0:
		if top.get("ICD") == nil { // LAY-33
			s.say("WARNING|LAYER: loader_add_layer_properties: Can not find 'layer' object in manifest JSON file " + path + ".  Skipping this file.")
		}
	case !old && at+1 < len(top.members): // LAY-31
	default: // LAY-32
		for _, m := range top.members[at:] {
			add(m.value)
		}
	}
	return found
}

// layerOf reads one layer (1.4 to 1.9). It returns nil for a skipped layer.
func (s *stated) layerOf(v *value, path string, file [4]uint32, implicit bool) *layer {
	l := &layer{manifest: path, implicit: implicit, file: file}
	var ok bool
	if l.name, ok = v.str("name"); !ok || len(l.name) > 254 {
		return nil
	}
	if kind, _ := v.str("type"); kind != "INSTANCE" && kind != "GLOBAL" {
		return nil
	}
	library, hasLibrary := v.str("library_path")
	components := v.get("component_layers")
	if hasLibrary == (components != nil) { // LAY-53, LAY-54
		return nil
	}
	if arch, _ := v.str("library_arch"); strings.HasPrefix(arch, "32") {
		return nil
	}
	if components != nil {
		l.meta = true
		for _, item := range components.items { // LAY-59
			if item.kind != 's' {
				return nil
			}
			l.components = append(l.components, item.text)
		}
		for _, m := range components.members { // LAY-58
			l.components = append(l.components, m.text)
		}
	} else {
		l.library = beside(path, library)
	}
	api, ok := v.str("api_version")
	if parts := versionParts(api); !ok || parts[0] != 0 {
		return nil
	}
	l.api = pack(versionParts(api))
	if _, ok := v.str("implementation_version"); !ok {
		return nil
	}
	if l.description, ok = v.str("description"); !ok || len(l.description) > 254 {
		return nil
	}
	if implicit && !l.switches(v) {
		return nil
	}
	l.instance, l.device = extensionsOf(v.get("instance_extensions")), extensionsOf(v.get("device_extensions"))
	if hooks := v.get("pre_instance_functions"); hooks != nil && implicit && pack(file) >= pack([4]uint32{0, 1, 1, 2}) { // LAY-73, LAY-74
		l.hooks = map[string]string{}
		for _, name := range []string{"Version", "LayerProperties", "ExtensionProperties"} {
			l.hooks[name], _ = hooks.str("vkEnumerateInstance" + name)
		}
	}
	l.negotiate, ok = v.get("functions").str("vkNegotiateLoaderLayerInterfaceVersion")
	if !ok || pack(file) < pack([4]uint32{0, 1, 1, 0}) { // LAY-69
		l.negotiate = "vkNegotiateLoaderLayerInterfaceVersion"
	}
	l.black, l.paths, l.keys = v.strs("blacklisted_layers"), v.strs("override_paths"), v.strs("app_keys")
	if len(elements(strings.Join(l.paths, ":"))) == 0 { // LAY-206
		l.paths = nil
	}
	return l
}

// switches reads the variables of an implicit layer (1.6). It returns false for a skipped layer.
func (l *layer) switches(v *value) bool {
	first := func(name string) (string, string, bool) {
		o := v.get(name)
		if o == nil || o.kind != 'o' || len(o.members) == 0 || o.members[0].kind != 's' {
			return "", "", false
		}
		return o.members[0].name, o.members[0].text, true
	}
	var ok bool
	if l.disable, _, ok = first("disable_environment"); !ok {
		return false
	}
	l.enable, l.value, l.enables = first("enable_environment")
	return true
}

// extensionsOf reads a list of extensions (LAY-76 to LAY-78).
func extensionsOf(v *value) (list []extension) {
	if v == nil || v.kind != 'a' {
		return nil
	}
	for _, item := range v.items {
		name, ok := item.str("name")
		if !ok || len(name) > 254 {
			continue
		}
		text, _ := item.str("spec_version")
		spec, _ := strconv.ParseUint(text, 10, 32)
		list = merged(list, extension{name, uint32(spec)})
	}
	return list
}

// merged adds extensions with new names.
func merged(list []extension, more ...extension) []extension {
	for _, e := range more {
		if !slices.ContainsFunc(list, func(have extension) bool { return have.name == e.name }) {
			list = append(slices.Clone(list), e)
		}
	}
	return list
}

func named(list []*layer, name string) *layer {
	for _, l := range list {
		if l.name == name {
			return l
		}
	}
	return nil
}

// suppressed reports whether the filter variables remove a layer (LAY-114).
func (s *stated) suppressed(l *layer) bool {
	out := s.matches("VK_LOADER_LAYERS_DISABLE", l.name) || s.says("~all~", "*", "**")
	out = out || l.implicit && s.says("~implicit~") || !l.implicit && s.says("~explicit~")
	return out && !s.matches("VK_LOADER_LAYERS_ALLOW", l.name) && !s.matches("VK_LOADER_LAYERS_ENABLE", l.name)
}

// enabled reports whether an implicit layer is enabled by itself (3.1).
func (s *stated) enabled(l *layer) bool {
	if !l.implicit || s.suppressed(l) {
		return false
	}
	if _, set := s.plain(l.disable); set { // LAY-127
		return false
	}
	value, set := s.plain(l.enable)
	return !l.enables || set && value == l.value || s.matches("VK_LOADER_LAYERS_ENABLE", l.name) // LAY-126, LAY-121
}

// implicits makes the implicit search and returns the override layer, or nil if none can be used (5.1).
func (s *stated) implicits() (list []*layer, over *layer) {
	for _, path := range s.manifests("implicit layer", "LAYER", s.places("implicit_layer.d", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH")) {
		list = append(list, s.layersOf(path, true)...)
	}
	var matching, global *layer
	for _, l := range list {
		switch {
		case l.name != override:
		case slices.Contains(l.keys, s.exe) && matching == nil:
			matching = l
		case len(l.keys) == 0 && global == nil:
			global = l
		}
	}
	over = global
	if matching != nil { // LAY-189
		over = matching
	}
	list = slices.DeleteFunc(list, func(l *layer) bool { return l.name == override && l != over })
	if over != nil && !s.enabled(over) {
		over = nil
	}
	return list, over
}

// explicits makes the explicit search (5.3).
func (s *stated) explicits(over *layer) (list []*layer) {
	places := s.places("explicit_layer.d", "VK_ADD_LAYER_PATH", "VK_LAYER_PATH")
	if over != nil && len(over.paths) > 0 {
		places = nil
		for _, path := range over.paths {
			s.say("WARNING|LAYER: Override layer has override path " + path)
			places = append(places, elements(path)...)
		}
		places = once(places)
		if text, set := s.secure("VK_LAYER_PATH"); set {
			s.say("INFO|LAYER: Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to " + text)
		}
	}
	for _, path := range s.manifests("explicit layer", "LAYER", places) {
		list = append(list, s.layersOf(path, false)...)
	}
	return list
}

// regular builds the layer list without a settings file (LAY-101).
func (s *stated) regular() []*layer {
	list, over := s.implicits()
	if !s.global || over != nil || slices.ContainsFunc(list, func(l *layer) bool { return l.meta }) { // LAY-100
		list = append(list, s.explicits(over)...)
	}
	list = s.native(list)
	list = s.valid(list)
	over = s.overriding(list)
	s.overridden = over != nil
	if over != nil && !s.global { // LAY-213, LAY-215
		list = slices.DeleteFunc(list, func(l *layer) bool {
			if l == over || !slices.Contains(over.black, l.name) {
				return false
			}
			s.say("DEBUG: loader_remove_layers_in_blacklist: Override layer is active and layer " + l.name +
				" is in the blacklist inside of it. Removing that layer from current layer list.")
			return true
		})
	}
	list = slices.DeleteFunc(list, func(l *layer) bool { // LAY-114, LAY-115
		if !s.suppressed(l) {
			return false
		}
		s.say(`WARNING|LAYER: Layer "` + l.name + `" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`)
		return true
	})
	return s.single(list)
}

// native removes, from layers with one name and several libraries, those with a library of the other word size, unless all have one
// (LAY-104).
func (s *stated) native(list []*layer) []*layer {
	foreign := func(l *layer) bool { return !l.meta && strings.HasSuffix(l.library, "/wrong.so") }
	usable := map[string]bool{}
	for _, l := range list {
		usable[l.name] = usable[l.name] || !foreign(l)
	}
	return slices.DeleteFunc(slices.Clone(list), func(l *layer) bool {
		if !foreign(l) || !usable[l.name] {
			return false
		}
		s.say(`INFO|LAYER: Requested layer "` + l.name + `" was wrong bit-type.`)
		return true
	})
}

// overriding returns the first override layer of a list, if the variables enable one of them (LAY-185). Filters treat an explicit
// override layer as an implicit layer.
func (s *stated) overriding(list []*layer) (first *layer) {
	for _, l := range list {
		if l.name != override || !l.meta {
			continue
		}
		if first == nil {
			first = l
		}
		asImplicit := *l
		asImplicit.implicit = true
		if l.implicit && s.enabled(l) || !l.implicit && !s.suppressed(&asImplicit) {
			return first
		}
	}
	return nil
}

// single removes duplicates, one for each layer that stays (LAY-104, LAY-108).
func (s *stated) single(list []*layer) []*layer {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			if list[j].name == list[i].name {
				s.say("WARNING: Removing layer " + list[j].name + " (" + list[j].manifest + ") because it is a duplicate of " + list[i].name +
					" (" + list[i].manifest + ")")
				list = slices.Delete(list, j, j+1)
				break
			}
		}
	}
	return list
}

// valid removes invalid meta-layers and gives the others their components' extensions (4.2, 4.3). Later meta-layers do not find an
// invalid one (LAY-165).
func (s *stated) valid(list []*layer) []*layer {
	for i := 0; i < len(list); i++ {
		l := list[i]
		if l.meta && !s.verify(list, l, []*layer{l}) {
			s.say("DEBUG: Removing meta-layer " + l.name + " from instance layer list since it appears invalid.")
			list = slices.Delete(list, i, i+1)
			i--
			continue
		}
		for _, name := range l.components { // LAY-169, LAY-172
			c := named(list, name)
			l.instance, l.device = merged(l.instance, c.instance...), merged(l.device, c.device...)
		}
	}
	return list
}

// verify validates a meta-layer; met lists the meta-layers of this validation.
func (s *stated) verify(list []*layer, l *layer, met []*layer) bool {
	const where = "WARNING: verify_meta_layer_component_layers: "
	whole := func(v uint32) string { return fmt.Sprintf("%d.%d", v>>22&0x7f, v>>12&0x3ff) }
	seen := &met
	var judge func(l *layer) bool
	judge = func(l *layer) bool {
		for i, name := range l.components {
			c := named(list, name)
			switch {
			case c == nil: // LAY-156
				s.say(fmt.Sprintf(where+"Meta-layer %s can't find component layer %s at index %d.  Skipping this layer.", l.name, name, i))
				return false
			case minor(c.api) < minor(l.api): // LAY-157
				s.say(fmt.Sprintf(where+"Meta-layer uses API version %s, but component layer %d has API version %s that is lower.  Skipping this layer.",
					whole(l.api), i, whole(c.api)))
				return false
			case name == l.name: // LAY-159
				s.say(fmt.Sprintf(where+"Meta-layer %s lists itself in its component layer list at index %d.  Skipping this layer.", l.name, i))
				return false
			case !c.meta:
				continue
			}
			if slices.Contains(*seen, c) { // LAY-162, LAY-163
				s.say(where + "Recursive dependency between Meta-layer " + l.name + " and  Meta-layer " + c.name + ".  Skipping this layer.")
				return false
			}
			s.say("INFO: verify_meta_layer_component_layers: Adding meta-layer " + l.name + " which also contains meta-layer " + c.name) // LAY-160
			*seen = append(*seen, c)
			if !judge(c) { // LAY-161
				s.say("WARNING: Meta-layer " + l.name + " component layer " + c.name + " can not find all component layers.  Skipping this layer.")
				return false
			}
		}
		s.say(fmt.Sprintf(`INFO|LAYER: Meta-layer "%s" all %d component layers appear to be valid.`, l.name, len(l.components))) // LAY-164
		return true
	}
	return judge(l)
}

// fakeAt returns the fake that a path leads to, or "".
func (s *stated) fakeAt(path string) string {
	directory, name := filepath.Split(s.resolved(path))
	name, ok := strings.CutSuffix(name, ".so")
	if _, known := libraries[name]; !ok || !known || !strings.HasPrefix(path, "/") {
		return ""
	}
	inside, ok := strings.CutPrefix(directory, s.root+"/")
	if !ok || inside != "lib/" && (inside[0] != 'm' || strings.Count(inside, "/") != 1) {
		return ""
	}
	return name
}

// loads returns the result of loading a layer's library (9.2): the fake, and whether it is in device chains.
func (s *stated) loads(l *layer) (who string, device, ok bool) {
	who = s.fakeAt(l.library)
	if who == "" {
		return "", false, false
	}
	kind := libraries[who].kind
	result, negotiated := "0", "2"
	if words := s.seek(who, "negotiate"); len(words) > 0 {
		result, negotiated = words[0][0], words[0][1]
	}
	has := map[string]bool{"layer": true, "layer_neg": true}[kind] && l.negotiate == "vkNegotiateLoaderLayerInterfaceVersion" ||
		map[string]bool{"layer": true, "layer_renamed": true}[kind] && l.negotiate == "fakeNegotiate"
	if has && result == "0" && negotiated >= "2" { // LAY-287
		return who, true, true
	}
	switch kind { // LAY-289 to LAY-294
	case "layer", "layer_old":
		return who, true, true
	case "layer_oldgipa":
		return who, false, true
	}
	return who, false, false
}
