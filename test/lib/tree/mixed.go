package tree

import "fmt"

// Layer returns the manifest of a layer. more are further members, with a comma before each.
func Layer(name, more string) string {
	return fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":%q,"type":"GLOBAL","library_path":"lib.so",`+
		`"api_version":"1.3.0","implementation_version":"1","description":"D"%s}}`, name, more)
}

// Mixed returns manifests of two drivers and of layers of each kind: explicit, implicit (i and d), and implicit with a variable that
// enables it (o).
func Mixed() map[string]string {
	const driver = `{"file_format_version":"1.0.0","ICD":{"library_path":"/d/lib%s.so","api_version":"1.3.0"}}`
	return map[string]string{
		"/usr/share/vulkan/icd.d/a.json":            fmt.Sprintf(driver, "a"),
		"/usr/share/vulkan/icd.d/b.json":            fmt.Sprintf(driver, "b"),
		"/usr/share/vulkan/explicit_layer.d/e.json": Layer("VK_LAYER_e", ""),
		"/usr/share/vulkan/implicit_layer.d/i.json": Layer("VK_LAYER_i", `,"disable_environment":{"NO_I":"1"}`),
		"/usr/share/vulkan/implicit_layer.d/d.json": Layer("VK_LAYER_d", `,"disable_environment":{"NO_D":"1"}`),
		"/usr/share/vulkan/implicit_layer.d/o.json": Layer("VK_LAYER_o",
			`,"disable_environment":{"NO_O":"1"},"enable_environment":{"YES_O":"on"}`),
	}
}
