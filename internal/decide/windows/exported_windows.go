package windows

import (
	"slices"
	"strings"

	"golang.org/x/sys/windows/registry"

	"vkloader/internal/core/facts"
)

// Exported returns the registry values that loaders read, as a file for the registry editor: the keys of drivers,
// layers and settings in both hives and views, and the values of display adapters and software components.
func Exported() string {
	var list []ExportedValue
	add := func(h facts.Hive, bits, key string, wanted func(name string) bool) {
		k, err := registry.OpenKey(hiveKey(h), key, registry.QUERY_VALUE|view(bits))
		if err != nil {
			return
		}
		defer k.Close()
		names, _ := k.ReadValueNames(-1)
		for _, name := range names {
			v := ValueName{h, bits, key, name}
			if data, err := (Running{}).Read(v); err == nil && name != "" && v.Exportable() && wanted(name) {
				list = append(list, ExportedValue{v, data})
			}
		}
	}
	views := []string{"32"}
	if System64() {
		views = []string{"64", "32"}
	}
	for _, name := range []string{"Drivers", "ImplicitLayers", "ExplicitLayers", "LoaderSettings"} {
		key := `SOFTWARE\Khronos\Vulkan\` + name
		for _, bits := range views {
			add(facts.LocalMachine, bits, key, func(string) bool { return true })
		}
		add(facts.CurrentUser, views[0], key, func(string) bool { return true })
	}
	for _, class := range []string{DisplayClass, ComponentClass} {
		top := `SYSTEM\CurrentControlSet\Control\Class\` + class
		k, err := registry.OpenKey(registry.LOCAL_MACHINE, top, registry.ENUMERATE_SUB_KEYS|view(views[0]))
		if err != nil {
			continue
		}
		below, _ := k.ReadSubKeyNames(-1)
		k.Close()
		slices.Sort(below)
		for _, name := range below {
			add(facts.LocalMachine, views[0], top+`\`+name, func(name string) bool {
				return strings.HasPrefix(name, "Vulkan") || name == "MatchingDeviceId" || name == "DriverDesc"
			})
		}
	}
	return Export(list, System64())
}
