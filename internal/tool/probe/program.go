package probe

import "vkloader/internal/core/plan"

// What the child asks for (VkInstanceCreateInfo): devices behind portability drivers are devices of this machine, too.
const (
	portabilityFlag      = 1
	portabilityExtension = "VK_KHR_portability_enumeration"
)

// Program is what the child is to the library as a program.
func Program() plan.App {
	return plan.App{Name: plan.Name{Text: "vkloader info", Set: true}, API: 1<<22 | 2<<12, Flags: portabilityFlag, ExtensionCount: 1,
		Extensions: []plan.Name{{Text: portabilityExtension, Set: true}}}
}
