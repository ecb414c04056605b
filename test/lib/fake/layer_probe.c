/* layer_probe.c: questions of the fake layer to the next one and to the loader's callbacks, in the middle of a call.
 * Script:
 *
 * "ask NAME"       logs as "asked" which library the next GIPA, GPDPA and (devices) GDPA have the function from
 * "ask_bad NAME"   the same with a NULL instance or device
 * "set_data"       logs as "data" the effect of the loader-data callback
 * "use NAME"       calls a command of physical devices that takes an extensible structure, logs as "used"
 * "device_layers"  calls vkEnumerateDeviceLayerProperties of the next layer
 */
#include "layer.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void record_function(struct record *r, const char *key, PFN_vkVoidFunction f)
{
    Dl_info info;
    char text[96];
    snprintf(text, sizeof text, "%s pointer", key);
    record_pointer(r, text, (const void *)(uintptr_t)f);
    if (!f || !dladdr((const void *)(uintptr_t)f, &info) || !info.dli_fname) return record_text(r, key, NULL);
    const char *slash = strrchr(info.dli_fname, '/');
    record_text(r, key, slash ? slash + 1 : info.dli_fname);
}

static void ask(struct chain *chain, const char *when, const char *name, bool bad)
{
    struct record r;
    record_open(&r, "asked");
    record_text(&r, "when", when);
    record_text(&r, "name", name);
    record_int(&r, "bad", bad);
    if (chain->device) {
        record_function(&r, "gdpa", chain->gdpa(bad ? NULL : chain->lower, name));
    } else {
        record_function(&r, "gipa", chain->gipa(bad ? NULL : chain->instance, name));
        record_function(&r, "gpdpa", chain->gpdpa(bad ? NULL : chain->instance, name));
    }
    record_close(&r);
}

static void set_data(struct chain *chain, const char *when)
{
    struct record r;
    static void *zeros[16];
    void *object[2] = {NULL, NULL}, *stranger[16] = {(void *)(uintptr_t)0x01CDC0DE};
    void *handle = chain->device ? (void *)chain->lower : (void *)chain->instance;
    VkResult result, bad[4];
    void *const wrong[3] = {zeros, stranger, NULL};
    for (int i = 0; i < 3; i++)
        bad[i] = chain->device ? chain->set_device_data(wrong[i], object) : chain->set_instance_data(wrong[i], object);
    bad[3] = chain->device ? chain->set_device_data((VkDevice)handle, NULL)
                           : chain->set_instance_data((VkInstance)handle, NULL);
    result = chain->device ? chain->set_device_data(handle, object) : chain->set_instance_data(handle, object);
    record_open(&r, "data");
    record_text(&r, "when", when);
    record_int(&r, "device", chain->device);
    record_int(&r, "result", result);
    record_int(&r, "same", object[0] && object[0] == *(void **)handle);
    record_int(&r, "beyond", object[1] != NULL);
    record_begin(&r, "wrong", '[');
    for (int i = 0; i < 4; i++) record_int(&r, NULL, bad[i]);
    record_end(&r, ']');
    record_close(&r);
}

static void use(struct chain *chain, const char *name)
{
    struct record r;
    struct {
        VkStructureType sType;
        void *pNext;
        unsigned char room[4096];
    } out = {.sType = strstr(name, "Features2") ? VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2
                                                : VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)chain->gipa(chain->instance, "vkEnumeratePhysicalDevices");
    void(VKAPI_PTR * get)(VkPhysicalDevice, void *) =
        (void(VKAPI_PTR *)(VkPhysicalDevice, void *))chain->gipa(chain->instance, name);
    VkResult result = list ? list(chain->instance, &count, devices) : VK_ERROR_UNKNOWN;
    record_open(&r, "used");
    record_text(&r, "name", name);
    record_int(&r, "result", result);
    record_int(&r, "count", count);
    record_int(&r, "there", get != NULL);
    record_begin(&r, "devices", '[');
    for (uint32_t i = 0; result == VK_SUCCESS && get && i < count; i++) {
        get(devices[i], &out);
        VkPhysicalDeviceProperties *p = (void *)out.room;
        record_text(&r, NULL, strstr(name, "Properties2") ? p->deviceName : "");
    }
    record_end(&r, ']');
    record_close(&r);
}

static void device_layers(struct chain *chain)
{
    struct record r;
    VkPhysicalDevice device;
    uint32_t count = 1, layers = 77;
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)chain->gipa(chain->instance, "vkEnumeratePhysicalDevices");
    PFN_vkEnumerateDeviceLayerProperties get =
        (PFN_vkEnumerateDeviceLayerProperties)chain->gipa(chain->instance, "vkEnumerateDeviceLayerProperties");
    list(chain->instance, &count, &device);
    record_open(&r, "device layers");
    record_int(&r, "result", get ? get(device, &layers, NULL) : VK_ERROR_UNKNOWN);
    record_int(&r, "count", layers);
    record_close(&r);
}

/* "own_now app HANDLE [whole]" (an application's physical device, no instance), "own_now index N" (one from below) or
 * "own_now alien N" (of an instance that is none): a device made at any time, used through the loader's exports, and
 * destroyed. */
static void own_now(struct chain *chain, const struct statement *s)
{
    static __thread bool inside;
    struct record r;
    VkPhysicalDevice devices[16] = {NULL};
    uint32_t count = 16;
    VkDevice device = NULL;
    VkQueue queue = NULL;
    PFN_vkGetDeviceProcAddr gdpa = NULL;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    bool app = !strcmp(s->word[1], "app"), whole = s->count > 3;
    void *loader = the_loader();
    if (inside || !loader || s->count < 3) return;
    inside = true;
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)chain->gipa(chain->instance, "vkEnumeratePhysicalDevices");
    if (!app) list(chain->instance, &count, devices);
    VkPhysicalDevice from = app ? H(script_number(s->word[2])) : devices[script_number(s->word[2])];
    VkInstance instance = app ? NULL : !strcmp(s->word[1], "alien") ? (VkInstance)(void *)&count : chain->instance;
    VkResult result = chain->create_device(instance, from, &info, NULL, &device, whole ? NULL : layer_gipa, &gdpa);
    record_open(&r, "own device");
    record_int(&r, "result", result);
    record_pointer(&r, "gdpa", (const void *)(uintptr_t)gdpa);
    record_close(&r);
    if (result == VK_SUCCESS) {
        ((PFN_vkGetDeviceQueue)dlsym(loader, "vkGetDeviceQueue"))(device, 0, 0, &queue);
        ((PFN_vkQueueWaitIdle)dlsym(loader, "vkQueueWaitIdle"))(queue);
        chain->destroy_device(device, NULL, (PFN_vkDestroyDevice)gdpa(device, "vkDestroyDevice"));
    }
    chain->destroy_device(NULL, NULL, NULL);
    dlclose(loader);
    inside = false;
}

void probe(struct chain *chain, const char *when)
{
    const struct statement *s;
    for (int i = 0; (s = script_find("ask", NULL, i)); i++) ask(chain, when, s->word[1], false);
    for (int i = 0; (s = script_find("ask_bad", NULL, i)); i++) ask(chain, when, s->word[1], true);
    if (script_has("set_data", NULL)) set_data(chain, when);
    if (!strcmp(when, "enumerate") && (s = script_find("own_now", NULL, 0))) own_now(chain, s);
    if (chain->device || strcmp(when, "create")) return;
    for (int i = 0; (s = script_find("use", NULL, i)); i++) use(chain, s->word[1]);
    if (script_has("device_layers", NULL)) device_layers(chain);
}

/* A command buffer that the layer gets from below by itself, made usable with the loader's commands, and used. */
void own_buffer(struct chain *chain)
{
    struct record r;
    VkCommandBuffer buffer = NULL;
    if (!script_has("own_buffer", NULL)) return;
    void *loader = the_loader();
    PFN_vkAllocateCommandBuffers allocate =
        (PFN_vkAllocateCommandBuffers)chain->gdpa(chain->lower, "vkAllocateCommandBuffers");
    PFN_vkCmdDraw draw = loader ? (PFN_vkCmdDraw)dlsym(loader, "vkCmdDraw") : NULL;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandBufferCount = 1};
    if (!allocate || !draw || allocate(chain->lower, &info, &buffer) != VK_SUCCESS) return;
    record_open(&r, "own buffer");
    record_int(&r, "word", (int64_t) * (uintptr_t *)buffer);
    record_int(&r, "result", chain->set_device_data(chain->lower, buffer));
    record_int(&r, "same", *(void **)buffer == *(void **)chain->lower);
    record_close(&r);
    draw(buffer, 51, 1, 0, 0);
    dlclose(loader);
}
