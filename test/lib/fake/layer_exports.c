/* layer_exports.c: the exports of the fake layer's library: FAKE_EXPORTS is a sum of EXPORT_... */
#include "layer.h"

#define EXPORT_NEGOTIATE 1
#define EXPORT_GIPA 2
#define EXPORT_GDPA 4
#define EXPORT_RENAMED 8
#define VISIBLE __attribute__((visibility("default")))

#if FAKE_EXPORTS == 0
VISIBLE extern const char fake_layer_of_nothing[];
const char fake_layer_of_nothing[] = "exports no function";
#endif
#if FAKE_EXPORTS & EXPORT_NEGOTIATE
VISIBLE VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *n);
VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *n)
{
    return layer_negotiate(n);
}
#endif
/* Calls that came in through an export are logged, so that a test can tell by which way the layer was entered. */
#if FAKE_EXPORTS & EXPORT_GIPA
VISIBLE PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance h, const char *name)
{
    log_lookup("exported gipa", name, h, NULL);
    return layer_gipa(h, name);
}
#endif
#if FAKE_EXPORTS & EXPORT_GDPA
VISIBLE PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice h, const char *name);
PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice h, const char *name)
{
    return layer_gdpa(h, name);
}
#endif
#if FAKE_EXPORTS & EXPORT_RENAMED
VISIBLE VkResult VKAPI_CALL fakeNegotiate(VkNegotiateLayerInterface *n);
VkResult VKAPI_CALL fakeNegotiate(VkNegotiateLayerInterface *n)
{
    struct record r;
    record_open(&r, "fakeNegotiate");
    record_close(&r);
    return layer_negotiate(n);
}
VISIBLE PFN_vkVoidFunction VKAPI_CALL fakeGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_CALL fakeGetInstanceProcAddr(VkInstance h, const char *name)
{
    log_lookup("renamed gipa", name, h, NULL);
    return layer_gipa(h, name);
}
VISIBLE PFN_vkVoidFunction VKAPI_CALL fakeGetDeviceProcAddr(VkDevice h, const char *name);
PFN_vkVoidFunction VKAPI_CALL fakeGetDeviceProcAddr(VkDevice h, const char *name)
{
    log_lookup("renamed gdpa", name, h, NULL);
    return layer_gdpa(h, name);
}

/* ---- pre-instance functions ---- */

static void record_link(struct record *r, const VkChainHeader *header, const void *function, const void *link)
{
    record_int(r, "type", header->type);
    record_int(r, "version", header->version);
    record_int(r, "size", header->size);
    record_int(r, "next", function != NULL);
    record_int(r, "link", link != NULL);
}

/* "pre_version V", "pre_layers N", "pre_extensions N": answered without calling down. */
VISIBLE VkResult VKAPI_CALL fakePreVersion(const VkEnumerateInstanceVersionChain *chain, uint32_t *version);
VkResult VKAPI_CALL fakePreVersion(const VkEnumerateInstanceVersionChain *chain, uint32_t *version)
{
    struct record r;
    record_open(&r, "fakePreVersion");
    record_link(&r, &chain->header, (const void *)(uintptr_t)chain->pfnNextLayer, chain->pNextLink);
    record_close(&r);
    const char *own = script_word("pre_version", 1, NULL);
    if (!own) return chain->pfnNextLayer(chain->pNextLink, version);
    *version = script_version(own);
    return (VkResult)script_number(script_word("pre_version", 2, "0"));
}

VISIBLE VkResult VKAPI_CALL fakePreLayers(const VkEnumerateInstanceLayerPropertiesChain *chain, uint32_t *count,
                                          VkLayerProperties *p);
VkResult VKAPI_CALL fakePreLayers(const VkEnumerateInstanceLayerPropertiesChain *chain, uint32_t *count,
                                  VkLayerProperties *p)
{
    struct record r;
    record_open(&r, "fakePreLayers");
    record_link(&r, &chain->header, (const void *)(uintptr_t)chain->pfnNextLayer, chain->pNextLink);
    record_close(&r);
    const char *own = script_word("pre_layers", 1, NULL);
    if (!own) return chain->pfnNextLayer(chain->pNextLink, count, p);
    *count = (uint32_t)script_number(own);
    return VK_SUCCESS;
}

VISIBLE VkResult VKAPI_CALL fakePreExtensions(const VkEnumerateInstanceExtensionPropertiesChain *chain,
                                              const char *layer, uint32_t *count, VkExtensionProperties *p);
VkResult VKAPI_CALL fakePreExtensions(const VkEnumerateInstanceExtensionPropertiesChain *chain, const char *layer,
                                      uint32_t *count, VkExtensionProperties *p)
{
    struct record r;
    record_open(&r, "fakePreExtensions");
    record_link(&r, &chain->header, (const void *)(uintptr_t)chain->pfnNextLayer, chain->pNextLink);
    record_text(&r, "layer", layer);
    record_close(&r);
    const char *own = script_word("pre_extensions", 1, NULL);
    if (!own) return chain->pfnNextLayer(chain->pNextLink, layer, count, p);
    *count = (uint32_t)script_number(own);
    return VK_SUCCESS;
}
#endif
