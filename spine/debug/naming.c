/* naming.c: names and tags of objects (VK_EXT_debug_utils, VK_EXT_debug_marker), and the terminators of the label
 * commands. Program, layers and driver have different handles for an instance, a physical device or a surface, so a
 * copy of the structure with the next one's handle is passed on (DBG-048 to 053).
 *
 * trampolines.c makes the trampolines of the label commands. */
#include "gen/zends.h"
#include "wsi/wsi.h"

/* ---- handles --------------------------------------------------------------------------------------------------- */

/* Returns the topmost layer's handle of an object (DBG-049, DBG-050). */
static uint64_t handle_in_chain(struct device *device, VkObjectType type, uint64_t handle)
{
    struct instance *instance = device->instance;
    if (type == VK_OBJECT_TYPE_INSTANCE && handle == (uint64_t)(uintptr_t)instance)
        return (uint64_t)(uintptr_t)instance->lower;
    if (type == VK_OBJECT_TYPE_PHYSICAL_DEVICE) {
        struct physdev *physdev = physdev_find(instance, (VkPhysicalDevice)(uintptr_t)handle);
        if (physdev) return (uint64_t)(uintptr_t)physdev->lower;
    }
    return handle;
}

/* Sets *out to the driver's handle of an object. Returns false for a physical device of another driver. */
static bool handle_in_driver(struct device *device, VkObjectType type, uint64_t handle, uint64_t *out)
{
    struct instance *instance = device->instance;
    bool has_one = true;
    *out = handle;
    if (type == VK_OBJECT_TYPE_INSTANCE) {
        if (handle == (uint64_t)(uintptr_t)instance) *out = (uint64_t)(uintptr_t)device->driver->handle;
    } else if (type == VK_OBJECT_TYPE_PHYSICAL_DEVICE) {
        lock_take();
        for (const struct physdev *physdev = instance->term_devs; physdev; physdev = physdev->next) {
            if (handle == (uint64_t)(uintptr_t)physdev) {
                *out = (uint64_t)(uintptr_t)physdev->lower;
                has_one = physdev->driver == device->driver;
            }
        }
        lock_drop();
    } else if (type == VK_OBJECT_TYPE_SURFACE_KHR) {
        VkSurfaceKHR own; /* DBG-051: the driver's surface, if it exists or can be created now */
        if (handle && device->has_swapchain && device->driver_slot[TSLOT_vkCreateSwapchainKHR] &&
            surface_for_driver(device->driver, (VkSurfaceKHR)handle, &own) == VK_SUCCESS)
            *out = (uint64_t)own;
    }
    return has_one;
}

/* Converts the three types whose handles differ, from the older extension's numbers. */
static VkObjectType marker_type(VkDebugReportObjectTypeEXT type)
{
    return type == VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT          ? VK_OBJECT_TYPE_INSTANCE
           : type == VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT ? VK_OBJECT_TYPE_PHYSICAL_DEVICE
           : type == VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT     ? VK_OBJECT_TYPE_SURFACE_KHR
                                                                     : VK_OBJECT_TYPE_UNKNOWN;
}

/* ---- the four commands ----------------------------------------------------------------------------------------- */

/* Defines the trampoline and the terminator of a command. type_of(type) converts the structure's type to a
 * VkObjectType. If the chain lacks the command, the device's table has a stub that aborts (DBG-056); if the driver
 * lacks it, the result is VK_SUCCESS (DBG-054). */
#define NAMING_COMMAND(Name, Info, type_member, handle_member, type_of)                                                \
    VKAPI_ATTR VkResult VKAPI_CALL tramp_vk##Name(VkDevice handle, const Info *info)                                   \
    {                                                                                                                  \
        struct device *device = device_check(handle, CMD_vk##Name);                                                    \
        Info copy = *info;                                                                                             \
        copy.handle_member = handle_in_chain(device, type_of(info->type_member), info->handle_member);                 \
        return ((PFN_vk##Name)device->own_table.slot[DSLOT_vk##Name])(handle, &copy);                                  \
    }                                                                                                                  \
    VKAPI_ATTR VkResult VKAPI_CALL term_vk##Name(VkDevice handle, const Info *info)                                    \
    {                                                                                                                  \
        struct device *device = driver_device(handle, #Name ": Invalid device handle");                                \
        PFN_vk##Name send = DRIVER_FUNCTION(device, vk##Name);                                                         \
        if (!send) return VK_SUCCESS;                                                                                  \
        Info copy = *info;                                                                                             \
        if (!handle_in_driver(device, type_of(info->type_member), info->handle_member, &copy.handle_member))           \
            return VK_SUCCESS;                                                                                         \
        return send(handle, &copy);                                                                                    \
    }

#define SAME_TYPE(type) (type)
NAMING_COMMAND(SetDebugUtilsObjectNameEXT, VkDebugUtilsObjectNameInfoEXT, objectType, objectHandle, SAME_TYPE)
NAMING_COMMAND(SetDebugUtilsObjectTagEXT, VkDebugUtilsObjectTagInfoEXT, objectType, objectHandle, SAME_TYPE)
NAMING_COMMAND(DebugMarkerSetObjectNameEXT, VkDebugMarkerObjectNameInfoEXT, objectType, object, marker_type)
NAMING_COMMAND(DebugMarkerSetObjectTagEXT, VkDebugMarkerObjectTagInfoEXT, objectType, object, marker_type)

/* ---- labels ---------------------------------------------------------------------------------------------------- */

static struct device *label_device(const void *handle)
{
    struct device *device = device_of(handle);
    if (!device) log_abort(NULL, LOG_ERROR | LOG_VALIDATION, "VK_EXT_debug_utils: Invalid device handle");
    return device;
}

#define LABEL_COMMAND(Name, parameters, ...)                                                                           \
    VKAPI_ATTR void VKAPI_CALL term_vk##Name parameters                                                                \
    {                                                                                                                  \
        PFN_vk##Name send = DRIVER_FUNCTION(label_device(handle), vk##Name);                                           \
        if (send) send(__VA_ARGS__);                                                                                   \
    }

LABEL_COMMAND(QueueBeginDebugUtilsLabelEXT, (VkQueue handle, const VkDebugUtilsLabelEXT *label), handle, label)
LABEL_COMMAND(QueueEndDebugUtilsLabelEXT, (VkQueue handle), handle)
LABEL_COMMAND(QueueInsertDebugUtilsLabelEXT, (VkQueue handle, const VkDebugUtilsLabelEXT *label), handle, label)
LABEL_COMMAND(CmdBeginDebugUtilsLabelEXT, (VkCommandBuffer handle, const VkDebugUtilsLabelEXT *label), handle, label)
LABEL_COMMAND(CmdEndDebugUtilsLabelEXT, (VkCommandBuffer handle), handle)
LABEL_COMMAND(CmdInsertDebugUtilsLabelEXT, (VkCommandBuffer handle, const VkDebugUtilsLabelEXT *label), handle, label)
