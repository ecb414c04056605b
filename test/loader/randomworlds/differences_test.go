package randomworlds

import (
	"slices"
	"strings"
)

// knownDifference is a case in which the reference, Debian's libvulkan1 1.3.239, deviates from the statements, with
// the reason.
type knownDifference struct {
	statement, reason string
	explains          func(c *contrast) bool
}

var knownDifferences = []knownDifference{
	{statement: "DRV-071 INS-076 DEV-037", reason: "the reference goes on with the handle that a failed function has not written, and crashes",
		explains: func(c *contrast) bool { return c.died() }},
	{statement: "LAY-5 LAY-8", reason: "a directory in a manifest's place fails the call",
		explains: func(c *contrast) bool { return c.hasFile(".json/") }},
	{statement: "LAY-186", reason: "an override layer whose app_keys name the program twice is not used",
		explains: func(c *contrast) bool { return c.has(`"$EXE","$EXE"`) }},
	{statement: "INS-017 PHY-007 DEV-010", reason: "VK_INCOMPLETE of a list ends the reference's call",
		explains: func(c *contrast) bool { return c.imposes("vkEnumerate", code("5")) }},
	{statement: "INS-017", reason: "a driver without an extension list takes the others along",
		explains: func(c *contrast) bool { return c.imposes("vkEnumerateInstanceExtensionProperties", whatever) }},
	{statement: "INS-076 INS-026 DEV-037", reason: "a positive result of a driver is one more that is skipped, of a layer a success",
		explains: func(c *contrast) bool { return c.imposes("vkCreate", positive) }},
	{statement: "LAY-328", reason: "what drivers have made is left behind when a layer fails after them",
		explains: func(c *contrast) bool {
			return c.in("driver instances destroyed") && c.imposes("vkCreateInstance", whatever)
		}},
	{statement: "LAY-145 ENV-74", reason: "an implicit layer that VK_INSTANCE_LAYERS names stays among the implicit ones",
		explains: func(c *contrast) bool {
			return c.d.env["VK_INSTANCE_LAYERS"] != "" && !c.in("version", "layers", "extensions")
		}},
	{statement: "DEV-003 LAY-265", reason: "names that are there twice are counted twice, and given in part",
		explains: func(c *contrast) bool {
			return c.in("device extensions") && slices.Equal(c.want[:1], []string{"result 5"})
		}},
	{statement: "LAY-144 LAY-149", reason: "what VK_LOADER_LAYERS_ENABLE forces is not placed behind implicit meta-layers",
		explains: func(c *contrast) bool {
			return c.d.env["VK_LOADER_LAYERS_ENABLE"] != "" && c.in("opened", "calls", "active layers")
		}},
	{statement: "PHY-012", reason: "a driver's own result is that of the enumeration",
		explains: func(c *contrast) bool {
			return c.in("devices", "groups") && c.imposes("vkEnumeratePhysicalDevices", whatever)
		}},
	{statement: "PHY-027", reason: "vendorID XOR deviceID is no key of its sorting",
		explains: func(c *contrast) bool {
			return c.in("devices", "groups") && slices.Equal(sorted(c.got), sorted(c.want))
		}},
	{statement: "LAY-246", reason: "explicit layers beside an implicit meta-layer count in another way",
		explains: func(c *contrast) bool { return c.section == "extensions" && c.has("component_layers") }},
	{statement: "LAY-173 LAY-175", reason: "a component that is active already comes once more, or moves to its meta-layer",
		explains: func(c *contrast) bool {
			return c.has("component_layers") && !c.in("layers") && slices.Equal(sorted(once(c.want)), sorted(once(c.got)))
		}},
	{statement: "LAY-104 LAY-109", reason: "two implicit layers of one name are both listed",
		explains: func(c *contrast) bool {
			return c.in("layers") && len(c.want) > len(c.got) && slices.Equal(firsts(c.want), c.got)
		}},
	{statement: "DEV-004 DEV-010", reason: "the number is not asked for before a list, and an empty list is asked for all the same",
		explains: func(c *contrast) bool {
			return c.in("device extensions") && c.imposes("vkEnumerateDeviceExtensionProperties", whatever)
		}},
	{statement: "LAY-163", reason: "a meta-layer may be reached by two ways",
		explains: func(c *contrast) bool {
			more := without(c.want, c.got)
			return c.in("layers") && len(more) > 0 && !slices.ContainsFunc(more, func(line string) bool {
				name, _, _ := strings.Cut(line, " ")
				return name != override && !slices.Contains(metaNames, name)
			})
		}},
}

// firsts removes the lines whose first word is also the first word of an earlier line.
func firsts(lines []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " ")
		if !seen[name] {
			out = append(out, line)
		}
		seen[name] = true
	}
	return out
}

func sorted(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}
