/* table.c: the table of the libraries that the loader has open for drivers, and of those that were overwritten.
 *
 * A driver library that has reported a physical device stays open after its last instance, until the process ends or
 * one of its files changes (INS-088; docs/guest-rules.md, "What stays in memory"). A library that a list of extensions
 * has opened stays until the next vkDestroyInstance (INS-087). Every other library is closed after its last use.
 * library_look compares the files before a call opens libraries; a library in use is not compared.
 *
 * Overwriting a file in place changes its mapped code. The library is then put into quarantine: it is neither called
 * nor closed.
 *
 * It opens no library and calls no function of one. Records are reused and never freed before the loader is unloaded,
 * so the table is walked without the lock.
 */
#include "library/table.h"

#include <stdlib.h>
#include <string.h>

struct library *_Atomic library_table;

bool library_never_closed(void)
{
    return unloading() == UNLOAD_NEVER;
}

void library_let_go(void *handle)
{
    if (!library_never_closed()) gate_dlclose(handle);
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

bool record_open(const struct library *l)
{
    return l->state == LIBRARY_IN_USE || l->state == LIBRARY_KEPT;
}

/* Returns the record of an open library, or NULL. */
struct library *record_with(const void *handle)
{
    lock_wanted(true);
    struct library *l = atomic_load(&library_table);
    while (l && !(record_open(l) && l->handle == handle)) l = l->next;
    return l;
}

bool record_quarantined(const void *handle)
{
    bool is = false;
    lock_take();
    for (const struct library *l = atomic_load(&library_table); l && !is; l = l->next)
        is = l->state == LIBRARY_QUARANTINED && l->handle == handle;
    lock_drop();
    return is;
}

static bool has_file(const struct library *l, const char *path)
{
    const struct library_file *f = l->files;
    while (f && strcmp(f->path, path) != 0) f = f->next;
    return f != NULL;
}

/* Adds a file, unless the library has it. object: as in library_file. */
void record_file_add(struct library *l, const char *path, const struct file_identity *identity, const void *object)
{
    size_t length = strlen(path) + 1, size;
    if (!size_of_array(sizeof(struct library_file), length, 1, &size)) return;
    struct library_file *f = malloc(size);
    if (!f) return;
    *f = (struct library_file){.identity = *identity, .object = object};
    memcpy(f->path, path, length);
    lock_take();
    if (!has_file(l, path)) {
        f->next = l->files;
        l->files = f;
        f = NULL;
    }
    lock_drop();
    free(f);
}

/* Frees the contents of a record in state CLOSING. */
void record_free(struct library *l)
{
    lock_take();
    struct library was = *l;
    memset((char *)l + offsetof(struct library, state), 0, sizeof *l - offsetof(struct library, state));
    lock_drop();
    free(was.given);
    free(was.path);
    free(was.search);
    objects_drop(was.before);
    for (struct library_file *f = was.files, *next; f; f = next) {
        next = f->next;
        free(f);
    }
}

bool mapping_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then)
{
    return file_overwritten(path, now, then) || (!file_same(now, then) && build_damaged(&then->build));
}

/* Reports whether a file of the library was overwritten. Excludes each overwritten file from later walks. */
static bool was_overwritten(const struct library *l)
{
    struct file_identity now;
    bool overwritten = false;
    for (const struct library_file *f = l->files; f; f = f->next) {
        file_identify(f->path, &now);
        if (!mapping_overwritten(f->path, &now, &f->identity) || (f->object && !objects_have(f->object, f->path)))
            continue;
        build_lose(&f->identity.build);
        overwritten = true;
    }
    return overwritten;
}

static void record_set(struct library *l, enum library_state state)
{
    lock_take();
    l->state = state;
    lock_drop();
}

void record_quarantine(struct library *l)
{
    build_lose(&l->identity.build);
    record_set(l, LIBRARY_QUARANTINED);
}

/* Closes a library that this thread has put into CLOSING, or puts it into quarantine. */
void record_close(struct library *l)
{
    if (was_overwritten(l)) {
        record_set(l, LIBRARY_QUARANTINED);
        return;
    }
    if (l->closure) closure_drop(l->closure);
    for (uint32_t i = 0; !l->closure && i < l->references; i++) library_let_go(l->handle);
    record_free(l);
}

/* Returns a record in state CLOSING, reused or new. NULL: no memory. */
struct library *record_new(void)
{
    struct library *fresh = calloc(1, sizeof *fresh), *l;
    if (!fresh) return NULL;
    lock_take();
    for (l = atomic_load(&library_table); l && l->state != LIBRARY_FREE;) l = l->next;
    if (!l) {
        struct library *_Atomic *end = &library_table;
        while ((l = atomic_load(end))) end = &l->next;
        atomic_store(end, l = fresh);
        fresh = NULL;
    }
    l->state = LIBRARY_CLOSING; /* lookups ignore it */
    lock_drop();
    free(fresh);
    return l;
}

/* Reports whether an unused library stays open. */
bool record_stays(const struct library *l)
{
    bool searched = !l->closure && !path_has_directory(l->given);
    return library_never_closed() || l->listed ||
           (l->reported && unloading() == UNLOAD_USUAL && (!searched || l->search));
}

/* Ends one use. True: the caller has to call record_close. */
bool record_unhold(struct library *l)
{
    lock_wanted(true);
    l->unchanged = false;
    if (--l->users || l->state != LIBRARY_IN_USE) return false;
    l->state = record_stays(l) ? LIBRARY_KEPT : LIBRARY_CLOSING;
    return l->state == LIBRARY_CLOSING;
}

void record_hold(struct library *l)
{
    lock_wanted(true);
    l->users++;
    l->state = LIBRARY_IN_USE;
}

/* Closes all libraries when the loader is unloaded. At exit they stay open, as other threads may still run in them.
 * They also stay open if the system holds its loader lock during unloading (WIN-010): a driver's own cleanup may wait
 * for its threads, and these for that lock. */
__attribute__((destructor)) static void close_all(void)
{
    if (exit_begun()) return;
    for (struct library *l = atomic_load(&library_table); l && !UNLOADED_UNDER_LOCK; l = l->next) {
        if (!record_open(l)) continue;
        record_set(l, LIBRARY_CLOSING);
        record_close(l);
    }
    for (struct library *l = atomic_exchange(&library_table, NULL), *next; l; l = next) {
        next = l->next;
        record_free(l);
        free(l);
    }
    objects_forget();
}

/* ---- changed files ---------------------------------------------------------------------------------------------- */

/* Returns the first library from l on that library_look holds, or NULL. */
static struct library *looked_from(struct library *l)
{
    lock_take();
    while (l && !l->looked) l = l->next;
    lock_drop();
    return l;
}

/* Returns the result for a file that an earlier library of the same comparison has, too: drivers share many. */
static enum library_file_state found_before(const struct library *l, const struct library_file *file)
{
    lock_wanted(true);
    for (const struct library *other = atomic_load(&library_table); other != l; other = other->next)
        for (const struct library_file *f = other->looked ? other->files : NULL; f; f = f->next)
            if (f->object == file->object && file_same(&f->identity, &file->identity) &&
                strcmp(f->path, file->path) == 0)
                return f->found;
    return FILE_UNKNOWN;
}

/* Compares the files of a library that library_look holds. */
static void files_compare(struct library *l)
{
    struct file_identity now;
    lock_take();
    struct library_file *const first = l->files; /* other threads add to the head of the list */
    for (struct library_file *f = first; f; f = f->next) f->found = found_before(l, f);
    lock_drop();
    for (struct library_file *f = first; f; f = f->next) {
        if (f->found != FILE_UNKNOWN) continue;
        file_identify(f->path, &now);
        f->found = file_same(&now, &f->identity)                      ? FILE_SAME
                   : mapping_overwritten(f->path, &now, &f->identity) ? FILE_OVERWRITTEN
                                                                      : FILE_REPLACED;
        if (f->found != FILE_SAME && f->object && !objects_have(f->object, f->path)) f->found = FILE_SAME;
    }
}

static bool shares(const struct library *l, const struct library_file *file)
{
    const struct library_file *f = l->files;
    while (f && !file_same_inode(&f->identity, &file->identity)) f = f->next;
    return f != NULL;
}

/* Reports whether a library in use or in quarantine has the file. It stays mapped, so its old code needs the old file.
 */
static bool is_pinned(const struct library_file *file)
{
    lock_wanted(true);
    const struct library *l = atomic_load(&library_table);
    while (l && !((l->state == LIBRARY_QUARANTINED || (l->state == LIBRARY_IN_USE && l->users > l->looked)) &&
                  shares(l, file)))
        l = l->next;
    return l != NULL;
}

/* Returns KEPT or CLOSING for a held library, by its own files and the files it shares with others, and notes whether
 * it is unchanged. A driver that the linker would find elsewhere may need other versions of its libraries, so the
 * libraries that share one of its files are closed, too. */
static enum library_state state_after(struct library *l)
{
    lock_wanted(true);
    bool replaced = false, pinned = library_never_closed();
    l->unchanged = false;
    for (const struct library *other = atomic_load(&library_table); other; other = other->next) {
        for (const struct library_file *f = other->looked ? other->files : NULL; f; f = f->next) {
            bool changed = f->found == FILE_REPLACED || f->found == FILE_OVERWRITTEN;
            if ((!changed && !other->moved) || (other != l && !shares(l, f))) continue;
            if (f->found == FILE_OVERWRITTEN) return LIBRARY_CLOSING; /* record_close puts it into quarantine */
            pinned |= is_pinned(f);
            replaced = true;
        }
    }
    l->unchanged = !replaced && l->files;
    return replaced && !pinned ? LIBRARY_CLOSING : LIBRARY_KEPT;
}

/* Reports whether the linker would now find another file by the bare name. */
static bool search_changed(const struct library *l)
{
    return !l->closure && !path_has_directory(l->given) && !linker_search_same(l->search, l->given, l->path);
}

/* Holds the kept libraries and compares their files. The caller's claim keeps other threads out. */
static void kept_compare(void)
{
    lock_take();
    for (struct library *l = atomic_load(&library_table); l; l = l->next) {
        if (l->state != LIBRARY_KEPT) continue;
        record_hold(l);
        l->looked = true;
    }
    lock_drop();
    for (struct library *l = atomic_load(&library_table); (l = looked_from(l)); l = l->next) {
        files_compare(l);
        l->moved = search_changed(l);
    }
}

/* Releases the held libraries. Those not in use by another thread get the state of state_after. */
static void kept_judge(void)
{
    lock_take();
    for (struct library *l = atomic_load(&library_table); l; l = l->next) {
        if (!l->looked) continue;
        l->after = state_after(l);
    }
    for (struct library *l = atomic_load(&library_table); l; l = l->next) {
        if (!l->looked) continue;
        bool alone = --l->users == 0;
        if (alone) l->state = l->after;
        l->looked = alone && l->after == LIBRARY_CLOSING; /* library_look closes it */
    }
    lock_drop();
}

void library_look(void)
{
    struct claim claim;
    bool any = false;
    lock_take();
    for (struct library *l = atomic_load(&library_table); l && !any; l = l->next) any = l->state == LIBRARY_KEPT;
    any = any && claim_take(&claim, &library_table, NULL); /* not from a destructor run by this function */
    lock_drop();
    if (!any) return;
    kept_compare();
    kept_judge();
    for (struct library *l = atomic_load(&library_table); (l = looked_from(l)); l = l->next) {
        lock_take();
        l->looked = false;
        lock_drop();
        record_close(l);
    }
    lock_take();
    claim_drop(&claim);
    lock_drop();
}
