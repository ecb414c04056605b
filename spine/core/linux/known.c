/* known.c: remembers what was read of a path, with the stamp of what is there: device, inode, size and both times. When
 * the stamp is the same the next time, one question to the system takes the place of opening, reading and closing.
 *
 * A stamp counts only where any change changes it (trust.c), and when it was old at the reading: what is written within
 * the same tick of the file system's clock would have the same stamp. A path that leads to nothing is known by the
 * directory that lacks its next name. The first readings are not kept: most programs make one instance, and the first
 * question about a file system costs more than they would gain.
 *
 * It decides nothing, and what it remembers is bounded. Memory is got and given back without the lock. A forked child
 * may use what was remembered before: an entry is complete before it can be found, and never changes. */
#include "core/linux/known.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef STAT /* portable.h calls older ones */
#define STAT stat
#define LSTAT lstat
#endif

#define BUCKETS 512u
#define BYTES_MAX ((size_t)4 * 1024 * 1024)
#define RECORD_MAX ((size_t)256 * 1024)
#define OLD_SECONDS 3     /* the coarsest clock of a trusted file system counts seconds */
#define READ_PLACES 1024u /* of what was read; two paths may share one */
#define LIFE 6            /* readings of a program that makes one instance: they are not worth any effort */
#define UNTRUSTED 250     /* readings until a path on a file system without trust is tried again */
#define THERE_PLACES 32u  /* of directories that were there lately */
#define FRESH 16          /* readings until one that was changed a moment ago is */

struct known {
    _Atomic uint32_t references;
    struct known *_Atomic next; /* in its bucket */
    uint64_t hash;
    uint32_t kind;
    struct file_identity stamp;
    const char *path, *look; /* in this block */
    size_t size;             /* of the record */
    _Alignas(8) unsigned char record[];
};

/* Guarded by the lock; pointers are stored at once, so that a child forked in the middle finds none half written. */
static struct known *_Atomic buckets[BUCKETS];
static size_t bytes;
static unsigned hand; /* the bucket that gives way next */

/* Something was kept: until then nothing is looked for, and the pages of the buckets are not touched. */
static _Atomic bool any;

/* After how many readings a path is worth keeping: 0: it was never read, 1: now. Any thread, without the lock. */
static _Atomic unsigned char patience[READ_PLACES];

static uint64_t hash_of(uint32_t kind, const char *path)
{
    size_t length = strlen(path);
    uint64_t h = kind + length;
    for (; length >= 8; path += 8, length -= 8) {
        uint64_t v;
        memcpy(&v, path, 8);
        h = (h ^ v) * 0x9fb21c651e98df25u;
        h ^= h >> 35;
    }
    for (; length; path++, length--) h = (h ^ (unsigned char)*path) * 0x9fb21c651e98df25u;
    return h ^ h >> 32;
}

static size_t weight(const struct known *k)
{
    return sizeof *k + strlen(k->path) + strlen(k->look) + k->size;
}

static void known_drop(struct known *k)
{
    lock_wanted(false);
    if (k && atomic_fetch_sub(&k->references, 1) == 1) free(k);
}

/* The link that leads to what is known of a path, NULL where nothing is. */
static struct known *_Atomic *find(uint64_t hash, uint32_t kind, const char *path)
{
    lock_wanted(true);
    struct known *_Atomic *at = &buckets[hash % BUCKETS];
    for (struct known *k; (k = atomic_load(at)); at = &k->next)
        if (k->hash == hash && k->kind == kind && strcmp(k->path, path) == 0) return at;
    return NULL;
}

/* Takes an entry out of its bucket; the reference is the caller's then. */
static struct known *take_out(struct known *_Atomic *at)
{
    struct known *k = atomic_load(at);
    atomic_store(at, atomic_load(&k->next));
    bytes -= weight(k);
    return k;
}

void known_forget(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct known *k = atomic_exchange(&buckets[i], NULL), *next; k; k = next) {
            next = atomic_load(&k->next);
            known_drop(k);
        }
    bytes = 0;
}

/* ---- asking the system ------------------------------------------------------------------------------------------ */

void looks_end(struct looks *looks)
{
    for (unsigned i = 0; i < looks_used(looks->next); i++) free(looks->absent[i].path);
    for (unsigned i = 0; i < looks_used(looks->next_plain); i++) free(looks->plain[i]);
    looks_begin(looks);
}

/* What this call has found: that there is nothing at a path, because the directory before it lacks its last name. */
static const struct absence *absence_of(const struct looks *looks, const char *path)
{
    size_t length = looks->next ? strlen(path) : 0;
    for (unsigned i = 0; i < looks_used(looks->next); i++) {
        const struct absence *a = &looks->absent[i];
        if (a->length && a->length <= length && (path[a->length] == '/' || !path[a->length]) &&
            memcmp(path, a->path, a->length) == 0)
            return a;
    }
    return NULL;
}

static void absence_add(struct looks *looks, const char *path, size_t length, size_t directory,
                        const struct file_identity *stamp, bool lasting)
{
    unsigned at = looks->next++ % LOOKS_MAX;
    struct absence *a = &looks->absent[at];
    if (looks->next > LOOKS_MAX) free(a->path);
    *a = (struct absence){strndup(path, length), length, directory, *stamp, lasting};
    if (!a->path) a->length = 0;
}

bool stamp_stands(const char *path, const char *look, const struct file_identity *stamp, struct looks *looks)
{
    struct file_identity now;
    size_t directory = look ? strlen(look) : 0, length = directory;
    for (unsigned i = 0; i < looks_used(looks->next) && directory; i++) {
        const struct absence *a = &looks->absent[i];
        if (a->directory == directory && file_same(&a->stamp, stamp) && a->path &&
            strncmp(a->path, look, directory) == 0)
            return true;
    }
    if (!file_identify(look ? look : path, &now) || !file_same(&now, stamp)) return false;
    if (directory) {
        while (path[length] == '/') length++;
        while (path[length] && path[length] != '/') length++;
        absence_add(looks, path, length, directory, &now, true);
    }
    return true;
}

static bool unchanged(const struct known *k, struct looks *looks)
{
    return stamp_stands(k->path, k->look == k->path ? NULL : k->look, &k->stamp, looks);
}

bool stamp_known(const struct wire_record *record, const char *path, struct file_identity *stamp, char **look)
{
    uint64_t hash = hash_of(record->id, path);
    size_t size = (size_t)(record->end - record->at);
    lock_take();
    struct known *_Atomic *at = find(hash, record->id, path);
    struct known *k = at ? atomic_load(at) : NULL;
    if (k) atomic_fetch_add(&k->references, 1);
    lock_drop();
    bool is = k && k->size == size + 8 && memcmp(k->record + 8, record->at, size) == 0;
    if (is) *stamp = k->stamp;
    *look = is && k->look != k->path ? strdup(k->look) : NULL;
    is = is && (k->look == k->path || *look);
    known_drop(k);
    return is;
}

static void leave_alone(const struct reading *r, unsigned char readings)
{
    atomic_store(&patience[r->hash / BUCKETS % READ_PLACES], readings);
}

/* Cuts the last name, and the slashes before it, off a path; false: nothing is left. The root is a directory, too. */
static bool cut(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    while (slash > path && slash[-1] == '/') slash--;
    if (slash == path && !*++slash) return false;
    *slash = '\0';
    return true;
}

/* Is there nothing at a directory's path? It is asked for once a call. One that was there lately is taken to be there:
 * where it is not, its directories are asked for one by one. */
static bool lacks(struct looks *looks, const char *directory)
{
    static _Atomic uint64_t lately[THERE_PLACES]; /* hashes, in place of whose last bits is how often it is taken so */
    struct stat status;
    uint64_t hash = hash_of(WIRE_DIRECTORY, directory);
    for (unsigned i = 0; i < looks_used(looks->next_there); i++)
        if (looks->there[i] == hash) return false;
    _Atomic uint64_t *place = &lately[hash % THERE_PLACES];
    uint64_t was = atomic_load(place);
    bool taken = was % UNTRUSTED && was / UNTRUSTED == hash / UNTRUSTED;
    bool missing = !taken && lstat(directory, &status) != 0 && errno == ENOENT;
    atomic_store(place, taken ? was - 1 : missing ? 0 : hash / UNTRUSTED * UNTRUSTED + UNTRUSTED - 1);
    if (missing)
        absence_add(looks, directory, strlen(directory), 0, &(struct file_identity){0}, false);
    else
        looks->there[looks->next_there++ % LOOKS_MAX] = hash;
    return missing;
}

/* Directories whose names end in .d come several to a directory. Where that is missing, so are all of them, and it
 * alone is asked for in this call. That much is worth a question, but is not remembered. */
static bool lacks_above(const struct reading *r)
{
    size_t length = strlen(r->path);
    if (r->again || r->kind != WIRE_DIRECTORY || length < 2 || strcmp(r->path + length - 2, ".d") != 0) return false;
    char *above = functions_replaced() ? NULL : strdup(r->path);
    bool missing = above && cut(above) && lacks(r->looks, above);
    free(above);
    return missing;
}

bool reading_begin(struct reading *r, struct wire_writer *w, struct looks *looks, uint32_t kind, const char *path)
{
    *r = (struct reading){.kind = kind, .path = path, .looks = looks, .hash = hash_of(kind, path), .start = w->size};
    struct known *k = NULL, *gone = NULL;
    struct known *_Atomic *at = NULL;
    if (atomic_load_explicit(&any, memory_order_relaxed)) {
        lock_take();
        at = find(r->hash, kind, path);
        if (at) {
            k = atomic_load(at);
            atomic_fetch_add(&k->references, 1);
        }
        lock_drop();
    }
    bool same = k && unchanged(k, looks) && (kind != WIRE_FILE || looks_allow(looks, &k->stamp, k->size));
    if (same) {
        size_t start = wire_begin(w, kind); /* which begins the message, too, where this is its first record */
        wire_raw(w, k->record + 8, k->size - 8);
        wire_end(w, start);
    } else if (k) {
        lock_take();
        at = find(r->hash, kind, path);
        if (at && atomic_load(at) == k) gone = take_out(at);
        lock_drop();
    }
    known_drop(gone);
    known_drop(k);
    if (same) return true;
    _Atomic unsigned char *place = &patience[r->hash / BUCKETS % READ_PLACES];
    unsigned char left = atomic_load(place);
    r->again = left == 1;
    if (left != 1) atomic_store(place, left ? left - 1 : LIFE);
    const struct absence *a = absence_of(looks, path);
    if (a && r->again && !a->directory) a = NULL; /* it is worth finding out what there is instead */
    r->absent = a || lacks_above(r);
    if (!a || !r->again) return false;
    if (!a->lasting) leave_alone(r, FRESH);
    r->look = strndup(a->path, a->directory);
    r->stamp = a->stamp;
    r->stamped = r->look && a->lasting;
    return false;
}

/* The time before a stamp is taken; at worst one at which no stamp is old. */
static int64_t seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? now.tv_sec : 0;
}

/* Of a stamp that was taken after this time: may it count? When not, the path is left alone for a while. */
static bool stamp_judge(const struct reading *r, const struct file_identity *stamp, bool trusted, int64_t before)
{
    bool old = stamp->changed[0] <= before - OLD_SECONDS;
    if (!trusted || !old) leave_alone(r, trusted ? FRESH : UNTRUSTED);
    return trusted && old;
}

void reading_of(struct reading *r, int fd)
{
    if (!r->again || fd < 0) return;
    int64_t before = seconds();
    if (file_identify_open(fd, &r->stamp))
        r->stamped = stamp_judge(r, &r->stamp, stamps_trusted(fd, NULL, r->stamp.device), before);
}

/* Of a directory, or a link to one: 1 with its stamp; 0: there is nothing, -1: something else, or it is not known. */
static int link_identify(const char *path, struct file_identity *out)
{
    struct stat status;
    if (lstat(path, &status) != 0) return errno == ENOENT ? 0 : -1;
    return (S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode)) && file_identify(path, out) ? 1 : -1;
}

/* One that does may lead a path to where no directory on the way to it is, and is asked for all that is not there every
 * time (LAY-2). */
bool functions_replaced(void)
{
    static _Atomic signed char known; /* -1: no, 1: yes */
    if (atomic_load(&known)) return atomic_load(&known) > 0;
    const void *const functions[] = {(const void *)getauxval, (const void *)opendir, (const void *)access,
                                     (const void *)fopen,     (const void *)fread,   (const void *)STAT,
                                     (const void *)LSTAT,     (const void *)open,    NULL};
    bool all = gate_same_object(functions);
    atomic_store(&known, all ? -1 : 1);
    return !all;
}

/* The nearest directory that is there, of a path that leads to nothing; whole: the path up to the name that it lacks. A
 * link that leads to nothing is another matter: what it names may come to be without a change here. */
static bool nearest(char *look, char *whole, struct file_identity *stamp)
{
    bool lacking = false; /* there is not even a link at whole */
    while (cut(look)) {
        int there = link_identify(look, stamp);
        if (there > 0) return lacking || link_identify(whole, &(struct file_identity){0}) == 0;
        if (there < 0) return false;
        lacking = true;
        cut(whole);
    }
    return false;
}

void reading_of_nothing(struct reading *r)
{
    if (r->absent || !r->again || errno != ENOENT || functions_replaced()) return;
    char *whole = strdup(r->path);
    r->look = strdup(r->path);
    int64_t before = seconds();
    if (whole && r->look && nearest(r->look, whole, &r->stamp)) {
        bool trusted = stamps_trusted(-1, r->look, r->stamp.device);
        r->stamped = stamp_judge(r, &r->stamp, trusted, before);
        absence_add(r->looks, whole, strlen(whole), strlen(r->look), &r->stamp, r->stamped);
    } else if (whole && r->look) {
        leave_alone(r, UNTRUSTED);
    }
    free(whole);
}

/* ---- keeping ---------------------------------------------------------------------------------------------------- */

static struct known *known_new(const struct reading *r, const struct wire_writer *w)
{
    size_t size = w->size - r->start, path = strlen(r->path) + 1, look = r->look ? strlen(r->look) + 1 : 0;
    struct known *k = malloc(sizeof *k + size + path + look);
    if (!k) return NULL;
    *k = (struct known){.references = 1, .hash = r->hash, .kind = r->kind, .stamp = r->stamp, .size = size};
    char *text = (char *)k->record + size;
    memcpy(k->record, w->bytes + r->start, size);
    k->path = memcpy(text, r->path, path);
    k->look = r->look ? memcpy(text + path, r->look, look) : k->path;
    return k;
}

/* Puts it in, and takes out what has to give way for it; that is returned, linked. */
static struct known *keep(struct known *k)
{
    struct known *gone = NULL;
    lock_wanted(true);
    struct known *_Atomic *at = find(k->hash, k->kind, k->path);
    if (at) gone = take_out(at);
    if (gone) atomic_store(&gone->next, NULL);
    for (unsigned i = 0; i < BUCKETS && bytes + weight(k) > BYTES_MAX; i++) {
        at = &buckets[hand++ % BUCKETS];
        while (atomic_load(at)) {
            struct known *out = take_out(at);
            atomic_store(&out->next, gone);
            gone = out;
        }
    }
    at = &buckets[k->hash % BUCKETS];
    atomic_store(&k->next, atomic_load(at));
    atomic_store(at, k);
    atomic_store(&any, true);
    bytes += weight(k);
    return gone;
}

void reading_end(struct reading *r, const struct wire_writer *w)
{
    size_t start = r->start ? r->start : 8; /* behind the message's own head */
    r->start = start;
    struct known *k = r->stamped && !w->failed && w->size - start <= RECORD_MAX ? known_new(r, w) : NULL;
    free(r->look);
    if (!k) return;
    lock_take();
    struct known *gone = keep(k);
    lock_drop();
    for (struct known *next; gone; gone = next) {
        next = atomic_load(&gone->next);
        known_drop(gone);
    }
}
