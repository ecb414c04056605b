/* brought.c: the libraries that a layer brings into the process stay mapped from the second time on, while the layer
 * itself is opened and closed each time: mapping and relocating them is most of what a layer costs.
 *
 * The first life of a layer gives everything back. When the same file is opened again, the loader takes a reference to
 * each library that the layer needs, directly or not, and that was not in the process before. What the program or a
 * driver has open is theirs, and what needs it is not held either: it would keep it mapped.
 *
 * Each library's file is looked at before layers, or a driver that is not mapped, are opened. When one was replaced,
 * all that its layers hold is let go. When one was overwritten in place, all that its layers hold is left as it is, and
 * these layers are refused: the linker would give them what the pages are now. When a layer does not go with its last
 * reference, a library may have been bound to it, and holds it: then the loader drops everything, and the second time
 * it holds nothing any more.
 *
 * Records are never freed before the library is unloaded, so that lists are walked without the lock. Nothing is held
 * where another library stands in for the functions that open, close and examine libraries.
 */
#include "library/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#ifndef STAT /* portable.h calls an older one */
#define STAT stat
#endif

#define LAYERS_MAX 16u   /* whose libraries are held: a bit each */
#define HELD_MAX 64u     /* libraries of all of them */
#define NEEDED_MAX 32u   /* of one layer */
#define OBJECTS_MAX 512u /* in a process */
#define PATH_ROOM 256u   /* of a library's path */
#define TRIES_MAX 4u     /* openings of a layer that show nothing, until it is left alone */
#define STUCK_MAX 2u
#define EVERYTHING (~0u)

/* A layer's library that was closed. Under the lock, but for what never changes. */
struct layer_place {
    struct layer_place *next;
    const char *given, *path; /* as passed to dlopen; as the linker knows it. In this block; they never change */
    uint64_t end;             /* of given; it never changes */
    uint32_t bit;             /* never changes */
    struct file_identity identity;
    uint32_t open;   /* nodes that have it open, without those from before its first close */
    uint32_t opened; /* how often; to see that it was meanwhile */
    uint8_t tries;   /* openings that showed nothing: it was mapped already, or there were too many objects */
    bool closed;     /* this very file was, once */
    bool settled;    /* what it brings was looked at */
    bool watched;    /* something is held for it: it must go with its last reference */
};

/* A library that is held. */
struct brought {
    struct brought *next;
    void *handle;    /* NULL: it was let go */
    uint32_t layers; /* bits of those that need it */
    bool left;       /* it stays as it is, since it, or another library of one of its layers, was overwritten */
    bool overwritten;
    struct file_identity identity;
    char path[]; /* never changes */
};

static struct layer_place *places; /* under the lock */
static struct brought *list;       /* under the lock */
static unsigned listed;            /* under the lock */
static unsigned stuck;             /* under the lock: how often a layer did not go; from STUCK_MAX on nothing is held */
static _Atomic unsigned place_count;
static _Atomic bool any_held;

/* ---- letting go ------------------------------------------------------------------------------------------------ */

/* A package manager links to a file before it replaces it, which changes nothing but its last change. */
static bool as_it_was(const struct file_identity *now, const struct file_identity *then)
{
    return file_same(now, then) ||
           (now->device == then->device && now->inode == then->inode && now->size == then->size &&
            memcmp(now->modified, then->modified, sizeof now->modified) == 0);
}

/* Returns the layers that need a changed file. *overwritten: those that need one that was overwritten in place. One
 * that was left before is theirs as long as the process lives: when it changes, too, they are refused. */
static uint32_t look(uint32_t *overwritten)
{
    uint32_t changed = 0;
    lock_take();
    struct brought *b = list;
    lock_drop();
    for (; b; b = b->next) {
        struct file_identity now;
        lock_take();
        struct file_identity then = b->identity;
        bool held = b->handle && !b->overwritten;
        lock_drop();
        if (!held) continue;
        bool there = file_identify(b->path, &now);
        if (there && as_it_was(&now, &then)) continue;
        lock_take();
        if (b->handle && b->left) {
            b->overwritten = true;
        } else if (b->handle && file_same(&b->identity, &then)) { /* meanwhile it may have been let go */
            changed |= b->layers;
            b->overwritten = there && file_overwritten(&now, &then);
            if (b->overwritten) *overwritten |= b->layers;
        }
        lock_drop();
    }
    return changed;
}

/* Lets go what these layers hold, and what was replaced. */
static void let_go(uint32_t layers)
{
    void *gone[HELD_MAX];
    unsigned count = 0;
    uint32_t overwritten = 0;
    layers |= look(&overwritten);
    if (!layers) return;
    lock_take();
    for (struct brought *b = list; b; b = b->next) {
        if (!b->handle || !(b->layers & layers)) continue;
        if (b->layers & overwritten) b->left = true; /* the end of one may need another */
        if (b->left) continue;
        b->layers &= ~layers;
        if (b->layers) continue;
        gone[count++] = b->handle;
        b->handle = NULL;
    }
    for (struct layer_place *p = places; p; p = p->next)
        if (p->bit & layers) p->closed = p->settled = p->watched = false;
    lock_drop();
    for (unsigned i = 0; i < count; i++) gate_dlclose(gone[i]);
}

void brought_look(void)
{
    if (atomic_load_explicit(&any_held, memory_order_relaxed)) let_go(0);
}

/* At the end of the process everything stays where it is. */
__attribute__((destructor)) static void let_all_go(void)
{
    if (exit_begun()) return;
    if (list) let_go(EVERYTHING);
    for (struct brought *b = list, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    for (struct layer_place *p = places, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    list = NULL;
    places = NULL;
    atomic_store(&place_count, 0);
}

/* ---- what there is in the process ------------------------------------------------------------------------------ */

struct object {
    const ElfW(Phdr) * parts; /* which tells it from all others */
    const ElfW(Dyn) * dynamic;
    const char *strings, *path, *name; /* name: its own; NULL: none */
    uint32_t hash[2];                  /* of the name, and of the last part of the path */
    bool old;                          /* it was there before the layer */
    bool lasting;                      /* the program cannot be without it */
    bool among;                        /* those that the layer needs */
    bool foreign;                      /* or it needs one that is not the loader's to hold */
};

/* The objects of the process before and after a layer is opened. */
struct view {
    const char *layer; /* its path */
    bool known;        /* it was there before */
    unsigned old_count, count, needed;
    const ElfW(Phdr) * old[OBJECTS_MAX];
    struct object object[OBJECTS_MAX];
    uint16_t work[OBJECTS_MAX];
    char path[NEEDED_MAX][PATH_ROOM]; /* of what will be held */
};

static int object_old(struct dl_phdr_info *info, size_t size, void *data)
{
    struct view *v = data;
    (void)size;
    if (v->old_count == OBJECTS_MAX) return 1;
    v->old[v->old_count++] = info->dlpi_phdr;
    v->known |= info->dlpi_name && strcmp(info->dlpi_name, v->layer) == 0;
    return 0;
}

static int object_count(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info, (void)size;
    ++*(unsigned *)data;
    return 0;
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;
    while (*name) h = h * 33 + (unsigned char)*name++;
    return h;
}

/* The part of a path behind the last slash. */
static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int object_add(struct dl_phdr_info *info, size_t size, void *data)
{
    struct view *v = data;
    (void)size;
    if (v->count == OBJECTS_MAX) return 1;
    struct object *o = &v->object[v->count++];
    *o = (struct object){.parts = info->dlpi_phdr, .path = info->dlpi_name ? info->dlpi_name : ""};
    uintptr_t strings = 0, name = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            o->dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *e = o->dynamic; e && e->d_tag != DT_NULL; e++) {
        if (e->d_tag == DT_STRTAB) strings = e->d_un.d_ptr;
        if (e->d_tag == DT_SONAME) name = e->d_un.d_val;
    }
    if (strings < info->dlpi_addr) strings += info->dlpi_addr; /* not every linker has added it there */
    o->strings = (const char *)strings;
    if (!strings) o->dynamic = NULL;
    if (name && strings) o->name = o->strings + name;
    o->hash[0] = o->name ? hash_of(o->name) : 0;
    o->hash[1] = hash_of(last_of(o->path));
    for (unsigned i = 0; i < v->old_count && !o->old; i++) o->old = v->old[i] == o->parts;
    return 0;
}

/* The object that the linker takes for an entry DT_NEEDED; NULL: not known. */
static struct object *object_named(struct view *v, const char *name)
{
    uint32_t hash = hash_of(last_of(name));
    for (struct object *o = v->object; o < v->object + v->count; o++)
        if ((o->hash[0] == hash && o->name && strcmp(o->name, name) == 0) ||
            (o->hash[1] == hash && strcmp(path_has_directory(name) ? o->path : last_of(o->path), name) == 0))
            return o;
    return NULL;
}

/* The next library that an object needs, from the entry on; NULL: no more. */
static const char *needed_next(const struct object *o, const ElfW(Dyn) * *entry)
{
    for (; *entry && (*entry)->d_tag != DT_NULL; ++*entry)
        if ((*entry)->d_tag == DT_NEEDED) return o->strings + (*entry)++->d_un.d_val;
    return NULL;
}

/* What the program was linked with, and what that needs, is there as long as the program. */
static void mark_lasting(struct view *v)
{
    unsigned count = 0;
    v->object[0].lasting = true; /* the program comes first */
    v->work[count++] = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct object *o = &v->object[v->work[i]];
        const ElfW(Dyn) *entry = o->dynamic;
        for (const char *name; (name = needed_next(o, &entry));) {
            struct object *other = object_named(v, name);
            if (!other || other->lasting) continue;
            other->lasting = true;
            v->work[count++] = (uint16_t)(other - v->object);
        }
    }
}

static bool is_held(const char *path)
{
    bool held = false;
    lock_take();
    for (const struct brought *b = list; b && !held; b = b->next) held = b->handle && strcmp(b->path, path) == 0;
    lock_drop();
    return held;
}

/* May the loader hold it, as far as it is not foreign for another's sake? */
static bool holdable(const struct object *o)
{
    return o->path[0] == '/' && strlen(o->path) < PATH_ROOM && (!o->old || is_held(o->path));
}

/* What the layer needs, directly and through others. */
static unsigned mark_needed(struct view *v, struct object *layer)
{
    unsigned count = 0;
    layer->among = true;
    v->work[count++] = (uint16_t)(layer - v->object);
    for (unsigned i = 0; i < count; i++) {
        struct object *o = &v->object[v->work[i]];
        const ElfW(Dyn) *entry = o->dynamic;
        for (const char *name; (name = needed_next(o, &entry));) {
            struct object *other = object_named(v, name);
            if (!other) o->foreign = true;
            if (!other || other->among || other->lasting) continue;
            other->among = true;
            other->foreign = !holdable(other);
            v->work[count++] = (uint16_t)(other - v->object);
        }
    }
    return count;
}

/* What needs a foreign library is not held either. */
static void spread_foreign(struct view *v, unsigned count)
{
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < count; i++) {
            struct object *o = &v->object[v->work[i]];
            const ElfW(Dyn) *entry = o->dynamic;
            for (const char *name; !o->foreign && (name = needed_next(o, &entry));) {
                const struct object *other = object_named(v, name);
                o->foreign = other && !other->lasting && other->foreign;
                more |= o->foreign;
            }
        }
    }
}

/* Called for the first object and ends the walk: meanwhile all objects stay where they are. */
static int choose(struct dl_phdr_info *info, size_t size, void *data)
{
    struct view *v = data;
    struct object *layer = NULL;
    unsigned now = 0;
    (void)info, (void)size;
    gate_walk(object_count, &now);
    if (now <= v->old_count + 1 && !atomic_load(&any_held)) return 2; /* it needs nothing that may be held */
    gate_walk(object_add, v);
    if (v->count == OBJECTS_MAX) return 1;
    /* Where the loader was opened in another namespace, the program is not among them. */
    if ((uintptr_t)v->object[0].parts != getauxval(AT_PHDR)) return 1;
    for (struct object *o = v->object; o < v->object + v->count && !layer; o++)
        if (!o->old && strcmp(o->path, v->layer) == 0) layer = o;
    if (!layer) return 1;
    mark_lasting(v);
    unsigned count = mark_needed(v, layer);
    spread_foreign(v, count);
    for (unsigned i = 1; i < count; i++) { /* the first is the layer itself */
        const struct object *o = &v->object[v->work[i]];
        if (o->foreign) continue;
        if (v->needed == NEEDED_MAX) {
            v->needed = 0; /* what is held is looked at, all of it */
            return 1;
        }
        memcpy(v->path[v->needed++], o->path, strlen(o->path) + 1);
    }
    return 2;
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

/* The end of a path, by which most are told apart. */
static uint64_t end_of(const char *path)
{
    uint64_t end = 0;
    size_t length = strlen(path);
    if (length >= sizeof end) memcpy(&end, path + length - sizeof end, sizeof end);
    return end;
}

/* With the lock. */
static struct layer_place *place_named(const char *given, uint64_t end)
{
    lock_wanted(true);
    struct layer_place *p = places;
    while (p && (p->end != end || strcmp(p->given, given) != 0)) p = p->next;
    return p;
}

static struct layer_place *place_of(const char *given)
{
    if (!atomic_load_explicit(&place_count, memory_order_relaxed)) return NULL;
    uint64_t end = end_of(given);
    lock_take();
    struct layer_place *p = place_named(given, end);
    lock_drop();
    return p;
}

/* Does no other library stand in for the functions by which libraries are opened, closed and examined? It would not
 * see what it expects. The sanitizers' own pass on. Before glibc 2.34 dlopen is in another library. */
static bool functions_plain(void)
{
#ifdef CHECK_LOCK
    return true;
#else
    const void *const functions[] = {(const void *)getauxval, (const void *)dlopen,          (const void *)dlclose,
                                     (const void *)STAT,      (const void *)dl_iterate_phdr, NULL};
    return gate_same_object(functions);
#endif
}

/* What there is before the layer is opened. NULL: no memory, or nothing may be held. */
static struct view *view_of(struct layer_place *p)
{
    bool plain = functions_plain();
    struct view *v = plain ? malloc(sizeof *v) : NULL;
    if (v) {
        v->layer = p->path;
        v->known = false;
        v->old_count = v->count = v->needed = 0;
        if (gate_walk(object_old, v) != 0) v->known = true; /* there are too many */
    } else if (!plain) {
        lock_take();
        p->settled = true;
        lock_drop();
    }
    return v;
}

/* Takes a reference to a library that the layer needs. */
static bool hold(struct layer_place *p, const char *path)
{
    struct file_identity identity;
    bool held = false;
    size_t length = strlen(path) + 1, size;
    if (!size_of_array(sizeof(struct brought), length, 1, &size)) return false;
    struct brought *b = calloc(1, size), *own = b;
    void *handle = b && file_identify(path, &identity) ? gate_dlopen_mapped(path) : NULL;
    if (handle) {
        memcpy(b->path, path, length);
        lock_take();
        for (b = list; b && strcmp(b->path, path) != 0;) b = b->next;
        if (!b && listed < HELD_MAX) {
            b = own;
            own = NULL;
            b->next = list;
            list = b;
            listed++;
        }
        if (b && !b->handle) {
            b->handle = handle;
            b->identity = identity;
            b->layers = 0;
            b->overwritten = false;
            handle = NULL;
        }
        if (b) b->layers |= p->bit;
        held = b;
        lock_drop();
    }
    if (handle) gate_dlclose(handle);
    free(own);
    return held;
}

/* After the layer was opened: holds what it has brought. */
static void settle(struct layer_place *p, struct view *v)
{
    bool fresh = !v->known && gate_walk(choose, v) == 2, all = true;
    if (fresh) {
        exit_watch();
        if (v->needed) atomic_store(&any_held, true);
        for (unsigned i = 0; i < v->needed && all; i++) all = hold(p, v->path[i]);
    }
    if (!all) let_go(p->bit); /* one that stays only since another one needs it would not be looked at */
    lock_take();
    if (fresh || !p->settled) { /* another thread may have seen more */
        p->settled = fresh || ++p->tries >= TRIES_MAX;
        p->watched = fresh && all && v->needed;
    }
    lock_drop();
}

/* The library that was overwritten, of those that this layer needs; NULL: none. With the lock. */
static const char *overwritten_of(const struct layer_place *p)
{
    lock_wanted(true);
    for (const struct brought *b = list; b; b = b->next)
        if (b->overwritten && b->layers & p->bit) return b->path;
    return NULL;
}

const char *brought_overwritten(const char *given)
{
    struct layer_place *p = place_of(given);
    lock_take();
    const char *path = p ? overwritten_of(p) : NULL;
    lock_drop();
    return path;
}

void *brought_open(const char *given, const struct file_identity *seen, struct layer_place **place, char **text)
{
    struct layer_place *p = *place = place_of(given);
    if (!p) return gate_dlopen(given, seen, text);
    struct file_identity now = *seen;
    if (!now.inode && !file_identify(p->path, &now)) now = (struct file_identity){0};
    lock_take();
    const char *overwritten = overwritten_of(p);
    bool same = file_same(&now, &p->identity), again = same && p->closed && !p->settled && stuck < STUCK_MAX;
    bool changed = !same && p->watched;
    if (!overwritten) p->open++;
    p->opened++;
    lock_drop();
    if (overwritten) {
        *place = NULL;
        *text = library_overwritten_text(overwritten);
        return NULL;
    }
    if (changed) let_go(p->bit);
    struct view *v = again ? view_of(p) : NULL;
    void *handle = gate_dlopen(given, seen, text);
    if (v && handle) settle(p, v);
    free(v);
    if (handle) return handle;
    *place = NULL;
    brought_refused(p);
    return NULL;
}

void brought_refused(struct layer_place *place)
{
    if (!place) return;
    lock_take();
    place->open--;
    lock_drop();
}

static int object_at(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    return info->dlpi_name && strcmp(info->dlpi_name, data) == 0;
}

/* A layer's first life ends. */
static void place_add(const char *given, const char *path, const struct file_identity *identity)
{
    if (atomic_load_explicit(&place_count, memory_order_relaxed) == LAYERS_MAX) return;
    size_t size, given_size = strlen(given) + 1, path_size = strlen(path) + 1;
    if (!size_of_array(sizeof(struct layer_place), given_size + path_size, 1, &size)) return;
    struct layer_place *p = malloc(size);
    if (!p) return;
    char *text = (char *)(p + 1);
    *p = (struct layer_place){
        .given = text, .path = text + given_size, .end = end_of(given), .identity = *identity, .closed = true};
    memcpy(text, given, given_size);
    memcpy(text + given_size, path, path_size);
    lock_take();
    unsigned count = atomic_load(&place_count);
    if (count < LAYERS_MAX && !place_named(given, p->end)) {
        p->bit = 1u << count;
        p->next = places;
        places = p;
        p = NULL;
        atomic_store(&place_count, count + 1);
    }
    lock_drop();
    free(p);
}

void brought_closed(const char *given, const char *path, const struct file_identity *identity,
                    struct layer_place *place)
{
    if (unloading() != UNLOAD_USUAL || !identity->inode || path[0] != '/') return;
    if (!place) {
        place_add(given, path, identity);
        return;
    }
    lock_take();
    if (place->open) place->open--;
    if (!file_same(&place->identity, identity)) {
        place->identity = *identity;
        place->settled = false;
        place->tries = 0;
    }
    place->closed = true;
    bool last = place->watched && !place->open;
    uint32_t opened = place->opened;
    lock_drop();
    if (!last || !gate_walk(object_at, (void *)place->path)) return;
    lock_take();
    bool stays = place->opened == opened; /* else another thread may have opened it meanwhile */
    stuck += stays;
    lock_drop();
    if (stays) let_go(EVERYTHING);
}
