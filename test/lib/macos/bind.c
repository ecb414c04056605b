/* bind.c: relocates a mapped image by the opcodes of LC_DYLD_INFO or the chains of LC_DYLD_CHAINED_FIXUPS. It writes
 * only within segments. */
#include "macho.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct relocation {
    struct image *image;
    char *error;
    size_t size;
    bool bad;
};

static void fail(struct relocation *r, const char *what, const char *name)
{
    if (!r->bad) snprintf(r->error, r->size, "%s%s%s", what, name ? " " : "", name ? name : "");
    r->bad = true;
}

static uint64_t *place(struct relocation *r, uint64_t address)
{
    for (unsigned k = 0; k < r->image->segments; k++) {
        const struct segment *s = &r->image->segment[k];
        if (address >= s->address && address - s->address + 8 <= s->size && s->protection)
            return (uint64_t *)(r->image->base + address);
    }
    fail(r, "a relocation lies outside of all segments", NULL);
    return NULL;
}

static uint64_t uleb(const unsigned char **p, const unsigned char *end)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        v |= (uint64_t)(**p & 127) << shift;
        if (!(*(*p)++ & 128)) break;
    }
    return v;
}

static int64_t sleb(const unsigned char **p, const unsigned char *end)
{
    uint64_t v = 0;
    unsigned shift = 0;
    unsigned char b = 0;
    while (*p < end && shift < 64) {
        b = *(*p)++;
        v |= (uint64_t)(b & 127) << shift;
        shift += 7;
        if (!(b & 128)) break;
    }
    if (b & 64 && shift < 64) v |= ~0ull << shift;
    return (int64_t)v;
}

/* Ordinals of special libraries. */
enum { SELF = 0, MAIN = -1, FLAT = -2, WEAK = -3 };

/* Ends the process. It stands for a function of the flat namespace that no library has. */
static void never(void)
{
    fputs("dyld: missing symbol called\n", stderr);
    abort();
}

/* Finds a symbol in its library (two-level namespace). A weak import that no library has is NULL. */
static uint64_t symbol(struct relocation *r, int ordinal, const char *name, bool weak, bool lazy)
{
    void *found = NULL;
    if (ordinal == SELF) {
        found = format_export(r->image, name);
    } else if (ordinal < 0) {
        for (struct image *i = images; i && !found; i = i->next)
            if (ordinal != MAIN || i->main) found = format_export(i, name);
        if (!found) found = format_export(r->image, name);
        if (!found && ordinal != MAIN) found = system_symbol(name);
    } else if ((unsigned)ordinal <= r->image->libraries) {
        struct image *provider = r->image->provider[ordinal - 1];
        found = provider ? format_export(provider, name) : system_symbol(name);
    }
    if (!found && lazy && ordinal == FLAT) found = (void *)never; /* dyld would look it up at the first call */
    if (!found && !weak) fail(r, "nothing stands for the function", name);
    return (uint64_t)found;
}

/* ---- LC_DYLD_INFO -------------------------------------------------------------------------------------------------
 */

static void slide(struct relocation *r, uint64_t *address, uint64_t then)
{
    uint64_t *p = place(r, *address);
    if (p) *p += r->image->base;
    *address += 8 + then;
}

static void rebase(struct relocation *r)
{
    const unsigned char *p = r->image->file + r->image->rebase.offset, *end = p + r->image->rebase.size;
    uint64_t at = 0, count, skip;
    while (p < end && !r->bad) {
        unsigned op = *p & 0xf0u, value = *p & 15u;
        p++;
        switch (op) {
        case 0x00: return;
        case 0x10: break; /* the type; x86-64 has only pointers */
        case 0x20:
            if (value >= r->image->segments) return fail(r, "a rebase names an unknown segment", NULL);
            at = r->image->segment[value].address + uleb(&p, end);
            break;
        case 0x30: at += uleb(&p, end); break;
        case 0x40: at += value * 8; break;
        case 0x50:
            for (count = value; count && !r->bad; count--) slide(r, &at, 0);
            break;
        case 0x60:
            for (count = uleb(&p, end); count && !r->bad; count--) slide(r, &at, 0);
            break;
        case 0x70: slide(r, &at, uleb(&p, end)); break;
        case 0x80:
            count = uleb(&p, end);
            skip = uleb(&p, end);
            for (; count && !r->bad; count--) slide(r, &at, skip);
            break;
        default: return fail(r, "unknown opcode of a rebase", NULL);
        }
    }
}

static void bind(struct relocation *r, struct part part, bool lazy, bool coalesced)
{
    const unsigned char *p = r->image->file + part.offset, *end = p + part.size;
    uint64_t at = 0, count, skip;
    int ordinal = coalesced ? FLAT : SELF;
    int64_t addend = 0;
    const char *name = "";
    bool weak = false;
#define BIND(then)                                                                                                     \
    do {                                                                                                               \
        uint64_t *to = place(r, at), is = symbol(r, ordinal, name, weak, lazy);                                        \
        if (to && (!coalesced || is)) *to = is + (is ? (uint64_t)addend : 0);                                          \
        at += 8 + (then);                                                                                              \
    } while (0)
    while (p < end && !r->bad) {
        unsigned op = *p & 0xf0u, value = *p & 15u;
        p++;
        switch (op) {
        case 0x00:
            if (!lazy) return;
            break;
        case 0x10: ordinal = (int)value; break;
        case 0x20: ordinal = (int)uleb(&p, end); break;
        case 0x30: ordinal = value ? (int)value - 16 : SELF; break;
        case 0x40:
            name = (const char *)p;
            weak = value & 1;
            p += strnlen(name, (size_t)(end - p)) + 1;
            if (p > end) return fail(r, "a name of a bind is cut off", NULL);
            break;
        case 0x50: break; /* the type */
        case 0x60: addend = sleb(&p, end); break;
        case 0x70:
            if (value >= r->image->segments) return fail(r, "a bind names an unknown segment", NULL);
            at = r->image->segment[value].address + uleb(&p, end);
            break;
        case 0x80: at += uleb(&p, end); break;
        case 0x90: BIND(0); break;
        case 0xa0: BIND(uleb(&p, end)); break;
        case 0xb0: BIND(value * 8); break;
        case 0xc0:
            count = uleb(&p, end);
            skip = uleb(&p, end);
            for (; count && !r->bad; count--) BIND(skip);
            break;
        default: return fail(r, "unknown opcode of a bind", NULL);
        }
    }
}

/* ---- LC_DYLD_CHAINED_FIXUPS ---------------------------------------------------------------------------------------
 */

struct imports {
    const unsigned char *list, *strings, *end;
    uint32_t count, format;
};

static uint32_t u32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t u64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t imported(struct relocation *r, const struct imports *in, uint32_t n)
{
    static const unsigned sizes[] = {0, 4, 8, 16};
    const unsigned char *e = in->list + (size_t)n * sizes[in->format];
    if (n >= in->count || e + sizes[in->format] > in->end) return fail(r, "a chain names an unknown import", NULL), 0;
    uint32_t at;
    int ordinal;
    bool weak;
    int64_t addend = 0;
    if (in->format == 3) {
        uint64_t w = u64(e);
        ordinal = (int16_t)(w & 0xffff), weak = w >> 16 & 1, at = (uint32_t)(w >> 32);
        addend = (int64_t)u64(e + 8);
    } else {
        uint32_t w = u32(e);
        ordinal = (int8_t)(w & 0xff), weak = w >> 8 & 1, at = w >> 9;
        if (in->format == 2) addend = (int32_t)u32(e + 4);
    }
    const char *name = (const char *)in->strings + at;
    if (in->strings + at >= in->end || !memchr(name, 0, (size_t)(in->end - in->strings - at)))
        return fail(r, "a name of an import is cut off", NULL), 0;
    uint64_t is = symbol(r, ordinal, name, weak, false);
    return is ? is + (uint64_t)addend : 0;
}

#define PTR_64 2
#define PTR_64_OFFSET 6

static void chain(struct relocation *r, const struct imports *in, uint64_t at, unsigned format)
{
    for (bool more = true; more && !r->bad;) {
        uint64_t *p = place(r, at);
        if (!p) return;
        uint64_t w = *p, next = (w >> 51 & 0xfff) * 4;
        if (w >> 63) {
            uint64_t is = imported(r, in, (uint32_t)(w & 0xffffff));
            *p = is ? is + (w >> 24 & 0xff) : 0;
        } else {
            *p = (format == PTR_64 ? r->image->base : r->image->header) + (w & 0xfffffffffull) +
                 ((w >> 36 & 0xff) << 56);
        }
        more = next != 0;
        at += next;
    }
}

static void chains(struct relocation *r)
{
    const unsigned char *c = r->image->file + r->image->chains.offset, *end = c + r->image->chains.size;
    if (r->image->chains.size < 28 || u32(c)) return fail(r, "chained fixups of an unknown version", NULL);
    uint32_t starts = u32(c + 4);
    struct imports in = {c + u32(c + 8), c + u32(c + 12), end, u32(c + 16), u32(c + 20)};
    if (in.list > end || in.strings > end || in.format < 1 || in.format > 3 || u32(c + 24) ||
        starts > r->image->chains.size - 4)
        return fail(r, "chained fixups of an unknown form", NULL);
    const unsigned char *s = c + starts;
    uint32_t count = u32(s);
    uint64_t text = r->image->header - r->image->base;
    for (uint32_t k = 0; k < count && !r->bad; k++) {
        if (s + 8 + 4 * (size_t)k > end) return fail(r, "chained fixups are cut off", NULL);
        uint32_t at = u32(s + 4 + 4 * (size_t)k);
        if (!at) continue;
        const unsigned char *e = s + at;
        if (e + 22 > end) return fail(r, "chained fixups are cut off", NULL);
        uint16_t page_size, format, pages, start;
        memcpy(&page_size, e + 4, 2), memcpy(&format, e + 6, 2), memcpy(&pages, e + 20, 2);
        uint64_t segment = u64(e + 8);
        if (format != PTR_64 && format != PTR_64_OFFSET)
            return fail(r, "chained fixups of an unknown pointer format", NULL);
        for (unsigned page = 0; page < pages && !r->bad; page++) {
            if (e + 24 + 2 * (size_t)page > end) return fail(r, "chained fixups are cut off", NULL);
            memcpy(&start, e + 22 + 2 * (size_t)page, 2);
            if (start != 0xffff) chain(r, &in, text + segment + (uint64_t)page * page_size + start, format);
        }
    }
}

bool bind_all(struct image *i, char *error, size_t size)
{
    struct relocation r = {i, error, size, false};
    if (i->chains.size) {
        chains(&r);
    } else {
        rebase(&r);
        bind(&r, i->bind, false, false);
        bind(&r, i->weak_bind, false, true);
        bind(&r, i->lazy_bind, true, false);
    }
    return !r.bad;
}
