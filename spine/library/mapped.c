/* mapped.c: driver libraries in the process: opening them, their real paths, and which of them stay mapped.
 *
 * A driver that has reported a physical device stays mapped after its instance is gone, until its file changes or the
 * loader itself is unloaded (ERRATA 1): loading it again is the greatest part of a new instance's cost, and unloading
 * it a top cause of crashes. Libraries found by vkEnumerateInstanceExtensionProperties stay until the next
 * vkDestroyInstance (INS-087). Both are further references of the dynamic linker's own count and nothing else.
 *
 * It never looks into a library and never remembers what a driver answered.
 */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

/* A reference held by the loader itself. */
struct held {
    struct held *next;
    void *handle;
    struct closure *closure; /* which the handle is in, when it is not NULL */
    char *given, *real;
    struct file_identity identity;
};

static struct held *kept;            /* under the lock */
static struct held *preloaded;       /* under the lock */
static struct mapped_lib *open_libs; /* under the lock: those that are identified */

bool library_never_closed(void)
{
    return unloading() == UNLOAD_NEVER;
}

void library_let_go(void *handle)
{
    if (!library_never_closed()) gate_dlclose(handle);
}

/* Lets a reference go, be it one of the linker's or one to a closure. */
static void reference_drop(void *handle, struct closure *closure)
{
    if (closure)
        closure_drop(closure);
    else
        library_let_go(handle);
}

static void held_free(struct held *h)
{
    free(h->given);
    free(h->real);
    free(h);
}

static void held_close(struct held *h)
{
    while (h) {
        struct held *next = h->next;
        reference_drop(h->handle, h->closure);
        held_free(h);
        h = next;
    }
}

/* At exit the drivers stay where they are: other threads may still run in them, and nothing is gained. */
__attribute__((destructor)) static void let_go(void)
{
    if (exit_begun()) return;
    held_close(kept);
    held_close(preloaded);
    kept = preloaded = NULL;
}

/* The claim keeps other threads from letting the same one go while the file system is asked. */
void library_drop_replaced(const char *given, const struct file_identity *served)
{
    struct held *gone = NULL;
    struct claim claim;
    struct file_identity now;
    lock_take();
    struct held *h = kept;
    while (h && strcmp(h->given, given) != 0) h = h->next;
    if (h && claim_take(&claim, &kept, NULL)) {
        for (h = kept; h && strcmp(h->given, given) != 0;) h = h->next; /* it may have gone meanwhile */
        lock_drop();
        if (served) now = *served;
        bool replaced = h && ((!served && !file_identify(h->real, &now)) || !file_same(&now, &h->identity));
        lock_take();
        for (struct held **at = &kept; replaced && !gone; at = &(*at)->next) {
            if (*at != h) continue;
            gone = h;
            *at = gone->next;
            gone->next = NULL;
            break;
        }
        claim_drop(&claim);
    }
    lock_drop();
    held_close(gone);
}

struct mapped_lib *library_open(const char *path, char **text)
{
    *text = NULL;
    library_drop_replaced(path, NULL);
    struct mapped_lib *lib = calloc(1, sizeof *lib);
    if (!lib || !(lib->given = strdup(path))) {
        free(lib);
        return NULL;
    }
    lib->real = lib->given;
    lib->handle = gate_dlopen(path, text);
    if (lib->handle) return lib;
    free(lib->given);
    free(lib);
    return NULL;
}

struct closure *library_find_served(const char *given, const struct file_identity *identity)
{
    struct closure *found = NULL;
    lock_take();
    const struct held *lists[] = {kept, preloaded};
    for (unsigned i = 0; i < 2; i++)
        for (const struct held *h = lists[i]; h && !found; h = h->next)
            if (h->closure && strcmp(h->given, given) == 0 && file_same(&h->identity, identity)) found = h->closure;
    for (const struct mapped_lib *l = open_libs; l && !found; l = l->next)
        if (l->closure && strcmp(l->given, given) == 0 && file_same(&l->identity, identity)) found = l->closure;
    if (found) closure_hold(found);
    lock_drop();
    return found;
}

/* Of the same object as an open library. NULL: no memory. */
static struct held *hold(const struct mapped_lib *lib)
{
    struct held *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    *h = (struct held){.handle = lib->handle,
                       .closure = lib->closure,
                       .given = strdup(lib->given),
                       .real = strdup(lib->real),
                       .identity = lib->identity};
    if (h->given && h->real) return h;
    held_free(h);
    return NULL;
}

/* The reference to an object in a list, or NULL. */
static const struct held *listed(const struct held *list, void *handle)
{
    while (list && list->handle != handle) list = list->next;
    return list;
}

void library_identify(struct mapped_lib *lib)
{
    struct file_identity now = lib->identity;
    if (!lib->closure && !file_identify(lib->real, &now)) memset(&now, 0, sizeof now);
    lock_take();
    /* An object that is mapped already may be of an older file of this name: the linker goes by the name. */
    const struct held *held = listed(kept, lib->handle);
    if (!held) held = listed(preloaded, lib->handle);
    if (held) now = held->identity;
    for (const struct mapped_lib *l = open_libs; l; l = l->next)
        if (l->handle == lib->handle) now = l->identity;
    lib->identity = now;
    lib->identified = true;
    lib->next = open_libs;
    open_libs = lib;
    lock_drop();
}

void library_close(struct mapped_lib *lib)
{
    if (!lib) return;
    bool drop = true;
    if (lib->reported && unloading() == UNLOAD_USUAL) {
        /* This reference becomes the loader's own, unless it has one of the same object. */
        struct held *h = hold(lib);
        if (h) {
            exit_watch();
            lock_take();
            if (!listed(kept, h->handle)) {
                h->next = kept;
                kept = h;
                h = NULL;
                drop = false;
            }
            lock_drop();
            if (h) held_free(h);
        }
    }
    struct closure *closure = drop ? lib->closure : NULL;
    if (drop && !closure) library_let_go(lib->handle);
    library_forget(lib); /* first, of a closure: library_served looks for it among what is open */
    closure_drop(closure);
}

void library_forget(struct mapped_lib *lib)
{
    if (lib->identified) {
        lock_take();
        struct mapped_lib **at = &open_libs;
        while (*at && *at != lib) at = &(*at)->next;
        if (*at) *at = lib->next;
        lock_drop();
    }
    if (lib->real != lib->given) free(lib->real);
    free(lib->given);
    free(lib);
}

void library_preload(const struct mapped_lib *lib)
{
    exit_watch();
    lock_take();
    bool have = listed(preloaded, lib->handle);
    lock_drop();
    struct held *h = have ? NULL : hold(lib);
    if (!h) return;
    if (h->closure)
        closure_hold(h->closure);
    else
        h->handle = gate_dlopen(h->given, NULL); /* another reference */
    if (!h->handle) {
        held_free(h);
        return;
    }
    lock_take();
    h->next = preloaded;
    preloaded = h;
    lock_drop();
}

void library_drop_preloaded(const char *given)
{
    struct held *gone = NULL;
    lock_take();
    for (struct held **at = &preloaded; *at;) {
        struct held *h = *at;
        if (given && strcmp(h->given, given) != 0) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        h->next = gone;
        gone = h;
    }
    lock_drop();
    held_close(gone);
}
