/* mapped.c: opens and closes libraries: driver libraries, with a record in the table (table.c), and layer libraries.
 *
 * It calls no function of a library, and remembers no answer of a driver. */
#include "library/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static const char overwritten[] =
    ": this file was overwritten while the process had it mapped, so that its code can be neither called nor unloaded any more; restart the program to use the new file, and replace a file (write a new one and rename it) instead of writing into it";

/* Joins four texts, for free(); NULL without memory. */
static char *joined(const char *a, const char *b, const char *c, const char *d)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

char *library_overwritten_text(const char *name)
{
    return joined(name, overwritten, "", "");
}

char *library_loader_text(const char *name, const char *loader)
{
    return joined(name, ": this is a Vulkan loader by its own name (", loader,
                  "), which would look for drivers and layers in its turn, and neither a driver nor a layer");
}

/* Returns a library in quarantine with the given name or path, whose record no longer changes, or NULL. *count is the
 * number of them. */
static const struct library *quarantined(const char *given, unsigned *count)
{
    const struct library *found = NULL;
    *count = 0;
    lock_take();
    for (const struct library *l = atomic_load(&library_table); l; l = l->next) {
        if (l->state != LIBRARY_QUARANTINED || strcmp(l->given, given) != 0) continue;
        found = l;
        ++*count;
    }
    lock_drop();
    return found;
}

/* Reports whether a dependency of a library in quarantine has changed. A new library would be linked to the old one. */
static bool needs_changed(const struct library *old)
{
    struct file_identity now;
    for (const struct library_file *f = old->files; f; f = f->next)
        if (!file_same_inode(&f->identity, &old->identity) &&
            (!file_identify(f->path, &now) || !file_same_inode(&now, &f->identity) ||
             mapping_overwritten(f->path, &now, &f->identity)))
            return true;
    return false;
}

/* Returns the path of a file in quarantine whose damaged data every dlopen of the process reads, or NULL. */
static const char *linker_damaged(void)
{
    for (const struct library *l = atomic_load(&library_table); l; l = l->next) {
        lock_take();
        const struct library_file *f = l->state == LIBRARY_QUARANTINED ? l->files : NULL;
        lock_drop();
        for (; f; f = f->next) {
            bool own = file_same_inode(&f->identity, &l->identity);
            if ((own ? &l->identity : &f->identity)->build.compared && build_damaged(&f->identity.build))
                return f->path;
        }
    }
    return NULL;
}

/* Returns another spelling of a path, with count times "./" before its last name. The linker compares path texts before
 * it looks at files, and would return the library in quarantine for the same text. */
static char *respelled(const char *path, unsigned count)
{
    const char *slash = strrchr(path, '/');
    size_t head = slash ? (size_t)(slash - path) + 1 : 0, tail = strlen(path) - head + 1, size;
    char *text = size_of_array(head + tail, 2, count, &size) ? malloc(size) : NULL;
    if (!text) return NULL;
    memcpy(text, path, head);
    for (unsigned i = 0; i < count; i++) memcpy(text + head + (size_t)2 * i, "./", 2);
    memcpy(text + head + (size_t)2 * count, path + head, tail);
    return text;
}

bool library_refused(const char *path, const struct file_identity *now)
{
    bool refused = false;
    for (const struct library *l = atomic_load(&library_table); l && !refused; l = l->next) {
        lock_take();
        struct file_identity then = l->identity;
        bool open = record_open(l), quarantined = l->state == LIBRARY_QUARANTINED;
        lock_drop();
        refused = file_same_inode(now, &then) && (quarantined || (open && mapping_overwritten(path, now, &then)));
    }
    return refused;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

void *library_dlopen(const char *path, struct file_identity *identity, char **text)
{
    unsigned count;
    const struct library *old = quarantined(path, &count);
    const char *file = path_has_directory(path) ? path : old ? old->path : NULL;
    *text = NULL;
    if (!file || !file_identify(file, identity)) *identity = (struct file_identity){0};
    if (library_refused(path, identity) || (old && needs_changed(old))) {
        *text = library_overwritten_text(path);
        return NULL;
    }
    const char *damaged = linker_damaged();
    if (damaged) {
        *text = library_overwritten_text(damaged);
        return NULL;
    }
    char *spelled = old && file ? respelled(file, count) : NULL;
    void *handle = gate_dlopen(spelled ? spelled : path, identity, text);
    free(spelled);
    const char *loader = handle ? loader_named_of(handle, &identity->build) : NULL;
    /* The linker may return a library in quarantine for a name that the table lacks. */
    if (!handle || (!loader && !record_quarantined(handle))) return handle;
    char *found = loader ? gate_path_by_handle(handle) : NULL;
    *text = loader ? library_loader_text(found ? found : path, loader) : library_overwritten_text(path);
    free(found);
    library_let_go(handle);
    return NULL;
}

/* Adds new objects and their dependencies to a library, without those of the program. later: they came after the
 * library was opened, and may be unloaded before it. */
static void objects_add(struct library *l, const struct objects *before, bool later)
{
    struct file_identity identity;
    struct objects *came = before ? objects_since(before) : NULL;
    struct objects_entry e;
    for (unsigned i = 0; objects_entry(came, i, &e); i++) {
        if (!file_identify(e.path, &identity)) continue;
        identity.build = e.build;
        record_file_add(l, e.path, &identity, later ? e.at : NULL);
    }
    objects_drop(came);
}

/* Returns the record of a handle with one more use, a new record if there is none. Takes ownership of the objects, the
 * search and one reference of the linker. NULL: no memory, and nothing is taken. */
static struct library *record_use(void *handle, const char *given, const struct file_identity *identity,
                                  struct objects *before, struct search *search, struct closure *closure)
{
    struct library *made = record_new();
    char *copy = made ? strdup(given) : NULL;
    if (!copy) {
        if (made) record_free(made);
        return NULL;
    }
    objects_hold(before); /* another thread may replace those of the record */
    lock_take();
    struct library *l = record_with(handle);
    bool fresh = !l;
    if (fresh) {
        l = made;
        l->handle = handle;
        l->given = copy;
        l->identity = *identity;
        l->search = search;
        l->closure = closure;
    }
    record_hold(l);
    l->references++;
    struct objects *was = l->before;
    l->before = before;
    lock_drop();
    objects_drop(was);
    if (!fresh) {
        record_free(made);
        free(copy);
        free(search);
    }
    if (!closure && identity->inode && path_has_directory(given)) record_file_add(l, given, identity, NULL);
    if (fresh) objects_add(l, before, false);
    objects_drop(before);
    return l;
}

/* Allocates one opening of a library. NULL: no memory. */
static struct mapped_lib *opening(struct library *l, const char *given, bool borrowed)
{
    struct mapped_lib *lib = calloc(1, sizeof *lib);
    if (!lib || !(lib->given = strdup(given))) {
        free(lib);
        return NULL;
    }
    lib->real = lib->given;
    lib->library = l;
    lib->borrowed = borrowed;
    lib->handle = l->handle;
    lib->closure = l->closure;
    lock_take();
    lib->located = l->path || l->as_given;
    lib->as_given = l->as_given && strcmp(l->given, given) == 0;
    lib->symbols = l->symbols;
    lock_drop();
    return lib;
}

/* Ends one use. owned: with a reference of the linker, which is dropped unless it is the last. */
static void use_give_back(struct library *l, bool owned)
{
    lock_take();
    void *extra = owned && l->references > 1 ? l->handle : NULL;
    if (extra) l->references--;
    bool closes = record_unhold(l);
    lock_drop();
    if (extra) library_let_go(extra);
    if (closes) record_close(l);
}

void library_note_objects(bool theirs)
{
    for (struct library *l = atomic_load(&library_table); l; l = l->next) {
        struct objects *before = NULL, *now = objects_now();
        lock_take();
        bool uses = l->state == LIBRARY_IN_USE && l->before && l->before != now;
        if (uses) {
            record_hold(l);
            before = l->before;
            l->before = now;
        }
        lock_drop();
        if (uses && theirs) objects_add(l, before, true);
        objects_drop(uses ? before : now);
        if (uses) use_give_back(l, false);
    }
}

struct mapped_lib *library_open(const char *path, char **text)
{
    struct file_identity identity;
    exit_watch();
    library_note_objects(true);
    struct search *search = path_has_directory(path) ? NULL : linker_search_begin();
    struct objects *before = objects_now();
    void *handle = library_dlopen(path, &identity, text);
    struct library *l = handle ? record_use(handle, path, &identity, before, search, NULL) : NULL;
    library_note_objects(false); /* the new objects belong to this library alone */
    struct mapped_lib *lib = l ? opening(l, path, false) : NULL;
    char *found = lib && !path_has_directory(path) && !lib->located ? gate_path_by_handle(handle) : NULL;
    if (found) library_found(lib, found);
    if (lib) return lib;
    if (l) {
        use_give_back(l, true);
        return NULL;
    }
    if (handle) library_let_go(handle);
    objects_drop(before);
    free(search);
    return NULL;
}

/* Uses an open library of this path and this file once more. now: the path's file; NULL: the library must have a bare
 * name, or library_look must have found it unchanged and nothing have used it since. Returns NULL if there is none. */
static struct library *use_open(const char *path, const struct file_identity *now)
{
    struct objects *before = objects_now(), *was = NULL;
    lock_take();
    struct library *l = atomic_load(&library_table);
    while (l && !(record_open(l) && !l->closure && strcmp(l->given, path) == 0 &&
                  (now                        ? file_same(now, &l->identity)
                   : path_has_directory(path) ? l->unchanged && l->state == LIBRARY_KEPT
                                              : l->path != NULL)))
        l = l->next;
    if (l) {
        was = l->before;
        l->before = before;
        record_hold(l);
    }
    lock_drop();
    objects_drop(l ? was : before);
    return l;
}

struct mapped_lib *library_borrow(const char *path, char **text)
{
    struct file_identity now;
    struct library *l = use_open(path, NULL);
    if (!l && path_has_directory(path) && file_identify(path, &now)) l = use_open(path, &now);
    if (!l) return library_open(path, text);
    struct mapped_lib *lib = opening(l, path, true);
    *text = NULL;
    if (!lib) use_give_back(l, false);
    return lib;
}

/* ---- drivers of the service ------------------------------------------------------------------------------------- */

/* Returns the library of a driver of the service in a given state, or NULL. */
static struct library *served(const char *given, enum library_state state)
{
    lock_wanted(true);
    struct library *l = atomic_load(&library_table);
    while (l && !(l->closure && l->state == state && strcmp(l->given, given) == 0)) l = l->next;
    return l;
}

struct mapped_lib *library_use_served(const char *given, const struct file_identity *identity)
{
    lock_take();
    struct library *l = served(given, LIBRARY_KEPT);
    bool changed = l && !file_same(identity, &l->identity);
    struct library *old = changed ? l : NULL;
    if (old) old->state = LIBRARY_CLOSING;
    if (!l) l = served(given, LIBRARY_IN_USE);
    bool same = l && !changed && file_same(identity, &l->identity);
    if (same) record_hold(l);
    lock_drop();
    if (old && mapping_overwritten(given, identity, &old->identity))
        record_quarantine(old);
    else if (old)
        record_close(old);
    struct mapped_lib *lib = same ? opening(l, given, true) : NULL;
    if (same && !lib) use_give_back(l, false);
    return lib;
}

struct mapped_lib *library_add_served(const char *given, const struct file_identity *identity, struct closure *closure,
                                      struct objects *before)
{
    struct library *l = record_use(closure_driver(closure), given, identity, before, NULL, closure);
    if (!l) {
        closure_drop(closure);
        objects_drop(before);
        return NULL;
    }
    struct mapped_lib *lib = opening(l, given, true);
    if (!lib) use_give_back(l, false);
    return lib;
}

/* ---- in use ----------------------------------------------------------------------------------------------------- */

void library_found(struct mapped_lib *lib, char *path)
{
    struct library *l = lib->library;
    struct file_identity identity = {0};
    bool there = path && file_identify(path, &identity);
    identity.build = l->identity.build;
    if (there) record_file_add(l, path, &identity, NULL);
    lib->located = lib->as_given = path != NULL;
    lock_take();
    bool first = there && !l->path;
    if (first) {
        l->path = path;
        l->identity = identity;
    }
    lock_drop();
    if (!first) free(path);
}

void library_lies_as_given(struct mapped_lib *lib)
{
    struct library *l = lib->library;
    lib->as_given = true;
    lock_take();
    l->as_given |= strcmp(l->given, lib->given) == 0;
    lock_drop();
}

void library_close(struct mapped_lib *lib)
{
    if (!lib) return;
    struct library *l = lib->library;
    lock_take();
    l->symbols = lib->symbols;
    l->reported |= lib->reported;
    lock_drop();
    use_give_back(l, !lib->borrowed);
    if (lib->real != lib->given) free(lib->real);
    free(lib->given);
    free(lib);
}

void library_preload(struct mapped_lib *lib)
{
    lock_take();
    lib->library->listed = true;
    lock_drop();
}

void library_drop_preloaded(const char *given)
{
    for (struct library *l = atomic_load(&library_table); l; l = l->next) {
        lock_take();
        bool drop = l->listed && record_open(l) && (!given || strcmp(l->given, given) == 0);
        if (drop) l->listed = false;
        bool closes = drop && l->state == LIBRARY_KEPT && !record_stays(l);
        if (closes) l->state = LIBRARY_CLOSING;
        lock_drop();
        if (closes) record_close(l);
    }
}

/* The path is looked up when a message first needs it, as most programs get no message. */
const char *driver_path(struct driver_lib *lib)
{
    const char *path = __atomic_load_n(&lib->path, __ATOMIC_ACQUIRE), *none = NULL;
    if (path) return path;
    const struct mapped_lib *mapped = lib->mapped;
    bool known = mapped->closure || mapped->real != mapped->given;
    char *real = known ? NULL : gate_path_of(lib->inside, NULL, NULL);
    if (!real) real = strdup(mapped->real);
    if (!real) return mapped->real;
    if (__atomic_compare_exchange_n(&lib->path, &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return real;
    free(real); /* another thread was faster */
    return none;
}

/* ---- layers ----------------------------------------------------------------------------------------------------- */

void library_close_layer(void *handle, const char *given, const char *path, const struct file_identity *identity)
{
    struct file_identity now;
    file_identify(path, &now);
    bool overwritten = identity->inode && mapping_overwritten(path, &now, identity);
    if (!overwritten) {
        library_let_go(handle);
        return;
    }
    struct library *l = record_new();
    char *name = l ? strdup(given) : NULL, *file = name ? strdup(path) : NULL;
    if (!file) { /* no memory: the library stays open all the same */
        free(name);
        if (l) record_free(l);
        return;
    }
    lock_take();
    l->handle = handle;
    l->given = name;
    l->path = file;
    l->identity = *identity;
    lock_drop();
    record_quarantine(l);
}
