/* image.c: questions to the dynamic linker about images of the process, inside the fork gate. It reads no file. */
#include <dlfcn.h>
#include <mach-o/loader.h>
#include <string.h>

#include "process/process.h"

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the loader's name if the last component of the image's install name (LC_ID_DYLIB) is one, or NULL. */
const char *loader_named_at(const void *function)
{
    Dl_info info = {0};
    const char *name = NULL;
    uint64_t me = gate_enter();
    const struct mach_header_64 *header = dladdr(function, &info) ? info.dli_fbase : NULL;
    if (header && header->magic == MH_MAGIC_64) {
        const char *at = (const char *)(header + 1), *end = at + header->sizeofcmds;
        for (uint32_t i = 0; i < header->ncmds && at < end; i++, at += ((const struct load_command *)at)->cmdsize) {
            const struct dylib_command *c = (const void *)at;
            if (c->cmd == LC_ID_DYLIB) name = loader_name(last_of(at + c->dylib.name.offset));
        }
    }
    gate_leave(me);
    return name;
}

bool gate_same_object(const void *const *functions)
{
    Dl_info first = {0}, other = {0};
    uint64_t me = gate_enter();
    bool same = dladdr(*functions, &first) != 0;
    for (; same && *functions; functions++)
        same = dladdr(*functions, &other) != 0 && other.dli_fbase == first.dli_fbase;
    gate_leave(me);
    return same;
}

/* The dynamic linker has no question for the image of a handle, but each loader exports this function. */
const char *loader_named_of(void *handle)
{
    const void *const pair[] = {gate_dlsym(handle, "vkGetInstanceProcAddr"), (const void *)loader_named_of, NULL};
    return pair[0] && !gate_same_object(pair) ? loader_named_at(pair[0]) : NULL;
}
