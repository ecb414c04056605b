/* mapped.c: the drivers' libraries in the process.
 *
 * A library that has reported a device keeps one reference of dlopen after its last instance (INS-088). Before it is
 * used again, library_look compares its file and those that came with it. If one was replaced, the reference goes, and
 * the library is opened as in any loader. If one was overwritten in place, its code in memory has changed: the
 * reference stays, the library is never called again, and the driver is refused. While an instance is alive, no
 * reference goes. A library that a list of extensions has opened stays until the next vkDestroyInstance (INS-087).
 *
 * It calls no function of a library, and remembers no answer of a driver. docs/guest-rules.md has the whole rule. */
#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All libraries. This, the lists of their files and damaged_path change only under the lock. */
static struct library *table;
/* The overwritten file of a library that drivers need; NULL: none. The linker, too, may read its data, so that no
 * library is opened or closed any more. */
static const char *damaged_path;

/* ---- messages --------------------------------------------------------------------------------------------------- */

static const char overwritten_end[] =
    ": this file was overwritten while the process had it mapped, so that its code can be neither called nor unloaded any more; restart the program to use the new file, and replace a file (write a new one and rename it) instead of writing into it";

/* Joins four texts, for free(); NULL without memory. */
static char *join(const char *a, const char *b, const char *c, const char *d)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

char *library_loader_text(const char *name, const char *loader)
{
    return join(name, ": this is a Vulkan loader by its own name (", loader,
                "), which would look for drivers and layers in its turn, and neither a driver nor a layer");
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

enum file_kind {
    FILE_OWN,    /* the library's */
    FILE_NEEDED, /* of an object that came with it */
    FILE_SEARCH, /* a file that the linker would find instead, or its cache */
};

struct library_file {
    struct library_file *next;
    enum file_kind kind;
    struct file_identity identity;
    uintptr_t word; /* of object_trace */
    char path[];
};

/* Adds a file. identity: NULL to read it now. Returns false without memory. */
static bool add_file(struct library *l, const char *path, enum file_kind kind, const struct file_identity *identity)
{
    size_t length = strlen(path) + 1, size;
    struct library_file *f = size_of_array(sizeof *f, length, 1, &size) ? malloc(size) : NULL;
    if (!f) return false;
    f->next = l->files;
    f->kind = kind;
    f->word = 0;
    memcpy(f->path, path, length);
    if (identity)
        f->identity = *identity;
    else
        file_identify(path, &f->identity);
    if (kind != FILE_SEARCH) {
        struct object_trace trace = object_trace(path);
        f->identity.head = trace.head ? trace.head : file_head(path);
        f->word = trace.word;
    }
    l->files = f;
    return true;
}

/* Lists the files of a library that was just opened. identity: of its file before that. Sets l->known if the list is
 * complete: the objects that came include the library, and the inputs of the linker's search are known. */
static void find_files(struct library *l, const struct objects_mark *before, const struct file_identity *identity)
{
    bool searched = !l->closure && !path_has_directory(l->given), own = l->closure != NULL;
    char *found = searched ? gate_path_by_handle(l->handle) : strdup(l->given);
    char *came = found ? objects_since(before, found) : NULL;
    char *search = found && searched ? linker_search_paths(l->given, found) : NULL;
    bool added = !searched || search;
    for (const char *path = came; path && *path && added; path += strlen(path) + 1) {
        bool is_own = strcmp(path, found) == 0;
        added = add_file(l, path, is_own ? FILE_OWN : FILE_NEEDED, is_own && !searched ? identity : NULL);
        own |= is_own;
    }
    for (const char *path = search; path && *path && added; path += strlen(path) + 1)
        added = add_file(l, path, FILE_SEARCH, NULL);
    l->known = came && own && added;
    free(found);
    free(came);
    free(search);
}

/* Reports whether the mapped contents of a changed file are not those of when the library was opened. */
static bool is_overwritten(const struct library_file *f, const struct file_identity *now)
{
    if (f->kind == FILE_SEARCH || !file_same_inode(now, &f->identity)) return false;
    if (file_overwritten(f->path, now, &f->identity)) return true;
    uintptr_t word = object_trace(f->path).word; /* cp cuts the file off first, which resets the data in memory */
    return word && word != f->word;
}

/* Compares the files of a library with their paths, and records those that were overwritten. The caller has the library
 * in use or in a walk. Returns whether one has changed. */
static bool compare_files(struct library *l)
{
    struct file_identity now;
    bool changed = false;
    for (const struct library_file *f = l->files; f; f = f->next) {
        file_identify(f->path, &now);
        if (file_same(&now, &f->identity)) continue;
        changed = true;
        if (!is_overwritten(f, &now)) continue;
        lock_take();
        if (f->kind == FILE_OWN)
            l->overwritten = true;
        else
            damaged_path = f->path;
        lock_drop();
    }
    return changed;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

bool library_never_closed(void)
{
    return unloading() == UNLOAD_NEVER;
}

void library_let_go(void *handle)
{
    if (!library_never_closed()) gate_dlclose(handle);
}

/* Reports whether an unused library stays open. */
static bool stays(const struct library *l)
{
    lock_wanted(true);
    if (library_never_closed() || l->overwritten || damaged_path) return true;
    return !l->closes && (l->listed || (l->reported && l->known && unloading() == UNLOAD_USUAL));
}

/* Frees a record that is not in the table. closes: with the reference of the linker. */
static void free_library(struct library *l, bool closes)
{
    if (closes && l->closure)
        closure_drop(l->closure);
    else if (closes)
        library_let_go(l->handle);
    for (struct library_file *f = l->files, *next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(l->given);
    free(l);
}

/* Ends a use or, with *count the holds, a step of a walk. Closes the library if it does not stay. */
static void give_back(struct library *l, uint32_t *count)
{
    lock_take();
    bool last = l->users + l->holds == 1 && !stays(l);
    lock_drop();
    if (last) compare_files(l);
    lock_take();
    --*count;
    bool closes = !l->users && !l->holds && !stays(l);
    struct library **at = &table;
    while (closes && *at != l) at = &(*at)->next;
    if (closes) *at = l->next;
    lock_drop();
    if (closes) free_library(l, true);
}

/* Returns the library after l, or the first one if l is NULL, and keeps it in the table until the next step. */
static struct library *walk(struct library *l)
{
    lock_take();
    struct library *next = l ? l->next : table;
    if (next) next->holds++;
    lock_drop();
    if (l) give_back(l, &l->holds);
    return next;
}

void library_close(struct library *l)
{
    if (l) give_back(l, &l->users);
}

void library_look(void)
{
    bool changed = false;
    for (struct library *l = walk(NULL); l; l = walk(l)) changed |= compare_files(l);
    if (!changed) return;
    lock_take();
    bool pinned = false; /* a library that stays needs the old version of what others share with it */
    for (const struct library *l = table; l; l = l->next) pinned |= l->users || l->overwritten;
    for (struct library *l = table; l && !pinned; l = l->next) l->closes = true;
    lock_drop();
    for (struct library *l = walk(NULL); l; l = walk(l)) {
    }
}

/* Closes all libraries when the loader is unloaded. At exit they stay open, as other threads may still run in them.
 * They also stay open if the system holds its loader lock during unloading (WIN-010): a driver's own cleanup may wait
 * for its threads, and these for that lock. */
__attribute__((destructor)) static void close_all(void)
{
    if (exit_begun()) return;
    for (struct library *l = table; l && !UNLOADED_UNDER_LOCK; l = l->next) compare_files(l);
    for (struct library *l = table, *next; l; l = next) {
        next = l->next;
        free_library(l, !UNLOADED_UNDER_LOCK && !l->overwritten && !damaged_path);
    }
    table = NULL;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* Reports whether a library must not be opened or called. l: its record; may be NULL. text: as for library_open. */
static bool is_refused(const struct library *l, const char *path, char **text)
{
    lock_take();
    const char *file = l && l->overwritten ? path : damaged_path;
    lock_drop();
    if (file) *text = join(file, overwritten_end, "", "");
    return file != NULL;
}

/* Reports whether a library is a loader, and closes it then. text: as for library_open. */
static bool is_loader(void *handle, const char *path, char **text)
{
    const char *loader = loader_named_of(handle);
    if (!loader) return false;
    char *found = gate_path_by_handle(handle);
    *text = library_loader_text(found ? found : path, loader);
    free(found);
    library_let_go(handle);
    return true;
}

void *library_dlopen(const char *path, char **text)
{
    *text = NULL;
    void *handle = is_refused(NULL, path, text) ? NULL : gate_dlopen(path, NULL, text);
    return handle && !is_loader(handle, path, text) ? handle : NULL;
}

/* Begins a use of the library of a name. NULL: there is none. */
static struct library *use_name(const char *given, bool served)
{
    lock_take();
    struct library *l = table;
    while (l && !((l->overwritten || !l->closes) && (l->closure != NULL) == served && strcmp(l->given, given) == 0))
        l = l->next;
    if (l) l->users++;
    lock_drop();
    return l;
}

/* Begins a use of the library of a handle, and takes over its reference and the closure. NULL: text as for
 * library_open. */
static struct library *use_handle(void *handle, const char *given, struct closure *closure,
                                  const struct objects_mark *before, const struct file_identity *identity, char **text)
{
    struct library *made = calloc(1, sizeof *made), *l = NULL;
    if (made && (made->given = strdup(given))) {
        made->handle = handle;
        made->closure = closure;
        made->identity = *identity;
        find_files(made, before, identity);
        lock_take();
        struct library **at = &table;
        while (*at && (*at)->handle != handle) at = &(*at)->next;
        if (!*at) *at = made;
        l = *at;
        l->users++;
        l->closes |= strcmp(l->given, given) != 0; /* the linker would find the library by the other name, too */
        lock_drop();
        if (l == made) return l;
    }
    if (closure)
        closure_drop(closure);
    else
        library_let_go(handle);
    if (made) free_library(made, false);
    if (!l || !is_refused(l, given, text)) return l;
    library_close(l);
    return NULL;
}

struct library *library_open(const char *path, char **text)
{
    struct file_identity identity = {0};
    exit_watch();
    *text = NULL;
    struct library *l = use_name(path, false);
    struct objects_mark before = objects_mark();
    if (path_has_directory(path)) file_identify(path, &identity);
    void *handle = is_refused(l, path, text) ? NULL : gate_dlopen(path, &identity, text);
    if (l && handle == l->handle) {
        library_let_go(handle); /* one reference is enough */
        return l;
    }
    library_close(l);
    if (!handle || is_loader(handle, path, text)) return NULL;
    return use_handle(handle, path, NULL, &before, &identity, text);
}

struct library *library_borrow(const char *path, char **text)
{
    struct library *l = use_name(path, false);
    *text = NULL;
    if (l && !is_refused(l, path, text)) return l;
    library_close(l);
    return l ? NULL : library_open(path, text);
}

struct library *library_use_served(const char *given, const struct file_identity *identity, char **text)
{
    struct library *l = use_name(given, true);
    bool same = l && file_same(identity, &l->identity);
    if (l && !same) {
        lock_take();
        l->overwritten |= file_same_inode(identity, &l->identity);
        l->closes = true;
        lock_drop();
    }
    if (!is_refused(l, given, text) && same) return l;
    library_close(l);
    return NULL;
}

struct library *library_add_served(const char *given, const struct file_identity *identity, struct closure *closure,
                                   const struct objects_mark *before, char **text)
{
    return use_handle(closure_driver(closure), given, closure, before, identity, text);
}

/* ---- lists of extensions ---------------------------------------------------------------------------------------- */

void library_preload(struct library *l)
{
    lock_take();
    l->listed = true;
    lock_drop();
}

void library_drop_preloaded(const struct library *only)
{
    for (struct library *l = walk(NULL); l; l = walk(l)) {
        lock_take();
        if (!only || l == only) l->listed = false;
        lock_drop();
    }
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* The path is looked up when a message first needs it, as most programs get no message. */
const char *driver_path(struct driver_lib *lib)
{
    const char *path = __atomic_load_n(&lib->path, __ATOMIC_ACQUIRE), *none = NULL;
    if (path) return path;
    const struct library *library = lib->library;
    char *real = library->closure ? NULL : gate_path_of(lib->inside); /* the linker's name of a closure is stale */
    if (!real) real = strdup(library->given);
    if (!real) return library->given;
    if (__atomic_compare_exchange_n(&lib->path, &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return real;
    free(real); /* another thread was faster */
    return none;
}
