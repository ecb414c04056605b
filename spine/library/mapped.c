/* mapped.c: driver libraries in the process: opening them, their real paths, and which of them stay mapped.
 *
 * A driver that has reported a physical device stays mapped after its instance is gone, until its file changes or the
 * loader itself is unloaded (ERRATA 1): loading it again is the greatest part of a new instance's cost, and unloading
 * it a top cause of crashes. Libraries found by vkEnumerateInstanceExtensionProperties stay until the next
 * vkDestroyInstance (INS-087). Both are further references of the dynamic linker's own count and nothing else. A driver
 * that has no device is closed the first time, and stays when it is opened a second time (ERRATA 28): a program that
 * makes instances again does not pay for it each time. A call that needs a library no longer than it lasts is lent one
 * of these references.
 *
 * Which file is mapped is known by what its path named before it was opened. A file that was overwritten in place is
 * never closed and never used again: its code is not what was mapped.
 *
 * It calls no function of a library and never remembers what a driver answered.
 */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#define CLOSED_MAX 32 /* drivers of which it is remembered that they were closed */

/* A reference held by the loader itself. */
struct held {
    struct held *next;
    void *handle;
    struct closure *closure; /* which the handle is in, when it is not NULL */
    char *given, *look;      /* look: the path whose file is compared */
    bool as_given;           /* given, or look, leads to the object */
    struct file_identity identity;
    struct driver_symbols symbols;
    uint32_t lent; /* to calls that go on: the last of them lets it go, when it is on no list any more */
    bool gone;     /* it is not */
};

static struct held *kept;            /* under the lock */
static struct held *preloaded;       /* under the lock */
static struct held *left;            /* under the lock: what was overwritten stays as it is, forever */
static struct held *going;           /* under the lock: what is lent, and let go afterwards */
static struct held *closed;          /* under the lock: without a handle, what was closed once (ERRATA 28) */
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
    free(h->look);
    free(h);
}

/* The path whose file a library is, as far as that is known. */
static const char *look_of(const struct mapped_lib *lib)
{
    return lib->found ? lib->found : path_has_directory(lib->given) ? lib->given : lib->real;
}

/* Leaves a library as it is, from now on. */
static void leave(struct held *h)
{
    lock_take();
    h->next = left;
    left = h;
    lock_drop();
}

static bool was_overwritten(const char *look, const struct file_identity *then)
{
    struct file_identity now;
    return file_identify(look, &now) && file_overwritten(&now, then);
}

/* The entry of a list that has this handle, or NULL. */
static struct held *listed(struct held *list, const void *handle)
{
    while (list && list->handle != handle) list = list->next;
    return list;
}

/* True if a call still has the library on loan. Then the end of the last loan closes it. */
static bool held_waits(struct held *h)
{
    lock_take();
    bool waits = h->lent > 0;
    if (waits) {
        h->gone = true;
        h->next = going;
        going = h;
    }
    lock_drop();
    return waits;
}

/* Closes an object, and remembers that it was closed once where this was the loader's last reference. */
static void held_close_one(struct held *h)
{
    if (held_waits(h)) return;
    reference_drop(h->handle, h->closure);
    bool last = h->identity.inode != 0;
    lock_take();
    last = last && !listed(kept, h->handle) && !listed(preloaded, h->handle);
    for (const struct mapped_lib *l = open_libs; l && last; l = l->next) last = l->handle != h->handle;
    unsigned count = 0;
    for (const struct held *c = closed; c && last; c = c->next, count++)
        last = strcmp(c->given, h->given) != 0 && count < CLOSED_MAX;
    if (last) {
        h->handle = NULL;
        h->closure = NULL;
        h->next = closed;
        closed = h;
    }
    lock_drop();
    if (!last) held_free(h);
}

static void held_close(struct held *h)
{
    while (h) {
        struct held *next = h->next;
        if (!h->closure && was_overwritten(h->look, &h->identity))
            leave(h);
        else
            held_close_one(h);
        h = next;
    }
}

/* ERRATA 28: was this very file closed once? What is known of another one of its name is forgotten. */
static bool closed_before(const struct held *h)
{
    struct held *other = NULL;
    bool same = false;
    lock_take();
    for (struct held **at = &closed; *at && !same && !other; at = &(*at)->next) {
        if (strcmp((*at)->given, h->given) != 0) continue;
        same = file_same(&(*at)->identity, &h->identity);
        if (same) break;
        other = *at;
        *at = other->next;
        break;
    }
    lock_drop();
    if (other) held_free(other);
    return same;
}

/* Makes a reference the loader's own, unless it has one of the same object: then the caller still has it. */
static bool keep(struct held *h)
{
    exit_watch();
    lock_take();
    bool first = !listed(kept, h->handle);
    if (first) {
        h->next = kept;
        kept = h;
    }
    lock_drop();
    return first;
}

static void held_forget(struct held *h)
{
    for (struct held *next; h; h = next) {
        next = h->next;
        held_free(h);
    }
}

/* At exit the drivers stay where they are: other threads may still run in them, and nothing is gained. So they do where
 * the system holds its lock meanwhile (WIN-010): the end of a driver may wait for its threads, which wait for the lock.
 */
__attribute__((destructor)) static void let_go(void)
{
    if (exit_begun()) return;
    struct held *open[] = {kept, preloaded};
    kept = preloaded = NULL;
    for (unsigned i = 0; i < 2; i++) {
        if (UNLOADED_UNDER_LOCK)
            held_forget(open[i]);
        else
            held_close(open[i]);
    }
    struct held *others[] = {left, closed, going}; /* to which closing has added */
    left = closed = going = NULL;
    for (unsigned i = 0; i < 3; i++) held_forget(others[i]);
}

/* The claim keeps other threads from letting the same one go while the file system is asked. */
void library_drop_replaced(const char *given, const struct file_identity *served)
{
    struct held *gone = NULL;
    struct claim claim;
    struct file_identity now;
    bool stays = false;
    lock_take();
    struct held *h = kept;
    while (h && strcmp(h->given, given) != 0) h = h->next;
    if (h && served && file_same(served, &h->identity)) h = NULL;
    if (h && claim_take(&claim, &kept, NULL)) {
        for (h = kept; h && strcmp(h->given, given) != 0;) h = h->next; /* it may have gone meanwhile */
        lock_drop();
        if (served) now = *served;
        bool replaced = h && ((!served && !file_identify(h->look, &now)) || !file_same(&now, &h->identity));
        stays = replaced && h->closure && file_overwritten(&now, &h->identity);
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
    if (stays && gone)
        leave(gone);
    else
        held_close(gone);
}

/* ---- what is not opened ---------------------------------------------------------------------------------------- */

/* What the lists know of a file; now: NULL when it is not known. With the lock. */
enum known { UNKNOWN, KNOWN, OVERWRITTEN };
static enum known known_as(const char *given, const struct file_identity *now)
{
    enum known known = UNKNOWN;
    for (const struct held *h = left; h; h = h->next)
        if (strcmp(h->given, given) == 0 ||
            (now && h->identity.device == now->device && h->identity.inode == now->inode))
            return OVERWRITTEN;
    const struct held *lists[] = {kept, preloaded, going};
    for (unsigned i = 0; now && i < 3; i++)
        for (const struct held *h = lists[i]; h; h = h->next) {
            if (file_overwritten(now, &h->identity)) return OVERWRITTEN;
            if (file_same(now, &h->identity)) known = KNOWN;
        }
    for (const struct mapped_lib *l = open_libs; now && l; l = l->next) {
        if (file_overwritten(now, &l->identity)) return OVERWRITTEN;
        if (file_same(now, &l->identity)) known = KNOWN;
    }
    return known;
}

bool library_refused(const char *given, const struct file_identity *now)
{
    lock_take();
    bool refused = known_as(given, now) == OVERWRITTEN;
    lock_drop();
    return refused;
}

/* This very file says so itself, once it is open (ERRATA 23). */
static bool is_own(const struct file_identity *identity)
{
    struct file_identity own;
    char *path = gate_path_of((const void *)is_own, NULL, NULL);
    bool same = path && file_identify(path, &own) && file_same(&own, identity);
    free(path);
    return same;
}

/* Of what the path names now; all zero: nothing, or the linker searches for it. */
static void look_at(const char *path, struct file_identity *identity)
{
    if (!path_has_directory(path) || !file_identify(path, identity)) *identity = (struct file_identity){0};
}

static bool may_open(const char *path, const struct file_identity *identity, char **text)
{
    bool seen = identity->inode != 0;
    lock_take();
    enum known known = known_as(path, seen ? identity : NULL);
    lock_drop();
    *text = NULL;
    if (known == OVERWRITTEN) {
        *text = library_overwritten_text(path);
        return false;
    }
    const char *loader = seen && known == UNKNOWN && !identity->special ? loader_named_in(path) : NULL;
    if (!loader || is_own(identity)) return true;
    *text = library_loader_text(path, loader);
    return false;
}

bool library_may_open(const char *path, struct file_identity *identity, char **text)
{
    look_at(path, identity);
    return may_open(path, identity, text);
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

/* The linker goes by the paths that have led to an object: what is kept under one of them may not be what this path
 * names now. Lets it go then; true: the caller opens the path again. */
static bool drop_stale(const struct mapped_lib *lib)
{
    struct held *gone = NULL;
    lock_take();
    for (struct held **at = &kept; lib->identity.inode && *at && !gone; at = &(*at)->next) {
        if ((*at)->handle != lib->handle || file_same(&(*at)->identity, &lib->identity)) continue;
        gone = *at;
        *at = gone->next;
        gone->next = NULL;
        break;
    }
    lock_drop();
    held_close(gone);
    return gone != NULL;
}

bool library_is_left(void *handle)
{
    lock_take();
    bool is = listed(left, handle) != NULL;
    lock_drop();
    return is;
}

/* Of an object that the loader has open by the same path and of the same file, it is known where it lies: no directory
 * on the way is asked again. */
static void place_of(struct mapped_lib *lib)
{
    if (!lib->identity.inode) return;
    lock_take();
    const struct held *h = listed(kept, lib->handle);
    if (!h || !h->as_given) h = listed(preloaded, lib->handle);
    lib->as_given = h && h->as_given && strcmp(h->given, lib->given) == 0 && file_same(&h->identity, &lib->identity);
    lock_drop();
}

void library_found(struct mapped_lib *lib, char *found)
{
    lib->found = found;
    if (!found || !file_identify(found, &lib->identity)) return;
    place_of(lib);
}

static struct mapped_lib *open_seen(const char *path, const struct file_identity *seen, char **text)
{
    struct file_identity identity = *seen;
    library_drop_replaced(path, identity.inode ? &identity : NULL);
    if (!may_open(path, &identity, text)) return NULL;
    struct mapped_lib *lib = calloc(1, sizeof *lib);
    if (!lib || !(lib->given = strdup(path))) {
        free(lib);
        return NULL;
    }
    lib->real = lib->given;
    lib->identity = identity;
    lib->handle = gate_dlopen(path, &identity, text);
    if (lib->handle && drop_stale(lib)) {
        library_let_go(lib->handle);
        lib->handle = gate_dlopen(path, NULL, text);
    }
    if (lib->handle && library_is_left(lib->handle)) { /* by a name of it that is new to the loader */
        library_let_go(lib->handle);
        lib->handle = NULL;
        *text = library_overwritten_text(path);
    }
    if (lib->handle) {
        place_of(lib);
        return lib;
    }
    free(lib->given);
    free(lib);
    return NULL;
}

struct mapped_lib *library_open(const char *path, char **text)
{
    struct file_identity identity;
    look_at(path, &identity);
    return open_seen(path, &identity, text);
}

/* What the loader has open by the same path, of the same file where that is known. */
static struct held *lendable(const char *path, const struct file_identity *identity)
{
    lock_wanted(true);
    if (left) return NULL; /* rare, and what is left is looked for in many ways */
    struct held *lists[] = {preloaded, kept};
    for (unsigned i = 0; i < 2; i++)
        for (struct held *h = lists[i]; h; h = h->next)
            if (!h->closure && (identity->inode ? file_same(&h->identity, identity) : h->identity.inode != 0) &&
                strcmp(h->given, path) == 0)
                return h;
    return NULL;
}

/* Ends a loan. The last loan of a library that is on no list closes the library. */
static void take_back(struct held *h)
{
    lock_take();
    bool last = --h->lent == 0 && h->gone;
    for (struct held **at = &going; last && *at; at = &(*at)->next) {
        if (*at != h) continue;
        *at = h->next;
        h->next = NULL;
        break;
    }
    lock_drop();
    if (last) held_close(h);
}

/* What the linker has searched for, it finds by its name again, as long as it is open. */
static struct mapped_lib *lend(const char *path, const struct file_identity *identity)
{
    struct file_identity now;
    bool searched = !path_has_directory(path);
    if (!searched && !identity->inode) return NULL;
    lock_take();
    struct held *h = lendable(path, identity);
    if (h) h->lent++;
    lock_drop();
    struct mapped_lib *lib = NULL;
    if (h && (!searched || (file_identify(h->look, &now) && file_same(&now, &h->identity)))) lib = malloc(sizeof *lib);
    if (lib)
        *lib = (struct mapped_lib){.identity = h->identity,
                                   .handle = h->handle,
                                   .given = h->given,
                                   .real = h->given,
                                   .found = searched ? h->look : NULL,
                                   .as_given = h->as_given,
                                   .lent = h,
                                   .symbols = h->symbols};
    else if (h)
        take_back(h);
    return lib;
}

struct mapped_lib *library_borrow(const char *path, char **text)
{
    struct file_identity identity;
    look_at(path, &identity);
    struct mapped_lib *lib = lend(path, &identity);
    return lib ? lib : open_seen(path, &identity, text);
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
                       .look = strdup(look_of(lib)),
                       .as_given = lib->as_given,
                       .identity = lib->identity,
                       .symbols = lib->symbols};
    if (h->given && h->look) return h;
    held_free(h);
    return NULL;
}

void library_identify(struct mapped_lib *lib)
{
    if (lib->lent) return;                    /* its file is known by what it is lent from */
    struct file_identity now = lib->identity; /* as its path was before it was opened, if it was known then */
    if (!lib->closure && !now.inode && !file_identify(look_of(lib), &now)) memset(&now, 0, sizeof now);
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
    struct held *lent = lib->lent;
    if (lent) {
        library_forget(lib);
        take_back(lent);
        return;
    }
    lock_take();
    bool stays = listed(kept, lib->handle), another = stays || listed(preloaded, lib->handle);
    lock_drop();
    struct held *h = NULL;
    if (!another && lib->identified && !lib->closure && was_overwritten(look_of(lib), &lib->identity)) {
        h = library_is_left(lib->handle) ? NULL : hold(lib);
        if (h) leave(h);
        library_forget(lib);
        return;
    }
    bool drop = true;
    /* Where the loader has another reference, nothing is unmapped, and that one decides in the end. */
    if (lib->identified && !stays && (!another || lib->reported) && unloading() == UNLOAD_USUAL && (h = hold(lib))) {
        drop = !(lib->reported || closed_before(h)) || !keep(h);
        if (!drop) h = NULL;
    }
    void *handle = lib->handle;
    struct closure *closure = lib->closure;
    library_forget(lib); /* first, of a closure: library_served looks for it among what is open */
    if (h)
        held_close_one(h);
    else if (drop)
        reference_drop(handle, closure);
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
    const struct held *h = lib->lent; /* which may own its names, too */
    if (lib->real != lib->given) free(lib->real);
    if (!(h && lib->found == h->look)) free(lib->found);
    if (!(h && lib->given == h->given)) free(lib->given);
    free(lib);
}

void library_preload(struct mapped_lib *lib)
{
    exit_watch();
    lock_take();
    bool have = listed(preloaded, lib->handle);
    lock_drop();
    struct held *h = have ? NULL : hold(lib);
    if (!h) return;
    if (h->closure) {
        closure_hold(h->closure);
    } else if (lib->lent) {
        h->handle = gate_dlopen(h->given, &h->identity, NULL); /* another reference */
    } else {
        h->lent = 1;
        lib->lent = h;
    }
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
    while (gone) {
        struct held *next = gone->next;
        gone->next = NULL;
        if (unloading() != UNLOAD_USUAL || !closed_before(gone) || !keep(gone)) held_close(gone);
        gone = next;
    }
}

void library_close_layer(void *handle, const char *path, const struct file_identity *identity)
{
    struct held *h = identity->inode && was_overwritten(path, identity) ? calloc(1, sizeof *h) : NULL;
    if (!h) {
        library_let_go(handle);
        return;
    }
    *h = (struct held){.handle = handle, .given = strdup(path), .look = strdup(path), .identity = *identity};
    if (h->given && h->look)
        leave(h);
    else
        held_free(h); /* and still not closed */
}
