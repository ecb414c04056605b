/* adapter.c: lists the adapters of DXGI, and asks drivers for the devices of each adapter with
 * vk_icdEnumerateAdapterPhysicalDevices. The order of the answers is the order of the devices (WIN-061, WIN-067). */
#include "physdev/windows/adapter.h"

#include <stdlib.h>

#include "core/windows/dxgi.h"

#define FUNCTION "vk_icdEnumerateAdapterPhysicalDevices"

typedef VkResult(VKAPI_PTR *enumerate_adapter)(VkInstance instance, LUID adapter, uint32_t *count,
                                               VkPhysicalDevice *devices);

bool scan_needs_adapters(const struct scan *scan)
{
    for (uint32_t i = 0; i < scan->drivers.count; i++)
        if (scan->drivers.driver[i]->lib->enumerate_adapter) return true;
    return false;
}

void log_unordered(struct instance *instance)
{
    log_line(
        instance, LOG_INFO,
        "There is no DXGI factory 6, which puts adapters in order (Windows 10 1803 has it). Physical devices are not sorted.");
}

/* ---- adapters --------------------------------------------------------------------------------------------------- */

struct adapters {
    LUID *luid;
    uint32_t count;
};

static bool same_luid(LUID a, LUID b)
{
    return a.LowPart == b.LowPart && a.HighPart == b.HighPart;
}

/* Adds an adapter, unless the list has it. Returns false without memory. */
static bool add_adapter(struct adapters *list, LUID luid)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (same_luid(list->luid[i], luid)) return true;
    LUID *longer = array_grow(list->luid, (uint64_t)list->count + 1, sizeof *longer);
    if (!longer) return false;
    list->luid = longer;
    longer[list->count++] = luid;
    return true;
}

/* Lists the adapters. DXGI is open only during this function. */
static VkResult read_adapters(struct adapters *list, bool *ordered)
{
    struct dxgi dxgi;
    DXGI_ADAPTER_DESC1 description;
    VkResult result = VK_SUCCESS;
    *ordered = dxgi_open(&dxgi) && dxgi.ordered;
    for (UINT i = 0; *ordered && result == VK_SUCCESS && dxgi_adapter(&dxgi, i, &description); i++)
        if (!add_adapter(list, description.AdapterLuid)) result = VK_ERROR_OUT_OF_HOST_MEMORY;
    dxgi_close(&dxgi);
    return result;
}

/* ---- one driver about one adapter ------------------------------------------------------------------------------- */

struct question {
    const struct driver *driver;
    enumerate_adapter enumerate;
    LUID adapter;
};

static VkResult list_of_adapter(const void *whom, uint32_t *count, VkPhysicalDevice *device)
{
    const struct question *q = whom;
    return q->enumerate(q->driver->handle, q->adapter, count, device);
}

struct answer {
    VkPhysicalDevice *device;
    uint32_t count;
    bool layered; /* the driver is implemented on Direct3D 12; set only if two drivers have devices of the adapter */
};

/* WIN-063: asks a driver for the devices of an adapter. It is no error if the adapter is another driver's. */
static VkResult ask_driver(struct instance *instance, const struct question *q, struct answer *out)
{
    bool reading;
    VkResult result = list_devices(list_of_adapter, q, &out->count, &out->device, &reading);
    if (result == VK_SUCCESS) return result;
    *out = (struct answer){0};
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
        log_line(instance, LOG_ERROR | LOG_DRIVER,
                 "Call to '%s' in ICD %s failed with error code VK_ERROR_OUT_OF_HOST_MEMORY", FUNCTION,
                 driver_path(q->driver->lib));
        return result;
    }
    if (result != VK_ERROR_INCOMPATIBLE_DRIVER && result != VK_ERROR_INITIALIZATION_FAILED)
        log_line(instance, LOG_WARN | LOG_DRIVER,
                 "Call to '%s' in ICD %s failed with error code %d; it counts as having no device of this adapter",
                 FUNCTION, driver_path(q->driver->lib), result);
    return VK_SUCCESS;
}

/* Reports whether a driver's device is implemented on Direct3D 12 (WIN-067, WIN-068). */
static bool uses_direct3d(const struct instance *instance, const struct driver *driver, VkPhysicalDevice device)
{
    VkPhysicalDeviceProperties plain = {0};
    driver_fn(driver, vkGetPhysicalDeviceProperties)(device, &plain);
    PFN_vkGetPhysicalDeviceProperties2 ask = properties2_of(instance, driver, plain.apiVersion);
    if (!ask) return false;
    VkPhysicalDeviceLayeredDriverPropertiesMSFT layered = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_DRIVER_PROPERTIES_MSFT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &layered};
    ask(device, &properties);
    return layered.underlyingAPI == VK_LAYERED_DRIVER_UNDERLYING_API_D3D12_MSFT;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool scan_has(const struct scan *scan, const struct driver *driver, const void *handle)
{
    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->found[i].driver == driver && scan->found[i].handle == handle) return true;
    return false;
}

/* Adds the devices that the scan does not have yet (WIN-066). */
static VkResult add_answer(struct scan *scan, struct driver *driver, const struct answer *answer)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < answer->count && result == VK_SUCCESS; i++)
        if (!scan_has(scan, driver, answer->device[i])) result = scan_add(scan, driver, &answer->device[i], 1);
    return result;
}

/* Adds the devices of one adapter: first of drivers for the adapter itself, then of drivers on Direct3D 12, each in
 * driver order. */
static VkResult add_answers(const struct instance *instance, struct scan *scan, struct answer *answer)
{
    const struct held_drivers *all = &scan->drivers;
    uint32_t givers = 0;
    for (uint32_t d = 0; d < all->count; d++) givers += answer[d].count > 0;
    for (uint32_t d = 0; d < all->count; d++)
        answer[d].layered =
            givers > 1 && answer[d].count && uses_direct3d(instance, all->driver[d], answer[d].device[0]);
    VkResult result = VK_SUCCESS;
    for (int layered = 0; layered < 2; layered++)
        for (uint32_t d = 0; d < all->count && result == VK_SUCCESS; d++)
            if (answer[d].layered == (bool)layered) result = add_answer(scan, all->driver[d], &answer[d]);
    return result;
}

/* Asks each driver for the devices of an adapter. */
static VkResult scan_adapter(struct instance *instance, struct scan *scan, LUID adapter)
{
    uint32_t count = scan->drivers.count;
    struct answer *answer = calloc(count ? count : 1, sizeof *answer);
    if (!answer) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    for (uint32_t d = 0; d < count && result == VK_SUCCESS; d++) {
        const struct driver *driver = scan->drivers.driver[d];
        const struct question q = {driver, (enumerate_adapter)driver->lib->enumerate_adapter, adapter};
        if (q.enumerate) result = ask_driver(instance, &q, &answer[d]);
    }
    if (result == VK_SUCCESS) result = add_answers(instance, scan, answer);
    for (uint32_t d = 0; d < count; d++) free(answer[d].device);
    free(answer);
    return result;
}

VkResult adapters_scan(struct instance *instance, struct scan *scan, bool *ordered)
{
    struct adapters adapters = {0};
    VkResult result = read_adapters(&adapters, ordered);
    if (!*ordered) log_unordered(instance);
    for (uint32_t i = 0; i < adapters.count && result == VK_SUCCESS; i++)
        result = scan_adapter(instance, scan, adapters.luid[i]);
    free(adapters.luid);
    return result;
}
