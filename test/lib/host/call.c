/* call.c: any command with up to twelve integer or pointer arguments, and raw memory to point them at. */
#include "host.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the structure that a command has filled, in its layout with 64-bit pointers. */
static void told(unsigned char *out, size_t size, const struct structure *structure)
{
    if (!out || !structure) return;
    unsigned char *wide = malloc(size);
    if (!wide) abort();
    widened(structure, out, wide, size);
    memcpy(out, wide, size);
    free(wide);
}

/* The structure of a memory object that a place is in, and where the first of its kind begins; NULL: it is in none. */
static const struct structure *part_at(const struct object *object, size_t place, size_t *from)
{
    for (int i = 0; i < object->parts; i++) {
        *from = object->part[i].at;
        if (place >= *from && (place - *from) / structure_size(object->part[i].is) < object->part[i].count)
            return object->part[i].is;
    }
    *from = place;
    return NULL;
}

static void part_add(struct object *object, size_t at, const struct structure *is, size_t count)
{
    int i = 0;
    for (; i < object->parts && object->part[i].at != at; i++) {
        if (object->part[i].is != is || at != object->part[i].at + object->part[i].count * structure_size(is)) continue;
        object->part[i].count++; /* the next of an array */
        return;
    }
    if (i == PARTS) abort();
    object->part[i].at = at;
    object->part[i].is = is;
    object->part[i].count = count;
    if (i == object->parts) object->parts++;
}

#define FIRST_STRUCTURE_TYPE 900000 /* smaller numbers may be anything; so large ones begin a structure */

/* arg= words: a reference (see resolve), "out" (eight bytes of zeros, told afterwards), "out:N" (N bytes),
 * "text:..." (a string). times=N repeats the call. */
COMMAND(call)
{
    uint64_t instance = arg_ref(line, "instance", 0), device = arg_ref(line, "device", 0), a[ARGUMENTS] = {0};
    const struct signature *signature = signature_of(arg_or(line, "name", ""));
    unsigned char *outs[12] = {0};
    size_t sizes[12] = {0};
    int n = arg_count(line, "arg"), times = (int)arg_int(line, "times", 1);
    PFN_vkVoidFunction found = arg(line, "pointer") ? (PFN_vkVoidFunction)(uintptr_t)arg_ref(line, "pointer", 0)
                                                    : command(line, arg_or(line, "name", ""), instance, device);
    for (int i = 0; i < n && i < 12; i++) {
        const char *value = arg_nth(line, "arg", i);
        if (!strncmp(value, "out", 3) && (value[3] == 0 || value[3] == ':')) {
            sizes[i] = value[3] ? (size_t)number(value + 4) : 8;
            outs[i] = calloc(1, sizes[i] + BEHIND);
            if (!outs[i]) abort();
            behind_set(outs[i], sizes[i]);
            a[i] = (uint64_t)(uintptr_t)outs[i];
        } else if (!strncmp(value, "text:", 5)) {
            a[i] = (uint64_t)(uintptr_t)(value + 5);
        } else {
            a[i] = resolve(value);
        }
    }
    if (!now->failed && arg(line, "floats")) { /* a function with 1.5f, 2.25, -4.125 after the twelve words */
        float sum = ((float (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                uint64_t, uint64_t, uint64_t, uint64_t, float, double, double))(uintptr_t)found)(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], 1.5f, 2.25, -4.125);
        char text[32];
        snprintf(text, sizeof text, "%g", (double)sum);
        put_text("value", text);
    } else if (!now->failed) {
        uint64_t value = 0;
        for (int i = 0; i < times; i++) value = call_by(signature, found, a);
        put_int("result", (int32_t)value);
        char text[32];
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
        put_text("value", text);
        for (int i = 0; i < n && i < 12; i++)
            if (outs[i]) behind_check("out", outs[i], sizes[i]);
        behind_check_memory();
        for (int i = 0; i < n && i < 12; i++) told(outs[i], sizes[i], structure_of_argument(signature, i));
        put_open("outs", '[');
        for (int i = 0; i < n && i < 12; i++)
            if (outs[i]) put_hex(NULL, outs[i], sizes[i]);
        put_close(']');
        put_open("words", '[');
        for (int i = 0; i < n && i < 12; i++) {
            uint64_t word = 0;
            size_t size = sizes[i] < 8 ? sizes[i] : 8;
            if (outs[i]) memcpy(low_bytes(&word, size), outs[i], size);
            if (outs[i]) put_number((int64_t)word);
        }
        put_close(']');
        if (arg(line, "as")) { /* the first out word becomes an object; new: its number as a pointer */
            for (int i = 0; i < n && i < 12; i++) {
                if (!outs[i] || sizes[i] < 8) continue;
                uint64_t word;
                memcpy(&word, outs[i], 8);
                object_add(arg(line, "as"), ANY, word, 0, NULL, 0);
                put_pointer("ptr", (const void *)(uintptr_t)word);
                break;
            }
        }
    }
    for (int i = 0; i < 12; i++) free(outs[i]);
}

/* memory as=NAME size=N type@OFFSET=VkX[:N] u32@OFFSET=V u64@OFFSET=V text@OFFSET=... ptr@OFFSET=REFERENCE; known names
 * are changed. Offsets are those of 64-bit machines. A u32 that can be nothing but an sType says what structure begins;
 * type: an array of them does, or N. */
COMMAND(memory)
{
    const char *name = arg_or(line, "as", "mem");
    struct object *object = object_find(name);
    if (!object) {
        size_t size = (size_t)arg_int(line, "size", 64);
        unsigned char *bytes = calloc(1, size + BEHIND);
        if (!bytes) abort();
        behind_set(bytes, size);
        object = object_add(name, MEMORY, (uint64_t)(uintptr_t)bytes, 0, bytes, size);
    }
    unsigned char *bytes = object->extra;
    for (int i = 0; i < line->count; i++) {
        const char *key = line->key[i], *at = strchr(key, '@'), *value = line->value[i];
        if (!at) continue;
        size_t offset = (size_t)number(at + 1), from;
        if (!strncmp(key, "type", 4)) {
            char kind[96];
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(value, ":"), value);
            if (!structure_named(kind)) return fail("no structure %s", value);
            part_add(object, offset, structure_named(kind),
                     strchr(value, ':') ? number(strchr(value, ':') + 1) : object->size);
            continue;
        }
        bool is_text = !strncmp(key, "text", 4);
        uint64_t word = is_text ? 0 : *key == 'p' ? resolve(value) : number(value);
        size_t size = !strncmp(key, "u32", 3) ? 4 : is_text ? strlen(value) + 1 : 8;
        const struct structure *is = part_at(object, offset, &from);
        if (size == 4 && word >= FIRST_STRUCTURE_TYPE && word < INT32_MAX) {
            if (!is || from == offset) part_add(object, offset, structure_of_type(word), 1);
        }
        is = part_at(object, offset, &from);
        size_t place = is ? from + place_here(is, offset - from, &size) : offset;
        if (!is && *key == 'p') { /* an array of pointers */
            place = offset / 8 * sizeof(void *);
            size = sizeof(void *);
        }
        if (place + size > object->size) return fail("%s is past the end", key);
        memcpy(bytes + place, is_text ? (const void *)value : low_bytes(&word, size), size);
    }
}

/* Reads bytes of memory; returns false if a part is not mapped, which write() reports instead of crashing. Less than a
 * pipe holds. */
static bool look(uint64_t at, void *bytes, size_t size)
{
    int ends[2];
    if (pipe(ends)) abort();
    bool all = write(ends[1], (const void *)(uintptr_t)at, size) == (ssize_t)size;
    all = all && read(ends[0], bytes, size) == (ssize_t)size;
    close(ends[0]);
    close(ends[1]);
    return all;
}

COMMAND(peek)
{
    char name[96];
    snprintf(name, sizeof name, "%s", arg_or(line, "ref", ""));
    char *plus = strchr(name, '+');
    if (plus) *plus = 0;
    const struct object *object = object_find(name);
    size_t offset = (size_t)(arg_int(line, "offset", 0) + (plus ? number(plus + 1) : 0));
    size_t size = (size_t)arg_int(line, "size", 8);
    unsigned char here[8192], wide[8192];
    if (offset + size > sizeof here) return fail("too much to look at");
    bool parts = object && object->kind == MEMORY && object->parts;
    size_t first = parts ? 0 : offset,
           all = parts && object->size > offset + size ? object->size : offset + size - first;
    if (all > sizeof here) return fail("too much to look at");
    if (!look(resolve(name) + first, here, all)) return fail("cannot read: %s", strerror(errno));
    memcpy(wide, here, all);
    for (int i = 0; parts && i < object->parts; i++) {
        size_t at = object->part[i].at, span = object->part[i].count * structure_size(object->part[i].is);
        if (span > all - at) span = all - at;
        widened(object->part[i].is, here + at, wide + at, span);
    }
    uint64_t word = 0;
    size_t part = size < sizeof(void *) ? size : sizeof(void *);
    memcpy(low_bytes(&word, part), wide + offset - first, part);
    put_hex("bytes", wide + offset - first, size);
    put_pointer("ptr", (const void *)(uintptr_t)word);
}
