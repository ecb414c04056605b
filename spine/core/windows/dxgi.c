/* dxgi.c: lists the adapters of the system's own DXGI, which is loaded only during a query. */
#define COBJMACROS
#include "core/windows/dxgi.h"

#include <dxgi1_6.h>
#include <stdatomic.h>

#include "core/core.h"
#include "process/windows/wide.h"

static const GUID id_factory1 = {0x770aae78, 0xf26f, 0x4dba, {0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87}};
static const GUID id_factory6 = {0xc1b6694f, 0xff09, 0x44a9, {0xb0, 0x3c, 0x77, 0x90, 0x0a, 0x0a, 0x1d, 0x17}};
static const GUID id_adapter1 = {0x29038f61, 0x3839, 0x4626, {0x91, 0xfd, 0x08, 0x68, 0x79, 0x01, 0x1a, 0x05}};

typedef HRESULT(WINAPI *create_factory)(const GUID *, void **);

static atomic_bool orders; /* an IDXGIFactory6 was created once; creating one takes milliseconds */

bool dxgi_open(struct dxgi *dxgi)
{
    struct claim claim;
    *dxgi = (struct dxgi){0};
    lock_take();
    bool first = claim_take(&claim, &orders, (void *)(uintptr_t)thread_now()); /* one claim per thread */
    lock_drop();
    if (!first) return false; /* this thread is inside DXGI and would deadlock */
    dxgi->library = system_library(L"dxgi.dll");
    create_factory create = NULL;
    if (dxgi->library) create = (create_factory)(void *)GetProcAddress(dxgi->library, "CreateDXGIFactory1");
    void *factory;
    if (create && SUCCEEDED(create(&id_factory6, &factory))) {
        dxgi->ordered = true;
        dxgi->factory = factory;
    } else if (create && SUCCEEDED(create(&id_factory1, &factory))) {
        dxgi->factory = factory;
    }
    bool made = dxgi->factory != NULL;
    if (dxgi->ordered) atomic_store(&orders, true);
    lock_take();
    claim_drop(&claim);
    lock_drop();
    if (!made) dxgi_close(dxgi);
    return made;
}

void inside_begin(struct inside *inside, const void *caller)
{
    *inside = (struct inside){0};
    if (!system_code(L"dxgi.dll", caller)) return;
    lock_take();
    inside->dxgi = claim_take(&inside->claim, &orders, (void *)(uintptr_t)thread_now());
    lock_drop();
}

void inside_end(const struct inside *inside)
{
    if (!inside->dxgi) return;
    lock_take();
    claim_drop(&inside->claim);
    lock_drop();
}

bool dxgi_orders(void)
{
    struct dxgi dxgi;
    if (!atomic_load(&orders) && dxgi_open(&dxgi)) dxgi_close(&dxgi);
    return atomic_load(&orders);
}

bool dxgi_adapter(const struct dxgi *dxgi, UINT i, DXGI_ADAPTER_DESC1 *out)
{
    void *found = NULL;
    HRESULT result;
    if (!dxgi->factory) return false;
    if (dxgi->ordered) {
        result = IDXGIFactory6_EnumAdapterByGpuPreference((IDXGIFactory6 *)dxgi->factory, i,
                                                          DXGI_GPU_PREFERENCE_UNSPECIFIED, &id_adapter1, &found);
    } else {
        IDXGIAdapter1 *adapter = NULL;
        result = IDXGIFactory1_EnumAdapters1(dxgi->factory, i, &adapter);
        found = adapter;
    }
    if (FAILED(result)) return false;
    result = IDXGIAdapter1_GetDesc1((IDXGIAdapter1 *)found, out);
    IDXGIAdapter1_Release((IDXGIAdapter1 *)found);
    return SUCCEEDED(result);
}

void dxgi_close(struct dxgi *dxgi)
{
    if (dxgi->factory) IDXGIFactory1_Release(dxgi->factory);
    system_library_done(dxgi->library);
    *dxgi = (struct dxgi){0};
}
