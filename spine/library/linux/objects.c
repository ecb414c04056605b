/* objects.c: lists the objects of the process as the dynamic linker reports them: the new ones since an earlier list,
 * and their dependencies.
 *
 * It opens no file. Lists are reference-counted and never change once they are built. */
#include "library/library.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct object {
    const ElfW(Phdr) * parts; /* the program headers, which identify the object */
    const ElfW(Dyn) * dynamic;
    const char *strings, *soname, *name; /* the linker's; valid during a walk */
    char *path;                          /* points into the list's block */
    struct build build;
    bool came, lasting, needed;
};

struct objects {
    _Atomic uint32_t references;
    unsigned long long adds, subs; /* counts of loaded and unloaded objects, from the linker */
    unsigned count;
    struct object object[];
};

static struct objects *last; /* the cached list, guarded by the lock */

struct objects *objects_hold(struct objects *o)
{
    if (o) atomic_fetch_add(&o->references, 1);
    return o;
}

void objects_drop(struct objects *o)
{
    if (o && atomic_fetch_sub(&o->references, 1) == 1) free(o);
}

void objects_forget(void)
{
    lock_take();
    struct objects *o = last;
    last = NULL;
    lock_drop();
    objects_drop(o);
    builds_forget();
}

bool objects_entry(const struct objects *o, unsigned i, struct objects_entry *out)
{
    if (!o || i >= o->count) return false;
    *out = (struct objects_entry){o->object[i].path, o->object[i].parts, o->object[i].build};
    return true;
}

/* ---- one walk --------------------------------------------------------------------------------------------------- */

struct counts {
    unsigned long long adds, subs;
    unsigned count;
    size_t text;
};

static int object_first(struct dl_phdr_info *info, size_t size, void *data)
{
    struct counts *c = data;
    (void)size;
    c->adds = info->dlpi_adds;
    c->subs = info->dlpi_subs;
    return 1;
}

static int object_count(struct dl_phdr_info *info, size_t size, void *data)
{
    struct counts *c = data;
    object_first(info, size, data);
    c->count++;
    c->text += strlen(info->dlpi_name ? info->dlpi_name : "") + 1;
    return 0;
}

/* A list under construction, and the end of its texts. */
struct filling {
    struct objects *list;
    unsigned room;
    char *text, *end;
    struct walk walk;
};

/* A callback of dl_iterate_phdr, with struct filling as data. It ends the walk if there is no room. */
static int object_add(struct dl_phdr_info *info, size_t size, void *data)
{
    struct filling *f = data;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    size_t length = strlen(name) + 1;
    struct counts counts;
    object_first(info, size, &counts);
    f->list->adds = counts.adds;
    f->list->subs = counts.subs;
    if (f->list->count == f->room || (size_t)(f->end - f->text) < length) return 1;
    struct object *o = &f->list->object[f->list->count++];
    *o = (struct object){.parts = info->dlpi_phdr, .name = name, .path = memcpy(f->text, name, length)};
    f->text += length;
    o->dynamic = walk_dynamic(&f->walk, info);
    o->soname = build_read(info, o->dynamic, &o->build);
    o->strings = build_strings(info, &o->build);
    if (!o->build.strings) o->dynamic = NULL;
    return 0;
}

/* Allocates an empty list with room for the present objects and a few more. NULL: no memory. */
static struct objects *list_new(struct filling *f)
{
    struct counts counts = {0};
    gate_walk(object_count, &counts);
    f->walk = (struct walk){0};
    f->room = counts.count + 8;
    size_t text = counts.text + 1024, size;
    if (!size_of_array(sizeof *f->list + text, f->room, sizeof f->list->object[0], &size)) return NULL;
    f->list = malloc(size);
    if (!f->list) return NULL;
    f->text = (char *)(f->list->object + f->room);
    f->end = f->text + text;
    atomic_init(&f->list->references, 1);
    f->list->count = 0;
    return f->list;
}

struct objects *objects_now(void)
{
    struct counts counts = {0};
    struct filling f;
    gate_walk(object_first, &counts);
    lock_take();
    struct objects *known = last && last->adds == counts.adds && last->subs == counts.subs ? objects_hold(last) : NULL;
    lock_drop();
    if (known || !list_new(&f)) return known;
    if (gate_walk(object_add, &f) != 0) { /* more objects than there is room for were loaded meanwhile */
        free(f.list);
        return NULL;
    }
    lock_take();
    struct objects *before = last;
    last = objects_hold(f.list);
    lock_drop();
    objects_drop(before);
    return f.list;
}

/* ---- new objects ------------------------------------------------------------------------------------------------ */

static bool is_among(const struct objects *list, const struct object *o)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->object[i].parts == o->parts && strcmp(list->object[i].path, o->path) == 0) return true;
    return false;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the object that the linker uses for a DT_NEEDED entry. NULL: unknown. */
static struct object *object_named(struct objects *list, const char *name)
{
    for (unsigned i = 0; i < list->count; i++) {
        struct object *o = &list->object[i];
        if ((o->soname && strcmp(o->soname, name) == 0) ||
            strcmp(path_has_directory(name) ? o->path : last_of(o->path), name) == 0)
            return o;
    }
    return NULL;
}

static bool *flag_of(struct object *o, size_t offset)
{
    return (bool *)((char *)o + offset);
}

/* Sets the flag at an offset of all dependencies of flagged objects, directly or not. */
static void mark(struct objects *list, size_t offset)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < list->count; i++) {
            const struct object *o = &list->object[i];
            if (!*flag_of(&list->object[i], offset)) continue;
            for (const ElfW(Dyn) *e = o->dynamic; e && e->d_tag != DT_NULL; e++) {
                struct object *other = e->d_tag == DT_NEEDED ? object_named(list, o->strings + e->d_un.d_val) : NULL;
                if (!other || *flag_of(other, offset)) continue;
                *flag_of(other, offset) = true;
                more |= other < o;
            }
        }
    }
}

struct since {
    const struct objects *before;
    struct filling filling;
};

/* Fills the list with the objects since before. Called for the first object of a walk, during which no object moves. */
static int choose(struct dl_phdr_info *info, size_t size, void *data)
{
    struct since *s = data;
    struct objects *list = s->filling.list;
    (void)info, (void)size;
    if (gate_walk(object_add, &s->filling) != 0 || !list->count) return 1;
    list->object[0].lasting = true; /* the program */
    for (unsigned i = 0; i < list->count; i++)
        list->object[i].needed = list->object[i].came = !is_among(s->before, &list->object[i]);
    mark(list, offsetof(struct object, lasting));
    mark(list, offsetof(struct object, needed));
    unsigned count = 0;
    for (unsigned i = 0; i < list->count; i++) {
        const struct object o = list->object[i];
        bool counts = o.came || (o.needed && !o.lasting), named = o.path[0] == '/' && strncmp(o.path, "/proc/", 6) != 0;
        if (counts && named && !code_is_own(o.parts)) list->object[count++] = o;
    }
    list->count = count;
    return 2;
}

struct objects *objects_since(const struct objects *before)
{
    struct since s = {.before = before};
    if (!list_new(&s.filling)) return NULL;
    if (gate_walk(choose, &s) == 2) return s.filling.list;
    free(s.filling.list);
    return NULL;
}

struct wanted {
    const void *object;
    const char *path;
};

static int object_is(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct wanted *w = data;
    (void)size;
    return info->dlpi_phdr == w->object && info->dlpi_name && strcmp(info->dlpi_name, w->path) == 0;
}

bool objects_have(const void *object, const char *path)
{
    struct wanted w = {object, path};
    return gate_walk(object_is, &w) != 0;
}
