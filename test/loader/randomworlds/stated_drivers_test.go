package randomworlds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// driver is the content of a driver's manifest.
type driver struct {
	manifest, library string
	api               uint32
	portability       bool
	who               string // the fake that it leads to; "" if the library cannot be used
}

// driverOf reads a manifest (chapter 2 of document 03). It returns nil for a skipped manifest.
func (s *stated) driverOf(path string) *driver {
	const where = "loader_parse_icd_manifest: "
	top, ok := s.parsed(path)
	if !ok {
		return nil
	}
	format := top.get("file_format_version")
	switch {
	case format == nil: // DRV-008
		s.say("WARNING|DRIVER: " + where + "ICD JSON " + path + " does not have a 'file_format_version' field. Skipping ICD JSON.")
		return nil
	case format.kind != 's': // DRV-009
		s.say("WARNING|DRIVER: " + where + "Failed retrieving ICD JSON " + path + " 'file_format_version' field. Skipping ICD JSON")
		return nil
	}
	s.say("DRIVER: Found ICD manifest file " + path + ", version " + format.text) // DRV-010
	icd := top.get("ICD")
	if icd == nil { // DRV-013, DRV-014
		if top.get("layer") == nil && top.get("layers") == nil {
			s.say("WARNING|DRIVER: " + where + "Can not find 'ICD' object in ICD JSON file " + path + ". Skipping ICD JSON")
		}
		return nil
	}
	library, named := icd.str("library_path")
	if odd := icd.get("library_path"); !named && odd != nil { // DRV-018
		library, named = odd.String(), true
	}
	switch {
	case !named: // DRV-016
		s.say("WARNING|DRIVER: " + where + "Failed to find 'library_path' object in ICD JSON file " + path + ". Skipping ICD JSON.")
		return nil
	case library == "": // DRV-017
		s.say("WARNING|DRIVER: " + where + "ICD JSON " + path + " 'library_path' field is empty. Skipping ICD JSON.")
		return nil
	}
	s.say("DEBUG|DRIVER: Searching for ICD drivers named " + library) // DRV-019
	api := icd.get("api_version")
	d := &driver{manifest: path, library: beside(path, library)}
	switch {
	case api == nil: // DRV-027
		s.say("WARNING|DRIVER: " + where + "ICD JSON " + path + " does not have an 'api_version' field. Skipping ICD JSON.")
		return nil
	case api.kind != 's': // DRV-028
		s.say("WARNING|DRIVER: " + where + "Failed retrieving ICD JSON " + path + " 'api_version' field. Skipping ICD JSON.")
		return nil
	default:
		parts := versionParts(api.text)
		if parts[0] != 0 { // DRV-031
			s.say(fmt.Sprintf("INFO|DRIVER: "+where+"Driver's ICD JSON %s 'api_version' field contains a non-zero variant value of %d.  Skipping ICD JSON.",
				path, parts[0]))
			return nil
		}
		d.api = pack(parts)
	}
	portability := icd.get("is_portability_driver")
	d.portability = portability != nil && portability.kind == 't'
	if arch, _ := icd.str("library_arch"); strings.HasPrefix(arch, "32") { // DRV-037
		return nil
	}
	d.who = s.fakeAt(d.library)
	if !s.usable(d.who) {
		d.who = ""
	}
	return d
}

// usable reports whether a driver's library can be used (chapter 3).
func (s *stated) usable(who string) bool {
	if !libraries[who].usable || !libraries[who].isDriver() {
		return false
	}
	for _, words := range s.seek(who, "negotiate") { // DRV-051, DRV-052
		return words[0] != "-9" || libraries[who].kind == "driver_gipa"
	}
	return true
}

// drivers returns the drivers in discovery order (chapter 4, SET-83 to SET-88). It leaves out unwanted portability drivers, but not for a
// list of extensions (DRV-035, DRV-036).
func (s *stated) drivers(set *settings, given, portability bool) (list []*driver) {
	paths := []string{s.root + "/good/driver.json"}
	given = given && !s.elevated && (set == nil || !set.chooses)
	if !given {
		if set != nil && set.chooses { // SET-98
			paths = s.manifests("driver", "DRIVER", s.places("icd.d", ""))
		} else {
			paths = s.manifests("driver", "DRIVER", s.places("icd.d", "VK_ADD_DRIVER_FILES", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"))
		}
	} else {
		paths = s.manifests("driver", "DRIVER", paths)
	}
	if set != nil {
		if set.exclusive {
			paths = nil
		}
		for i, path := range set.drivers {
			if strings.HasSuffix(path, ".json") {
				paths = append([]string{path}, paths...)
			} else if i == len(set.drivers)-1 { // SET-86
				paths = nil
			}
		}
	}
	selecting := strings.Trim(s.filter("VK_LOADER_DRIVERS_SELECT"), ",") != ""
	for _, path := range paths {
		d := s.driverOf(path)
		if d == nil || d.portability && !portability {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if !given && (set == nil || !set.chooses) {
			selected := s.matches("VK_LOADER_DRIVERS_SELECT", name)
			if s.matches("VK_LOADER_DRIVERS_DISABLE", name) && !selected { // ENV-21
				s.say(`WARNING|DRIVER: Driver "` + name + `" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'`)
				continue
			}
			if selecting && !selected { // ENV-19
				s.say(`WARNING|DRIVER: Driver "` + name + `" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'`)
				continue
			}
		}
		list = append(list, d)
	}
	return list
}

func (s *stated) filter(name string) string {
	text, _ := s.secure(name)
	return text
}

// reports returns the version that a driver reports.
func (s *stated) reports(who string) uint32 {
	if words := s.seek(who, "api"); len(words) > 0 {
		return version(words[0][0])
	}
	return 1 << 22
}

// refused logs why a driver's library cannot be used (3.1, 3.2), with the path of its manifest.
func (s *stated) refused(d *driver) {
	who := s.fakeAt(d.library)
	switch kind := libraries[who].kind; {
	case strings.HasSuffix(d.library, "/wrong.so"): // DRV-041
		s.say("DRIVER: Requested ICD " + d.library + " was wrong bit-type. Ignoring this JSON")
	case who == "" || !libraries[who].isDriver(): // DRV-042
		s.say("ERROR|DRIVER: loader_icd_scan: Failed loading library associated with ICD JSON " + d.library + ". Ignoring this JSON")
	case kind == "driver_none": // DRV-059
		s.say("ERROR: loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD " + d.library + " failed.")
	default: // DRV-051
		s.say("ERROR: loader_scanned_icd_add: ICD " + d.library + " doesn't support interface version compatible with loader, skip this ICD.")
	}
	if who != "" && libraries[who].isDriver() && !strings.HasSuffix(d.library, "/wrong.so") { // DRV-046: it was opened
		s.say("ERROR|DRIVER: loader_icd_scan: Failed loading library associated with ICD JSON " + d.library + ". Ignoring this JSON")
	}
}

// imposed returns the result that a fake's script imposes on a function.
func (s *stated) imposed(who, function, phase string) (int32, bool) {
	for _, words := range s.seek(who, "result") {
		if words[0] == function && (len(words) < 3 || words[2] == phase) {
			n, _ := strconv.Atoi(words[1])
			return int32(n), true
		}
	}
	return 0, false
}

const (
	success    int32 = 0
	incomplete int32 = 5
	noMemory   int32 = -1

	noDeviceMemory int32 = -2
)

// phases returns the calls that return a list; an empty list need not be filled.
func phases(n int) []string {
	if n == 0 {
		return []string{"count"}
	}
	return []string{"count", "fill"}
}

// asked returns a driver's extension list, and the result of listing it (INS-017).
func (s *stated) asked(who, function string) (result int32, exts []extension) {
	for _, words := range s.seek(who, "ext") {
		exts = merged(exts, extension{words[0], 1})
	}
	for _, phase := range phases(len(exts)) {
		if r, ok := s.imposed(who, function, phase); ok && r != success && r != incomplete {
			return r, nil
		}
	}
	return success, exts
}

var known = []string{"VK_KHR_surface", "VK_KHR_get_physical_device_properties2", "VK_EXT_debug_utils", "VK_KHR_xcb_surface", "VK_KHR_display",
	"VK_KHR_portability_enumeration", "VK_KHR_device_group_creation", "VK_EXT_direct_mode_display", "VK_EXT_headless_surface", directLoading}

var ownExtensions = []extension{{"VK_EXT_debug_report", 10}, {"VK_EXT_debug_utils", 2}, {"VK_KHR_portability_enumeration", 1},
	{"VK_LUNARG_direct_driver_loading", 1}}

// offered returns the instance extensions of drivers, in order, and the error of the call (INS-017). left are the remaining drivers.
func (s *stated) offered(list []*driver) (left []*driver, exts []extension, result int32) {
	failed := success
	for _, d := range list {
		if d.who == "" {
			continue
		}
		r, own := s.asked(d.who, "vkEnumerateInstanceExtensionProperties")
		switch {
		case r == noMemory, r == noDeviceMemory:
			return nil, nil, r
		case r != success:
			if failed == success {
				failed = r
			}
			continue
		}
		left = append(left, d)
		for _, e := range own {
			if slices.Contains(known, e.name) || s.number("VK_LOADER_DISABLE_INST_EXT_FILTER") != 0 {
				exts = merged(exts, e)
			}
		}
	}
	if len(left) == 0 && failed != success {
		return nil, nil, failed
	}
	return left, exts, success
}

// hasPCI reports whether sorting knows a device's PCI address (PHY-029).
func (s *stated) hasPCI(i *instance, d *physical) bool {
	for _, phase := range phases(len(d.exts)) {
		if r, ok := s.imposed(d.who, "vkEnumerateDeviceExtensionProperties", phase); ok && r != success && r != incomplete {
			return false
		}
	}
	if !slices.ContainsFunc(d.exts, func(e extension) bool { return e.name == "VK_EXT_pci_bus_info" }) {
		return false
	}
	reports := s.reports(d.who)
	if minor(i.api) >= v1_1 && minor(d.api) >= v1_1 && minor(reports) >= v1_1 {
		return true
	}
	return slices.ContainsFunc(s.seek(d.who, "ext"), func(words []string) bool { return words[0] == "VK_KHR_get_physical_device_properties2" })
}

// physical is a physical device of a driver's script.
type physical struct {
	who, name, kind string
	vendor, device  uint32
	api             uint32
	configured      configured // its identification in a settings file
	pci             [4]int
	exts            []extension
}

func (s *stated) devicesOf(who string) (list []*physical) {
	for _, words := range s.seek(who, "device") {
		d := &physical{who: who, kind: "discrete", vendor: 0x1000, device: 1, api: s.reports(who), configured: configured{0, 0, 1}}
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			number, _ := strconv.Atoi(value)
			switch key {
			case "name":
				d.name = value
			case "type":
				d.kind = value
			case "vendor":
				d.vendor = uint32(number)
			case "device":
				d.device = uint32(number)
			case "api":
				d.api = version(value)
			case "uuid":
				d.configured.device = number
			case "driver_uuid":
				d.configured.driver = number
			case "driver_version":
				d.configured.version = number
			case "pci":
				fmt.Sscanf(value, "%d:%d:%d:%d", &d.pci[0], &d.pci[1], &d.pci[2], &d.pci[3])
			case "ext":
				for _, e := range strings.Split(value, ",") {
					name, spec, _ := strings.Cut(e, ":")
					n, _ := strconv.Atoi(spec)
					d.exts = append(d.exts, extension{name, uint32(n)})
				}
			}
		}
		list = append(list, d)
	}
	return list
}

// sorted sorts devices (PHY-027).
func (s *stated) sorted(i *instance, list []*physical) {
	rank := s.ranks(i, list)
	slices.SortStableFunc(list, func(a, b *physical) int { return slices.Compare(rank[a], rank[b]) })
}

// ranks returns the sort keys of the devices of one list or one group. The first device that VK_LOADER_DEVICE_SELECT
// names comes first (ENV-85, ENV-90).
func (s *stated) ranks(i *instance, list []*physical) map[*physical][]int {
	var chosen *physical
	if text, _ := s.plain("VK_LOADER_DEVICE_SELECT"); text != "" {
		var vendor, device uint32
		if one, two, ok := strings.Cut(text, ":"); ok && hex(one, &vendor) && hex(two, &device) {
			for _, d := range list {
				if chosen == nil && d.vendor == vendor && d.device == device {
					chosen = d
				}
			}
		}
	}
	rank := map[*physical][]int{}
	for _, d := range list {
		kind := slices.Index([]string{"discrete", "integrated", "virtual", "other", "cpu"}, d.kind)
		if kind < 0 {
			kind = 5
		}
		key := []int{1, kind, 1, 0, 0, 0, 0, int(d.vendor ^ d.device)}
		if d == chosen {
			key[0] = 0
		}
		if s.hasPCI(i, d) {
			key[2] = 0
			copy(key[3:], d.pci[:])
		}
		rank[d] = key
	}
	return rank
}

func hex(text string, out *uint32) bool {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
	*out = uint32(n)
	return err == nil
}
