/* call.c: any command with up to twelve integer or pointer arguments, and raw memory to point them at. */
#include "host.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* arg= words: a reference (see resolve), "out" (eight bytes of zeros, told afterwards), "out:N" (N bytes),
 * "text:..." (a string). times=N repeats the call. */
COMMAND(call)
{
    typedef uint64_t (*any)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t);
    uint64_t instance = arg_ref(line, "instance", 0), device = arg_ref(line, "device", 0), a[12] = {0};
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
        for (int i = 0; i < times; i++)
            value = ((any)(uintptr_t)found)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
        put_int("result", (int32_t)value);
        char text[32];
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
        put_text("value", text);
        for (int i = 0; i < n && i < 12; i++)
            if (outs[i]) behind_check("out", outs[i], sizes[i]);
        behind_check_memory();
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

/* memory as=NAME size=N u32@OFFSET=V u64@OFFSET=V text@OFFSET=... ptr@OFFSET=REFERENCE; known names are changed. */
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
        const char *at = strchr(line->key[i], '@');
        if (!at) continue;
        size_t offset = (size_t)number(at + 1);
        const char *value = line->value[i];
        uint64_t word = *line->key[i] == 't' ? 0 : *line->key[i] == 'p' ? resolve(value) : number(value);
        size_t size = !strncmp(line->key[i], "u32", 3) ? 4 : *line->key[i] == 't' ? strlen(value) + 1 : 8;
        if (offset + size > object->size) return fail("%s is past the end", line->key[i]);
        memcpy(bytes + offset, *line->key[i] == 't' ? (const void *)value : (const void *)&word, size);
    }
}

COMMAND(peek)
{
    uint64_t at = arg_ref(line, "ref", 0) + arg_int(line, "offset", 0);
    size_t size = (size_t)arg_int(line, "size", 8);
    unsigned char bytes[4096];
    if (size > sizeof bytes) size = sizeof bytes;
    struct iovec to = {bytes, size}, from = {(void *)(uintptr_t)at, size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)size)
        return fail("cannot read: %s", strerror(errno));
    uint64_t word = 0;
    memcpy(&word, bytes, size < 8 ? size : 8);
    put_hex("bytes", bytes, size);
    put_pointer("ptr", (const void *)(uintptr_t)word);
}
