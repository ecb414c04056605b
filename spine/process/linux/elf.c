/* elf.c: questions to the dynamic linker about ELF objects of the process, inside the fork gate. It reads no file. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
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

static const void *dynamic_in_headers(const struct dl_phdr_info *object)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* Returns the dynamic section of the next object of a walk, or NULL. */
static const void *section_of(struct walk *walk, const struct dl_phdr_info *object)
{
    const ElfW(Dyn) *in_headers = walk->map ? NULL : dynamic_in_headers(object);
    for (const ElfW(Dyn) *e = walk->begun ? NULL : in_headers; e && e->d_tag != DT_NULL; e++)
        if (e->d_tag == DT_DEBUG && e->d_un.d_ptr) walk->map = ((const struct r_debug *)e->d_un.d_ptr)->r_map;
    walk->begun = true;
    if (!walk->map) return in_headers;
    const struct link_map *map = walk->map;
    while (map && (map->l_name != object->dlpi_name || map->l_addr != object->dlpi_addr)) map = map->l_next;
    if (!map) return NULL;
    walk->map = map;
    return map->l_ld;
}

/* The dynamic section of a library that must not be read. */
struct lost {
    struct lost *next;
    const void *dynamic;
};
static struct lost *_Atomic lost; /* grows at its head */

static bool is_lost(const void *dynamic)
{
    const struct lost *l = atomic_load(&lost);
    while (l && l->dynamic != dynamic) l = l->next;
    return l != NULL;
}

void build_lose(const struct build *build)
{
    if (!build->dynamic || is_lost(build->dynamic)) return;
    struct lost *l = malloc(sizeof *l);
    if (!l) return;
    *l = (struct lost){atomic_load(&lost), build->dynamic};
    while (!atomic_compare_exchange_weak(&lost, &l->next, l)) {
    }
}

void builds_forget(void)
{
    for (struct lost *l = atomic_exchange(&lost, NULL), *next; l; l = next) {
        next = l->next;
        free(l);
    }
}

const void *walk_dynamic(struct walk *walk, const struct dl_phdr_info *object)
{
    const void *dynamic = section_of(walk, object);
    return is_lost(dynamic) ? NULL : dynamic;
}

/* bytes; the build ID is near the beginning of the file, and an overwritten file's headers may point anywhere */
#define BUILD_END 4096

/* Sets the build ID of an object, if it has one. */
static void note_read(const struct dl_phdr_info *object, struct build *build)
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

const char *build_read(const struct dl_phdr_info *object, const void *dynamic, struct build *build)
{
    const ElfW(Dyn) *soname = NULL;
    if (!dynamic) return NULL;
    note_read(object, build);
    build->dynamic = dynamic;
    for (const ElfW(Dyn) *e = dynamic; e && e->d_tag != DT_NULL; e++) {
        if (e->d_tag == DT_STRTAB) build->strings = e->d_un.d_ptr;
        if (e->d_tag == DT_SONAME) soname = e;
    }
#ifdef __GLIBC__ /* glibc compares a name with the SONAME of each library */
    build->compared = soname != NULL;
#endif
    return soname && build->strings ? build_strings(object, build) + soname->d_un.d_val : NULL;
}

const char *build_strings(const struct dl_phdr_info *object, const struct build *build)
{
    return (const char *)(build->strings + (build->strings < object->dlpi_addr ? object->dlpi_addr : 0));
}

#define DYNAMIC_ENTRIES 64 /* the string table is one of the first entries */

/* The argument and the result of a walk that looks for a build. */
struct damage {
    const struct build *build;
    struct walk walk;
    bool damaged;
};

static int object_damaged(struct dl_phdr_info *object, size_t size, void *data)
{
    struct damage *d = data;
    ElfW(Dyn) copy[DYNAMIC_ENTRIES];
    (void)size;
    if (section_of(&d->walk, object) != d->build->dynamic) return 0;
    size_t count = memory_read(copy, d->build->dynamic, sizeof copy) / sizeof *copy, i = 0;
    while (i < count && copy[i].d_tag != DT_NULL && copy[i].d_tag != DT_STRTAB) i++;
    d->damaged = i == count || copy[i].d_tag != DT_STRTAB || copy[i].d_un.d_ptr != d->build->strings;
    return 1;
}

bool build_damaged(const struct build *build)
{
    struct damage d = {.build = build};
    if (build->dynamic) gate_walk(object_damaged, &d);
    return d.damaged;
}

struct named {
    const void *function;
    const char *soname, *loader;
    struct build *build; /* may be NULL */
    struct walk walk;
};

/* Ends the walk at the object that contains the function, with the loader's name if its SONAME is one. */
static int object_name(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct named *n = data;
    struct build unused = {0};
    const void *dynamic = walk_dynamic(&n->walk, object);
    if (!dynamic || !is_inside(object, (uintptr_t)n->function)) return 0;
    const char *soname = build_read(object, dynamic, n->build ? n->build : &unused);
    if (!soname || !is_inside(object, (uintptr_t)soname)) return 1;
    n->soname = soname;
    n->loader = loader_name(soname);
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
#ifdef __GLIBC__ /* glibc caches the SONAME when it finds a library by it, and then compares the cached copy */
    void *same = named.soname ? gate_dlopen_mapped(named.soname) : NULL;
    if (same == handle) build->compared = false;
    if (same) gate_dlclose(same);
#endif
    return code_is_own(named.function) ? NULL : named.loader;
}
