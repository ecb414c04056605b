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

struct named {
    const void *function;
    const char *loader;
};

/* Ends the walk at the object that contains the function, with the loader's name if its SONAME is one. */
static int object_name(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct named *n = data;
    uintptr_t strings = 0, name = 0;
    bool named = false;
    if (!is_inside(object, (uintptr_t)n->function)) return 0;
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
    struct named named = {function, NULL};
    gate_walk(object_name, &named);
    return named.loader;
}

const char *loader_named_of(void *handle)
{
    struct link_map *map;
    uint64_t me = gate_enter();
    const void *inside = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : NULL;
    gate_leave(me);
    return inside && !code_is_own(inside) ? loader_named_at(inside) : NULL;
}
