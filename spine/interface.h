/* interface.h: the types of the driver interface (versions 0 to 7) and of the layer interface (version 2), through
 * which the loader exchanges data with drivers and layers. Included by gen/zvk.h. The loader's own types are elsewhere.
 */
#ifndef VKL_INTERFACE_H
#define VKL_INTERFACE_H

#include "gen/zvk.h"

/* ---- drivers --------------------------------------------------------------------------------------------------- */

typedef VkResult(VKAPI_PTR *PFN_vkNegotiateLoaderICDInterfaceVersion)(uint32_t *pVersion);
/* vk_icdGetPhysicalDeviceProcAddr of drivers and vk_layerGetPhysicalDeviceProcAddr of layers. */
typedef PFN_vkVoidFunction(VKAPI_PTR *PFN_GetPhysicalDeviceProcAddr)(VkInstance instance, const char *pName);

/* WSI-007: the first member of a surface names its window system for the driver. The loader creates the surfaces of
 * these window systems. */
typedef enum VkIcdWsiPlatform {
    VK_ICD_WSI_PLATFORM_WAYLAND = 1,
    VK_ICD_WSI_PLATFORM_WIN32 = 2,
    VK_ICD_WSI_PLATFORM_XCB = 3,
    VK_ICD_WSI_PLATFORM_XLIB = 4,
    VK_ICD_WSI_PLATFORM_MACOS = 6,
    VK_ICD_WSI_PLATFORM_DISPLAY = 8,
    VK_ICD_WSI_PLATFORM_HEADLESS = 9,
    VK_ICD_WSI_PLATFORM_METAL = 10
} VkIcdWsiPlatform;

/* WSI-006: the first member of the memory behind a VkSurfaceKHR that the loader creates. */
typedef struct VkIcdSurfaceBase {
    VkIcdWsiPlatform platform;
} VkIcdSurfaceBase;

typedef struct VkIcdSurfaceWayland {
    VkIcdSurfaceBase base;
    struct wl_display *display;
    struct wl_surface *surface;
} VkIcdSurfaceWayland;

typedef struct VkIcdSurfaceXcb {
    VkIcdSurfaceBase base;
    xcb_connection_t *connection;
    xcb_window_t window;
} VkIcdSurfaceXcb;

typedef struct VkIcdSurfaceXlib {
    VkIcdSurfaceBase base;
    Display *dpy;
    Window window;
} VkIcdSurfaceXlib;

typedef struct VkIcdSurfaceWin32 {
    VkIcdSurfaceBase base;
    HINSTANCE hinstance;
    HWND hwnd;
} VkIcdSurfaceWin32;

typedef struct VkIcdSurfaceMacOS {
    VkIcdSurfaceBase base;
    const void *pView;
} VkIcdSurfaceMacOS;

typedef struct VkIcdSurfaceMetal {
    VkIcdSurfaceBase base;
    const CAMetalLayer *pLayer;
} VkIcdSurfaceMetal;

typedef struct VkIcdSurfaceDisplay {
    VkIcdSurfaceBase base;
    VkDisplayModeKHR displayMode;
    uint32_t planeIndex;
    uint32_t planeStackIndex;
    VkSurfaceTransformFlagBitsKHR transform;
    float globalAlpha;
    VkDisplayPlaneAlphaFlagBitsKHR alphaMode;
    VkExtent2D imageExtent;
} VkIcdSurfaceDisplay;

/* ---- layers ---------------------------------------------------------------------------------------------------- */

typedef enum VkNegotiateLayerStructType { LAYER_NEGOTIATE_INTERFACE_STRUCT = 1 } VkNegotiateLayerStructType;

/* LAY-285: the values that a layer fills in when its interface version is negotiated. */
typedef struct VkNegotiateLayerInterface {
    VkNegotiateLayerStructType sType;
    void *pNext;
    uint32_t loaderLayerInterfaceVersion;
    PFN_vkGetInstanceProcAddr pfnGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr pfnGetDeviceProcAddr;
    PFN_GetPhysicalDeviceProcAddr pfnGetPhysicalDeviceProcAddr;
} VkNegotiateLayerInterface;

typedef VkResult(VKAPI_PTR *PFN_vkNegotiateLoaderLayerInterfaceVersion)(VkNegotiateLayerInterface *pVersionStruct);

/* Types of the loader's structures in create-info chains (documentation of the layer interface, section on chains). */
typedef enum VkLayerFunction {
    VK_LAYER_LINK_INFO = 0,
    VK_LOADER_DATA_CALLBACK = 1,
    VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK = 2,
    VK_LOADER_FEATURES = 3
} VkLayerFunction;

typedef VkFlags VkLoaderFeatureFlags;
#define VK_LOADER_FEATURE_PHYSICAL_DEVICE_SORTING 0x1 /* LAY-306: never set on Linux */

typedef struct VkLayerInstanceLink {
    struct VkLayerInstanceLink *pNext;
    PFN_vkGetInstanceProcAddr pfnNextGetInstanceProcAddr;
    PFN_GetPhysicalDeviceProcAddr pfnNextGetPhysicalDeviceProcAddr;
} VkLayerInstanceLink;

typedef VkResult(VKAPI_PTR *PFN_vkSetInstanceLoaderData)(VkInstance instance, void *object);
typedef VkResult(VKAPI_PTR *PFN_vkSetDeviceLoaderData)(VkDevice device, void *object);
/* LAY-365, LAY-372: a layer calls these functions to create an additional device, and to destroy it. */
typedef VkResult(VKAPI_PTR *PFN_vkLayerCreateDevice)(VkInstance instance, VkPhysicalDevice physicalDevice,
                                                     const VkDeviceCreateInfo *pCreateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkDevice *pDevice,
                                                     PFN_vkGetInstanceProcAddr layerGIPA,
                                                     PFN_vkGetDeviceProcAddr *nextGDPA);
typedef void(VKAPI_PTR *PFN_vkLayerDestroyDevice)(VkDevice device, const VkAllocationCallbacks *pAllocator,
                                                  PFN_vkDestroyDevice destroyFunction);

typedef struct VkLayerInstanceCreateInfo {
    VkStructureType sType; /* VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO */
    const void *pNext;
    VkLayerFunction function;
    union {
        VkLayerInstanceLink *pLayerInfo;
        PFN_vkSetInstanceLoaderData pfnSetInstanceLoaderData;
        struct {
            PFN_vkLayerCreateDevice pfnLayerCreateDevice;
            PFN_vkLayerDestroyDevice pfnLayerDestroyDevice;
        } layerDevice;
        VkLoaderFeatureFlags loaderFeatures;
    } u;
} VkLayerInstanceCreateInfo;

typedef struct VkLayerDeviceLink {
    struct VkLayerDeviceLink *pNext;
    PFN_vkGetInstanceProcAddr pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr pfnNextGetDeviceProcAddr;
} VkLayerDeviceLink;

typedef struct VkLayerDeviceCreateInfo {
    VkStructureType sType; /* VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO */
    const void *pNext;
    VkLayerFunction function;
    union {
        VkLayerDeviceLink *pLayerInfo;
        PFN_vkSetDeviceLoaderData pfnSetDeviceLoaderData;
    } u;
} VkLayerDeviceCreateInfo;

/* Pre-instance functions (LAY-221, LAY-222). */
typedef enum VkChainType {
    VK_CHAIN_TYPE_ENUMERATE_INSTANCE_EXTENSION_PROPERTIES = 1,
    VK_CHAIN_TYPE_ENUMERATE_INSTANCE_LAYER_PROPERTIES = 2,
    VK_CHAIN_TYPE_ENUMERATE_INSTANCE_VERSION = 3
} VkChainType;
#define VK_CURRENT_CHAIN_VERSION 1

typedef struct VkChainHeader {
    VkChainType type;
    uint32_t version;
    uint32_t size; /* of the whole structure */
} VkChainHeader;

typedef struct VkEnumerateInstanceExtensionPropertiesChain {
    VkChainHeader header;
    VkResult(VKAPI_PTR *pfnNextLayer)(const struct VkEnumerateInstanceExtensionPropertiesChain *chain,
                                      const char *pLayerName, uint32_t *pPropertyCount,
                                      VkExtensionProperties *pProperties);
    const struct VkEnumerateInstanceExtensionPropertiesChain *pNextLink;
} VkEnumerateInstanceExtensionPropertiesChain;

typedef struct VkEnumerateInstanceLayerPropertiesChain {
    VkChainHeader header;
    VkResult(VKAPI_PTR *pfnNextLayer)(const struct VkEnumerateInstanceLayerPropertiesChain *chain,
                                      uint32_t *pPropertyCount, VkLayerProperties *pProperties);
    const struct VkEnumerateInstanceLayerPropertiesChain *pNextLink;
} VkEnumerateInstanceLayerPropertiesChain;

typedef struct VkEnumerateInstanceVersionChain {
    VkChainHeader header;
    VkResult(VKAPI_PTR *pfnNextLayer)(const struct VkEnumerateInstanceVersionChain *chain, uint32_t *pApiVersion);
    const struct VkEnumerateInstanceVersionChain *pNextLink;
} VkEnumerateInstanceVersionChain;

#if UINTPTR_MAX == 0xffffffffffffffff
_Static_assert(sizeof(VkIcdSurfaceBase) == 4, "WSI-008");
_Static_assert(offsetof(VkIcdSurfaceXcb, window) == 16 && sizeof(VkIcdSurfaceXcb) == 24, "VkIcdSurfaceXcb");
_Static_assert(offsetof(VkIcdSurfaceXlib, window) == 16 && sizeof(VkIcdSurfaceXlib) <= 24, "VkIcdSurfaceXlib");
_Static_assert(offsetof(VkIcdSurfaceWin32, hwnd) == 16 && sizeof(VkIcdSurfaceWin32) == 24, "VkIcdSurfaceWin32");
_Static_assert(offsetof(VkIcdSurfaceWayland, surface) == 16 && sizeof(VkIcdSurfaceWayland) == 24,
               "VkIcdSurfaceWayland");
_Static_assert(offsetof(VkIcdSurfaceMacOS, pView) == 8 && sizeof(VkIcdSurfaceMacOS) == 16, "VkIcdSurfaceMacOS");
_Static_assert(offsetof(VkIcdSurfaceMetal, pLayer) == 8 && sizeof(VkIcdSurfaceMetal) == 16, "VkIcdSurfaceMetal");
_Static_assert(offsetof(VkIcdSurfaceDisplay, imageExtent) == 36 && sizeof(VkIcdSurfaceDisplay) == 48,
               "VkIcdSurfaceDisplay");
_Static_assert(sizeof(VkNegotiateLayerInterface) == 48, "LAY-285");
_Static_assert(offsetof(VkLayerInstanceCreateInfo, u) == 24 && sizeof(VkLayerInstanceCreateInfo) == 40,
               "instance chain");
_Static_assert(offsetof(VkLayerDeviceCreateInfo, u) == 24 && sizeof(VkLayerDeviceCreateInfo) == 32, "device chain");
_Static_assert(sizeof(VkEnumerateInstanceVersionChain) == 32, "LAY-222");
#endif

#endif
