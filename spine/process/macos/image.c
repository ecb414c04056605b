/* image.c: reports whether a file or a loaded library is a Vulkan loader by its install name, and questions to the
 * dynamic linker about images, inside the fork gate. It reads only load commands, each within bounds, and runs nothing
 * of a file. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mach-o/loader.h>
#include <string.h>
#include <unistd.h>

#include "process/macos/slice.h"
#include "process/posix/gate.h"
#include "process/process.h"

#define COMMANDS_MAX 512
#define NAME_MAX_BYTES 1024 /* of an install name */

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Reads the install name (LC_ID_DYLIB) of the file's part for this machine. Returns false if it has none. */
static bool install_name(int fd, char name[NAME_MAX_BYTES])
{
    uint64_t at;
    struct mach_header_64 header;
    if (slice_of(fd, &at, &header) != SLICE_OWN) return false;
    uint64_t end = at + sizeof header + header.sizeofcmds;
    at += sizeof header;
    for (uint32_t i = 0; i < header.ncmds && i < COMMANDS_MAX; i++) {
        struct dylib_command c = {0};
        if (at > INT32_MAX || at + sizeof(struct load_command) > end ||
            pread(fd, &c, sizeof c, (off_t)at) < (ssize_t)sizeof(struct load_command) ||
            c.cmdsize < sizeof(struct load_command))
            return false;
        if (c.cmd == LC_ID_DYLIB && c.cmdsize > c.dylib.name.offset) {
            size_t length = c.cmdsize - c.dylib.name.offset;
            if (length > NAME_MAX_BYTES - 1) length = NAME_MAX_BYTES - 1;
            ssize_t got = pread(fd, name, length, (off_t)(at + c.dylib.name.offset));
            name[got > 0 ? got : 0] = 0;
            return got > 0;
        }
        at += c.cmdsize;
    }
    return false;
}

const char *loader_named_by(int fd)
{
    char name[NAME_MAX_BYTES];
    return install_name(fd, name) ? loader_name(last_of(name)) : NULL;
}

const char *loader_named_in(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return NULL;
    const char *name = loader_named_by(fd);
    close(fd);
    return name;
}

const char *loader_named_at(const void *function)
{
    char name[64];
    gate_soname(function, name, sizeof name);
    return loader_name(name);
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

/* The last component of the image's install name. */
void gate_soname(const void *function, char *name, size_t size)
{
    Dl_info info = {0};
    memset(name, 0, size);
    uint64_t me = gate_enter();
    const struct mach_header_64 *header = dladdr(function, &info) ? info.dli_fbase : NULL;
    if (header && header->magic == MH_MAGIC_64) {
        const char *at = (const char *)(header + 1), *end = at + header->sizeofcmds;
        for (uint32_t i = 0; i < header->ncmds && at < end; i++, at += ((const struct load_command *)at)->cmdsize) {
            const struct dylib_command *c = (const void *)at;
            if (c->cmd == LC_ID_DYLIB) strncpy(name, last_of(at + c->dylib.name.offset), size - 1);
        }
    }
    gate_leave(me);
}
