/* missing.c: the messages about a driver or a layer without a function for a command. The stubs of trampolines.c end
 * here; all but the last end the process (GPA-016, EXT-047, UNK-007).
 */
#include <string.h>

#include "asm/tables.h"
#include "state/state.h"

void REPORT_CALL missing_driver_command(uint32_t command, const struct physdev *p) __attribute__((noreturn));
void missing_device_command(const void *object, uint32_t command) __attribute__((noreturn));
void missing_chain_command(void) __attribute__((noreturn));
void REPORT_CALL missing_unknown_physdev_command(const struct physdev *p, uint32_t number) __attribute__((noreturn));
VkResult missing_unknown_device_command(const void *object);

/* EXT-047: ends the process because the driver of p, the terminator's physical device, lacks the command. */
void REPORT_CALL missing_driver_command(uint32_t command, const struct physdev *p)
{
    log_abort(p ? p->instance : NULL, LOG_FATAL | LOG_ERROR, "ICD associated with VkPhysicalDevice does not support %s",
              names_name(command) + 2);
}

void missing_device_command(const void *object, uint32_t command)
{
    const struct device *dev = device_of(object);
    struct instance *in = dev ? dev->instance : NULL;
    if (command == CMD_vkCreateSwapchainKHR) /* WSI-058: the message announces a result, but the process ends */
        log_abort(
            in, LOG_FATAL | LOG_ERROR,
            "vkCreateSwapchainKHR: Driver's function pointer was NULL, returning VK_SUCCESS. Was the VK_KHR_swapchain extension enabled?");
    log_abort(
        in, LOG_FATAL | LOG_ERROR,
        "%s: neither the driver nor a layer provides this command for the device. Is its extension or API version supported and enabled?",
        names_name(command));
}

void missing_chain_command(void)
{
    log_abort(
        NULL, LOG_FATAL | LOG_ERROR,
        "A command was called that the topmost layer answered with NULL in its vkGetInstanceProcAddr, or that belongs to an instance that is not complete yet");
}

/* UNK-007: the driver of this physical device lacks the command. */
void REPORT_CALL missing_unknown_physdev_command(const struct physdev *p, uint32_t number)
{
    log_abort(p->instance, LOG_ERROR, "Function %s not supported for this physical device",
              p->instance->unknown_physdev.name[number]);
}

/* UNK-015: the chain returned NULL for this device. */
VkResult missing_unknown_device_command(const void *object)
{
    const struct device *dev = device_of(object);
    log_text(dev ? dev->instance : NULL, LOG_ERROR,
             "Bad destination in loader trampoline dispatch,Are layers and extensions that you are calling enabled?");
    return VK_ERROR_EXTENSION_NOT_PRESENT;
}
