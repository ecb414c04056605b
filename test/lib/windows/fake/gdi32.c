/* gdi32.c: display adapters that its script names, one in each statement:
 *
 *   adapter                          its key has no value
 *   adapter NAME one|list PATH...    its key has the value NAME, a text or a list of texts. "!" is an empty value
 *   adapter NAME breaks              the key returns the length of the value NAME, and fails when it should return the
 * value enumerate fails                  the adapters cannot be listed
 *
 * It logs the queries and the closed adapters. Adapter i has the handle i + 1.
 */
#include <windows.h>

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../fake/script.h"

#define EXPORT __declspec(dllexport)
#define NOT_FOUND ((LONG)0xc0000034)
#define FAILS ((LONG)0xc0000001)
#define FAIL 2       /* status of a query in a call that succeeds: the value has another type */
#define OVERFLOWED 1 /* status of a query: the buffer is too small */

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
    UINT adapter, type;
    void *data;
    UINT size;
};

struct registry_query {
    UINT key, flags;
    WCHAR name[MAX_PATH];
    ULONG type, physical_adapter, size;
    UINT status;
    union {
        UINT64 wide; /* for the alignment */
        WCHAR text[1];
    } value;
};

EXPORT LONG WINAPI D3DKMTEnumAdapters2(struct adapters *out);
LONG WINAPI D3DKMTEnumAdapters2(struct adapters *out)
{
    ULONG count = 0;
    if (script_has("enumerate", "fails")) return FAILS;
    while (script_find("adapter", NULL, (int)count)) count++;
    for (ULONG i = 0; out->list && i < count && i < out->count; i++) out->list[i] = (struct adapter){.handle = i + 1};
    if (out->list && out->count < count) return FAILS;
    out->count = count;
    return 0;
}

/* Writes the value: each text with its terminating zero, and one more zero after a list. Returns its size in bytes. */
static ULONG value_of(const struct statement *s, bool list, WCHAR *to)
{
    static const WCHAR none[] = {0xd800, 0};
    WCHAR text[4096];
    size_t units = 0;
    for (int i = 3; i < s->count && (list || i == 3); i++) {
        if (!strcmp(s->word[i], "!"))
            wcscpy(text, none);
        else if (!MultiByteToWideChar(CP_UTF8, 0, s->word[i], -1, text, 4096))
            abort();
        size_t length = wcslen(text) + 1;
        if (to) memcpy(to + units, text, length * sizeof *to);
        units += length;
    }
    if (list && to) to[units] = 0;
    return (ULONG)((units + list) * sizeof(WCHAR));
}

static LONG answer(const struct statement *s, struct registry_query *q, size_t room)
{
    char name[MAX_PATH];
    if (!s || s->count < 3 || !WideCharToMultiByte(CP_UTF8, 0, q->name, -1, name, sizeof name, NULL, NULL) ||
        strcmp(s->word[1], name))
        return NOT_FOUND;
    bool list = !strcmp(s->word[2], "list"), breaks = !strcmp(s->word[2], "breaks");
    q->size = breaks ? 64 : value_of(s, list, NULL);
    q->status = q->size > room ? OVERFLOWED : 0;
    if (breaks) return room < q->size ? 0 : FAILS;
    if (q->type != (list ? REG_MULTI_SZ : REG_SZ)) q->status = FAIL;
    if (!q->status) value_of(s, list, q->value.text);
    return 0;
}

EXPORT LONG WINAPI D3DKMTQueryAdapterInfo(const struct query *info);
LONG WINAPI D3DKMTQueryAdapterInfo(const struct query *info)
{
    const size_t head = offsetof(struct registry_query, value);
    struct registry_query *q = info->data;
    struct record r;
    char name[MAX_PATH] = "";
    if (info->size < sizeof *q) return FAILS;
    WideCharToMultiByte(CP_UTF8, 0, q->name, -1, name, sizeof name, NULL, NULL);
    LONG status = answer(script_find("adapter", NULL, (int)info->adapter - 1), q, info->size - head);
    record_open(&r, "D3DKMTQueryAdapterInfo");
    record_int(&r, "adapter", info->adapter);
    record_int(&r, "query", info->type);
    record_int(&r, "key", q->key);
    record_int(&r, "flags", q->flags);
    record_int(&r, "type", q->type);
    record_text(&r, "name", name);
    record_close(&r);
    return status;
}

EXPORT LONG WINAPI D3DKMTCloseAdapter(const UINT *adapter);
LONG WINAPI D3DKMTCloseAdapter(const UINT *adapter)
{
    struct record r;
    record_open(&r, "D3DKMTCloseAdapter");
    record_int(&r, "adapter", *adapter);
    record_close(&r);
    return 0;
}
