/* redirect.c: an interposer, preloaded into the processes of a case. It shows a loader the system directories of the
 * case's root instead of the machine's, can play the part of an elevated process, and can log file accesses.
 *
 * WORLD_ROOT=dir: the system's Vulkan directories, and the kernel's graphics devices, are those of dir/system.
 * WORLD_ELEVATED=1: secure_getenv finds nothing.
 * WORLD_SORTED=1: directories are read in the order of their names; WORLD_SORTED=2: in the opposite order;
 * WORLD_SORTED=shuffled-SEED: in an order that depends on the seed.
 * WORLD_STREAMS=1: fopen gives streams in memory, without a descriptor.
 * WORLD_NO_MEMORY=text: opening a file or directory whose path contains the text fails for lack of memory.
 * WORLD_ACCESS=file: accesses are appended there, "function argument" a line; WORLD_ACCESS_OF="fopen dlopen": only
 * those. world_watch, world_fail, world_live and world_lost, called by the host: memory that one library asks of malloc
 * can be refused, is counted, and is looked for where WORLD_LOST is set. world_closed: a library that stays mapped.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* Functions that the headers give another name where files have 64 bits and pointers 32. */
#if defined __GLIBC__ && __SIZEOF_POINTER__ == 4
#define FILE_REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name "64"))
#else
#define FILE_REAL(name) REAL(name)
#endif
#define VISIBLE __attribute__((visibility("default")))

extern char **environ;

/* The C environment, without going through an interposed function. */
static const char *variable(const char *name)
{
    size_t n = strlen(name);
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, name, n) && (*e)[n] == '=') return *e + n + 1;
    return NULL;
}

static void note(const char *function, const char *argument)
{
    const char *file = variable("WORLD_ACCESS");
    const char *only = variable("WORLD_ACCESS_OF");
    char text[4400];
    if (!file || (only && !strstr(only, function))) return;
    int n = snprintf(text, sizeof text, "%s %s\n", function, argument ? argument : "(null)");
    int (*real_open)(const char *, int, ...) = FILE_REAL(open);
    int fd = real_open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (write(fd, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1) < 0) abort();
    close(fd);
}

static const char *redirected(const char *path, char *room, size_t size)
{
    static const char *const directories[] = {"/etc/vulkan",       "/etc/xdg/vulkan",         "/usr/local/etc/vulkan",
                                              "/usr/share/vulkan", "/usr/local/share/vulkan", "/sys/class/drm",
                                              "/dev/nvidiactl"};
    const char *root = variable("WORLD_ROOT");
    for (size_t i = 0; path && root && i < sizeof directories / sizeof *directories; i++) {
        size_t n = strlen(directories[i]);
        if (strncmp(path, directories[i], n) || (path[n] && path[n] != '/')) continue;
        snprintf(room, size, "%s/system%s", root, path);
        return room;
    }
    return path;
}

/* Does the case want no memory for this path? */
static bool no_memory(const char *path)
{
    const char *text = variable("WORLD_NO_MEMORY");
    if (!text || !*text || !path || !strstr(path, text)) return false;
    errno = ENOMEM;
    return true;
}

/* The same file as a stream in memory, where the case wants that. */
static FILE *stream(FILE *file)
{
    if (!file || !variable("WORLD_STREAMS")) return file;
    char part[4096];
    size_t n;
    FILE *copy = fmemopen(NULL, 1 << 16, "w+b");
    while (copy && (n = fread(part, 1, sizeof part, file)) > 0)
        if (fwrite(part, 1, n, copy) != n) abort();
    if (!copy || ferror(file)) abort();
    fclose(file);
    rewind(copy);
    return copy;
}

VISIBLE int stat(const char *restrict path, struct stat *restrict out)
{
    char room[4400];
    return FILE_REAL(stat)(redirected(path, room, sizeof room), out);
}

VISIBLE int lstat(const char *restrict path, struct stat *restrict out)
{
    char room[4400];
    return FILE_REAL(lstat)(redirected(path, room, sizeof room), out);
}

#ifdef __GLIBC__ /* functions that the portable library calls */
#if __SIZEOF_POINTER__ == 4
VISIBLE int __xstat(int version, const char *path, struct stat *out) __asm__("__xstat64");
VISIBLE int __lxstat(int version, const char *path, struct stat *out) __asm__("__lxstat64");
#endif
VISIBLE int __xstat(int version, const char *path, struct stat *out)
{
    (void)version;
    return stat(path, out);
}

VISIBLE int __lxstat(int version, const char *path, struct stat *out)
{
    (void)version;
    return lstat(path, out);
}
#endif

VISIBLE FILE *fopen(const char *path, const char *mode)
{
    char room[4400];
    note(strchr(mode, 'e') ? "fopen" : "fopen, inherited,", path);
    if (no_memory(path)) return NULL;
    return stream(FILE_REAL(fopen)(redirected(path, room, sizeof room), mode));
}

#if !defined fopen64 && __SIZEOF_POINTER__ != 4 /* musl has one for both, and there fopen is it */
VISIBLE FILE *fopen64(const char *path, const char *mode)
{
    char room[4400];
    note("fopen", path);
    if (no_memory(path)) return NULL;
    return REAL(fopen64)(redirected(path, room, sizeof room), mode);
}
#endif

VISIBLE DIR *opendir(const char *path)
{
    char room[4400];
    note("opendir", path);
    if (no_memory(path)) return NULL;
    return REAL(opendir)(redirected(path, room, sizeof room));
}

/* ---- sorted directories ---- */

static struct listing {
    struct listing *next;
    DIR *dir;
    struct dirent *entries;
    size_t count, given;
} * listings;
static pthread_mutex_t listings_lock = PTHREAD_MUTEX_INITIALIZER;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct dirent *)a)->d_name, ((const struct dirent *)b)->d_name);
}

/* A number for a name, which another seed changes. */
static uint32_t shuffled(const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *s = variable("WORLD_SORTED"); *s; s++) hash = (hash ^ (unsigned char)*s) * 16777619u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static int by_seed(const void *a, const void *b)
{
    const char *first = ((const struct dirent *)a)->d_name, *second = ((const struct dirent *)b)->d_name;
    uint32_t x = shuffled(first), y = shuffled(second);
    return x < y ? -1 : x > y ? 1 : strcmp(first, second);
}

static struct listing *listing_of(DIR *dir)
{
    struct listing *l = listings;
    while (l && l->dir != dir) l = l->next;
    return l;
}

VISIBLE struct dirent *readdir(DIR *dir)
{
    struct dirent *(*real)(DIR *) = FILE_REAL(readdir);
    if (!variable("WORLD_SORTED")) return real(dir);
    pthread_mutex_lock(&listings_lock);
    struct listing *l = listing_of(dir);
    if (!l) {
        l = calloc(1, sizeof *l);
        if (!l) abort();
        *l = (struct listing){.next = listings, .dir = dir};
        listings = l;
        for (struct dirent *entry; (entry = real(dir)); l->count++) {
            l->entries = realloc(l->entries, (l->count + 1) * sizeof *entry);
            if (!l->entries) abort();
            memcpy(&l->entries[l->count], entry, entry->d_reclen);
        }
        bool seeded = variable("WORLD_SORTED")[0] == 's';
        if (l->count) qsort(l->entries, l->count, sizeof *l->entries, seeded ? by_seed : by_name);
        for (size_t i = 0; !strcmp(variable("WORLD_SORTED"), "2") && i < l->count / 2; i++) {
            struct dirent swap = l->entries[i];
            l->entries[i] = l->entries[l->count - 1 - i];
            l->entries[l->count - 1 - i] = swap;
        }
    }
    struct dirent *next = l->given < l->count ? &l->entries[l->given++] : NULL;
    pthread_mutex_unlock(&listings_lock);
    return next;
}

VISIBLE int closedir(DIR *dir)
{
    pthread_mutex_lock(&listings_lock);
    for (struct listing **at = &listings, *l; (l = *at); at = &l->next) {
        if (l->dir != dir) continue;
        *at = l->next;
        free(l->entries);
        free(l);
        break;
    }
    pthread_mutex_unlock(&listings_lock);
    return REAL(closedir)(dir);
}

VISIBLE int access(const char *path, int mode)
{
    char room[4400];
    note("access", path);
    return REAL(access)(redirected(path, room, sizeof room), mode);
}

VISIBLE int open(const char *path, int flags, ...)
{
    char room[4400];
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    int (*real)(const char *, int, ...) = FILE_REAL(open);
    return real(redirected(path, room, sizeof room), flags, mode);
}

/* musl's dlclose unmaps nothing and runs no destructor. So that a case sees whether a library was closed, open
 * libraries are counted there, and a fake is told when glibc would have unmapped it, and when it would have mapped it
 * again. */
#ifndef __GLIBC__
static struct library {
    struct link_map *handle;
    long open;
} libraries[256];

static struct library *library_of(struct link_map *handle)
{
    for (size_t i = 0; handle && i < sizeof libraries / sizeof *libraries; i++) {
        struct link_map *there = NULL;
        if (__atomic_compare_exchange_n(&libraries[i].handle, &there, handle, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST) ||
            there == handle)
            return &libraries[i];
    }
    return NULL;
}

static void tell(struct link_map *handle, bool open)
{
    void (*fake_load)(bool) = (void (*)(bool))dlsym(handle, "fake_load");
    if (fake_load) fake_load(open);
}
#endif

/* Whether a library was closed as often as opened and is mapped nevertheless. */
VISIBLE bool world_closed(const char *path);
bool world_closed(const char *path)
{
#ifndef __GLIBC__
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && libraries[i].handle; i++) {
        char *real = realpath(libraries[i].handle->l_name, NULL);
        bool same = real && !strcmp(real, path);
        free(real);
        if (same) return libraries[i].open <= 0;
    }
#endif
    (void)path;
    return false;
}

/* For a linker of the tests that opens libraries of another format. */
VISIBLE void world_note(const char *function, const char *path, int flags);
void world_note(const char *function, const char *path, int flags)
{
    char text[4400] = "";
    if (path) snprintf(text, sizeof text, "%s %d", path, flags);
    note(function, text);
}

VISIBLE void *dlopen(const char *path, int flags)
{
    char text[4400];
    snprintf(text, sizeof text, "%s %d", path ? path : "(null)", flags);
    note("dlopen", text);
    void *handle = REAL(dlopen)(path, flags);
#ifndef __GLIBC__
    struct library *library = library_of(handle);
    if (library && flags & RTLD_NOLOAD && !library->open) return NULL;
    if (library && __atomic_add_fetch(&library->open, 1, __ATOMIC_SEQ_CST) == 1) tell(handle, true);
#endif
    return handle;
}

VISIBLE int dlclose(void *handle)
{
    note("dlclose", "");
#ifndef __GLIBC__
    struct library *library = library_of(handle);
    if (library && __atomic_sub_fetch(&library->open, 1, __ATOMIC_SEQ_CST) == 0) tell(handle, false);
#endif
    return REAL(dlclose)(handle);
}

VISIBLE char *secure_getenv(const char *name)
{
    const char *elevated = variable("WORLD_ELEVATED");
    note("secure_getenv", name);
    if (elevated && !strcmp(elevated, "1")) return NULL;
    return REAL(secure_getenv)(name);
}

VISIBLE char *getenv(const char *name)
{
    note("getenv", name);
    return REAL(getenv)(name);
}

/* ---- memory ---- */

#ifndef WORLD_NO_MALLOC
#ifdef __GLIBC__ /* whose dlsym asks for memory itself */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);
#define BELOW(name) __libc_##name
#else
#define BELOW(name) REAL(name)
#endif

static uintptr_t watched_from, watched_to;
static long refuse_from = -1, refuse_to, asked;

/* From the n-th call on (0: the first) and before the m-th nothing is given; -1: everything is. Returns the calls since
 * the last time. */
VISIBLE long world_fail(long from, long to);
long world_fail(long from, long to)
{
    long calls = __atomic_exchange_n(&asked, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&refuse_from, from, __ATOMIC_SEQ_CST);
    __atomic_store_n(&refuse_to, to, __ATOMIC_SEQ_CST);
    return calls;
}

static bool refused(uintptr_t caller)
{
    if (caller < watched_from || caller >= watched_to) return false;
    long call = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST), from = __atomic_load_n(&refuse_from, __ATOMIC_SEQ_CST);
    return from >= 0 && call >= from && call < __atomic_load_n(&refuse_to, __ATOMIC_SEQ_CST);
}

/* The blocks that live of those that the watched code has taken. A place is the block's own, or the next free one. */
#define PLACES (1u << 18)
static struct place {
    void *block;
    uintptr_t caller;
    bool reached;
} place[PLACES];
static long taken;
static bool busy;

static void lock_places(void)
{
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield();
}

static void unlock_places(void)
{
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

/* The code whose calls count from now on. */
VISIBLE void world_watch(uintptr_t from, uintptr_t to);
void world_watch(uintptr_t from, uintptr_t to)
{
    static bool forks;
    if (!forks) pthread_atfork(lock_places, unlock_places, unlock_places);
    forks = true;
    if (watched_from == from && watched_to == to) return;
    lock_places();
    if (taken) memset(place, 0, sizeof place);
    taken = 0;
    watched_from = from;
    watched_to = to;
    unlock_places();
}

/* The block's place, or the free one where it would be. */
static unsigned bucket_of(const void *block)
{
    unsigned i = (unsigned)((uintptr_t)block >> 4) % PLACES;
    while (place[i].block && place[i].block != block) i = (i + 1) % PLACES;
    return i;
}

static void *noted(void *block, uintptr_t caller)
{
    if (!block || caller < watched_from || caller >= watched_to) return block;
    lock_places();
    place[bucket_of(block)] = (struct place){.block = block, .caller = caller};
    if (++taken > (long)(PLACES / 2)) abort();
    unlock_places();
    return block;
}

static void forgotten(const void *block)
{
    if (!block || !__atomic_load_n(&taken, __ATOMIC_SEQ_CST)) return;
    lock_places();
    unsigned i = bucket_of(block);
    if (place[i].block) {
        place[i] = (struct place){0};
        taken--;
        for (i = (i + 1) % PLACES; place[i].block; i = (i + 1) % PLACES) { /* those behind move up */
            struct place moved = place[i];
            place[i] = (struct place){0};
            place[bucket_of(moved.block)] = moved;
        }
    }
    unlock_places();
}

VISIBLE long world_live(void);
long world_live(void)
{
    return __atomic_load_n(&taken, __ATOMIC_SEQ_CST);
}

#define INSIDE 256u /* a block may be known by the address of a member that is not its first */

static struct place *place_with(uintptr_t address)
{
    const uintptr_t step = _Alignof(max_align_t); /* malloc's alignment: 8 on 32-bit ARM, 16 on other machines */
    for (uintptr_t at = address & ~(step - 1); at && address - at < INSIDE; at -= step) {
        struct place *p = &place[bucket_of((void *)at)];
        if (p->block) return address - at < malloc_usable_size(p->block) ? p : NULL;
    }
    return NULL;
}

/* Words that may be addresses of blocks. */
static void reach(void *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct place *p = place_with((uintptr_t)word[i]);
        if (!p || p->reached) continue;
        p->reached = true;
        reach(p->block, malloc_usable_size(p->block) / sizeof *word);
    }
}

/* Writes down the living blocks that nothing in the library's data leads to; returns how many there are. */
VISIBLE long world_lost(void *const *data, size_t words, char *text, size_t room);
long world_lost(void *const *data, size_t words, char *text, size_t room)
{
    long lost = 0;
    size_t used = 0;
    if (!variable("WORLD_LOST")) return 0;
    lock_places();
    reach(data, words);
    for (unsigned i = 0; i < PLACES; i++) {
        if (place[i].block && !place[i].reached && ++lost && used < room)
            used += (size_t)snprintf(text + used, room - used, " %zu bytes (asked for at %#lx),",
                                     malloc_usable_size(place[i].block), (long)(place[i].caller - watched_from));
        if (place[i].block) place[i].reached = false;
    }
    unlock_places();
    return lost;
}

#define CALLER ((uintptr_t)__builtin_return_address(0))

VISIBLE void *malloc(size_t size)
{
    return refused(CALLER) ? NULL : noted(BELOW(malloc)(size), CALLER);
}

VISIBLE void *calloc(size_t count, size_t size)
{
    return refused(CALLER) ? NULL : noted(BELOW(calloc)(count, size), CALLER);
}

VISIBLE void *realloc(void *block, size_t size)
{
    if (refused(CALLER)) return NULL;
    forgotten(block); /* before another thread can be given the same address */
    void *grown = BELOW(realloc)(block, size);
    return noted(grown ? grown : size ? block : NULL, CALLER) == grown ? grown : NULL;
}

VISIBLE void free(void *block)
{
    forgotten(block);
    BELOW(free)(block);
}

#ifndef __GLIBC__
/* musl gives no aligned memory beside a malloc that is not its own, unless this comes along. */
VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    return refused(CALLER) ? NULL : noted(BELOW(aligned_alloc)(alignment, size), CALLER);
}
#endif

/* Functions of the C library that return allocated memory; they request it from this library. */
VISIBLE char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = refused(CALLER) ? NULL : noted(BELOW(malloc)(size), CALLER);
    return copy ? memcpy(copy, text, size) : NULL;
}

VISIBLE char *realpath(const char *path, char *given)
{
    if (!given && refused(CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    char *real = REAL(realpath)(path, given);
    return given ? real : noted(real, CALLER);
}

VISIBLE int asprintf(char **out, const char *format, ...)
{
    va_list list;
    *out = NULL;
    if (refused(CALLER)) return -1;
    va_start(list, format);
    int n = vasprintf(out, format, list);
    va_end(list);
    noted(*out, CALLER);
    return n;
}
#endif
