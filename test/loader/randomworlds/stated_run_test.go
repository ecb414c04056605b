package randomworlds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// instance is an instance that vkCreateInstance has created.
type instance struct {
	api     uint32 // as changed by layers (INS-072)
	active  []*layer
	chain   []*link
	drivers []*made // in chain order
	sorting bool
	exts    []string // as they reached the end of the chain
	set     *settings
	list    []*layer
}

// link is a layer in the chain.
type link struct {
	who    string
	device bool
}

// made is a driver's instance.
type made struct {
	who     string
	devices []*physical
	exts    []string // passed to it
}

// state predicts the observation of a world from the statements. An open section is not compared: the statements permit several results.
func (w *worker) state(d *description) (o observation, open map[string]bool) {
	s := newStated(w, d)
	open = map[string]bool{}
	s.statedGlobals(&o)
	t := try{layers: d.app.layers, exts: d.app.exts}
	var destroyed []string
	for n := 1; ; n++ {
		s.read, s.log = nil, nil
		var opened, calls []string
		i, result := s.create(t, &opened, &calls, &destroyed)
		name := func(part string) string { return fmt.Sprintf("create %d: %s", n, part) }
		o.add(name("read"), s.read...)
		o.add(name("opened"), opened...)
		o.add(name("calls"), calls...)
		o.add(name("result"), fmt.Sprintf("%d, written %d", result, map[bool]int{true: 1}[result == 0]))
		o.add(name("messages"), s.log...)
		open[name("messages")] = s.quiet
		if d.has("messenger") {
			o.add(name("told"), severities(distinct(s.log))...) // DBG-006, DBG-016
			o.add(name("told alone"))
			open[name("told alone")] = s.quiet
		}
		if result == 0 {
			s.use(i, t, &o, open)
			s.after(t, i, &o, &destroyed)
		}
		next, more := t.next(result)
		if !more {
			break
		}
		if next.mild {
			for name, lines := range s.scripts {
				s.scripts[name] = gentle(lines)
			}
		}
		if next.given {
			s.files[s.root+"/good/driver.json"] = strings.ReplaceAll(`{"file_format_version":"1.0.1","ICD":{"library_path":"$R/lib/D0.so","api_version":"1.1.0"}}`, "$R", s.root)
		}
		t = next
	}
	slices.Sort(destroyed)
	o.add("driver instances destroyed", destroyed...)
	o.add("end", "exit 0, signal 0")
	return o, open
}

func (s *stated) statedGlobals(o *observation) {
	hooked, extended := s.globals()
	by := func(function string) string {
		var who []string
		for _, l := range slices.Backward(hooked) { // LAY-224
			fake := s.fakeAt(l.library)
			if symbol := l.hooks[function]; symbol != "" && (libraries[fake].kind == "layer_renamed" || libraries[fake].kind == "layer") {
				who = append(who, fake)
			}
		}
		return "by way of " + list(who)
	}
	o.add("version", "result 0", by("Version"))
	set := s.settings()
	layers := s.layers(set)
	lines := []string{"result 0", by("LayerProperties")}
	for _, l := range layers {
		lines = append(lines, fmt.Sprintf("%s %d %s", l.name, l.api, l.description))
	}
	o.add("layers", lines...)

	_, exts, result := s.offered(s.drivers(set, false, true))
	lines = []string{fmt.Sprint("result ", result), by("ExtensionProperties")}
	if result == success {
		exts = merged(exts, ownExtensions...)
		for _, l := range extended {
			exts = merged(exts, l.instance...)
		}
		for _, e := range exts {
			lines = append(lines, e.name)
		}
	}
	o.add("extensions", lines...)
	if name := s.d.app.named; name != "" {
		if l := named(layers, name); l != nil {
			o.add("extensions of a layer", append([]string{"result 0"}, texts(l.instance)...)...)
		} else if set != nil && set.layers && set.off[name] { // SET-74
			o.add("extensions of a layer", "result 0")
		} else {
			o.add("extensions of a layer", "result -6")
		}
	}
}

func texts(list []extension) (lines []string) {
	for _, e := range list {
		lines = append(lines, e.String())
	}
	return lines
}

// create predicts vkCreateInstance (INS-025).
func (s *stated) create(t try, opened, calls, destroyed *[]string) (*instance, int32) {
	i := &instance{}
	set := s.settings()
	i.set, s.quiet = set, set != nil && set.quiet
	i.list = s.layers(set)
	for n, name := range t.layers {
		switch {
		case set != nil && set.layers && set.off[name]: // SET-56
			s.say(fmt.Sprintf("ERROR: loader_validate_layers: Layer %d was explicitly prevented from being enabled by the loader settings file", n))
			return nil, -6
		case named(i.list, name) == nil: // LAY-270
			s.say(fmt.Sprintf("ERROR: loader_validate_layers: Layer %d does not exist in the list of available layers", n))
			return nil, -6
		}
	}
	wanted := s.d.app.flags&1 != 0 && slices.Contains(t.exts, "VK_KHR_portability_enumeration") // INS-038
	direct, alone := s.listed(t)
	var drivers []*driver
	if !alone { // DRV-085
		drivers = s.drivers(set, t.given, wanted)
	}
	for _, d := range drivers {
		*opened = append(*opened, d.library)
		if d.who == "" {
			s.refused(d)
		}
	}
	drivers = append(direct, drivers...)                                            // DRV-097
	if !slices.ContainsFunc(drivers, func(d *driver) bool { return d.who != "" }) { // INS-029
		s.say("ERROR|DRIVER: vkCreateInstance: Found no drivers!")
		return nil, -9
	}
	drivers, offered, result := s.offered(drivers)
	if result != success {
		return nil, result
	}
	i.active = s.activate(i.list, set, t.layers)
	for _, e := range ownExtensions {
		offered = merged(offered, e)
	}
	for _, l := range i.active {
		if !l.meta { // LAY-273
			offered = merged(offered, l.instance...)
		}
	}
	for _, name := range t.exts {
		switch {
		case !slices.Contains(known, name) && s.number("VK_LOADER_DISABLE_INST_EXT_FILTER") == 0: // INS-053
			s.say("ERROR: loader_validate_instance_extensions: Extension " + name + " not found in list of known instance extensions.")
			return nil, -7
		case !slices.ContainsFunc(offered, func(e extension) bool { return e.name == name }): // INS-054
			s.say("ERROR: loader_validate_instance_extensions: Instance extension " + name + " not supported by available ICDs or enabled layers.")
			return nil, -7
		}
	}
	refused := false
	for _, l := range slices.Backward(chain(i.active)) { // LAY-277
		*opened = append(*opened, l.library)
		who, device, ok := s.loads(l)
		if ok {
			i.chain = append([]*link{{who, device}}, i.chain...)
		}
		refused = refused || !ok && slices.Contains(t.layers, l.name) // LAY-297 to LAY-300
	}
	if refused {
		return nil, -6
	}
	result = s.down(i, 0, creation{s.d.app.api != "", version(s.d.app.api), t.layers, t.exts}, drivers, calls)
	if result != success { // INS-026, LAY-328
		for _, m := range i.drivers {
			*destroyed = append(*destroyed, m.who)
		}
		return nil, result
	}
	for _, m := range i.drivers {
		*destroyed = append(*destroyed, m.who)
	}
	return i, success
}

// creation has the arguments that go down the chain.
type creation struct {
	info         bool
	api          uint32
	layers, exts []string
}

// forced returns the result that a layer's script sets.
func (s *stated) forced(who, function, when string) (int32, bool) {
	for _, words := range s.seek(who, "error") {
		if words[0] == function {
			n, _ := strconv.Atoi(words[1])
			return int32(n), words[2] == when
		}
	}
	return 0, false
}

// down calls the elements of the chain one after the other.
func (s *stated) down(i *instance, at int, c creation, drivers []*driver, calls *[]string) int32 {
	if at == len(i.chain) {
		return s.terminate(i, c, drivers, calls)
	}
	who := i.chain[at].who
	api := int64(c.api)
	if !c.info {
		api = -1
	}
	*calls = append(*calls, fmt.Sprint(who, " creates, extensions ", list(c.exts), ", layers ", list(c.layers), ", api ", api)) // LAY-307
	if r, ok := s.forced(who, "vkCreateInstance", "before"); ok {
		return r
	}
	for _, words := range s.seek(who, "add_ext") {
		c.exts = append(slices.Clone(c.exts), words[0])
	}
	for _, words := range s.seek(who, "change_api") {
		c.info, c.api = true, version(words[0])
	}
	result := s.down(i, at+1, c, drivers, calls)
	if r, ok := s.forced(who, "vkCreateInstance", "after"); ok && result == success {
		return r
	}
	return result
}

// terminate predicts the end of the chain: each driver's instance (4.7, 4.8 of document 03).
func (s *stated) terminate(i *instance, c creation, drivers []*driver, calls *[]string) int32 {
	const properties2 = "VK_KHR_get_physical_device_properties2"
	none := int32(-9)
	i.api, i.exts = c.api, c.exts
	if c.api == 0 {
		i.api = 1 << 22 // INS-023, INS-024
	}
	i.sorting = minor(i.api) >= v1_1 || slices.Contains(c.exts, properties2) // PHY-025
	for _, d := range drivers {
		var has, given []string
		for _, words := range s.seek(d.who, "ext") {
			has = append(has, words[0])
		}
		for _, name := range c.exts { // INS-060
			if slices.Contains(has, name) {
				given = append(given, name)
			}
		}
		if (minor(i.api) == v1_0 || minor(d.api) == v1_0) && slices.Contains(has, properties2) { // INS-061
			given = append(given, properties2)
			i.sorting = true
		}
		api := int64(c.api)
		if !c.info {
			api = -1
		}
		reports := s.reports(d.who)
		failed, _ := s.imposed(d.who, "vkEnumerateInstanceVersion", "")
		one := minor(d.api) < v1_1 || minor(reports) < v1_1 || failed != success // INS-064
		if one && (!c.info || c.api != 0) {                                      // INS-065, INS-066
			api = 1 << 22
		}
		flags := uint32(0) // INS-044
		if slices.Contains(c.exts, "VK_KHR_portability_enumeration") && slices.Contains(has, "VK_KHR_portability_enumeration") {
			flags = s.d.app.flags
		}
		*calls = append(*calls, fmt.Sprint(d.who, " creates, extensions ", list(once(given)), ", layers 0, api ", api, ", flags ", flags))
		switch result, _ := s.imposed(d.who, "vkCreateInstance", ""); {
		case result == success:
			i.drivers = append([]*made{{d.who, s.devicesOf(d.who), given}}, i.drivers...)
		case result == noMemory: // INS-074
			return result
		case result > 0: // INS-076: it is passed on if no other driver is left
			none = result
		}
	}
	if len(i.drivers) == 0 {
		return none // INS-076
	}
	return success
}

// use predicts the program's use of an instance.
func (s *stated) use(i *instance, t try, o *observation, open map[string]bool) {
	if minor(i.api) >= v1_3 { // GPA-003, GPA-004
		o.add("global commands")
	} else {
		o.add("global commands", globalNames...)
	}
	devices, result, shown := s.enumerate(i)
	lines := []string{fmt.Sprint("result ", result)}
	if shown {
		for _, d := range devices {
			lines = append(lines, d.name)
		}
	} else {
		devices = nil
	}
	o.add("devices", lines...)
	lines = []string{"result 0"}
	for _, group := range s.grouped(i) {
		var names []string
		for _, d := range group {
			names = append(names, d.name)
		}
		lines = append(lines, list(names))
	}
	o.add("groups", lines...)
	open["groups"] = result != success || len(devices) == 0
	for _, m := range i.drivers { // test/loader/physdev tests the groups of a driver that fails half-way
		for _, words := range s.seek(m.who, "result") {
			open["groups"] = open["groups"] || strings.HasPrefix(words[0], "vkEnumeratePhysicalDevice")
		}
	}
	if len(devices) == 0 {
		return
	}
	lines = nil
	for _, l := range i.active {
		lines = append(lines, l.name)
	}
	o.add("active layers", lines...)
	first, last := devices[0], devices[len(devices)-1]
	for _, d := range []*physical{first, last} {
		result, exts := s.deviceExtensions(i, d)
		lines := []string{fmt.Sprint("result ", result)}
		if result >= success {
			lines = append(lines, texts(exts)...)
		}
		o.add("device extensions", lines...)
	}
	if name := s.d.app.named; name != "" {
		lines := []string{"result 0"} // LAY-260, LAY-261
		for _, l := range slices.Backward(i.list) {
			if l.name == name {
				lines = append(lines, texts(l.device)...)
				break
			}
		}
		o.add("device extensions of a layer", lines...)
	}
	s.device(i, first, 1, o)
	if last != first {
		s.device(i, last, 2, o)
	}
	s.surface(i, t, first, last, o)
}

// enumerate predicts vkEnumeratePhysicalDevices, for the count and then for the list; shown reports whether devices
// are returned.
func (s *stated) enumerate(i *instance) (devices []*physical, result int32, shown bool) {
	const function = "vkEnumeratePhysicalDevices"
	for _, m := range i.drivers {
		count, _ := s.imposed(m.who, function, "count")
		fill, _ := s.imposed(m.who, function, "fill")
		switch {
		case count == noMemory || count == success && fill == noMemory: // PHY-011
			return nil, noMemory, false
		case count != success && count != incomplete, fill != success && fill != incomplete: // PHY-012
		default:
			devices = append(devices, m.devices...)
		}
	}
	if len(devices) == 0 { // PHY-009
		return nil, -3, false
	}
	if i.sorting && s.number("VK_LOADER_DISABLE_SELECT") == 0 {
		s.sorted(i, devices)
	}
	for _, phase := range []string{"count", "fill"} {
		result = success
		if i.set != nil && i.set.chooses && phase == "fill" {
			devices, result = s.chosen(i, devices)
		}
		for _, l := range slices.Backward(i.chain) {
			if r, ok := s.imposed(l.who, function, phase); ok && result >= 0 {
				result = r
			}
		}
		if result != success && phase == "count" {
			return nil, result, false
		}
	}
	return devices, result, result == success || result == incomplete
}

// deviceExtensions returns the program's list (DEV-001, LAY-258).
func (s *stated) deviceExtensions(i *instance, d *physical) (result int32, exts []extension) {
	const function = "vkEnumerateDeviceExtensionProperties"
	for _, phase := range phases(len(d.exts)) {
		r, ok := s.imposed(d.who, function, phase)
		if ok && r != success && r != incomplete {
			return r, nil
		}
		result = r // the last call tells whether the list is complete
	}
	exts = merged(exts, d.exts...)
	for _, l := range i.active {
		if l.implicit && !l.meta { // LAY-258
			exts = merged(exts, l.device...)
		}
	}
	for _, l := range slices.Backward(i.chain) {
		for _, words := range s.seek(l.who, "device_ext") {
			if result != success { // the fake passes that on
				return result, nil
			}
			exts = append(slices.Clone(exts), extension{words[0], 4})
		}
	}
	return result, exts
}

// device predicts vkCreateDevice, with extensions and, if they are refused, without.
func (s *stated) device(i *instance, d *physical, n int, o *observation) {
	for _, exts := range [][]string{s.d.app.deviceExts, nil} {
		var calls []string
		result := s.createDevice(i, d, exts, &calls)
		written := 0
		if result == success {
			written = 1
		}
		o.add(fmt.Sprintf("device %d of %d extensions", n, len(exts)), append([]string{fmt.Sprintf("result %d, written %d", result, written)}, calls...)...)
		if result == success || len(exts) == 0 {
			return
		}
	}
}

func (s *stated) createDevice(i *instance, d *physical, wanted []string, calls *[]string) int32 {
	result, has := s.deviceExtensions(i, d)
	if result != success && result != incomplete { // DEV-020
		return result
	}
	for _, l := range i.active {
		if !l.meta {
			has = merged(has, l.device...)
		}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(has, func(e extension) bool { return e.name == name }) { // DEV-016
			return -7
		}
	}
	var layers []*link
	for _, l := range i.chain { // LAY-340
		if l.device {
			layers = append(layers, l)
		}
	}
	var down func(at int) int32
	down = func(at int) int32 {
		if at == len(layers) {
			var given []string // DEV-026
			for _, name := range wanted {
				if slices.ContainsFunc(d.exts, func(e extension) bool { return e.name == name }) {
					given = append(given, name)
				}
			}
			*calls = append(*calls, fmt.Sprint(d.who, " creates, extensions ", list(given)))
			result, _ := s.imposed(d.who, "vkCreateDevice", "")
			return result
		}
		who := layers[at].who
		*calls = append(*calls, fmt.Sprint(who, " creates, extensions ", list(wanted)))
		if r, ok := s.forced(who, "vkCreateDevice", "before"); ok {
			return r
		}
		result := down(at + 1)
		if r, ok := s.forced(who, "vkCreateDevice", "after"); ok && result == success {
			return r
		}
		return result
	}
	return down(0)
}
