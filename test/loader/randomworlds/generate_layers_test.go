package randomworlds

import (
	"fmt"
	"slices"
	"strings"
)

// layerFile writes a manifest with one or more layers.
func (m *maker) layerFile(implicit bool) string {
	if m.one(6) {
		return m.wrap("[" + m.layer(implicit) + "," + m.layer(implicit) + "]")
	}
	return m.broken(m.wrap(m.layer(implicit)))
}

func (m *maker) wrap(layers string) string {
	member := "layer"
	if layers[0] == '[' {
		member = "layers"
	}
	version := m.rarely(quote(pick(m, "1.1.2", "1.2.0", "1.2.1")), `"1.0.0"`, `"1.1.0"`, `"0.9"`, `"3.0.0"`, "", "1.2")
	return object("file_format_version", version, member, layers)
}

func (m *maker) layer(implicit bool) string {
	name := m.name()
	library, components, disable, enable, functions, hooks := "", "", "", "", "", ""
	if slices.Contains(metaNames, name) {
		components = m.array(3, slices.Concat(layerNames, layerNames, metaNames))
		if m.one(30) {
			components = pick(m, "null", `{"x":"VK_LAYER_a"}`, `["VK_LAYER_a",5]`)
		}
	} else {
		which := 1 + m.Intn(2)
		library = fmt.Sprintf(`"$R/lib/%s%d.so"`, name, which)
		if libraries[fmt.Sprint(name, which)].kind == "layer_renamed" {
			functions = object("vkNegotiateLoaderLayerInterfaceVersion", `"fakeNegotiate"`)
			if m.one(2) {
				hooks = object("vkEnumerateInstanceVersion", pick(m, "", `"fakePreVersion"`), "vkEnumerateInstanceLayerProperties",
					pick(m, "", `"fakePreLayers"`), "vkEnumerateInstanceExtensionProperties", pick(m, "", `"fakePreExtensions"`))
			}
		}
		library = m.rarely(library, "", `""`, `"$R/lib/gone.so"`, `"$R/lib/bad.so"`, "5", `"$R/lib/wrong.so"`,
			// one library twice in a chain would be its own next layer
			fmt.Sprintf(`"../lib/%s%d.so"`, name, which))
	}
	if implicit || m.one(8) {
		disable = m.rarely(object("D_"+name, `"1"`), "", "{}", "[]", object("D_"+name, "1"))
		if m.one(3) {
			enable = m.rarely(object("E_"+name, quote(pick(m, "1", "yes", ""))), "[]", object("E_"+name, "1"))
		}
	}
	extension, deviceExtension := "", ""
	if m.one(3) {
		extension = `[` + object("name", quote(pick(m, extensions...)), "spec_version", `"3"`) + `,` +
			object("name", quote("VK_XX_"+name), "spec_version", m.rarely(`"1"`, "1", "")) + `]`
	}
	if m.one(3) {
		deviceExtension = `[` + object("name", quote(pick(m, deviceExtensions...)), "spec_version", `"7"`) + `,` +
			object("name", quote("VK_DD_"+name), "spec_version", `"1"`) + `]`
	}
	return object("name", m.rarely(quote(name), "", "5"), "type", m.rarely(`"INSTANCE"`, `"GLOBAL"`, `"DEVICE"`, "", `"x"`),
		"library_path", library, "component_layers", components, "library_arch", m.rarely("", `"32"`, `"64"`),
		"api_version", m.rarely(pick(m, `"1.3.0"`, `"1.3.7"`), `"1.0.0"`, `"2.0.0"`, `"0.9.0"`, "", `"1.1.3.0"`), "implementation_version", m.rarely(`"1"`, "", "1"),
		"description", quote(fmt.Sprint("d", m.Intn(100))), "functions", functions, "pre_instance_functions", hooks,
		"disable_environment", disable, "enable_environment", enable,
		"instance_extensions", extension, "device_extensions", deviceExtension)
}

// name returns the name of a layer or a meta-layer.
func (m *maker) name() string {
	from := layerNames
	if m.one(4) {
		from = metaNames
	}
	if m.flavor == common {
		if from = intersection(from, m.names); len(from) == 0 {
			from = []string{fmt.Sprint("VK_LAYER_more", m.Intn(1000))}
		}
	}
	name := pick(m, from...)
	m.names = slices.DeleteFunc(m.names, func(n string) bool { return n == name })
	return name
}

func intersection(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

func (m *maker) override() string {
	keys, paths, black := "", "", ""
	if m.one(3) {
		keys = m.array(2, []string{"$EXE", "/bin/other"})
	}
	if m.one(2) {
		paths = m.array(2, append([]string{"/usr/share/vulkan/explicit_layer.d", "$R/c1:$R/c2", "$R//c1"}, directories...))
	}
	if m.one(2) {
		black = m.array(2, allNames)
	}
	enable := ""
	if m.one(10) {
		enable = object("E_VK_LAYER_m", `"1"`)
	}
	from := layerNames
	if m.one(4) {
		from = allNames
	}
	return object("name", quote(override), "type", `"GLOBAL"`, "api_version", m.rarely(`"1.0.0"`, `"1.3.0"`, `"1.4.0"`), "implementation_version", `"1"`,
		"description", `"d"`, "component_layers", m.array(2, from), "override_paths", paths, "blacklisted_layers", black,
		"app_keys", keys, "disable_environment", m.rarely(object("D_override", `"1"`), ""), "enable_environment", enable)
}

// entry writes a layer entry of a settings file, mostly for a layer of some manifest.
func (m *maker) entry(name, control string) string {
	var has []string
	for _, path := range m.paths() {
		if strings.Contains(m.d.files[path], `"name":`+quote(name)) {
			has = append(has, path)
		}
	}
	if len(has) == 0 || m.one(15) {
		has = append(m.paths(), "$R/gone.json", "$R/gone")
	}
	path := pick(m, has...)
	implicit := pick(m, "", "", "true", "false", "1")
	if strings.Contains(path, "implicit") && !m.one(4) {
		implicit = "true"
	}
	return object("name", m.rarely(quote(name), "", "5"), "path", quote(m.slashes(path)), "control", control, "treat_as_implicit_manifest", implicit)
}

// settings writes a settings file that names manifests of the world.
func (m *maker) settings() {
	body := []string{"app_keys", "", "stderr_log", "", "layers", "", "additional_drivers", "", "additional_drivers_use_exclusively", ""}
	body[3] = m.rarely("", `["all"]`, `["error"]`, `[""]`, "5")
	if !m.one(5) {
		body[5] = m.entries()
	}
	var drivers []string
	for range m.Intn(3) {
		var manifests []string
		for _, path := range m.paths() {
			if strings.Contains(path, "icd.d") {
				manifests = append(manifests, path)
			}
		}
		path := pick(m, append(manifests, "$R/gone.json", m.paths()[0])...)
		drivers = append(drivers, m.rarely(object("path", quote(m.slashes(path))), "5", `{"path":5}`, `{"path":"$R/gone"}`))
	}
	if len(drivers) > 0 && m.one(3) || m.one(20) {
		body[7], body[9] = "["+strings.Join(drivers, ",")+"]", pick(m, "", "", "true", "false")
	}
	text := object("file_format_version", m.rarely(`"1.0.0"`, "", "1"), "settings", object(body...))
	if m.one(3) {
		var objects []string
		for range 1 + m.Intn(3) {
			keyed := slices.Clone(body)
			if m.one(2) {
				keyed[1] = m.array(2, []string{"$EXE", "/bin/other"})
			}
			if m.one(2) {
				keyed[5] = m.entries()
			}
			objects = append(objects, m.rarely(object(keyed...), "5", "{}"))
		}
		text = object("file_format_version", `"1.0.0"`, "settings_array", "["+strings.Join(objects, ",")+"]")
	}
	m.d.files[pick(m, bases...)+"/vulkan/loader_settings.d/vk_loader_settings.json"] = m.broken(text)
}

// entries writes a settings file's list of layers.
func (m *maker) entries() string {
	if m.one(25) {
		return pick(m, "[]", "{}", "null", "5", `[5]`)
	}
	var list []string
	if m.one(5) {
		list = m.family()
	}
	names := append(m.present(), m.present()...)
	names = append(names, pick(m, allNames...))
	for range m.Intn(6) {
		if m.one(4) {
			list = append(list, object("control", `"unordered_layer_location"`))
			continue
		}
		name, control := pick(m, names...), m.rarely(quote(pick(m, "on", "on", "off", "auto")), `"x"`, "1", "")
		list = append(list, m.entry(name, control))
		if m.one(6) { // the same name again
			list = append(list, m.entry(name, quote(pick(m, "on", "off", "auto"))))
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// family writes a meta-layer that contains another one, and returns the settings entries of both and of their components. Sometimes an
// entry is missing.
func (m *maker) family() (list []string) {
	metas := slices.Clone(metaNames)
	m.Shuffle(len(metas), func(i, j int) { metas[i], metas[j] = metas[j], metas[i] })
	outer, inner := metas[0], metas[1]
	leaf, other := pick(m, layerNames...), pick(m, layerNames...)
	meta := func(name, components string) {
		m.d.files["$R/c1/family_"+name+".json"] = m.wrap(object("name", quote(name), "type", `"INSTANCE"`, "api_version", `"1.3.0"`,
			"implementation_version", `"1"`, "description", `"f"`, "component_layers", components))
	}
	meta(inner, "["+quote(leaf)+","+quote(other)+"]")
	meta(outer, pick(m, "["+quote(inner)+"]", "["+quote(leaf)+","+quote(inner)+"]", "["+quote(inner)+","+quote(other)+"]"))
	for _, name := range []string{leaf, other, inner, outer} {
		if name != outer && m.one(4) {
			continue
		}
		control := pick(m, "auto", "auto", "on", "off")
		if name == outer {
			control = "on"
		}
		list = append(list, m.entry(name, quote(control)))
	}
	m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
