/* value.c: converts registry values to the bytes of the wire. */
#include <stdlib.h>
#include <string.h>

#include "core/windows/elsewhere.h"

/* Returns a list of texts as UTF-8, without those that are not valid UTF-16 (WIN-023). */
static char *list_data(const WCHAR *list, size_t count, uint32_t *length)
{
    WCHAR *kept = room_of((count ? count : 1) * sizeof *kept);
    char *data = NULL;
    size_t size = 0;
    for (size_t at = 0; kept && at < count;) {
        size_t end = at;
        while (end < count && list[end]) end++;
        end += end < count; /* with the NUL */
        data = utf8_with_length(list + at, end - at, length);
        if (data) {
            memcpy(kept + size, list + at, (end - at) * sizeof *kept);
            size += end - at;
        }
        free(data);
        at = end;
    }
    data = kept ? utf8_with_length(kept, size, length) : NULL;
    free(kept);
    return data;
}

char *value_data(DWORD type, const BYTE *data, DWORD size, uint32_t *length)
{
    const WCHAR *text = (const WCHAR *)(const void *)data;
    if (type == REG_MULTI_SZ) return list_data(text, size / sizeof *text, length);
    if (type == REG_SZ || type == REG_EXPAND_SZ) return utf8_with_length(text, size / sizeof *text, length);
    char *copy = room_of(size ? size : 1);
    if (copy) memcpy(copy, data, size);
    *length = size;
    return copy;
}
