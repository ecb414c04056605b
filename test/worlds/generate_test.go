package worlds

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

// description is a world. In texts, $R stands for its root and $EXE for the program.
type description struct {
	files   map[string]string   // by path
	env     map[string]string   // variables
	scripts map[string][]string // of the fakes, by name
	api     string              // of the program; "" without application info
	flags   uint32
	layers  []string // that the program names
	exts    []string
}

// maker makes one description.
type maker struct {
	*rand.Rand
	d description
}

func (m *maker) one(in int) bool { return m.Intn(in) == 0 }

func pick[T any](m *maker, list ...T) T { return list[m.Intn(len(list))] }

var (
	layerNames = []string{"VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c", "VK_LAYER_d", "VK_LAYER_e", "odd"}
	metaNames  = []string{"VK_LAYER_m", "VK_LAYER_n"}
	override   = "VK_LAYER_LUNARG_override"
	extensions = []string{"VK_KHR_surface", "VK_KHR_get_physical_device_properties2", "VK_EXT_debug_utils", "VK_KHR_xcb_surface",
		"VK_KHR_portability_enumeration", "VK_XX_unknown", "VK_KHR_device_group_creation"}
	// The folders that are searched by default, and some that variables lead to.
	bases   = []string{"$R/home/.config", "/etc/xdg", "/usr/local/etc", "/etc", "$R/home/.local/share", "/usr/local/share", "/usr/share", "$R/xdg1", "$R/xdg2"}
	folders = []string{"$R/c1", "$R/c2"}
)

func generate(seed int64) *description {
	m := &maker{rand.New(rand.NewSource(seed)), description{files: map[string]string{}, env: map[string]string{},
		scripts: map[string][]string{}}}
	for i := range 6 {
		m.d.scripts[fmt.Sprintf("D%d", i)] = m.driverScript()
	}
	for i := range m.Intn(5) {
		m.put("icd.d", fmt.Sprintf("d%d", i), m.driver())
	}
	if !m.one(4) { // most worlds have a driver that works
		m.d.files["/usr/share/vulkan/icd.d/good.json"] = `{"file_format_version":"1.0.1","ICD":{"library_path":"$R/lib/D0.so","api_version":"1.3.0"}}`
	}
	for i := range m.Intn(8) {
		m.put("explicit_layer.d", fmt.Sprintf("e%d", i), m.layerFile(false))
	}
	for i := range m.Intn(8) {
		m.put("implicit_layer.d", fmt.Sprintf("i%d", i), m.layerFile(true))
	}
	if m.one(4) {
		m.put("implicit_layer.d", "override", m.wrap(m.override()))
	}
	if m.one(3) {
		m.settings()
	}
	m.variables()
	m.program()
	return &m.d
}

// put writes a manifest into a folder that is searched, or into one that a variable may name.
func (m *maker) put(kind, name, text string) {
	folder := pick(m, bases...) + "/vulkan/" + kind
	if m.one(2) {
		folder = pick(m, bases[1:7]...) + "/vulkan/" + kind
	}
	if m.one(8) {
		folder = pick(m, folders...)
	}
	switch m.Intn(40) {
	case 0:
		name += ".JSON"
	case 1:
		name += ".json.bak"
	case 2:
		name += ".json/inside" // a folder in a manifest's place
	default:
		name += ".json"
	}
	m.d.files[folder+"/"+name] = text
}

func (m *maker) driverScript() []string {
	lines := []string{"api " + pick(m, "1.0.0", "1.1.0", "1.3.0", "1.3.0")}
	for range m.Intn(4) {
		lines = append(lines, "ext "+pick(m, extensions...))
	}
	for i := range m.Intn(3) {
		lines = append(lines, fmt.Sprintf("device name=g%d type=%s", i, pick(m, "discrete", "cpu", "integrated")))
	}
	switch m.Intn(12) {
	case 0:
		lines = append(lines, "result vkCreateInstance "+pick(m, "-1", "-3", "-9"))
	case 1:
		if m.one(3) {
			lines = append(lines, "result vkEnumerateInstanceExtensionProperties "+pick(m, "-1", "-3"))
		}
	}
	return lines
}

// object renders members; a nil value leaves its member out.
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

// rarely gives one of some odd values now and then.
func (m *maker) rarely(usual string, odd ...string) string {
	if m.one(25) {
		return pick(m, odd...)
	}
	return usual
}

func (m *maker) broken(text string) string {
	switch m.Intn(30) {
	case 0:
		return text[:m.Intn(len(text))]
	case 1:
		return pick(m, "", "[]", "{}", "null", `"x"`, `{"file_format_version":1}`, "\xef\xbb\xbf"+text, text+" x", text+"}")
	}
	return text
}

func (m *maker) driver() string {
	library := fmt.Sprintf(`"$R/lib/D%d.so"`, m.Intn(6))
	library = m.rarely(library, "", `""`, "5", `"$R/lib/gone.so"`, `"$R/lib/bad.so"`, `"$R/lib/wrong.so"`, "null", `"$R/lib/../lib/D1.so"`)
	api := m.rarely(quote(pick(m, "1.0.0", "1.1.0", "1.3.250", "1.2")), "", `"0.1.3.0"`, `"1.1.0.0"`, `"x"`, `"9.0.0"`)
	arch, portability := "", ""
	if m.one(12) {
		arch = pick(m, `"32"`, `"64"`, `"arm"`, "64")
	}
	if m.one(6) {
		portability = pick(m, "true", "true", "false", "1")
	}
	icd := object("library_path", library, "api_version", api, "library_arch", arch, "is_portability_driver", portability)
	return m.broken(object("file_format_version", m.rarely(`"1.0.1"`, `"1.0.0"`, "", "1", `"7.7"`), "ICD", m.rarely(icd, "", "[]", "5")))
}

// layerFile is a manifest of one layer or several.
func (m *maker) layerFile(implicit bool) string {
	if m.one(8) {
		return m.wrap("[" + m.layer(implicit) + "," + m.layer(implicit) + "]")
	}
	return m.broken(m.wrap(m.layer(implicit)))
}

func (m *maker) wrap(layers string) string {
	member := "layer"
	if layers[0] == '[' {
		member = "layers"
	}
	version := m.rarely(quote(pick(m, "1.1.2", "1.2.0", "1.2.1")), `"1.0.0"`, `"0.9"`, "", "1.2")
	return object("file_format_version", version, member, layers)
}

func (m *maker) layer(implicit bool) string {
	meta := m.one(6)
	name := pick(m, layerNames...)
	library, components, disable, enable := "", "", "", ""
	if meta {
		name = pick(m, metaNames...)
		components = m.array(3, slices.Concat(layerNames, layerNames, metaNames))
	} else {
		library = fmt.Sprintf(`"$R/lib/%s%d.so"`, name, 1+m.Intn(2))
		library = m.rarely(library, "", `""`, `"$R/lib/gone.so"`, `"$R/lib/bad.so"`, "5", `"$R/lib/wrong.so"`, `"../lib/VK_LAYER_a1.so"`)
	}
	if implicit || m.one(10) {
		disable = m.rarely(object("D_"+name, `"1"`), "", "{}", "[]", object("D_"+name, "1"))
		if m.one(3) {
			enable = object("E_"+name, quote(pick(m, "1", "yes", "")))
		}
	}
	extension := ""
	if m.one(3) {
		extension = `[` + object("name", quote(pick(m, extensions...)), "spec_version", `"3"`) + `,` +
			object("name", quote("VK_XX_"+name), "spec_version", `"1"`) + `]`
	}
	return object("name", m.rarely(quote(name), "", "5"), "type", m.rarely(`"INSTANCE"`, `"GLOBAL"`, `"DEVICE"`, "", `"x"`),
		"library_path", library, "component_layers", components, "library_arch", m.rarely("", `"32"`, `"64"`),
		"api_version", m.rarely(`"1.3.0"`, `"1.0.0"`, "", `"1.1.3.0"`), "implementation_version", m.rarely(`"1"`, "", "1"),
		"description", `"d"`, "disable_environment", disable, "enable_environment", enable, "instance_extensions", extension)
}

func (m *maker) override() string {
	keys, paths, black := "", "", ""
	if m.one(3) {
		keys = m.array(2, []string{"$EXE", "/bin/other"})
	}
	if m.one(2) {
		paths = m.array(2, append([]string{"/usr/share/vulkan/explicit_layer.d"}, folders...))
	}
	if m.one(2) {
		black = m.array(2, layerNames)
	}
	return object("name", quote(override), "type", `"GLOBAL"`, "api_version", `"1.0.0"`, "implementation_version", `"1"`,
		"description", `"d"`, "component_layers", m.array(2, layerNames), "override_paths", paths, "blacklisted_layers", black,
		"app_keys", keys, "disable_environment", object("D_override", `"1"`))
}

// settings writes a settings file that names manifests of the world.
func (m *maker) settings() {
	var layers, drivers []string
	paths := m.paths()
	for range m.Intn(4) {
		if m.one(4) {
			layers = append(layers, object("control", `"unordered_layer_location"`))
			continue
		}
		path := m.rarely(pick(m, paths...), "/gone.json", "/gone")
		name := pick(m, layerNames...)
		for _, n := range slices.Concat(layerNames, metaNames) { // mostly one that is there
			if strings.Contains(m.d.files[path], quote(n)) && !m.one(5) {
				name = n
			}
		}
		implicit := pick(m, "", "true", "false", "1")
		if strings.Contains(path, "implicit") && !m.one(4) {
			implicit = "true"
		}
		layers = append(layers, object("name", m.rarely(quote(name), "", "5"), "path", quote(path),
			"control", m.rarely(quote(pick(m, "on", "off", "auto")), `"x"`, "1", ""), "treat_as_implicit_manifest", implicit))
	}
	for range m.Intn(3) {
		drivers = append(drivers, object("path", quote(pick(m, paths...))))
	}
	body := []string{"app_keys", "", "stderr_log", m.rarely("", `["all"]`), "layers", "", "additional_drivers", "",
		"additional_drivers_use_exclusively", ""}
	if len(layers) > 0 || m.one(4) {
		body[5] = "[" + strings.Join(layers, ",") + "]"
	}
	if len(drivers) > 0 && m.one(2) {
		body[7], body[9] = "["+strings.Join(drivers, ",")+"]", pick(m, "", "true", "false")
	}
	text := object("file_format_version", m.rarely(`"1.0.0"`, "", "1"), "settings", object(body...))
	if m.one(4) {
		keyed := slices.Clone(body)
		keyed[1] = m.array(2, []string{"$EXE", "/bin/other"})
		text = object("file_format_version", `"1.0.0"`, "settings_array", "["+object(body...)+","+object(keyed...)+"]")
	}
	m.d.files[pick(m, bases...)+"/vulkan/loader_settings.d/vk_loader_settings.json"] = m.broken(text)
}

// paths are the manifests so far, or one that is not there.
func (m *maker) paths() []string {
	var list []string
	for path := range m.d.files {
		list = append(list, path)
	}
	slices.Sort(list)
	if len(list) == 0 {
		list = []string{"/gone.json"}
	}
	return list
}

func (m *maker) set(in int, name, value string) {
	if m.one(in) {
		m.d.env[name] = value
	}
}

// places is the value of a variable that names folders or manifests.
func (m *maker) places() string {
	var list []string
	for range m.Intn(4) {
		list = append(list, pick(m, slices.Concat(m.paths(), folders, []string{"/usr/share/vulkan/explicit_layer.d", "", "$R/none"})...))
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
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH",
		"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH"} {
		m.set(16, name, m.places())
	}
	all := slices.Concat(layerNames, metaNames)
	m.set(6, "VK_INSTANCE_LAYERS", strings.Join([]string{pick(m, all...), pick(m, all...), m.rarely("", "none")}, ":"))
	m.set(8, "VK_LOADER_LAYERS_ENABLE", m.globs(all))
	m.set(12, "VK_LOADER_LAYERS_DISABLE", m.globs(all))
	m.set(8, "VK_LOADER_LAYERS_ALLOW", m.globs(all))
	files := []string{"d0.json", "d1.json", "d2.json", "good.json"}
	m.set(10, "VK_LOADER_DRIVERS_SELECT", m.globs(files))
	m.set(10, "VK_LOADER_DRIVERS_DISABLE", m.globs(files))
	m.set(10, "VK_LOADER_DISABLE_INST_EXT_FILTER", pick(m, "1", "0", ""))
	m.set(8, "XDG_CONFIG_HOME", pick(m, "$R/xdg1", "", "$R/none"))
	m.set(8, "XDG_CONFIG_DIRS", pick(m, "$R/xdg1:$R/xdg2", ":$R/xdg2", ""))
	m.set(8, "XDG_DATA_HOME", pick(m, "$R/xdg2", ""))
	m.set(8, "XDG_DATA_DIRS", pick(m, "$R/xdg2:/usr/share", "/usr/share:/usr/share/", "x"))
	m.set(12, "WORLD_ELEVATED", "1")
	for _, name := range all {
		m.set(10, "D_"+name, pick(m, "", "1", "0"))
		m.set(4, "E_"+name, pick(m, "1", "yes", "", "0"))
	}
	m.set(10, "D_override", "1")
}

func (m *maker) program() {
	m.d.api = pick(m, "", "0.0.0", "1.0.0", "1.1.0", "1.3.7")
	if m.one(15) {
		m.d.layers = append(m.d.layers, pick(m, append(layerNames, metaNames[0], "VK_LAYER_none")...))
	}
	// Layers that the program names without them being there end the call at once: else only those that are there.
	for _, name := range slices.Concat(layerNames, metaNames) {
		if m.one(8) && strings.Contains(strings.Join(m.texts(), " "), `"name":`+quote(name)) {
			m.d.layers = append(m.d.layers, name)
		}
	}
	if len(m.d.layers) > 1 && m.one(2) {
		m.d.layers = m.d.layers[1:]
	}
	for range m.Intn(3) {
		if m.one(3) {
			m.d.exts = append(m.d.exts, pick(m, "VK_EXT_debug_utils", "VK_KHR_portability_enumeration", pick(m, extensions...)))
		}
	}
	if m.one(4) {
		m.d.flags = 1
	}
}

func (m *maker) texts() []string {
	var list []string
	for _, path := range m.paths() {
		list = append(list, m.d.files[path])
	}
	return list
}
