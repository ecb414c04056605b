package randomworlds

import (
	"fmt"
	"slices"
	"strings"
)

// scene adds related parts of a world, which random manifests rarely contain.
func (m *maker) scene() {
	scenes := []func(){m.links, m.longPaths, m.copies, m.mergedCopies, m.filteredFamily, m.disabledOverride, m.incompleteInner, m.configurations}
	for range 1 + m.Intn(2) {
		pick(m, scenes...)()
	}
}

// bare writes a manifest of a layer without optional members; an implicit layer has its variables.
func (m *maker) bare(name string, implicit bool, description string) string {
	disable, enable, which := "", "", 1+m.Intn(2)
	if implicit {
		disable = object("D_"+name, `"1"`)
		if m.one(3) {
			enable = object("E_"+name, `"1"`)
		}
	}
	return m.wrap(object("name", quote(name), "type", `"INSTANCE"`, "library_path", fmt.Sprintf(`"$R/lib/%s%d.so"`, name, which),
		"api_version", `"1.3.0"`, "implementation_version", `"1"`, "description", quote(description),
		"disable_environment", disable, "enable_environment", enable))
}

func (m *maker) meta(name, components string) string {
	return m.wrap(object("name", quote(name), "type", `"INSTANCE"`, "api_version", `"1.3.0"`, "implementation_version", `"1"`,
		"description", `"s"`, "component_layers", components))
}

// shuffled returns names in random order.
func (m *maker) shuffled(names []string) []string {
	names = slices.Clone(names)
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// copies writes several manifests of one layer to searched directories.
func (m *maker) copies() {
	implicit := m.one(2)
	kind := map[bool]string{true: "implicit_layer.d", false: "explicit_layer.d"}[implicit]
	name := pick(m, layerNames...)
	places := m.shuffled([]string{"$R/home/.config", "/etc/xdg", "/etc", "$R/home/.local/share", "/usr/local/share", "/usr/share"})
	for i, base := range places[:2+m.Intn(3)] {
		text := m.bare(name, implicit, fmt.Sprint("copy", i))
		if m.one(6) {
			text = m.meta(name, m.array(2, layerNames))
			if implicit {
				text = strings.Replace(text, `"component_layers"`, `"disable_environment":`+object("D_"+name, `"1"`)+`,"component_layers"`, 1)
			}
		}
		m.d.files[base+"/vulkan/"+kind+"/copy.json"] = text
	}
}

// settle writes the settings file to the first place that is searched.
func (m *maker) settle(body ...string) {
	for path := range m.d.files {
		if strings.HasSuffix(path, "/vk_loader_settings.json") {
			delete(m.d.files, path)
		}
	}
	m.d.files[pick(m, bases[:7]...)+"/vulkan/loader_settings.d/vk_loader_settings.json"] =
		object("file_format_version", `"1.0.0"`, "settings", object(body...))
}

// mergedCopies writes copies and a settings file that includes the regular layers.
func (m *maker) mergedCopies() {
	m.copies()
	list := []string{object("control", `"unordered_layer_location"`)}
	for range m.Intn(3) {
		list = append(list, m.entry(pick(m, layerNames...), quote(pick(m, "on", "auto"))))
	}
	list = m.shuffled(list)
	m.settle("layers", "["+strings.Join(list, ",")+"]")
}

// filteredFamily writes a settings file with a meta-layer, and a variable that names one of its parts.
func (m *maker) filteredFamily() {
	list := m.family()
	if m.one(3) {
		list = append(list, object("control", `"unordered_layer_location"`))
	}
	m.settle("layers", "["+strings.Join(list, ",")+"]")
	m.d.env["VK_LOADER_LAYERS_DISABLE"] = m.globs(allNames)
	if m.one(3) {
		m.d.env["VK_LOADER_LAYERS_ENABLE"] = m.globs(allNames)
	}
}

// request names layers in VK_INSTANCE_LAYERS, or has the program name them.
func (m *maker) request(names ...string) {
	if m.flavor == plain || m.one(2) {
		m.d.env["VK_INSTANCE_LAYERS"] = strings.Join(names, ":")
		return
	}
	m.d.app.layers = names
}

// disabledOverride writes an override layer that its own variables disable, and requests it by name.
func (m *maker) disabledOverride() {
	names := m.shuffled(layerNames)[:2]
	for i, name := range names {
		m.d.files[fmt.Sprint("/etc/vulkan/implicit_layer.d/part", i, ".json")] = m.bare(name, m.Intn(4) > 0, "part")
	}
	over := m.wrap(object("name", quote(override), "type", `"GLOBAL"`, "api_version", `"1.3.0"`, "implementation_version", `"1"`,
		"description", `"d"`, "component_layers", "["+quote(names[0])+","+quote(names[1])+"]", "disable_environment", object("D_override", `"1"`),
		"enable_environment", pick(m, "", object("E_VK_LAYER_m", `"1"`))))
	m.d.files["$R/home/.config/vulkan/implicit_layer.d/override.json"] = over
	if m.Intn(3) > 0 {
		m.d.env["D_override"] = pick(m, "", "1")
	}
	m.request(override)
}

// incompleteInner writes nested meta-layers, a part of which a variable or the override layer removes.
func (m *maker) incompleteInner() {
	leaves, metas := m.shuffled(layerNames[:5]), m.shuffled(metaNames)
	for i, name := range leaves[:3] {
		m.d.files[fmt.Sprint("/etc/vulkan/explicit_layer.d/leaf", i, ".json")] = m.bare(name, false, "leaf")
	}
	one := func(names ...string) string { return `["` + strings.Join(names, `","`) + `"]` }
	m.d.files["/etc/vulkan/explicit_layer.d/0.json"] = m.meta(metas[0], one(leaves[0], leaves[1]))
	m.d.files["/etc/vulkan/explicit_layer.d/1.json"] = m.meta(metas[1], pick(m, one(metas[0]), one(leaves[2], metas[0]), one(metas[0], leaves[2])))
	m.d.files["/etc/vulkan/explicit_layer.d/2.json"] = m.meta(metas[2], pick(m, one(metas[1]), one(metas[1], metas[0]), one(leaves[2], metas[1])))
	if m.one(2) {
		m.d.env["VK_LOADER_LAYERS_DISABLE"] = pick(m, leaves[:3]...)
	} else {
		m.d.files["/etc/vulkan/implicit_layer.d/override.json"] = m.wrap(object("name", quote(override), "type", `"GLOBAL"`, "api_version", `"1.3.0"`,
			"implementation_version", `"1"`, "description", `"d"`, "component_layers", "[]", "blacklisted_layers", one(pick(m, leaves[:3]...)),
			"disable_environment", object("D_override", `"1"`)))
	}
	m.request(m.shuffled(metas[1:])[:1+m.Intn(2)]...)
}

// links creates symbolic links to manifests, to directories of manifests, and to nothing.
func (m *maker) links() {
	if m.one(2) { // links to some manifests from another searched directory
		for range 1 + m.Intn(3) {
			path := pick(m, m.paths()...)
			kind := pick(m, "icd.d", "explicit_layer.d", "implicit_layer.d")
			for _, own := range []string{"icd.d", "explicit_layer.d", "implicit_layer.d"} {
				if strings.Contains(path, "/"+own+"/") {
					kind = own
				}
			}
			m.d.links[fmt.Sprintf("%s/vulkan/%s/link%d.json", pick(m, bases[1:7]...), kind, m.Intn(3))] = path
		}
	}
	if m.one(3) {
		m.d.links[pick(m, "/etc/vulkan/icd.d", "/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/implicit_layer.d")+"/dangling.json"] = "$R/nowhere/x.json"
	}
	if m.one(2) { // a searched directory is a link
		m.d.links["$R/linked"] = "$R/deep/er"
		for range 1 + m.Intn(2) {
			name, text := "d.json", m.driver()
			variable := "VK_ADD_DRIVER_FILES"
			if m.one(2) {
				name, text, variable = "e.json", m.bare(pick(m, layerNames...), false, "linked"), "VK_ADD_LAYER_PATH"
			}
			m.d.files["$R/deep/er/"+name] = strings.ReplaceAll(text, "$R/lib/", pick(m, "$R/lib/", "$R/linked/../../lib/"))
			m.d.env[variable] = "$R/linked"
		}
	}
	for path := range m.d.links {
		delete(m.d.files, path)
	}
	for path, target := range m.d.links {
		if _, there := m.d.files[target]; !there && target != "$R/deep/er" && target != "$R/nowhere/x.json" {
			delete(m.d.links, path)
		}
	}
}

// longPaths writes long and relative paths.
func (m *maker) longPaths() {
	long := "$R/" + strings.Repeat(strings.Repeat("l", 200)+"/", 1+m.Intn(6))
	text := m.driver()
	if m.one(2) {
		text = strings.Replace(text, "$R/lib/", strings.Repeat("../", strings.Count(long, "/")-1)+"lib/", 1)
	}
	m.d.files[long+"d.json"] = text
	m.d.env["VK_ADD_DRIVER_FILES"] = pick(m, long, long+"d.json", strings.TrimSuffix(long, "/"))
	if m.flavor != common && m.one(2) { // more than 2047 bytes (PATH-21)
		m.d.env["VK_ADD_DRIVER_FILES"] = "$R/" + strings.Repeat("./", 1000+m.Intn(40)) + "c1/none.json:" + m.d.env["VK_ADD_DRIVER_FILES"]
	}
}

// configurations writes device configurations in a settings file.
func (m *maker) configurations() {
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprint(n, ","), 16), ",") + "]" }
	for i, name := range drivers[:2] {
		for at, line := range m.d.scripts[name] {
			if strings.HasPrefix(line, "device ") && !strings.Contains(line, "uuid=") {
				m.d.scripts[name][at] = fmt.Sprintf("%s uuid=%d driver_uuid=%d driver_version=%d", line, m.Intn(3), i, 1+m.Intn(2))
			}
		}
	}
	var list []string
	for range m.Intn(5) {
		list = append(list, m.rarely(object("deviceUUID", numbers(m.Intn(3)), "driverUUID", numbers(m.Intn(2)), "driverVersion", fmt.Sprint(1+m.Intn(2))),
			"5", `{"deviceUUID":[7]}`))
	}
	body := []string{"app_keys", "", "device_configurations", "[" + strings.Join(list, ",") + "]", "layers", "", "additional_drivers", ""}
	if m.one(3) {
		body[5] = m.entries()
	}
	if m.one(3) {
		body[7] = "[" + object("path", quote(pick(m, m.paths()...))) + "]"
	}
	m.settle(body...)
	if m.one(2) { // by program
		for path, text := range m.d.files {
			if strings.HasSuffix(path, "/vk_loader_settings.json") {
				other := `{"app_keys":["/bin/other"],"device_configurations":[]}`
				one := strings.TrimSuffix(strings.TrimPrefix(text, `{"file_format_version":"1.0.0","settings":`), "}")
				if m.one(2) {
					one = `{"app_keys":["$EXE"],` + strings.TrimPrefix(one, "{")
				}
				m.d.files[path] = `{"file_format_version":"1.0.0","settings_array":[` + strings.Join(m.shuffled([]string{other, one}), ",") + "]}"
			}
		}
	}
}

// extras adds actions of the program besides creating instances and devices.
func (m *maker) extras() {
	for _, what := range []string{"messenger", "allocator", "reload"} {
		if m.one(8) {
			m.d.app.with = append(m.d.app.with, what)
		}
	}
	if m.one(6) {
		m.surfaces()
	}
	if m.one(8) {
		m.direct()
	}
	if m.one(6) {
		m.groups()
	}
	if m.one(8) { // portability drivers among others
		for i := range 1 + m.Intn(3) {
			m.put("icd.d", fmt.Sprint("portable", i), object("file_format_version", `"1.0.1"`, "ICD", object("library_path",
				fmt.Sprintf(`"$R/lib/%s.so"`, pick(m, drivers[:4]...)), "api_version", `"1.3.0"`, "is_portability_driver", pick(m, "true", "true", "false"))))
		}
		m.d.app.exts = once(append(m.d.app.exts, "VK_KHR_portability_enumeration"))
		m.d.app.flags = uint32(m.Intn(2))
	}
}

// surfaces makes the program create headless surfaces, on drivers with and without the commands for them.
func (m *maker) surfaces() {
	m.d.app.with = append(m.d.app.with, "surface")
	m.d.app.exts = once(append(m.d.app.exts, "VK_KHR_surface", "VK_EXT_headless_surface"))
	for i, name := range drivers {
		if i == 0 || m.one(2) {
			m.d.scripts[name] = append(m.d.scripts[name], "ext VK_KHR_surface")
		}
		if i == 0 || m.one(2) {
			m.d.scripts[name] = append(m.d.scripts[name], "ext VK_EXT_headless_surface")
		}
		if m.one(4) {
			m.d.scripts[name] = append(m.d.scripts[name], "result vkGetPhysicalDeviceSurfaceSupportKHR "+pick(m, "-1", "-3", "-1000000000"))
		}
		if m.one(8) {
			m.d.scripts[name] = append(m.d.scripts[name], "result vkCreateHeadlessSurfaceEXT "+pick(m, "-1", "-3"))
		}
	}
}

// direct makes the program pass drivers.
func (m *maker) direct() {
	if m.one(2) {
		m.d.scripts["D1"] = append([]string{"negotiate " + pick(m, "0 4", "0 6", "0 7", "-9 7")}, m.d.scripts["D1"]...)
	}
	for range 1 + m.Intn(3) {
		m.d.app.direct = append(m.d.app.direct, pick(m, append([]string{"null", "D0", "D1"}, drivers...)...))
	}
	m.d.app.mode = pick(m, "inclusive", "exclusive")
	if m.Intn(6) > 0 {
		m.d.app.exts = once(append(m.d.app.exts, directLoading))
	}
}

// groups gives drivers device groups: each device is in one group.
func (m *maker) groups() {
	for _, name := range drivers {
		var devices []string
		for _, line := range m.d.scripts[name] {
			if rest, ok := strings.CutPrefix(line, "device name="); ok {
				device, _, _ := strings.Cut(rest, " ")
				devices = append(devices, device)
			}
		}
		devices = m.shuffled(devices)
		for len(devices) > 0 {
			n := 1 + m.Intn(len(devices))
			m.d.scripts[name] = append(m.d.scripts[name], "group "+strings.Join(devices[:n], " "))
			devices = devices[n:]
		}
	}
	if m.one(3) {
		m.d.app.exts = once(append(m.d.app.exts, "VK_KHR_device_group_creation"))
	}
}
