package emit

import (
	"os"
	"strings"
	"testing"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// planted makes the files of the small registry with additions: types, commands, and the body of a new extension with
// attributes. It returns the files by path, the notes, and the error.
func planted(t *testing.T, types, commands, attributes, required string) (files map[string]string, notes string, err error) {
	t.Helper()
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, edit := range [][2]string{
		{"</types>", types + "</types>"}, {"</commands>", commands + "</commands>"},
		{"</extensions>", `<extension name="VK_EXT_planted" number="900" supported="vulkan" ` + attributes + "><require>" + required + "</require></extension></extensions>"},
	} {
		if strings.Count(text, edit[0]) != 1 {
			t.Fatalf("the small registry has no single %s", edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	r, err := registry.Read(strings.NewReader(text))
	if err != nil {
		return nil, "", err
	}
	var sets []*loader.Set
	for _, system := range loader.Systems {
		s, err := loader.Select(r, system)
		if err != nil {
			return nil, "", err
		}
		sets = append(sets, s)
	}
	list, err := All(sets, "core")
	if err != nil {
		return nil, "", err
	}
	files = map[string]string{}
	for _, f := range list {
		files[f.Path] = string(f.Content)
	}
	return files, strings.Join(sets[0].Notes, "\n"), nil
}

// command is a command of a registry that returns nothing: its name and parameters, each as the registry writes it.
func command(name string, params ...string) string {
	text := "<command><proto><type>void</type> <name>" + name + "</name></proto>"
	for _, p := range params {
		text += "<param>" + p + "</param>"
	}
	return text + "</command>"
}

func param(kind, name string) string { return "<type>" + kind + "</type> <name>" + name + "</name>" }

// structure is a structure of a registry that may be in a chain.
func structure(name, extends, members string) string {
	return `<type category="struct" name="` + name + `" structextends="` + extends + `">` + members + "</type>"
}

const (
	require    = `<command name="vkPlantedEXT"/>`
	instance   = `type="instance"`
	device     = `type="device"`
	typeMember = `<member values="VK_STRUCTURE_TYPE_PLANTED"><type>VkStructureType</type> <name>sType</name></member>`
	sType      = `<enum offset="0" extends="VkStructureType" name="VK_STRUCTURE_TYPE_PLANTED"/>`
	handed     = "tools/vkgen/loader/exceptions.go"
	hands      = "tools/vkgen/loader/hands.txt"
	surface    = `<member><type>VkSurfaceKHR</type> <name>surface</name></member>`
)

// For each planted fault, the generator fails, and its error names the command or structure, the list and the file.
func TestPlantedFaults(t *testing.T) {
	const (
		physicalDevice = "VkPhysicalDevice"
		inner          = `<type category="struct" name="VkInner">` + surface + `</type>`
		outer          = `<type category="struct" name="VkOuter"><member>const <type>VkInner</type>* <name>pInner</name></member></type>`
		queue          = `<type category="handle"><type>VK_DEFINE_HANDLE</type>(<name>VkQueue</name>)</type>`
		engine         = `<type category="handle"><type>VK_DEFINE_HANDLE</type>(<name>VkEngineEXT</name>)</type>`
	)
	for _, c := range []struct {
		name, types, commands, attributes, required string
		want                                        []string
	}{
		{"an instance-level command", "", command("vkPlantedEXT", param("VkInstance", "instance")), instance, require,
			[]string{"vkPlantedEXT: instance-level, without a terminator in C", hands}},
		{"an instance-level command of a device extension", "", command("vkPlantedEXT", param("VkInstance", "instance")), device, require,
			[]string{"vkPlantedEXT: instance-level", hands}},
		{"a surface as an argument", "", command("vkPlantedEXT", param(physicalDevice, "physicalDevice"), param("VkSurfaceKHR", "surface")), instance,
			require, []string{"vkPlantedEXT: its argument surface has an object of the loader (VkSurfaceKHR surface)", hands}},
		{"a surface in a structure of a structure", inner + outer,
			command("vkPlantedEXT", param("VkDevice", "device"), "const <type>VkOuter</type>* <name>pInfo</name>"), device, require,
			[]string{"vkPlantedEXT: its argument pInfo has an object of the loader (VkSurfaceKHR surface of VkInner of VkOuter)", hands}},
		{"a physical device as a further argument", "", command("vkPlantedEXT", param("VkDevice", "device"), param(physicalDevice, "other")), device,
			require, []string{"vkPlantedEXT: its argument other has an object of the loader", hands}},
		{"an alias of that", "", command("vkFirstEXT", param("VkDevice", "device"), param(physicalDevice, "other")) +
			`<command name="vkPlantedEXT" alias="vkFirstEXT"/>`, device, require,
			[]string{"vkPlantedEXT: its argument other", hands}},
		{"a command that returns queues", queue, command("vkPlantedEXT", param("VkDevice", "device"), "<type>VkQueue</type>* <name>pQueue</name>"), device,
			require, []string{"vkPlantedEXT: it returns dispatchable handles (VkQueue), without a trampoline in C", hands}},
		{"a new dispatchable handle", engine, command("vkPlantedEXT", param("VkEngineEXT", "engine")), device, require,
			[]string{"vkPlantedEXT", "the dispatchable handle VkEngineEXT", "deviceHandles in " + handed, "params in tools/vkgen/emit/commands.go", "spine/asm/tables.h"}},
		{"another name for a first parameter", "", command("vkPlantedEXT", param("VkDevice", "theDevice")), device, require,
			[]string{"vkPlantedEXT", "theDevice", "params in tools/vkgen/emit/commands.go", "spine/asm/tables.h"}},
		{"no parameter", "", command("vkPlantedEXT"), device, require, []string{"vkPlantedEXT: it has no parameters", hands}},
		{"a handle of no object", "", command("vkPlantedEXT", param("VkSurfaceKHR", "surface")), device, require,
			[]string{"vkPlantedEXT: its first parameter is not a dispatchable handle", hands}},
		{"an extension of no type", "", command("vkPlantedEXT", param("VkDevice", "device")), "", require,
			[]string{"vkPlantedEXT: its extension VK_EXT_planted", "neither instance nor device"}},
		{"a missing command", "", "", device, require, []string{"VK_EXT_planted", "vkPlantedEXT", "is not defined"}},
		{"an alias of a missing command", "", `<command name="vkPlantedEXT" alias="vkGone"/>`, device, require,
			[]string{"VK_EXT_planted", "vkPlantedEXT", "is not defined"}},
		{"aliases in a cycle", "", `<command name="vkPlantedEXT" alias="vkOtherEXT"/><command name="vkOtherEXT" alias="vkPlantedEXT"/>`, device, require,
			[]string{"VK_EXT_planted", "vkPlantedEXT", "is not defined"}},
		{"types in a cycle", `<type category="struct" name="VkRound" alias="VkWheel"/><type category="struct" name="VkWheel" alias="VkRound"/>`,
			command("vkPlantedEXT", param("VkDevice", "device"), "const <type>VkRound</type>* <name>pRound</name>"), device, require,
			[]string{"VkRound", "its aliases form a cycle"}},
		{"an object in a chain", structure("VkPlanted", "VkDeviceCreateInfo", typeMember+surface), "", device, sType,
			[]string{"VkPlanted, in the chain of VkDeviceCreateInfo: VkSurfaceKHR surface", "chained in " + handed}},
		{"a structure of a chain without sType", structure("VkPlanted", "VkDeviceCreateInfo", `<member><type>uint32_t</type> <name>a</name></member>`), "",
			device, sType, []string{"VkPlanted extends VkDeviceCreateInfo and has no sType"}},
	} {
		if _, _, err := planted(t, c.types, c.commands, c.attributes, c.required); err == nil {
			t.Errorf("%s: accepted", c.name)
		} else {
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v\nwithout %q", c.name, err, want)
				}
			}
		}
	}
}

// A command that the rules place has its line, and the notes name each command and structure that is left out, with the reason.
func TestPlantedCommands(t *testing.T) {
	for _, c := range []struct{ name, types, commands, attributes, required, file, want string }{
		{"a physical-device command", "", command("vkPlantedEXT", param("VkPhysicalDevice", "physicalDevice")), instance, require, "spine/gen/zcommands.inc",
			"COMMAND(PHYSDEV, vkPlantedEXT, PHYSDEV_TRAMPOLINE, PHYSDEV_TERMINATOR, 255, VK_EXT_planted, physicalDevice)"},
		{"one of a device extension", "", command("vkPlantedEXT", param("VkPhysicalDevice", "physicalDevice")), device, require, "spine/gen/zcommands.inc",
			"COMMAND(PHYSDEV, vkPlantedEXT, PHYSDEV_TRAMPOLINE, PHYSDEV_TERMINATOR, 255, NONE, physicalDevice)"},
		{"a device command", "", command("vkPlantedEXT", param("VkDevice", "device")), device, require, "spine/gen/zcommands.inc",
			"COMMAND(DEVICE, vkPlantedEXT, DEVICE_TRAMPOLINE, NONE, 255, NONE, device)"},
		{"command buffers as input", "", command("vkPlantedEXT", param("VkDevice", "device"), "const <type>VkCommandBuffer</type>* <name>pBuffers</name>"),
			device, require, "spine/gen/zcommands.inc", "COMMAND(DEVICE, vkPlantedEXT, DEVICE_TRAMPOLINE, NONE, 255, NONE, device)"},
		{"an alias of an alias of a core command", "", `<command name="vkMiddleEXT" alias="vkGetPhysicalDeviceFeatures2KHR"/>` +
			`<command name="vkPlantedEXT" alias="vkMiddleEXT"/>`, instance, require, "spine/gen/zcommands.inc",
			"ALIAS(PHYSDEV, vkPlantedEXT, vkGetPhysicalDeviceFeatures2, VK_EXT_planted, physicalDevice)"},
		{"a system's platform", "", command("vkPlantedEXT", param("VkDevice", "device")), device + ` platform="win32"`, require, "spine/gen/zcommands.inc",
			"ON_WINDOWS(COMMAND(DEVICE, vkPlantedEXT, DEVICE_TRAMPOLINE, NONE, 255, NONE, device))"},
		{"another platform", "", command("vkPlantedEXT", param("VkDevice", "device")), device + ` platform="toaster"`, require, "",
			`VK_EXT_planted is left out, with vkPlantedEXT: no system in ` + handed + ` has the platform "toaster"`},
		{"no extension", "", command("vkPlantedEXT", param("VkDevice", "device")), device, "", "",
			"vkPlantedEXT: left out, because no version and no supported extension has them"},
		{"a removed command", "", "", device, "", "", hands + " names vkDestroyDevice, and the registry has none"},
		{"a removed extension", "", "", device, "", "", "exported of " + handed + " names VK_KHR_swapchain, and the registry has none"},
		{"an array in a chain", structure("VkPlanted", "VkDeviceCreateInfo", typeMember+
			`<member>const <type>void</type>* <name>pNext</name></member><member><type>VkPacked</type> <name>list</name>[3]</member>`+
			`<member><type>char</type> <name>text</name>[<enum>VK_MAX_TEXT_SIZE</enum>]</member>`), "", device, sType, "spine/gen/zchain.h",
			"X(1000899000, 80, 68, 80, 72) /* VkPlanted */"},
		{"an array of unknown length", structure("VkPlanted", "VkDeviceCreateInfo", typeMember+
			`<member><type>char</type> <name>text</name>[<enum>VK_NO_SIZE</enum>]</member>`), "", device, sType, "", "VkPlanted has no size in zchain.h"},
		{"a structure without a value for sType", structure("VkPlanted", "VkDeviceCreateInfo", typeMember), "", device, "", "",
			"VkPlanted has no size in zchain.h: no part of the API defines its sType"},
	} {
		files, notes, err := planted(t, c.types, c.commands, c.attributes, c.required)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := notes
		if c.file != "" {
			text = files[c.file]
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in %s:\n%s", c.name, c.want, c.file, text)
		}
	}
}
