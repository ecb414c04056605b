/* dxgi.c: a DXGI library whose adapters its script names, in the order DXGI_GPU_PREFERENCE_UNSPECIFIED:
 *
 *   adapter LUID [vendor=N]   an adapter; LUID is a 64-bit number
 *   factory 1|none            only an IDXGIFactory1 can be created, or no factory at all
 *   perform CreateDXGIFactory1 SCRIPT   as in the script of a driver
 *   vulkan                    this library uses Vulkan: under a lock it creates an instance and lists the devices
 * before it returns a factory. A call that finds the lock taken, and would wait forever, gets none
 *
 * It logs when it is loaded, each new object, and when it is unloaded the number of unreleased objects.
 */
#define COBJMACROS
#include <windows.h>

#include <dxgi1_6.h>
#include <stdlib.h>
#include <string.h>

#include "../../fake/script.h"

static LONG alive; /* number of unreleased objects */

static HRESULT STDMETHODCALLTYPE no_interface(IUnknown *self, REFIID id, void **out)
{
    (void)self, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

/* ---- adapters --------------------------------------------------------------------------------------------------- */

struct adapter {
    IDXGIAdapter1 com;
    LONG references;
    DXGI_ADAPTER_DESC1 description;
};

static ULONG STDMETHODCALLTYPE adapter_release(IDXGIAdapter1 *self)
{
    struct adapter *adapter = (struct adapter *)self;
    LONG left = InterlockedDecrement(&adapter->references);
    if (left) return (ULONG)left;
    InterlockedDecrement(&alive);
    free(adapter);
    return 0;
}

static HRESULT STDMETHODCALLTYPE adapter_describe(IDXGIAdapter1 *self, DXGI_ADAPTER_DESC1 *out)
{
    *out = ((struct adapter *)self)->description;
    return S_OK;
}

static IDXGIAdapter1Vtbl adapter_functions = {
    .QueryInterface = (void *)no_interface, .Release = adapter_release, .GetDesc1 = adapter_describe};

static HRESULT adapter_make(UINT i, void **out)
{
    const struct statement *s = script_find("adapter", NULL, (int)i);
    *out = NULL;
    if (!s) return DXGI_ERROR_NOT_FOUND;
    struct adapter *adapter = calloc(1, sizeof *adapter);
    if (!adapter) abort();
    uint64_t luid = script_number(s->word[1]);
    adapter->com.lpVtbl = &adapter_functions;
    adapter->references = 1;
    adapter->description.VendorId = (UINT)script_number(statement_value(s, "vendor", "0"));
    adapter->description.AdapterLuid.LowPart = (DWORD)luid;
    adapter->description.AdapterLuid.HighPart = (LONG)(luid >> 32);
    InterlockedIncrement(&alive);
    *out = adapter;
    return S_OK;
}

/* ---- factories -------------------------------------------------------------------------------------------------- */

struct factory {
    IDXGIFactory6 com;
    LONG references;
};

static ULONG STDMETHODCALLTYPE factory_release(IDXGIFactory6 *self)
{
    struct factory *factory = (struct factory *)self;
    LONG left = InterlockedDecrement(&factory->references);
    if (left) return (ULONG)left;
    InterlockedDecrement(&alive);
    free(factory);
    return 0;
}

/* Returns the adapters in reverse order, for all preferences but DXGI_GPU_PREFERENCE_UNSPECIFIED. */
static HRESULT STDMETHODCALLTYPE enumerate(IDXGIFactory6 *self, UINT i, IDXGIAdapter1 **out)
{
    (void)self;
    UINT count = 0;
    while (script_find("adapter", NULL, (int)count)) count++;
    return i < count ? adapter_make(count - 1 - i, (void **)out) : adapter_make(i, (void **)out);
}

static HRESULT STDMETHODCALLTYPE enumerate_by_preference(IDXGIFactory6 *self, UINT i, DXGI_GPU_PREFERENCE preference,
                                                         REFIID id, void **out)
{
    (void)id;
    return preference == DXGI_GPU_PREFERENCE_UNSPECIFIED ? adapter_make(i, out)
                                                         : enumerate(self, i, (IDXGIAdapter1 **)out);
}

static IDXGIFactory6Vtbl factory_functions = {.QueryInterface = (void *)no_interface,
                                              .Release = factory_release,
                                              .EnumAdapters1 = enumerate,
                                              .EnumAdapterByGpuPreference = enumerate_by_preference};

/* ---- made of Vulkan --------------------------------------------------------------------------------------------- */

static SRWLOCK making = SRWLOCK_INIT;

static void use_vulkan(void)
{
    struct record r;
    HMODULE library = GetModuleHandleA("vulkan-1.dll");
#define FUNCTION(name) PFN_##name name = (PFN_##name)(void *)GetProcAddress(library, #name)
    FUNCTION(vkEnumerateInstanceExtensionProperties);
    FUNCTION(vkCreateInstance);
    FUNCTION(vkEnumeratePhysicalDevices);
    FUNCTION(vkEnumeratePhysicalDeviceGroups);
    FUNCTION(vkDestroyInstance);
#undef FUNCTION
    VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &program};
    VkInstance instance = NULL;
    uint32_t extensions = 0, devices = 0, groups = 0;
    record_open(&r, "vulkan");
    record_int(&r, "extensions", vkEnumerateInstanceExtensionProperties(NULL, &extensions, NULL));
    VkResult result = vkCreateInstance(&info, NULL, &instance);
    record_int(&r, "instance", result);
    if (result == VK_SUCCESS) {
        vkEnumeratePhysicalDevices(instance, &devices, NULL);
        vkEnumeratePhysicalDeviceGroups(instance, &groups, NULL);
        vkDestroyInstance(instance, NULL);
    }
    record_int(&r, "devices", (int)devices);
    record_int(&r, "groups", (int)groups);
    record_close(&r);
}

/* Creates an instance and lists its devices. Returns false if a call of this function has not returned yet. */
static bool make_of_vulkan(void)
{
    struct record r;
    if (!script_find("vulkan", NULL, 0)) return true;
    if (!TryAcquireSRWLockExclusive(&making)) {
        record_open(&r, "again");
        record_close(&r);
        return false;
    }
    static bool made;
    if (!made) use_vulkan();
    made = true;
    ReleaseSRWLockExclusive(&making);
    return true;
}

static const GUID factory1 = {0x770aae78, 0xf26f, 0x4dba, {0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87}};
static const GUID factory6 = {0xc1b6694f, 0xff09, 0x44a9, {0xb0, 0x3c, 0x77, 0x90, 0x0a, 0x0a, 0x1d, 0x17}};

__declspec(dllexport) HRESULT WINAPI CreateDXGIFactory1(REFIID id, void **out);
HRESULT WINAPI CreateDXGIFactory1(REFIID id, void **out)
{
    struct record r;
    VkResult none;
    const char *best = script_word("factory", 1, "6");
    imposed("CreateDXGIFactory1", NULL, &none);
    *out = NULL;
    if (!make_of_vulkan()) return E_FAIL;
    int wanted = IsEqualGUID(id, &factory6) ? 6 : IsEqualGUID(id, &factory1) ? 1 : 7;
    bool made = strcmp(best, "none") && wanted <= atoi(best);
    struct factory *factory = made ? calloc(1, sizeof *factory) : NULL;
    record_open(&r, "CreateDXGIFactory1");
    record_int(&r, "factory", wanted);
    record_int(&r, "made", made);
    record_close(&r);
    *out = factory;
    if (!factory) return E_NOINTERFACE;
    factory->com.lpVtbl = &factory_functions;
    factory->references = 1;
    InterlockedIncrement(&alive);
    return S_OK;
}

BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved);
BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved)
{
    struct record r;
    (void)dll;
    if (reason == DLL_PROCESS_ATTACH) {
        record_open(&r, "begin");
        record_close(&r);
    }
    if (reason != DLL_PROCESS_DETACH || reserved) return TRUE; /* it is loaded, or the process ends */
    record_open(&r, "end");
    record_int(&r, "alive", alive);
    record_close(&r);
    return TRUE;
}
