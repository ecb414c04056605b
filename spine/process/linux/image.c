/* image.c: reports whether a file is a Vulkan loader by its own name, and the path by which the linker has found a
 * library. It reads only the headers of a file, its dynamic section and one name, each within bounds, and runs nothing
 * of it: a file that the dynamic linker refuses is left to it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"

#define HEADERS_MAX 64   /* program headers that are looked at */
#define ENTRIES_MAX 1024 /* of the dynamic section */
#define ENTRIES 32       /* read at once */
#define BEGIN 1024       /* of a file, read at once: its headers are nearly always there */

/* A file and the beginning of its content. */
struct image {
    int fd;
    size_t length;
    _Alignas(ElfW(Ehdr)) unsigned char begin[BEGIN];
};

static bool read_at(const struct image *image, uint64_t at, void *to, size_t size)
{
    if (at > INT32_MAX) return false;
    if (at + size > image->length) return pread(image->fd, to, size, (off_t)at) == (ssize_t)size;
    memcpy(to, image->begin + at, size);
    return true;
}

/* Where an address of the loaded file lies in it. */
static bool offset_in_file(const struct image *image, const ElfW(Ehdr) * file, ElfW(Addr) address, uint64_t *place)
{
    ElfW(Phdr) part;
    for (unsigned i = 0; i < file->e_phnum && i < HEADERS_MAX; i++) {
        if (!read_at(image, (uint64_t)file->e_phoff + i * sizeof part, &part, sizeof part)) return false;
        if (part.p_type != PT_LOAD || address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz) continue;
        *place = (uint64_t)part.p_offset + (address - part.p_vaddr);
        return true;
    }
    return false;
}

/* The name's place in the file; false: it has none. */
static bool soname_place(const struct image *image, const ElfW(Ehdr) * file, const ElfW(Phdr) * dynamic,
                         uint64_t *place)
{
    ElfW(Dyn) entry[ENTRIES];
    ElfW(Addr) strings = 0, name = 0;
    bool named = false, end = false;
    uint64_t count = dynamic->p_filesz / sizeof *entry;
    if (count > ENTRIES_MAX) count = ENTRIES_MAX;
    for (uint64_t i = 0; i < count && !end; i += ENTRIES) {
        uint64_t now = count - i < ENTRIES ? count - i : ENTRIES;
        if (!read_at(image, (uint64_t)dynamic->p_offset + i * sizeof *entry, entry, (size_t)now * sizeof *entry))
            return false;
        for (uint64_t k = 0; k < now && !end; k++) {
            end = entry[k].d_tag == DT_NULL;
            if (entry[k].d_tag == DT_STRTAB) strings = entry[k].d_un.d_ptr;
            if (entry[k].d_tag != DT_SONAME) continue;
            name = entry[k].d_un.d_val;
            named = true;
        }
    }
    if (!named || !offset_in_file(image, file, strings, place)) return false;
    *place += name;
    return true;
}

static bool soname_read(struct image *image, char *name, size_t size)
{
    ElfW(Ehdr) file;
    ElfW(Phdr) part;
    uint64_t place;
    ssize_t length = pread(image->fd, image->begin, sizeof image->begin, 0);
    image->length = length > 0 ? (size_t)length : 0;
    if (!read_at(image, 0, &file, sizeof file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (file.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) return false;
    if (file.e_phentsize != sizeof part) return false;
    for (unsigned i = 0; i < file.e_phnum && i < HEADERS_MAX; i++) {
        if (!read_at(image, (uint64_t)file.e_phoff + i * sizeof part, &part, sizeof part)) return false;
        if (part.p_type != PT_DYNAMIC) continue;
        if (!soname_place(image, &file, &part, &place) || place > INT32_MAX) return false;
        ssize_t got = pread(image->fd, name, size - 1, (off_t)place);
        name[got > 0 ? got : 0] = 0;
        return true;
    }
    return false;
}

const char *loader_named_by(int fd)
{
    char name[32];
    struct image image = {.fd = fd};
    return soname_read(&image, name, sizeof name) ? loader_name(name) : NULL;
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
    char name[32];
    gate_soname(function, name, sizeof name);
    return loader_name(name);
}
