/* dyld.c: opens and closes images with their dependencies, and answers questions about them, as dyld of macOS does. One
 * recursive lock guards the list of images, because initializers run while it is held, as on macOS. */
#include "macho.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image *images;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread char error[2048];
static __thread bool has_error;
static struct image *program;

#define PAGE 4096ull
#define S_MOD_INIT_FUNC_POINTERS 0x9
#define S_MOD_TERM_FUNC_POINTERS 0xa
#define S_INIT_FUNC_OFFSETS 0x16
#define MH_EXECUTE 2

static void lock_again(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void lock_take(void)
{
    pthread_mutex_lock(&lock);
}

static void lock_drop(void)
{
    pthread_mutex_unlock(&lock);
}

/* Frees the lock in a forked child, which may call dlopen. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, lock_again);
}

struct image *image_of(const void *address)
{
    for (struct image *i = images; i; i = i->next)
        if ((uintptr_t)address >= i->header && (uintptr_t)address < i->end) return i;
    return NULL;
}

const char *program_path(void)
{
    static char path[PATH_MAX];
    if (program) return program->real;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return path;
}

/* ---- mapping ------------------------------------------------------------------------------------------------------
 */

static int protection(uint32_t p)
{
    return (p & 1 ? PROT_READ : 0) | (p & 2 ? PROT_WRITE : 0) | (p & 4 ? PROT_EXEC : 0);
}

static bool map(struct image *i)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned k = 0; k < i->segments; k++) {
        const struct segment *s = &i->segment[k];
        if (!s->protection || !s->size) continue; /* __PAGEZERO */
        if (s->address < first) first = s->address;
        if (s->address + s->size > last) last = s->address + s->size;
    }
    if (last <= first || last - first > 1ull << 32) return false;
    char *at = mmap(NULL, last - first, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return false;
    i->header = (uintptr_t)at;
    i->base = (uintptr_t)at - first;
    i->end = (uintptr_t)at + (last - first);
    for (unsigned k = 0; k < i->segments; k++) {
        const struct segment *s = &i->segment[k];
        if (!s->protection || !s->size) continue;
        char *to = (char *)(i->base + s->address);
        if (mprotect(to, (s->size + PAGE - 1) & ~(PAGE - 1), PROT_READ | PROT_WRITE) != 0) return false;
        memcpy(to, i->file + s->offset, s->file_size);
        __builtin___clear_cache(to, to + s->file_size);
    }
    return true;
}

static void protect(const struct image *i)
{
    for (unsigned k = 0; k < i->segments; k++) {
        const struct segment *s = &i->segment[k];
        if (s->size && s->protection)
            mprotect((void *)(i->base + s->address), (s->size + PAGE - 1) & ~(PAGE - 1), protection(s->protection));
    }
}

static void run(const struct image *i, uint32_t type)
{
    static const char *arguments[] = {"program", NULL};
    typedef void initializer(int, const char **, char **, char **);
    for (unsigned k = 0; k < i->sections; k++) {
        const struct section *s = &i->section[k];
        char *at = (char *)(i->base + s->address);
        if (s->type != type) continue;
        if (type == S_INIT_FUNC_OFFSETS)
            for (uint64_t o = 0; o + 4 <= s->size; o += 4)
                ((initializer *)(i->header + *(uint32_t *)(at + o)))(1, arguments, environ, NULL);
        else if (type == S_MOD_INIT_FUNC_POINTERS)
            for (uint64_t o = 0; o + 8 <= s->size; o += 8) (*(initializer **)(at + o))(1, arguments, environ, NULL);
        else
            for (uint64_t o = s->size; o >= 8; o -= 8) (*(void (**)(void))(at + o - 8))();
    }
}

/* ---- paths --------------------------------------------------------------------------------------------------------
 */

static void directory_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    snprintf(out, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

/* Replaces the word before the first slash. Returns false if the path begins with another word. */
static bool replaced(const char *path, const char *word, const char *with, char out[PATH_MAX])
{
    size_t n = strlen(word);
    if (strncmp(path, word, n) != 0 || (path[n] && path[n] != '/')) return false;
    char directory[PATH_MAX];
    directory_of(with, directory);
    snprintf(out, PATH_MAX, "%.2000s%.2000s", directory, path + n);
    return true;
}

/* The paths that a search has tried, for dyld's message. */
struct tried {
    char text[1500];
    size_t length;
};

static bool try_path(const char *path, struct tried *tried)
{
    if (exists(path)) return true;
    if (tried->length < sizeof tried->text)
        tried->length += (size_t)snprintf(tried->text + tried->length, sizeof tried->text - tried->length,
                                          "%s'%s' (no such file)", tried->length ? ", " : "", path);
    return false;
}

/* getenv without the interposer of the tests, which records calls. */
static const char *variable(const char *name)
{
    size_t n = strlen(name);
    for (char **e = environ; e && *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=') return *e + n + 1;
    return NULL;
}

static bool try_list(const char *list, const char *leaf, char out[PATH_MAX], struct tried *tried)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");
        snprintf(out, PATH_MAX, "%.*s/%.1000s", (int)n, list, leaf);
        if (n && try_path(out, tried)) return true;
        list += n + (list[n] == ':');
    }
    return false;
}

static bool in_rpaths(const struct image *i, const char *rest, char out[PATH_MAX], struct tried *tried)
{
    for (unsigned k = 0; i && k < i->rpaths; k++) {
        char directory[PATH_MAX];
        if (!replaced(i->rpath[k], "@loader_path", i->real, directory) &&
            !replaced(i->rpath[k], "@executable_path", program_path(), directory))
            snprintf(directory, sizeof directory, "%s", i->rpath[k]);
        snprintf(out, PATH_MAX, "%.2000s%.2000s", directory, rest);
        if (try_path(out, tried)) return true;
    }
    return false;
}

/* Finds the file of a name as dyld does, for a dependency of an image, or for a call of dlopen from the image. */
static bool resolve(const char *name, const struct image *from, bool by_dlopen, char out[PATH_MAX], struct tried *tried)
{
    const char *leaf = strrchr(name, '/');
    leaf = leaf ? leaf + 1 : name;
    if (try_list(variable("DYLD_LIBRARY_PATH"), leaf, out, tried)) return true;
    if (by_dlopen && leaf == name && try_list(variable("LD_LIBRARY_PATH"), leaf, out, tried)) return true;
    if (strncmp(name, "@rpath/", 7) == 0) {
        if (in_rpaths(from, name + 6, out, tried) || (from != program && in_rpaths(program, name + 6, out, tried)))
            return true;
    } else if (from && replaced(name, "@loader_path", from->real, out)) {
        if (try_path(out, tried)) return true;
    } else if (replaced(name, "@executable_path", program_path(), out)) {
        if (try_path(out, tried)) return true;
    } else {
        snprintf(out, PATH_MAX, "%s", name);
        if (try_path(out, tried)) return true;
    }
    const char *fallback = variable("DYLD_FALLBACK_LIBRARY_PATH");
    if (!fallback && name[0] != '/') fallback = "/usr/local/lib:/usr/lib";
    return try_list(fallback, leaf, out, tried);
}

static bool of_system(const char *name)
{
    return strcmp(name, "/usr/lib/libSystem.B.dylib") == 0 || strncmp(name, "/usr/lib/system/", 16) == 0;
}

/* ---- opening and closing ------------------------------------------------------------------------------------------
 */

static void release(struct image *i);
static struct image *load(const char *name, const struct image *from, bool by_dlopen, bool only_loaded);

static void image_free(struct image *i)
{
    tlv_forget(i);
    if (i->end) munmap((void *)i->header, i->end - i->header);
    if (i->mapping) munmap(i->mapping, i->mapping_size);
    free(i->section);
    free(i->path);
    free(i->real);
    free(i);
}

static void unlist(struct image *i)
{
    struct image **p = &images;
    while (*p && *p != i) p = &(*p)->next;
    if (*p) *p = i->next;
}

static bool load_needed(struct image *i)
{
    for (unsigned k = 0; k < i->libraries; k++) {
        if (of_system(i->library[k])) continue;
        i->provider[k] = load(i->library[k], i, false, false);
        if (i->provider[k] || i->weak[k]) continue;
        char reason[1500];
        snprintf(reason, sizeof reason, "%.1400s", error);
        snprintf(error, sizeof error, "Library not loaded: %.500s\n  Referenced from: %.500s\n  Reason: %.900s",
                 i->library[k], i->real, reason);
        return false;
    }
    return true;
}

/* Maps a file that is not loaded. The caller holds the lock. */
static struct image *image_new(const char *path, const char *real)
{
    struct image *i = calloc(1, sizeof *i);
    struct stat s;
    char why[600] = "cannot be read";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    i->path = strdup(path);
    i->real = strdup(real);
    void *file = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        i->file_size = (size_t)s.st_size;
        if (i->file_size) file = mmap(NULL, i->file_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (!i->file_size) snprintf(why, sizeof why, "file too short");
    }
    if (fd >= 0) close(fd);
    i->file = file;
    i->mapping = file == MAP_FAILED ? NULL : file;
    i->mapping_size = i->file_size;
    bool good = file != MAP_FAILED && format_read(i, why, sizeof why);
    if (good && !map(i)) good = (snprintf(why, sizeof why, "its segments cannot be mapped"), false);
    if (good) {
        struct image **last = &images;
        while (*last) last = &(*last)->next;
        *last = i;
        i->references = 1;
        if (i->kind == MH_EXECUTE && !program) program = i; /* its dependencies may name it */
        if (!load_needed(i)) {
            if (program == i) program = NULL;
            release(i);
            return NULL;
        }
        good = bind_all(i, why, sizeof why) && tlv_prepare(i);
        if (!good) unlist(i);
        if (!good && program == i) program = NULL;
    }
    if (!good) {
        snprintf(error, sizeof error, "dlopen(%.500s, 0x0005): tried: '%.500s' (%s)", path, real, why);
        image_free(i);
        return NULL;
    }
    protect(i);
    return i;
}

static void initialize(struct image *i)
{
    if (i->initialized) return;
    i->initialized = true;
    for (unsigned k = 0; k < i->libraries; k++)
        if (i->provider[k]) initialize(i->provider[k]);
    run(i, S_MOD_INIT_FUNC_POINTERS);
    run(i, S_INIT_FUNC_OFFSETS);
}

/* Finds a loaded library by its path, real path or install name. */
static struct image *loaded(const char *name, const char *real)
{
    for (struct image *i = images; i; i = i->next)
        if (strcmp(i->path, name) == 0 || (real && strcmp(i->real, real) == 0) ||
            (i->name && strcmp(i->name, name) == 0))
            return i;
    return NULL;
}

static struct image *load(const char *name, const struct image *from, bool by_dlopen, bool only_loaded)
{
    char path[PATH_MAX], real[PATH_MAX];
    struct tried tried = {0};
    struct image *known = loaded(name, NULL);
    if (!known && !resolve(name, from, by_dlopen, path, &tried)) {
        snprintf(error, sizeof error, "dlopen(%.500s, 0x0005): tried: %s", name, tried.text);
        return NULL;
    }
    if (!known && !realpath(path, real)) snprintf(real, sizeof real, "%s", path);
    if (!known) known = loaded(path, real);
    if (known) {
        known->references++;
        return known;
    }
    if (only_loaded) return NULL;
    return image_new(path, real);
}

static void release(struct image *i)
{
    if (--i->references || i->main) return;
    if (i->initialized) {
        exit_functions_run(i);
        run(i, S_MOD_TERM_FUNC_POINTERS);
    }
    unlist(i);
    for (unsigned k = 0; k < i->libraries; k++)
        if (i->provider[k]) release(i->provider[k]);
    image_free(i);
}

/* Reports a call to the tests' interposer, which sees only functions of this machine. */
static void tell(const char *function, const char *path, int mode)
{
    void (*note)(const char *, const char *, int) =
        (void (*)(const char *, const char *, int))(dlsym)(RTLD_DEFAULT, "world_note");
    if (note) note(function, path, mode & MACOS_RTLD_NOLOAD ? 5 : mode & MACOS_RTLD_NOW ? 2 : 1);
}

void *macos_dlopen(const char *path, int mode)
{
    if (!path) return (void *)-2; /* RTLD_DEFAULT */
    tell("dlopen", path, mode);
    lock_take();
    has_error = false;
    const struct image *from = image_of(__builtin_return_address(0));
    struct image *i = load(path, from, true, mode & MACOS_RTLD_NOLOAD);
    if (i)
        initialize(i);
    else
        has_error = !(mode & MACOS_RTLD_NOLOAD);
    lock_drop();
    return i;
}

static bool is_image(const void *handle)
{
    for (const struct image *i = images; i; i = i->next)
        if (i == handle) return true;
    return false;
}

int macos_dlclose(void *handle)
{
    tell("dlclose", NULL, 0);
    lock_take();
    bool known = is_image(handle);
    has_error = !known;
    if (known)
        release(handle);
    else
        snprintf(error, sizeof error, "dlclose(%p): invalid handle", handle);
    lock_drop();
    return known ? 0 : -1;
}

static void *export_of(const struct image *i, const char *name, unsigned depth)
{
    void *p = format_export(i, name);
    for (unsigned k = 0; !p && depth < 8 && k < i->libraries; k++) /* dlsym searches the dependencies, too */
        p = i->provider[k] ? export_of(i->provider[k], name, depth + 1) : system_symbol(name);
    return p;
}

void *macos_dlsym(void *handle, const char *name)
{
    char full[512];
    void *p = NULL;
    snprintf(full, sizeof full, "_%s", name);
    lock_take();
    has_error = false;
    if (is_image(handle)) {
        p = export_of(handle, full, 0);
    } else if (handle == (void *)-2 || handle == (void *)-5) {
        for (struct image *i = images; i && !p; i = i->next) p = format_export(i, full);
        if (!p) p = system_symbol(full);
        if (!p) p = (dlsym)(RTLD_DEFAULT, name); /* of the program, if it is an ELF file */
    }
    if (!p) {
        snprintf(error, sizeof error, "dlsym(%p, %.500s): symbol not found", handle, name);
        has_error = true;
    }
    lock_drop();
    return p;
}

char *macos_dlerror(void)
{
    bool had = has_error;
    has_error = false;
    return had ? error : NULL;
}

int macos_dladdr(const void *address, struct macos_dl_info *info)
{
    lock_take();
    struct image *i = image_of(address);
    if (i) {
        uintptr_t at;
        const char *name = format_symbol_before(i, (uintptr_t)address, &at);
        *info = (struct macos_dl_info){i->path, (void *)i->header, name, name ? (void *)at : NULL};
    }
    lock_drop();
    if (i) return 1;
    Dl_info native; /* of the ELF program that runs this code, or of libSystem's replacements */
    if (!(dladdr)(address, &native)) return 0;
    *info = (struct macos_dl_info){native.dli_fname, native.dli_fbase, native.dli_sname, native.dli_saddr};
    return 1;
}

struct image *macos_program(const char *path)
{
    char real[PATH_MAX];
    lock_take();
    if (!realpath(path, real)) snprintf(real, sizeof real, "%s", path);
    struct image *i = image_new(path, real);
    if (i && (i->kind != MH_EXECUTE || !i->entry)) {
        snprintf(error, sizeof error, "%s is no program", path);
        program = NULL;
        i = NULL;
    }
    has_error = !i;
    if (i) {
        i->main = true;
        initialize(i);
    }
    lock_drop();
    return i;
}

/* ---- mach-o/dyld.h ------------------------------------------------------------------------------------------------
 */

static struct image *nth(uint32_t n)
{
    struct image *i = images;
    while (i && n--) i = i->next;
    return i;
}

static uint32_t image_count(void)
{
    uint32_t n = 0;
    for (struct image *i = images; i; i = i->next) n++;
    return n;
}

static const char *image_name(uint32_t n)
{
    const struct image *i = nth(n);
    return i ? i->path : NULL;
}

static const void *image_header(uint32_t n)
{
    const struct image *i = nth(n);
    return i ? (const void *)i->header : NULL;
}

static intptr_t image_slide(uint32_t n)
{
    const struct image *i = nth(n);
    return i ? (intptr_t)i->base : 0;
}

static int executable_path(char *buffer, uint32_t *size)
{
    const char *path = program ? program->path : program_path();
    uint32_t length = (uint32_t)strlen(path) + 1;
    if (*size < length) {
        *size = length;
        return -1;
    }
    memcpy(buffer, path, length);
    return 0;
}

static int pid_path(int process, char *buffer, uint32_t size)
{
    const char *path = program_path();
    if (process != getpid() || size < 1024 || strlen(path) >= size) return 0;
    strcpy(buffer, path);
    return (int)strlen(buffer);
}

/* A lazy binder is never called, because all symbols are bound at once. */
static void binder(void)
{
    abort();
}

const struct system_function dyld_functions[] = {
    {"_dlopen", macos_dlopen},
    {"_dlclose", macos_dlclose},
    {"_dlsym", macos_dlsym},
    {"_dlerror", macos_dlerror},
    {"_dladdr", macos_dladdr},
    {"__dyld_image_count", image_count},
    {"__dyld_get_image_name", image_name},
    {"__dyld_get_image_header", image_header},
    {"__dyld_get_image_vmaddr_slide", image_slide},
    {"__NSGetExecutablePath", executable_path},
    {"_proc_pidpath", pid_path},
    {"dyld_stub_binder", binder},
    {NULL, NULL},
};
