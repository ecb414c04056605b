package randomworlds

import (
	"fmt"
	"slices"
	"strconv"
)

const directLoading = "VK_LUNARG_direct_driver_loading"

// listed returns the drivers that the program passes (3.5 of document 03). alone: no other drivers are searched for.
func (s *stated) listed(t try) (list []*driver, alone bool) {
	const scan, add = "loader_scan_for_direct_drivers: The ", "ERROR|DRIVER: loader_add_direct_driver: "
	const entry = "VkDirectDriverLoadingInfoLUNARG structure at index "
	enabled, given := slices.Contains(t.exts, directLoading), len(s.d.app.direct) > 0
	switch {
	case enabled && !given: // DRV-083
		s.say("WARNING|DRIVER: " + scan + directLoading + " extension was enabled but the pNext chain of VkInstanceCreateInfo did not contain the VkDirectDriverLoadingListLUNARG structure.")
		return nil, false
	case !enabled && given: // DRV-084
		s.say("WARNING|DRIVER: " + scan + "pNext chain of VkInstanceCreateInfo contained the VkDirectDriverLoadingListLUNARG structure, but the " + directLoading + " extension was not enabled.")
		return nil, false
	case !enabled:
		return nil, false
	}
	if alone = s.d.app.mode == "exclusive"; alone { // DRV-085
		s.say("INFO|DRIVER: " + scan + directLoading + " extension is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping system and environment variable driver search mechanisms.")
	}
	for i, who := range s.d.app.direct { // DRV-090
		result, version := "0", "7"
		if words := s.seek(who, "negotiate"); len(words) > 0 {
			result, version = words[0][0], words[0][1]
		}
		number, _ := strconv.Atoi(version)
		failed, _ := s.imposed(who, "vkEnumerateInstanceVersion", "")
		switch kind := libraries[who].kind; {
		case kind == "driver_none" || kind == "driver_v0" || kind == "": // DRV-091
			s.say(fmt.Sprint(add, entry, i, " contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping."))
		case kind == "driver_gipa": // DRV-092
			s.say(fmt.Sprint(add, "Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion' from ", entry, i, ", skipping."))
		case result != "0" || number < 7: // DRV-093
			s.say(fmt.Sprint(add, entry, i, " supports interface version ", version,
				", which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping."))
		case minor(s.reports(who)) >= v1_1 && failed != success: // DRV-095
		default:
			list = append(list, &driver{who: who, api: max(s.reports(who), 1<<22|1<<12)})
		}
	}
	return list, alone
}
