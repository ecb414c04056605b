/* call.c: any command with up to twelve integer or pointer arguments, and raw memory to point them at. */
#include "host.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a command has filled, as it is where pointers have 64 bits. */
static void told(unsigned char *out, size_t size, const struct structure *structure)
{
    if (!out || !structure) return;
    unsigned char *wide = malloc(size);
    if (!wide) abort();
    widened(structure, out, wide, size);
    memcpy(out, wide, size);
    free(wide);
}

/* The structure of a memory object that a place is in, and where that begins. */
static const struct structure *part_at(const struct object *object, size_t place, size_t *from)
{
    const struct structure *found = NULL;
    *from = 0;
    for (int i = 0; i < object->parts; i++) {
        if (object->part[i].at > place || (found && object->part[i].at < *from)) continue;
        found = object->part[i].is;
        *from = object->part[i].at;
    }
    return found;
}

static void part_add(struct object *object, size_t at, const struct structure *is)
{
    int i = 0;
    while (i < object->parts && object->part[i].at != at) i++;
    if (i == PARTS) abort();
    object->part[i].at = at;
    object->part[i].is = is;
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
            if (outs[i]) memcpy(&word, outs[i], sizes[i] < 8 ? sizes[i] : 8);
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

/* memory as=NAME size=N type@OFFSET=VkX u32@OFFSET=V u64@OFFSET=V text@OFFSET=... ptr@OFFSET=REFERENCE; known names are
 * changed. Offsets are those of 64-bit machines. A u32 that can be nothing but an sType says what structure begins. */
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
            if (!structure_named(value)) return fail("no structure %s", value);
            part_add(object, offset, structure_named(value));
            continue;
        }
        bool is_text = !strncmp(key, "text", 4);
        uint64_t word = is_text ? 0 : *key == 'p' ? resolve(value) : number(value);
        size_t size = !strncmp(key, "u32", 3) ? 4 : is_text ? strlen(value) + 1 : 8;
        const struct structure *is = part_at(object, offset, &from);
        if (size == 4 && word >= FIRST_STRUCTURE_TYPE && word < INT32_MAX) {
            const struct structure *begins = structure_of_type(word);
            size_t inside = is ? (offset - from) % structure_size(is) : 0;
            bool past = is && offset - from >= structure_size(is);
            if (!is || (past && (is != begins || inside)) || (!past && !inside)) part_add(object, offset, begins);
        }
        is = part_at(object, offset, &from);
        size_t place = is ? from + place_here(is, offset - from, &size) : offset;
        if (!is && *key == 'p') { /* an array of pointers */
            place = offset / 8 * sizeof(void *);
            size = sizeof(void *);
        }
        if (place + size > object->size) return fail("%s is past the end", key);
        memcpy(bytes + place, is_text ? (const void *)value : (const void *)&word, size);
    }
}

COMMAND(peek)
{
    const char *name = arg_or(line, "ref", "");
    const struct object *object = object_find(name);
    const struct structure *is = arg(line, "type") ? structure_named(arg(line, "type")) : NULL;
    size_t offset = (size_t)arg_int(line, "offset", 0), size = (size_t)arg_int(line, "size", 8), from = 0;
    unsigned char bytes[4096], wide[4096];
    if (!is && object) is = part_at(object, offset, &from);
    if (size + offset - from > sizeof bytes) return fail("too much to look at");
    size_t first = is ? from : offset, all = offset - first + size;
    struct iovec to = {bytes, all}, at = {(void *)(uintptr_t)(arg_ref(line, "ref", 0) + first), all};
    if (process_vm_readv(getpid(), &to, 1, &at, 1, 0) != (ssize_t)all) return fail("cannot read: %s", strerror(errno));
    widened(is, bytes, wide, all);
    uintptr_t word = 0;
    memcpy(&word, wide + offset - first, size < sizeof word ? size : sizeof word);
    put_hex("bytes", wide + offset - first, size);
    put_pointer("ptr", (const void *)word);
}
