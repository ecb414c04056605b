package randomworlds

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
)

// maker generates one description.
type maker struct {
	*rand.Rand
	d      *description
	flavor flavor   // of d
	names  []string // unused layer names; in worlds for the reference each name has one manifest
}

// flavor is the second oracle of a world, beside the oracle by statements.
type flavor int

const (
	free   flavor = iota
	plain         // its program enables nothing itself: the tool can explain it
	common        // only features of the reference
)

// flavorOf makes every fourth world one for the tool, and every fourth one for the reference.
func flavorOf(seed int64) flavor { return []flavor{plain, common, free, free}[uint64(seed)%4] }

func (m *maker) one(in int) bool { return m.Intn(in) == 0 }

func pick[T any](m *maker, list ...T) T { return list[m.Intn(len(list))] }

var (
	layerNames = []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c", "VK_LAYER_d", "VK_LAYER_e", "odd"}
	metaNames  = []string{"VK_LAYER_m", "VK_LAYER_n", "VK_LAYER_o"}
	allNames   = slices.Concat(layerNames, metaNames)
	override   = "VK_LAYER_LUNARG_override"
	extensions = []string{"VK_KHR_surface", "VK_KHR_get_physical_device_properties2", "VK_EXT_debug_utils", "VK_KHR_xcb_surface",
		"VK_KHR_portability_enumeration", "VK_XX_unknown", "VK_KHR_device_group_creation"}
	deviceExtensions = []string{"VK_KHR_swapchain", "VK_EXT_pci_bus_info", "VK_XX_device", "VK_YY_device"}
	// The directories that are searched by default, and some that variables name.
	bases       = []string{"$R/home/.config", "/etc/xdg", "/usr/local/etc", "/etc", "$R/home/.local/share", "/usr/local/share", "/usr/share", "$R/xdg1", "$R/xdg2"}
	directories = []string{"$R/c1", "$R/c2"}
	drivers     = []string{"D0", "D1", "D2", "D3", "D4", "D5", "D6"}
)

func generate(seed int64) *description {
	m := &maker{rand.New(rand.NewSource(seed)), &description{files: map[string]string{}, links: map[string]string{}, env: map[string]string{},
		scripts: map[string][]string{}, flavor: flavorOf(seed)}, flavorOf(seed), slices.Clone(allNames)}
	for _, name := range drivers {
		m.d.scripts[name] = m.driverScript(name)
	}
	for i := range m.Intn(5) {
		m.put("icd.d", fmt.Sprintf("d%d", i), m.driver())
	}
	if !m.one(5) { // most worlds have a working driver
		m.d.files["/usr/share/vulkan/icd.d/good.json"] = `{"file_format_version":"1.0.1","ICD":{"library_path":"$R/lib/D0.so","api_version":"1.3.0"}}`
	}
	for i := range m.Intn(7) {
		m.put("explicit_layer.d", fmt.Sprintf("e%d", i), m.layerFile(false))
	}
	for i := range m.Intn(7) {
		m.put("implicit_layer.d", fmt.Sprintf("i%d", i), m.layerFile(true))
	}
	for range m.Intn(3) {
		if m.one(3) && (m.flavor != common || !slices.Contains(m.present(), override)) {
			m.put("implicit_layer.d", fmt.Sprint("override", m.Intn(2)), m.wrap(m.override()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		if !libraries[name].isDriver() {
			if lines := m.layerScript(); len(lines) > 0 {
				m.d.scripts[name] = lines
			}
		}
	}
	if m.flavor != common && m.one(2) {
		m.settings()
	}
	m.variables()
	m.program()
	if m.flavor == free {
		m.extras()
	}
	if m.flavor != common && m.one(2) {
		m.scene()
	}
	for i, path := range slices.Sorted(maps.Keys(m.d.files)) {
		m.d.files[path] = strings.ReplaceAll(m.d.files[path], "$R/lib/", fmt.Sprintf("$R/m%d/", i%maxLinks))
	}
	return m.d
}

// put writes a manifest to a searched directory, or to one that a variable may name.
func (m *maker) put(kind, name, text string) {
	directory := pick(m, bases...)
	if m.one(2) {
		directory = pick(m, bases[1:7]...)
	}
	if m.flavor == common && directory == "/usr/local/etc" { // the reference does not search it
		directory = "/etc"
	}
	directory += "/vulkan/" + kind
	if m.one(8) {
		directory = pick(m, directories...)
	}
	switch m.Intn(50) {
	case 0:
		name += ".JSON"
	case 1:
		name += ".json.bak"
	case 2:
		name += "d.json/inside" // a directory in a manifest's place
	default:
		name += ".json"
	}
	m.d.files[directory+"/"+name] = text
}

// result returns a random VkResult, mostly a negative one.
func (m *maker) result() string {
	return pick(m, "-1", "-2", "-3", "-3", "-4", "-9", "-13", "1", "2", "5", "5", "1000001003")
}

func (m *maker) driverScript(name string) []string {
	lines := []string{"api " + pick(m, "1.0.0", "1.1.0", "1.2.7", "1.3.0", "1.3.0", "1.4.0")}
	for range m.Intn(4) {
		lines = append(lines, "ext "+pick(m, extensions...))
	}
	count := m.Intn(3)
	if name == "D0" {
		count = 1 + m.Intn(2)
	}
	for i := range count {
		line := fmt.Sprintf("device name=%s%c type=%s", name, 'a'+i, pick(m, "discrete", "discrete", "cpu", "integrated", "virtual", "other", "9"))
		if m.one(3) {
			line += fmt.Sprintf(" vendor=%d device=%d", m.Intn(3), m.Intn(3))
		}
		if m.one(3) {
			line += fmt.Sprintf(" pci=%d:%d:%d:%d", m.Intn(2), m.Intn(3), m.Intn(2), m.Intn(2))
		}
		if m.one(3) {
			line += " api=" + pick(m, "1.0.0", "1.1.0", "1.3.0")
		}
		var exts []string
		for range m.Intn(4) {
			exts = append(exts, fmt.Sprint(pick(m, deviceExtensions...), ":", 1+m.Intn(3)))
		}
		if len(exts) > 0 {
			line += " ext=" + strings.Join(exts, ",")
		}
		lines = append(lines, line)
	}
	phase := func() string { return pick(m, "", " count", " fill") }
	if m.one(10) {
		lines = append(lines, "result vkCreateInstance "+m.result())
	}
	if m.one(25) {
		lines = append(lines, "result vkEnumerateInstanceExtensionProperties "+m.result()+phase())
	}
	if m.one(15) {
		lines = append(lines, "result vkEnumeratePhysicalDevices "+m.result()+phase())
	}
	if m.one(25) {
		lines = append(lines, "result vkEnumeratePhysicalDeviceGroups "+m.result()+phase())
	}
	if m.one(8) {
		lines = append(lines, "result vkEnumerateDeviceExtensionProperties "+m.result()+phase())
	}
	if m.one(10) {
		lines = append(lines, "result vkCreateDevice "+m.result())
	}
	if m.one(30) {
		lines = append(lines, "result vkEnumerateInstanceVersion "+pick(m, "-1", "-3"))
	}
	if name == "D1" && m.one(6) {
		lines = append(lines, "negotiate "+m.result()+" "+pick(m, "7", "5", "4"))
	}
	return lines
}

func (m *maker) layerScript() (lines []string) {
	when := func() string { return pick(m, " before", " after") }
	if m.one(20) {
		lines = append(lines, "error vkCreateInstance "+m.result()+when())
	}
	if m.one(15) {
		lines = append(lines, "error vkCreateDevice "+m.result()+when())
	}
	if m.one(30) {
		lines = append(lines, "result vkEnumeratePhysicalDevices "+m.result()+pick(m, "", " count", " fill"))
	}
	if m.one(15) {
		lines = append(lines, "negotiate "+pick(m, "0", "-3", "5")+" "+pick(m, "2", "1", "0", "3"))
	}
	if m.one(12) {
		lines = append(lines, "device_ext VK_ZZ_device 4")
	}
	if m.one(12) {
		lines = append(lines, "change_api "+pick(m, "1.0.0", "1.1.0", "1.3.0", "0.9.0", "2.0.0"))
	}
	if m.one(15) {
		lines = append(lines, "add_ext "+pick(m, extensions...))
	}
	return lines
}

// object writes an object with members; a nil value omits its member.
func object(members ...string) string {
	var out []string
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			out = append(out, fmt.Sprintf("%q:%s", members[i], members[i+1]))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func quote(s string) string { return `"` + s + `"` }

func (m *maker) array(max int, from []string) string {
	var list []string
	for range m.Intn(max + 1) {
		list = append(list, quote(pick(m, from...)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// rarely returns the usual value, or sometimes an odd one.
func (m *maker) rarely(usual string, odd ...string) string {
	if m.flavor != common && m.one(30) { // the reference reads odd manifests differently
		return pick(m, odd...)
	}
	return usual
}

func (m *maker) broken(text string) string {
	if m.flavor == common {
		return text
	}
	switch m.Intn(50) {
	case 0:
		return text[:m.Intn(len(text))]
	case 1:
		return pick(m, "", "[]", "{}", "null", `"x"`, `{"file_format_version":1}`, "\xef\xbb\xbf"+text, text+" x", text+"}")
	}
	return text
}

func (m *maker) driver() string {
	library := fmt.Sprintf(`"$R/lib/%s.so"`, pick(m, drivers...))
	library = m.rarely(library, "", `""`, `"$R/lib/gone.so"`, `"$R/lib/bad.so"`, `"$R/lib/wrong.so"`, `"$R/lib/../lib/D1.so"`,
		`"$R/lib//D1.so"`, `"../lib/D1.so"`, "5", "null", `["D1.so"]`, `{"a":"D1.so"}`)
	api := quote(pick(m, "1.0.0", "1.1.0", "1.3.250", "1.2", "1.4.0"))
	if m.flavor != common && m.one(8) {
		api = pick(m, "", `""`, `"abc"`, `"0.1.3.0"`, `"1.1.0.0"`, `"9.0.0"`, `"2.0.0"`, `"0.9.0"`, "5", "null")
	}
	arch, portability := "", ""
	if m.one(12) {
		arch = pick(m, `"32"`, `"64"`, `"arm"`, "64")
	}
	if m.one(8) {
		portability = pick(m, "true", "true", "false", "1")
	}
	icd := object("library_path", library, "api_version", api, "library_arch", arch, "is_portability_driver", portability)
	return m.broken(object("file_format_version", m.rarely(`"1.0.1"`, `"1.0.0"`, "", "1", `"7.7"`), "ICD", m.rarely(icd, "", "[]", "5")))
}

// paths returns the paths of the manifests so far, or a path without a file.
func (m *maker) paths() []string {
	list := slices.Sorted(maps.Keys(m.d.files))
	if len(list) == 0 {
		list = []string{"$R/gone.json"}
	}
	return list
}

func (m *maker) set(in int, name, value string) {
	if m.one(in) {
		m.d.env[name] = value
	}
}

// slashes sometimes repeats a slash of a path.
func (m *maker) slashes(path string) string {
	if at := strings.LastIndex(path, "/"); at >= 0 && m.one(8) {
		return path[:at] + pick(m, "/", "//", "/./") + path[at:]
	}
	return path
}

// places writes the value of a variable with directories or manifests.
func (m *maker) places() string {
	var list []string
	for range m.Intn(4) {
		list = append(list, m.slashes(pick(m, slices.Concat(m.paths(), directories, directories, []string{"$R/c1/", "$R/c2//"}, []string{"/usr/share/vulkan/explicit_layer.d", "", "$R/none"})...)))
	}
	return strings.Join(list, ":")
}

// layerPlaces writes only directories where the reference accepts nothing else.
func (m *maker) layerPlaces() string {
	if m.flavor != common {
		return m.places()
	}
	var list []string
	for range m.Intn(4) {
		list = append(list, pick(m, slices.Concat(directories, []string{"/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d", "", "$R/none"})...))
	}
	return strings.Join(list, ":")
}

func (m *maker) globs(names []string) string {
	var list []string
	for range 1 + m.Intn(3) {
		name := pick(m, names...)
		list = append(list, pick(m, name, "*", "*"+name[len(name)-1:], name[:len(name)-1]+"*", "*_LAYER_*", "~implicit~", "~explicit~",
			"~all~", strings.ToLower(name), "", "x"))
	}
	return strings.Join(list, ",")
}

func (m *maker) variables() {
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"} {
		m.set(20, name, m.places())
	}
	m.set(16, "VK_LAYER_PATH", m.layerPlaces())
	m.set(16, "VK_ADD_LAYER_PATH", m.layerPlaces())
	m.set(5, "VK_INSTANCE_LAYERS", strings.Join([]string{pick(m, allNames...), pick(m, allNames...), m.rarely("", "none", "VK_LAYER_ab")}, ":"))
	if m.flavor != common {
		m.set(16, "VK_IMPLICIT_LAYER_PATH", m.places())
		m.set(16, "VK_ADD_IMPLICIT_LAYER_PATH", m.places())
		m.set(10, "VK_LOADER_LAYERS_ALLOW", m.globs(allNames))
	}
	m.set(8, "VK_LOADER_LAYERS_ENABLE", m.globs(allNames))
	m.set(12, "VK_LOADER_LAYERS_DISABLE", m.globs(allNames))
	files := []string{"d0.json", "d1.json", "d2.json", "good.json"}
	m.set(16, "VK_LOADER_DRIVERS_SELECT", m.globs(files))
	m.set(16, "VK_LOADER_DRIVERS_DISABLE", m.globs(files))
	m.set(8, "VK_LOADER_DISABLE_INST_EXT_FILTER", pick(m, "1", "0", ""))
	m.set(8, "VK_LOADER_DISABLE_SELECT", pick(m, "1", "0", "true"))
	m.set(10, "VK_LOADER_DEVICE_SELECT", pick(m, "0:1", "1:1", "0x1000:0x1", "1:2", "x"))
	m.set(10, "XDG_CONFIG_HOME", m.slashes(pick(m, "$R/xdg1", "", "$R/none", "$R/xdg1/")))
	m.set(10, "XDG_CONFIG_DIRS", pick(m, "$R/xdg1:$R/xdg2", ":$R/xdg2", ""))
	m.set(10, "XDG_DATA_HOME", pick(m, "$R/xdg2", ""))
	m.set(10, "XDG_DATA_DIRS", pick(m, "$R/xdg2:/usr/share", "/usr/share:/usr/share/", "x:/usr/share"))
	m.set(15, "WORLD_ELEVATED", "1")
	if m.flavor != plain && m.one(3) {
		m.d.env["WORLD_SORTED"] = "2" // the tool reads directories in the order of names
	}
	for _, name := range allNames {
		m.set(10, "D_"+name, pick(m, "", "1", "0"))
		m.set(4, "E_"+name, pick(m, "1", "1", "yes", "", "0"))
	}
	m.set(12, "D_override", "1")
}

func (m *maker) program() {
	if m.one(3) { // a layer that mostly exists
		m.d.app.named = pick(m, slices.Concat(m.present(), []string{"VK_LAYER_a", override})...)
	}
	for range m.Intn(3) {
		m.d.app.deviceExts = append(m.d.app.deviceExts, pick(m, slices.Concat(deviceExtensions, []string{"VK_ZZ_device"})...))
	}
	m.d.app.deviceExts = once(m.d.app.deviceExts)
	if m.flavor == plain {
		return
	}
	m.d.app.api = pick(m, "", "0.0.0", "1.0.0", "1.1.0", "1.1.0", "1.2.0", "1.3.7", "1.3.0", "1.4.0")
	if m.one(4) {
		m.d.app.api = pick(m, "0.9.0", "0.1.0", "2.0.0", "7.0.0", "1", "1.99.0", fmt.Sprint(1<<29|1<<22|2<<12), fmt.Sprint(1<<29|9<<12), fmt.Sprint(2<<29|1<<22))
	}
	if m.one(15) {
		m.d.app.layers = append(m.d.app.layers, pick(m, append(allNames, override, "VK_LAYER_none")...))
	}
	// A program that names missing layers ends the call at once, so other programs name only existing layers.
	for _, name := range m.present() {
		if m.one(8) {
			m.d.app.layers = append(m.d.app.layers, name)
		}
	}
	if len(m.d.app.layers) > 1 && m.one(2) {
		m.d.app.layers = m.d.app.layers[1:]
	}
	for range m.Intn(4) {
		if m.one(2) {
			m.d.app.exts = append(m.d.app.exts, pick(m, "VK_EXT_debug_utils", "VK_KHR_portability_enumeration", pick(m, extensions...),
				"VK_KHR_display", "VK_EXT_direct_mode_display"))
		}
	}
	m.d.app.exts = once(m.d.app.exts)
	if m.one(4) {
		m.d.app.flags = 1
	}
}

// present returns the layers that some manifest has.
func (m *maker) present() (names []string) {
	text := ""
	for _, path := range m.paths() {
		text += m.d.files[path]
	}
	for _, name := range append(slices.Clone(allNames), override) {
		if strings.Contains(text, `"name":`+quote(name)) {
			names = append(names, name)
		}
	}
	return names
}
