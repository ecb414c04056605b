/* elf.c: questions to the dynamic linker about ELF objects of the process, inside the fork gate. It reads no file. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

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

/* Ends a walk with 1 at the object that contains the first function, or with 2 if it contains all of them. */
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
    return gate_walk(object_has, (void *)functions) == 2;
}

int gate_walk(gate_walk_step *step, void *data)
{
    uint64_t me = gate_enter();
    int result = dl_iterate_phdr(step, data);
    gate_leave(me);
    return result;
}

/* Returns an object's SONAME, or NULL. Some linkers do not relocate the address of the string table. */
static const char *soname_of(const struct link_map *map)
{
    uintptr_t strings = 0;
    const ElfW(Dyn) *soname = NULL;
    for (const ElfW(Dyn) *e = map->l_ld; e && e->d_tag != DT_NULL; e++) {
        if (e->d_tag == DT_STRTAB) strings = e->d_un.d_ptr;
        if (e->d_tag == DT_SONAME) soname = e;
    }
    if (!soname || !strings) return NULL;
    return (const char *)(strings + (strings < map->l_addr ? map->l_addr : 0)) + soname->d_un.d_val;
}

const char *loader_named_of(void *handle)
{
    struct link_map *map;
    uint64_t me = gate_enter();
    const char *soname = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? soname_of(map) : NULL;
    const char *loader = soname && !code_is_own(map->l_ld) ? loader_name(soname) : NULL;
    gate_leave(me);
#ifdef __GLIBC__ /* glibc copies the SONAME of a library that it finds by it, and no longer reads it from the file     \
                    then */
    void *same = soname ? gate_dlopen_mapped(soname) : NULL;
    if (same) gate_dlclose(same);
#endif
    return loader;
}

const char *loader_named_at(const void *function)
{
    char *name = image_name_of(function);
    void *handle = name ? gate_dlopen_mapped(name) : NULL;
    const char *loader = handle ? loader_named_of(handle) : NULL;
    if (handle) gate_dlclose(handle);
    free(name);
    return loader;
}
