/* layer.h: the common declarations of the fake layer's files.
 *
 *   layer.c          negotiation, look-up
 *   layer_exports.c  the exports of the library; built several times
 *   layer_create.c   creating and destroying instances and devices, links and callbacks
 *   layer_probe.c    questions of the layer in the middle of a call
 *   layer_physdev.c  lists of physical devices and groups
 *   layer_objects.c  wrapped surfaces, messengers and report callbacks; names of objects
 */
#ifndef TEST_FAKE_LAYER_H
#define TEST_FAKE_LAYER_H

#include "objects.h"

#define H(handle) ((void *)(uintptr_t)(handle))

/* One instance that passed through, or one device. Found by the first word of its handles. */
struct chain {
    struct chain *next;
    void *key;
    bool device;
    VkInstance instance;    /* as got from below */
    VkDevice lower;         /* devices: as got from below */
    struct object *wrapper; /* the handle given to the program */
    PFN_vkGetInstanceProcAddr gipa;
    PFN_GetPhysicalDeviceProcAddr gpdpa;
    PFN_vkGetDeviceProcAddr gdpa;
    PFN_vkSetInstanceLoaderData set_instance_data;
    PFN_vkSetDeviceLoaderData set_device_data;
    PFN_vkLayerCreateDevice create_device;
    PFN_vkLayerDestroyDevice destroy_device;
    VkDevice own; /* a device of the layer's own */
    PFN_vkGetDeviceProcAddr own_gdpa;
    struct chain *above; /* devices: their instance */
    void *memory;
    char *enabled; /* names of extensions, each between blanks */
    VkAllocationCallbacks callbacks;
    struct answer_of_next *answers;
};

/* Returns the next lower layer's function of a name. Asked once, as by layers that fill their tables at creation. */
PFN_vkVoidFunction next_of(struct chain *chain, const char *name);
/* An instance's vkGetInstanceProcAddr below has answered this: it is not asked again. In a long chain each layer would
 * ask all those below twice. */
void next_is(struct chain *chain, const char *name, PFN_vkVoidFunction function);

/* The chain that a dispatchable handle belongs to, as the layer above passes it. */
struct chain *chain_of(const void *handle);
void chain_add(struct chain *chain);
void chain_drop(struct chain *chain);
/* Returns the next lower layer's handle of a handle: without wrappers. */
void *below(const void *handle);
/* wrap instance|physdev|device|surface|messenger|report */
bool wraps(const char *what);
bool changes_devices(void);
/* The wrapper of a physical device from below, made when it is new. */
VkPhysicalDevice wrapped_physdev(struct chain *chain, VkPhysicalDevice lower);

void record_phase(struct record *r, const char *function, const char *phase);

/* layer.c */
PFN_vkVoidFunction VKAPI_PTR layer_gipa(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_PTR layer_gdpa(VkDevice h, const char *name);
PFN_vkVoidFunction VKAPI_PTR layer_gpdpa(VkInstance h, const char *name);

VkResult layer_negotiate(VkNegotiateLayerInterface *n);
void log_lookup(const char *function, const char *name, const void *handle, const void *found);

/* layer_objects.c: the layer's function where "wrap ..." calls for one. */
PFN_vkVoidFunction object_function(const char *name);

/* layer_probe.c */
void probe(struct chain *chain, const char *when);
void own_buffer(struct chain *chain);

/* layer_create.c */
void *the_loader(void); /* the loader in this process, for dlsym; NULL: there is none */
VkResult VKAPI_PTR layer_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                        VkInstance *out);
void VKAPI_PTR layer_DestroyInstance(VkInstance h, const VkAllocationCallbacks *allocator);
VkResult VKAPI_PTR layer_CreateDevice(VkPhysicalDevice h, const VkDeviceCreateInfo *info,
                                      const VkAllocationCallbacks *allocator, VkDevice *out);
void VKAPI_PTR layer_DestroyDevice(VkDevice h, const VkAllocationCallbacks *allocator);

/* layer_physdev.c */
VkResult VKAPI_PTR layer_EnumeratePhysicalDevices(VkInstance h, uint32_t *count, VkPhysicalDevice *array);
VkResult VKAPI_PTR layer_EnumeratePhysicalDeviceGroups(VkInstance h, uint32_t *count,
                                                       VkPhysicalDeviceGroupProperties *array);
VkResult VKAPI_PTR layer_EnumeratePhysicalDeviceGroupsKHR(VkInstance h, uint32_t *count,
                                                          VkPhysicalDeviceGroupProperties *array);
void VKAPI_PTR layer_GetPhysicalDeviceProperties(VkPhysicalDevice h, VkPhysicalDeviceProperties *p);
VkResult VKAPI_PTR layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice h, const char *name, uint32_t *count,
                                                            VkExtensionProperties *p);

#endif
