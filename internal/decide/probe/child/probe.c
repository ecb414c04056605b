/* probe.c: a short program on the Vulkan library, for "vkloader probe": load, enumerate, create an instance, list the
 * devices, create and destroy a device on each, destroy the instance; with the time of each step.
 *
 * It prints one JSON object a line, and announces each phase before it begins, so that the reader can name the phase in
 * which a driver or a layer crashed or hung. It is a separate process for that reason: the tool never loads foreign
 * code. It decides nothing, and links no Vulkan library: argv[1] is the library to open.
 *
 * usage: probe LIBRARY [again]      again: everything a second time, for times with a warm file cache
 *        probe LIBRARY submit       submit work to each device, too: see work.c
 *        probe LIBRARY present      submit, and present frames: see work.c
 *        probe LIBRARY intercepts   the commands that each layer intercepts, too: see intercepts.c
 *        probe die SIGNAL           on Linux: end by this signal
 * System-dependent functions: see system.h.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "system.h"

/* ---- the program ---- */

static void enumerate(bool print, bool *portability, uint32_t *version)
{
    uint32_t count;
    VkExtensionProperties *exts;
    begin("enumerate extensions");
    VkResult r = extensions_of(NULL, NULL, &exts, &count);
    done("enumerate extensions", r);
    *portability = is_listed(exts, count, "VK_KHR_portability_enumeration");
    for (uint32_t i = 0; print && i < count; i++) {
        fprintf(events, "{\"event\":\"extension\"");
        put_text("name", exts[i].extensionName);
        put_number("revision", exts[i].specVersion);
        end_line();
    }
    free(exts);

    begin("enumerate layers");
    VkLayerProperties *layers = NULL;
    PFN_vkEnumerateInstanceLayerProperties list_layers = COMMAND(NULL, vkEnumerateInstanceLayerProperties);
    count = 0;
    r = list_layers(&count, NULL);
    if (r == VK_SUCCESS) {
        layers = calloc(count + 1, sizeof *layers);
        r = layers ? list_layers(&count, layers) : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    done("enumerate layers", r);
    free(layers);

    *version = VK_API_VERSION_1_0;
    PFN_vkEnumerateInstanceVersion ask =
        (PFN_vkEnumerateInstanceVersion)command_if_there(NULL, "vkEnumerateInstanceVersion");
    if (ask) ask(version);
    if (print) {
        fprintf(events, "{\"event\":\"version\"");
        put_number("version", *version);
        end_line();
    }
}

/* Returns the bytes of the heaps that are the device's own. */
static double local_memory(VkInstance instance, VkPhysicalDevice physical)
{
    VkPhysicalDeviceMemoryProperties memory;
    memset(&memory, 0, sizeof memory);
    COMMAND(instance, vkGetPhysicalDeviceMemoryProperties)(physical, &memory);
    double bytes = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; i++)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) bytes += (double)memory.memoryHeaps[i].size;
    return bytes;
}

static void describe(VkInstance instance, VkPhysicalDevice physical, uint32_t index)
{
    VkPhysicalDeviceProperties props;
    memset(&props, 0, sizeof props);
    COMMAND(instance, vkGetPhysicalDeviceProperties)(physical, &props);
    VkExtensionProperties *exts;
    uint32_t count;
    extensions_of(instance, physical, &exts, &count);
    bool told = props.apiVersion >= VK_API_VERSION_1_1 && is_listed(exts, count, "VK_EXT_pci_bus_info");
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = told ? &pci : NULL};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                       .pNext = props.apiVersion >= VK_API_VERSION_1_2 ? &driver : driver.pNext};
    VkPhysicalDeviceProperties2 props2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    if (props.apiVersion >= VK_API_VERSION_1_1) COMMAND(instance, vkGetPhysicalDeviceProperties2)(physical, &props2);
    fprintf(events, "{\"event\":\"device\"");
    put_number("index", index);
    put_text("name", props.deviceName);
    put_number("type", props.deviceType);
    put_number("api_version", props.apiVersion);
    put_number("driver_version", props.driverVersion);
    put_number("vendor_id", props.vendorID);
    put_number("device_id", props.deviceID);
    put_text("driver_name", driver.driverName);
    put_text("driver_info", driver.driverInfo);
    if (props.apiVersion >= VK_API_VERSION_1_1) {
        put_uuid("device_uuid", id.deviceUUID);
        put_uuid("driver_uuid", id.driverUUID);
        if (told) {
            char address[64];
            snprintf(address, sizeof address, "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice,
                     pci.pciFunction);
            put_text("pci", address);
        }
    }
    if (props.apiVersion >= VK_API_VERSION_1_2) {
        VkConformanceVersion tested = driver.conformanceVersion;
        char version[32];
        snprintf(version, sizeof version, "%u.%u.%u.%u", tested.major, tested.minor, tested.subminor, tested.patch);
        put_number("driver_id", driver.driverID);
        put_text("conformance", version);
    }
    put_number("vram_bytes", local_memory(instance, physical));
    end_line();
    fprintf(events, "{\"event\":\"device_extensions\""); /* a separate line, because there may be hundreds */
    put_number("index", index);
    put_list("names");
    for (uint32_t i = 0; i < count; i++) put_element(i, exts[i].extensionName);
    fprintf(events, "]");
    end_line();
    free(exts);
}

/* Reports one library of this process. */
static void report_library(const char *path)
{
    fprintf(events, "{\"event\":\"mapped\"");
    put_text("path", path);
    end_line();
}

/* Whether the layers must still be asked for their commands: without a device, and with the first device. */
static bool to_ask, to_ask_device;

static void ask_layers(VkInstance instance, VkDevice device)
{
    if (!*(device ? &to_ask_device : &to_ask)) return;
    *(device ? &to_ask_device : &to_ask) = false;
    begin("ask layers");
    intercepts(instance, device);
    done("ask layers", VK_SUCCESS);
}

static VkResult create_device(VkInstance instance, VkPhysicalDevice physical, VkDevice *device, uint32_t *families)
{
    *families = 0;
    COMMAND(instance, vkGetPhysicalDeviceQueueFamilyProperties)(physical, families, NULL);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = *families ? 1 : 0,
                               .pQueueCreateInfos = &queue};
    VkResult r = COMMAND(instance, vkCreateDevice)(physical, &info, NULL, device);
    if (r == VK_SUCCESS) ask_layers(instance, *device);
    return r;
}

static VkResult destroy_device(VkInstance instance, VkDevice device)
{
    PFN_vkGetDeviceProcAddr gdpa = COMMAND(instance, vkGetDeviceProcAddr);
    PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)gdpa(device, "vkDestroyDevice");
    if (!destroy) return VK_ERROR_INITIALIZATION_FAILED;
    destroy(device, NULL);
    return VK_SUCCESS;
}

/* Whether to submit work to each device. */
static bool submitting;

static bool use_device(VkInstance instance, VkPhysicalDevice physical, uint32_t index)
{
    char phase[64];
    VkDevice device = NULL;
    uint32_t families;
    snprintf(phase, sizeof phase, "use device %u", index);
    begin(phase);
    VkResult r = create_device(instance, physical, &device, &families);
    bool created = r == VK_SUCCESS;
    if (created && !submitting) r = destroy_device(instance, device);
    done(phase, r);
    if (!created || !submitting) return r == VK_SUCCESS;
    snprintf(phase, sizeof phase, "submit to device %u", index);
    begin(phase);
    VkResult submitted = families ? submit(instance, device) : VK_SUCCESS;
    done(phase, submitted);
    snprintf(phase, sizeof phase, "destroy device %u", index);
    begin(phase);
    r = destroy_device(instance, device);
    done(phase, r);
    return submitted == VK_SUCCESS && r == VK_SUCCESS;
}

static bool program(bool print)
{
    bool portability;
    uint32_t version;
    enumerate(print, &portability, &version);

    /* Portability drivers hide their devices unless the program enables this extension. */
    const char *name = "VK_KHR_portability_enumeration";
    /* Not the newest version: the loader warns of layers that are older than the program's version. */
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .pApplicationName = "vkloader probe",
                             .apiVersion = version < VK_API_VERSION_1_2 ? version : VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .flags = portability ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = portability ? 1 : 0,
                                 .ppEnabledExtensionNames = &name};
    VkInstance instance = NULL;
    begin("create instance");
    VkResult r = COMMAND(NULL, vkCreateInstance)(&info, NULL, &instance);
    done("create instance", r);
    if (r != VK_SUCCESS) return false;
    if (print) /* shows which layers were loaded */
        system_libraries(report_library);

    begin("list devices");
    PFN_vkEnumeratePhysicalDevices list = COMMAND(instance, vkEnumeratePhysicalDevices);
    VkPhysicalDevice *physical = NULL;
    uint32_t count = 0;
    r = list(instance, &count, NULL);
    if (r == VK_SUCCESS) {
        physical = calloc(count + 1, sizeof *physical);
        r = physical ? list(instance, &count, physical) : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    done("list devices", r);
    if (r < 0) count = 0;
    bool fine = r == VK_SUCCESS && count > 0;
    for (uint32_t i = 0; i < count && print; i++) describe(instance, physical[i], i);
    ask_layers(instance, NULL);
    for (uint32_t i = 0; i < count; i++) fine = use_device(instance, physical[i], i) && fine;
    free(physical);

    begin("destroy instance");
    COMMAND(instance, vkDestroyInstance)(instance, NULL);
    done("destroy instance", VK_SUCCESS);
    return fine;
}

int main(int argc, char **argv)
{
    argc = system_begin(argc, argv);
    fprintf(events, "{\"event\":\"start\"}\n"); /* whatever happens later is not this program's fault */
    fflush(events);
    const char *way = argc == 3 ? argv[2] : "";
    bool again = !strcmp(way, "again"), presenting = !strcmp(way, "present"), asking = !strcmp(way, "intercepts");
    submitting = presenting || !strcmp(way, "submit");
    if (argc < 2 || argc > 3 || (*way && !again && !submitting && !asking)) {
        fprintf(stderr, "usage: probe LIBRARY [again|submit|present|intercepts]\n");
        return 2;
    }
    if (asking && !(to_ask = to_ask_device = intercepts_begin())) {
        fprintf(stderr, "probe: the list of names to ask for is malformed\n");
        return 2;
    }
    if (!commands_open(argv[1])) return 3;
    bool fine = program(true);
    if (again) {
        round_number = 2;
        fine = program(false) && fine;
    }
    if (presenting) present();
    fprintf(events, "{\"event\":\"end\"}\n");
    fflush(events);
    return fine ? 0 : 1;
}
