/* known.c: remembers what was read of a path, with the stamp of what is there: device, inode, size and both times. When
 * the stamp is the same the next time, one question to the system takes the place of opening, reading and closing.
 *
 * A stamp counts only where any change changes it (trust.c), and when it was old at the reading: what is written within
 * the same tick of the file system's clock would have the same stamp. A path that leads to nothing is known by the
 * directory that lacks its next name. What is read for the first time is not kept: most is read once in a process.
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

#define BUCKETS 1024u
#define BYTES_MAX ((size_t)4 * 1024 * 1024)
#define RECORD_MAX ((size_t)256 * 1024)
#define OLD_SECONDS 3     /* the coarsest clock of a trusted file system counts seconds */
#define READ_PLACES 4096u /* of what was read; two paths may share one */
#define UNTRUSTED 250     /* readings until a path on a file system without trust is tried again */
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

/* How often a path may be read before it is worth keeping: 0 never read, 1 next time. Any thread, without the lock. */
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
    for (unsigned i = 0; i < LOOKS_MAX; i++) known_drop(looks->at[i]);
    *looks = (struct looks){0};
}

/* Is it as it was? A directory that stands for several paths without anything is asked for once a call. */
static bool unchanged(struct known *k, struct looks *looks)
{
    struct file_identity now;
    for (unsigned i = 0; i < LOOKS_MAX && k->look != k->path; i++) {
        const struct known *other = looks->at[i];
        if (other && strcmp(other->look, k->look) == 0 && file_same(&other->stamp, &k->stamp)) return true;
    }
    if (!file_identify(k->look, &now) || !file_same(&now, &k->stamp)) return false;
    if (k->look != k->path) {
        struct known **at = &looks->at[looks->next++ % LOOKS_MAX];
        known_drop(*at);
        atomic_fetch_add(&k->references, 1);
        *at = k;
    }
    return true;
}

bool reading_begin(struct reading *r, struct wire_writer *w, struct looks *looks, uint32_t kind, const char *path)
{
    *r = (struct reading){.kind = kind, .path = path, .hash = hash_of(kind, path), .start = w->size};
    struct known *k = NULL, *gone = NULL;
    lock_take();
    struct known *_Atomic *at = find(r->hash, kind, path);
    if (at) {
        k = atomic_load(at);
        atomic_fetch_add(&k->references, 1);
    }
    lock_drop();
    bool same = k && unchanged(k, looks);
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
    if (left != 1) atomic_store(place, left ? left - 1 : 1);
    return false;
}

/* The time before a stamp is taken; at worst one at which no stamp is old. */
static int64_t seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? now.tv_sec : 0;
}

/* Of a stamp that was taken after this time: may it count? When not, the path is left alone for a while. */
static void stamp_judge(struct reading *r, int fd, int64_t before)
{
    bool trusted = stamps_trusted(fd, r->stamp.device);
    r->stamped = trusted && r->stamp.changed[0] <= before - OLD_SECONDS;
    if (!r->stamped) atomic_store(&patience[r->hash / BUCKETS % READ_PLACES], trusted ? FRESH : UNTRUSTED);
}

void reading_of(struct reading *r, int fd)
{
    if (!r->again || fd < 0) return;
    int64_t before = seconds();
    if (file_identify_open(fd, &r->stamp)) stamp_judge(r, fd, before);
}

/* Does a library stand in for one of the C library's functions by which paths are looked at? It may lead a path to
 * where no directory on the way to it is, and is asked for all that is not there every time (LAY-2). */
static bool replaced(void)
{
    static _Atomic signed char known; /* -1: no, 1: yes */
    if (atomic_load(&known)) return atomic_load(&known) > 0;
    const void *const functions[] = {(const void *)opendir, (const void *)access, (const void *)fopen,
                                     (const void *)stat,    (const void *)lstat,  (const void *)open};
    char *own = image_name_of((const void *)getauxval);
    bool all = own != NULL;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions && all; i++) {
        char *name = image_name_of(functions[i]);
        all = name && strcmp(name, own) == 0;
        free(name);
    }
    free(own);
    atomic_store(&known, all ? -1 : 1);
    return !all;
}

/* Cuts the last name, and the slashes before it, off a path; false: nothing is left. */
static bool cut(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    while (slash > path && slash[-1] == '/') slash--;
    if (slash == path) return false;
    *slash = '\0';
    return true;
}

/* The nearest directory that is there, of a path that leads to nothing; whole: the path up to the name that it lacks. A
 * link that leads to nothing is another matter: what it names may come to be without a change here. */
static bool nearest(char *look, char *whole, struct file_identity *stamp)
{
    struct stat status;
    while (cut(look)) {
        if (file_identify(look, stamp)) return lstat(whole, &status) != 0 && errno == ENOENT;
        cut(whole);
    }
    return false;
}

void reading_of_nothing(struct reading *r)
{
    if (!r->again || errno != ENOENT || replaced()) return;
    char *whole = strdup(r->path);
    r->look = strdup(r->path);
    int64_t before = seconds();
    if (whole && r->look && nearest(r->look, whole, &r->stamp)) {
        int fd = open(r->look, O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct file_identity opened;
        if (fd >= 0 && file_identify_open(fd, &opened) && file_same(&opened, &r->stamp)) stamp_judge(r, fd, before);
        if (fd >= 0) close(fd);
    } else if (whole && r->look) {
        atomic_store(&patience[r->hash / BUCKETS % READ_PLACES], UNTRUSTED);
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
