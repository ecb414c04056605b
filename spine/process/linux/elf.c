/* elf.c: questions to the dynamic linker about ELF objects of the process, inside the fork gate. It reads no file. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "process/posix/gate.h"
#include "process/process.h"

char *gate_path_by_handle(void *handle)
{
    struct link_map *map;
    uint64_t me = gate_enter();
    bool found = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/';
    char *name = found ? strdup(map->l_name) : NULL;
    gate_leave(me);
    return name;
}

/* Reports whether an address lies in the mapped parts of an object. */
static bool is_inside(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - object->dlpi_addr - part->p_vaddr < part->p_memsz) return true;
    }
    return false;
}

/* An object that is mapped: ends the walk when the first function is in it, with 2 when all are. */
static int object_has(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    const void *const *functions = data;
    unsigned inside = 0, count = 0;
    for (; functions[count]; count++) {
        bool in = is_inside(object, (uintptr_t)functions[count]);
        if (count == 0 && !in) return 0;
        inside += in;
    }
    return inside == count ? 2 : 1;
}

bool gate_same_object(const void *const *functions)
{
    uint64_t me = gate_enter();
    int found = dl_iterate_phdr(object_has, (void *)functions);
    gate_leave(me);
    return found == 2;
}

int gate_walk(gate_walk_step *step, void *data)
{
    uint64_t me = gate_enter();
    int result = dl_iterate_phdr(step, data);
    gate_leave(me);
    return result;
}

#define BUILD_END 4096 /* notes are at the beginning; the headers of an overwritten file may name any place */

void build_read(const struct dl_phdr_info *object, struct build *build)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const unsigned char *begin = (const void *)(object->dlpi_addr + part->p_vaddr);
        if (part->p_vaddr > BUILD_END || part->p_memsz > BUILD_END - part->p_vaddr) continue;
        for (size_t at = 0; part->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < part->p_memsz;) {
            const ElfW(Nhdr) *note = (const void *)(begin + at);
            size_t value = at + sizeof *note + ((note->n_namesz + 3u) & ~3u);
            at = value + ((note->n_descsz + 3u) & ~3u);
            if (note->n_type != NT_GNU_BUILD_ID || note->n_descsz < 8 || at > part->p_memsz) continue;
            build->offset = part->p_offset + value;
            build->size = note->n_descsz < sizeof build->id ? note->n_descsz : sizeof build->id;
            memcpy(build->id, begin + value, build->size);
            return;
        }
    }
}

struct named {
    const void *function;
    const char *loader;
    struct build *build; /* may be NULL */
};

/* Ends the walk at the object that contains the function, with the loader's name if its SONAME is one. */
static int object_name(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct named *n = data;
    uintptr_t strings = 0, name = 0;
    bool named = false;
    if (!is_inside(object, (uintptr_t)n->function)) return 0;
    if (n->build) build_read(object, n->build);
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_DYNAMIC) continue;
        for (const ElfW(Dyn) *e = (const void *)(object->dlpi_addr + part->p_vaddr); e->d_tag != DT_NULL; e++) {
            if (e->d_tag == DT_STRTAB) strings = e->d_un.d_ptr;
            if (e->d_tag != DT_SONAME) continue;
            name = e->d_un.d_val;
            named = true;
        }
    }
    if (strings < object->dlpi_addr) strings += object->dlpi_addr; /* not every linker has added it there */
    if (named && is_inside(object, strings + name)) n->loader = loader_name((const char *)strings + name);
    return 1;
}

const char *loader_named_at(const void *function)
{
    struct named named = {.function = function};
    gate_walk(object_name, &named);
    return named.loader;
}

const char *loader_named_of(void *handle, struct build *build)
{
    struct link_map *map;
    uint64_t me = gate_enter();
    struct named named = {.function = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : NULL, .build = build};
    gate_leave(me);
    if (named.function) gate_walk(object_name, &named);
    return code_is_own(named.function) ? NULL : named.loader;
}
