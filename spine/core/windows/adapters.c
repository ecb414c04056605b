/* adapters.c: the registry values of display adapters, read through the kernel's interface in gdi32 (WIN-018 to
 * WIN-027), and the adapters of DXGI (WIN-039, WIN-060). Few compilers have a header for the former; the types used are
 * here. */
#include "core/windows/elsewhere.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/windows/dxgi.h"
#include "process/process.h"

/* ---- the kernel's interface ------------------------------------------------------------------------------------- */

typedef LONG status; /* NTSTATUS; negative: failure */

struct adapter {
    UINT handle;
    LUID luid;
    ULONG sources;
    BOOL present_move_regions;
};

struct adapters {
    ULONG count;
    struct adapter *list;
};

struct query {
    UINT adapter;
    UINT type;
    void *data;
    UINT size;
};

struct close {
    UINT adapter;
};

#define QUERY_REGISTRY 48
#define ADAPTER_KEY 1
#define TRANSLATE_PATH 1
#define COPIED 0     /* the status of a value that fits */
#define OVERFLOWED 1 /* the value is longer than the buffer */

struct registry_query {
    UINT key;
    UINT flags;
    WCHAR name[MAX_PATH];
    ULONG type;
    ULONG physical_adapter;
    ULONG size; /* bytes of the value */
    UINT status;
    union {
        DWORD number;
        UINT64 wide;
        WCHAR text[1];
    } value;
};

struct kernel {
    HMODULE gdi;
    status(WINAPI *enumerate)(struct adapters *);
    status(WINAPI *query)(const struct query *);
    status(WINAPI *close)(const struct close *);
};

static bool kernel_open(struct kernel *k)
{
    k->gdi = system_library(L"gdi32.dll");
    if (!k->gdi) return false;
    k->enumerate = (status(WINAPI *)(struct adapters *))(void *)GetProcAddress(k->gdi, "D3DKMTEnumAdapters2");
    k->query = (status(WINAPI *)(const struct query *))(void *)GetProcAddress(k->gdi, "D3DKMTQueryAdapterInfo");
    k->close = (status(WINAPI *)(const struct close *))(void *)GetProcAddress(k->gdi, "D3DKMTCloseAdapter");
    return k->enumerate && k->query;
}

/* ---- one value -------------------------------------------------------------------------------------------------- */

/* Queries a value as one type. Returns a block for free(), or NULL without memory. *state says whether it has the
 * value. */
static struct registry_query *ask(const struct kernel *k, UINT adapter, const WCHAR *name, ULONG type, unsigned *state)
{
    size_t size = sizeof(struct registry_query);
    struct registry_query *q = calloc(1, size);
    if (!q) return NULL;
    q->key = ADAPTER_KEY;
    q->flags = TRANSLATE_PATH;
    q->type = type;
    wcsncpy(q->name, name, MAX_PATH - 1);
    struct query info = {adapter, QUERY_REGISTRY, q, (UINT)size};
    *state = WIRE_ADAPTER_NO_VALUE;
    if (k->query(&info) < 0) return q;
    if (q->status == OVERFLOWED) {
        struct registry_query *longer = NULL;
        if (size_of_array(size, q->size, 1, &size)) longer = realloc(q, size);
        if (!longer) {
            free(q);
            return NULL;
        }
        q = longer;
        info.data = q;
        info.size = (UINT)size;
        *state = WIRE_ADAPTER_BROKEN; /* WIN-027: if only the second query fails */
        if (k->query(&info) < 0) return q;
    }
    if (q->status == COPIED) *state = WIRE_ADAPTER_HAS_VALUE;
    return q;
}

/* Appends an adapter's value. Returns false if no further adapter may be queried (WIN-027). */
static bool put_value(struct wire_writer *w, const struct kernel *k, UINT adapter, const WCHAR *name)
{
    unsigned state = WIRE_ADAPTER_NO_VALUE;
    ULONG type = REG_MULTI_SZ;
    /* WIN-020: REG_MULTI_SZ is tried first, then REG_SZ */
    struct registry_query *q = ask(k, adapter, name, type, &state);
    if (q && state == WIRE_ADAPTER_NO_VALUE) {
        free(q);
        type = REG_SZ;
        q = ask(k, adapter, name, type, &state);
    }
    uint32_t length = 0;
    char *data =
        q && state == WIRE_ADAPTER_HAS_VALUE ? value_data(type, (const BYTE *)q->value.text, q->size, &length) : NULL;
    if (!q) w->failed = true;
    struct wire_adapter_value v = {.status = state == WIRE_ADAPTER_HAS_VALUE && !data ? WIRE_ADAPTER_NO_VALUE : state,
                                   .type = type,
                                   .data = data,
                                   .data_len = length};
    wire_put_adapter_value(w, &v);
    free(data);
    free(q);
    return state != WIRE_ADAPTER_BROKEN;
}

/* ---- all adapters ----------------------------------------------------------------------------------------------- */

static void put_values(struct wire_writer *w, const struct kernel *k, const struct adapters *all, const char *name)
{
    WCHAR *wide = wide_of(name);
    bool more = wide != NULL;
    if (!wide) w->failed = true;
    for (ULONG i = 0; i < all->count; i++) {
        more = more && put_value(w, k, all->list[i].handle, wide);
        if (k->close) k->close(&(struct close){all->list[i].handle});
    }
    free(wide);
}

void read_adapters(struct wire_writer *w, const char *name)
{
    struct kernel k = {0};
    struct adapters all = {0};
    struct wire_adapters r = {WIRE_STR(name, name), .status = WIRE_ADAPTERS_UNKNOWN};
    if (kernel_open(&k)) {
        r.status = WIRE_ADAPTERS_FAILED;
        if (k.enumerate(&all) >= 0) {
            all.list = calloc(all.count ? all.count : 1, sizeof *all.list);
            if (!all.list)
                w->failed = true;
            else if (k.enumerate(&all) >= 0)
                r.status = WIRE_ADAPTERS_ENUMERATED;
        }
    }
    wire_put_adapters(w, &r);
    if (r.status == WIRE_ADAPTERS_ENUMERATED) put_values(w, &k, &all, name);
    free(all.list);
    system_library_done(k.gdi);
}

/* ---- DXGI ------------------------------------------------------------------------------------------------------- */

void read_dxgi(struct wire_writer *w)
{
    struct dxgi dxgi;
    DXGI_ADAPTER_DESC1 d;
    bool made = dxgi_open(&dxgi);
    struct wire_dxgi r = {.status = made ? WIRE_DXGI_LISTED : WIRE_DXGI_NONE, .ordered = made && dxgi.ordered};
    wire_put_dxgi(w, &r);
    for (UINT i = 0; made && dxgi_adapter(&dxgi, i, &d); i++) {
        char *text = utf8_of(d.Description);
        struct wire_dxgi_adapter a = {WIRE_STR(description, text), .vendor = d.VendorId, .device = d.DeviceId,
                                      .luid_low = d.AdapterLuid.LowPart, .luid_high = d.AdapterLuid.HighPart};
        wire_put_dxgi_adapter(w, &a);
        free(text);
    }
    dxgi_close(&dxgi);
}
