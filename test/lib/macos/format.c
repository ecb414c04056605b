/* format.c: reads Mach-O files: universal files, load commands, the trie of exports. Every number of a file is checked
 * before it is used. */
#include "macho.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LC_SYMTAB = 0x2,
    LC_LOAD_DYLIB = 0xc,
    LC_ID_DYLIB = 0xd,
    LC_SEGMENT_64 = 0x19,
    LC_LOAD_WEAK_DYLIB = (int)0x80000018,
    LC_RPATH = (int)0x8000001c,
    LC_REEXPORT_DYLIB = (int)0x8000001f,
    LC_DYLD_INFO = 0x22,
    LC_DYLD_INFO_ONLY = (int)0x80000022,
    LC_MAIN = (int)0x80000028,
    LC_DYLD_EXPORTS_TRIE = (int)0x80000033,
    LC_DYLD_CHAINED_FIXUPS = (int)0x80000034,
};

#define MAGIC 0xfeedfacfu
#define FAT_MAGIC_SWAPPED 0xbebafecau
#define FAT_MAGIC_64_SWAPPED 0xbfbafecau
#ifdef __aarch64__
#define CPU 0x0100000cu
#define NAME "arm64"
#define OTHER_NAME "x86_64"
#else
#define CPU 0x01000007u
#define NAME "x86_64"
#define OTHER_NAME "arm64"
#endif
#define FAIL(...) return snprintf(error, size, __VA_ARGS__), false

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

/* Selects this machine's part of a universal file. */
static bool choose(struct image *i, char *error, size_t size)
{
    if (i->file_size < 32) FAIL("file too short");
    uint32_t magic = u32(i->file);
    if (magic == MAGIC) return true;
    bool wide = magic == FAT_MAGIC_64_SWAPPED;
    if (!wide && magic != FAT_MAGIC_SWAPPED) FAIL("not a mach-o file");
    uint32_t count = __builtin_bswap32(u32(i->file + 4)), each = wide ? 32 : 20;
    for (uint32_t k = 0; k < count && 8 + (uint64_t)(k + 1) * each <= i->file_size; k++) {
        const unsigned char *a = i->file + 8 + (size_t)k * each;
        if (__builtin_bswap32(u32(a)) != CPU) continue;
        uint64_t at = wide ? __builtin_bswap64(u64(a + 8)) : __builtin_bswap32(u32(a + 8));
        uint64_t length = wide ? __builtin_bswap64(u64(a + 16)) : __builtin_bswap32(u32(a + 12));
        if (at > i->file_size || length > i->file_size - at || length < 32) FAIL("fat file, but a slice is cut off");
        i->file += at;
        i->file_size = length;
        return true;
    }
    FAIL("fat file, but missing compatible architecture (have other machines, need '" NAME "')");
}

static bool part_of(const struct image *i, struct part *out, const unsigned char *c)
{
    *out = (struct part){u32(c), u32(c + 4)};
    return (uint64_t)out->offset + out->size <= i->file_size;
}

static bool read_segment(struct image *i, const unsigned char *c, uint32_t length)
{
    if (length < 72 || i->segments == SEGMENTS_MAX) return false;
    struct segment *s = &i->segment[i->segments++];
    memcpy(s->name, c + 8, 16);
    s->address = u64(c + 24), s->size = u64(c + 32), s->offset = u64(c + 40), s->file_size = u64(c + 48);
    s->protection = u32(c + 60);
    uint32_t count = u32(c + 64);
    if (s->file_size > s->size || s->offset > i->file_size || s->file_size > i->file_size - s->offset ||
        (s->protection && s->size > UINT32_MAX) || count > (length - 72) / 80)
        return false;
    i->section = realloc(i->section, (i->sections + count + 1) * sizeof *i->section);
    for (uint32_t k = 0; k < count; k++) {
        const unsigned char *x = c + 72 + 80 * (size_t)k;
        struct section *n = &i->section[i->sections++];
        memset(n, 0, sizeof *n);
        memcpy(n->name, x, 16);
        memcpy(n->segment, x + 16, 16);
        n->address = u64(x + 32), n->size = u64(x + 40), n->type = u32(x + 64) & 0xff;
    }
    return true;
}

static const char *text_at(const unsigned char *c, uint32_t length)
{
    uint32_t at = u32(c + 8);
    return at < length && memchr(c + at, 0, length - at) ? (const char *)c + at : NULL;
}

static bool read_command(struct image *i, const unsigned char *c, uint32_t length)
{
    const char *text;
    switch ((int)u32(c)) {
    case LC_SEGMENT_64: return read_segment(i, c, length);
    case LC_ID_DYLIB:
        if (!(text = text_at(c, length))) return false;
        i->name = (char *)text;
        return true;
    case LC_LOAD_DYLIB:
    case LC_LOAD_WEAK_DYLIB:
    case LC_REEXPORT_DYLIB:
        if (!(text = text_at(c, length)) || i->libraries == LIBRARIES_MAX) return false;
        i->weak[i->libraries] = (int)u32(c) == LC_LOAD_WEAK_DYLIB;
        i->library[i->libraries++] = text;
        return true;
    case LC_RPATH:
        if (!(text = text_at(c, length)) || i->rpaths == RPATHS_MAX) return false;
        i->rpath[i->rpaths++] = text;
        return true;
    case LC_DYLD_INFO:
    case LC_DYLD_INFO_ONLY:
        return length >= 48 && part_of(i, &i->rebase, c + 8) && part_of(i, &i->bind, c + 16) &&
               part_of(i, &i->weak_bind, c + 24) && part_of(i, &i->lazy_bind, c + 32) &&
               part_of(i, &i->exports, c + 40);
    case LC_DYLD_EXPORTS_TRIE: return length >= 16 && part_of(i, &i->exports, c + 8);
    case LC_DYLD_CHAINED_FIXUPS: return length >= 16 && part_of(i, &i->chains, c + 8);
    case LC_MAIN: i->entry = length >= 24 ? u64(c + 8) : 0; return length >= 24;
    default: return true;
    }
}

bool format_read(struct image *i, char *error, size_t size)
{
    if (!choose(i, error, size)) return false;
    if (u32(i->file + 4) != CPU)
        FAIL("mach-o file, but is an incompatible architecture (have '" OTHER_NAME "', need '" NAME "')");
    i->kind = u32(i->file + 12);
    uint32_t count = u32(i->file + 16), all = u32(i->file + 20), at = 32;
    if (all > i->file_size - 32) FAIL("load commands are cut off");
    for (uint32_t k = 0; k < count; k++) {
        uint32_t length = at + 8 <= 32 + all ? u32(i->file + at + 4) : 0;
        if (length < 8 || length > 32 + all - at) FAIL("load command %u does not fit", k);
        if (!read_command(i, i->file + at, length)) FAIL("load command %u (0x%x) is malformed", k, u32(i->file + at));
        at += length;
    }
    if (!i->segments) FAIL("no segments");
    return true;
}

/* ---- exports ------------------------------------------------------------------------------------------------------
 */

static bool uleb(const unsigned char **p, const unsigned char *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        *out |= (uint64_t)(**p & 127) << shift;
        if (!(*(*p)++ & 128)) return true;
    }
    return false;
}

/* Walks the trie of exports from a node, whose name so far is in `name`. It calls `each` for the terminal node named
 * `want`, or for all of them if that is NULL, and returns the offset of the wanted one, or 0. */
struct walk {
    const unsigned char *begin, *end;
    const char *want;
    void (*each)(const char *name, uint64_t offset, void *data);
    void *data;
    char name[1024];
};

static uint64_t walk_node(struct walk *w, uint64_t node, size_t length, unsigned depth)
{
    if (node >= (uint64_t)(w->end - w->begin) || depth > 200) return 0;
    const unsigned char *p = w->begin + node;
    uint64_t size, flags, offset, below;
    if (!uleb(&p, w->end, &size) || size > (uint64_t)(w->end - p)) return 0;
    const unsigned char *terminal = p;
    p += size;
    if (size && (!w->want || !w->want[length])) {
        if (!uleb(&terminal, w->end, &flags) || flags & 8 /* a re-export */ || !uleb(&terminal, w->end, &offset))
            return 0;
        w->name[length] = 0;
        if (w->want) return offset;
        w->each(w->name, offset, w->data);
    }
    if (p >= w->end) return 0;
    for (unsigned children = *p++; children && p < w->end; children--) {
        const char *edge = (const char *)p;
        size_t n = strnlen(edge, (size_t)(w->end - p));
        p += n + 1;
        if (p >= w->end || !uleb(&p, w->end, &below) || length + n >= sizeof w->name) return 0;
        if (w->want && strncmp(w->want + length, edge, n) != 0) continue;
        memcpy(w->name + length, edge, n);
        uint64_t found = walk_node(w, below, length + n, depth + 1);
        if (w->want) return found;
    }
    return 0;
}

void *format_export(const struct image *i, const char *name)
{
    struct walk w = {i->file + i->exports.offset, i->file + i->exports.offset + i->exports.size, .want = name};
    uint64_t offset = i->exports.size ? walk_node(&w, 0, 0, 0) : 0;
    return offset && offset < i->end - i->header ? (void *)(i->header + offset) : NULL;
}

struct before {
    uint64_t wanted, best;
    char name[1024];
};

static void closer(const char *name, uint64_t offset, void *data)
{
    struct before *b = data;
    if (offset > b->wanted || offset < b->best) return;
    b->best = offset;
    snprintf(b->name, sizeof b->name, "%s", name);
}

const char *format_symbol_before(const struct image *i, uintptr_t address, uintptr_t *at)
{
    static __thread struct before b;
    b = (struct before){.wanted = address - i->header};
    struct walk w = {i->file + i->exports.offset, i->file + i->exports.offset + i->exports.size, NULL, closer, &b, ""};
    if (i->exports.size) walk_node(&w, 0, 0, 0);
    *at = i->header + b.best;
    return b.best ? b.name + 1 : NULL;
}
