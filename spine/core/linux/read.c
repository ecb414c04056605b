/* read.c: gathers the facts that the core asks for: variables, directories, files, the executable's path, whether a
 * path exists, the graphics devices. Everything goes through the C library's dynamic symbols (GEN-12, LAY-2, SYS-001),
 * at the time of the call (G-5).
 *
 * It decides nothing and remembers nothing between calls. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/facts.h"
#include "process/process.h"

#ifndef STAT /* portable.h defines it as the symbol of older C libraries */
#define STAT stat
#endif

#define EXE_MAX 1024           /* GEN-13: a path of this many bytes or more counts as unknown */
#define REGULAR_LOOKS_MAX 16   /* listed paths that are compared with one */
#define INTERRUPTIONS_MAX 1000 /* per read: a file that always answers EINTR cannot be read (LAY-8) */

void read_var(struct wire_writer *w, struct variable v, bool raised)
{
    const char *value = !v.secure ? getenv(v.name) : raised ? NULL : secure_getenv(v.name);
    wire_put_var(w, &(struct wire_var){WIRE_STR(name, v.name), .secure = v.secure, WIRE_STR(value, value)});
}

/* ---- directories ------------------------------------------------------------------------------------------------ */

/* Remembers, for the rest of the call, that a directory has listed a regular file. */
static void add_regular(struct wire_writer *list, const char *directory, const char *name)
{
    wire_raw(list, directory, strlen(directory));
    wire_raw(list, "/", 1);
    wire_raw(list, name, strlen(name) + 1);
}

/* Reports whether a directory has listed the path as that of a regular file. Files are read in the order of the lists,
 * so a few entries are compared. */
static bool is_regular(struct read_budget *budget, const char *path)
{
    const struct wire_writer *list = &budget->regular;
    size_t at = budget->next, length = strlen(path) + 1;
    for (unsigned i = 0; i < REGULAR_LOOKS_MAX && at < list->size && !list->failed; i++) {
        const char *entry = (const char *)list->bytes + at;
        size_t size = strlen(entry) + 1;
        at += size;
        if (size != length || memcmp(entry, path, size) != 0) continue;
        budget->next = at;
        return true;
    }
    return false;
}

void read_directory(struct wire_writer *w, struct read_budget *budget, const char *path)
{
    struct name_list list = {0};
    struct wire_directory r = {WIRE_STR(path, path)};
    errno = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        if (errno == ENOMEM) w->failed = true;
        r.status = WIRE_DIRECTORY_NOT_OPENED;
    } else {
        for (struct dirent *entry; (entry = readdir(dir));) { /* LAY-1, SYS-010: the order is readdir's */
            size_t length = strlen(entry->d_name);
            if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
            if (!name_add(&list, entry->d_name)) {
                w->failed = true;
                break;
            }
            if (entry->d_type == DT_REG) add_regular(&budget->regular, path, entry->d_name);
        }
        closedir(dir);
    }
    r.names.count = list.count;
    r.names.list = (const char *const *)list.name;
    wire_put_directory(w, &r);
    names_free(&list);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* An open file of any type: a descriptor, or a stream if another library interposes the C library's functions
 * (LAY-2). */
struct opened {
    int fd; /* -1: none */
    FILE *file;
};

/* Reports whether another library provides one of the C library's functions that read files. */
static bool functions_replaced(void)
{
    static _Atomic signed char known; /* -1: no, 1: yes */
    if (atomic_load(&known)) return atomic_load(&known) > 0;
    const void *const functions[] = {(const void *)getauxval, (const void *)fopen, (const void *)fread,
                                     (const void *)STAT,      (const void *)open,  NULL};
    bool all = gate_same_object(functions);
    atomic_store(&known, all ? -1 : 1);
    return !all;
}

/* Opens a file without blocking: the path may have become a FIFO since it was checked. */
static struct opened file_open(const char *path)
{
    struct opened o = {.fd = -1};
    if (!functions_replaced()) o.fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (o.fd < 0 && (functions_replaced() || errno == EWOULDBLOCK /* until a lease ends */)) {
        o.file = fopen(path, "rbe");
        if (o.file) setvbuf(o.file, NULL, _IONBF, 0); /* the file is read at once into the caller's buffer */
    }
    return o;
}

static void file_close(struct opened o)
{
    if (o.file) fclose(o.file);
    if (o.fd >= 0) close(o.fd);
}

/* Reads with pread. Falls back on lseek and read, which every C library uses, if a seccomp filter refuses pread. */
static ssize_t read_at(int fd, char *to, size_t size, off_t at)
{
    ssize_t got = pread(fd, to, size, at);
    if (got >= 0 || (errno != EPERM && errno != ENOSYS)) return got;
    return lseek(fd, at, SEEK_SET) == at ? read(fd, to, size) : -1;
}

static size_t file_more(struct opened o, size_t at, char *to, size_t size)
{
    if (o.file) return fread(to, 1, size, o.file);
    ssize_t got = -1;
    errno = EINTR;
    for (unsigned i = 0; i < INTERRUPTIONS_MAX && got < 0 && errno == EINTR; i++)
        got = read_at(o.fd, to, size, (off_t)at);
    return got > 0 ? (size_t)got : 0;
}

/* Returns the size of an open file, or -1 with the reason in *status. A stream from an interposed fopen may have no
 * descriptor; it is measured by seeking. */
static long long file_size(struct opened o, uint32_t *status, struct file_identity *file)
{
    struct stat st;
    *status = WIRE_FILE_NO_SIZE; /* LAY-8: if its size cannot be determined */
    if (fstat(o.file ? fileno(o.file) : o.fd, &st) == 0) {
        *file = (struct file_identity){.device = st.st_dev, .inode = st.st_ino};
        if (S_ISREG(st.st_mode)) return st.st_size;
        *status = S_ISDIR(st.st_mode) ? WIRE_FILE_NOT_READ /* a directory opens, but cannot be read */
                                      : WIRE_FILE_NOT_REGULAR;
        return -1;
    }
    if (!o.file || fseek(o.file, 0, SEEK_END) != 0) return -1;
    long size = ftell(o.file);
    return size >= 0 && fseek(o.file, 0, SEEK_SET) == 0 ? size : -1;
}

/* Reads a small file into content without asking for its size. Returns true if the file ended within READ_SMALL bytes
 * and its last character is the closing brace of a manifest; otherwise the caller starts again. */
static bool file_small(struct opened o, struct wire_file *r, char content[READ_SMALL + 1])
{
    size_t got = o.file ? 0 : file_more(o, 0, content, READ_SMALL + 1), end = got;
    while (end && strchr(" \t\r\n", content[end - 1])) end--;
    if (got > READ_SMALL || !end || content[end - 1] != '}') return false;
    r->status = WIRE_FILE_READ;
    r->content = content;
    r->content_len = (uint32_t)got;
    return true;
}

/* Reads all of an open file into *content, which the caller frees. Returns false without memory. */
static bool file_content(struct opened o, struct read_budget *budget, struct wire_file *r, char **content)
{
    struct file_identity file = {0};
    long long size = file_size(o, &r->status, &file);
    if (size > FILE_SIZE_MAX) r->status = WIRE_FILE_TOO_LARGE;
    if (size < 0 || size > FILE_SIZE_MAX) return true;
    if (file.inode && !read_count(budget, &file, (uint64_t)size)) {
        r->status = WIRE_FILE_TOO_OFTEN;
        return true;
    }
    if (!(*content = malloc((size_t)size + 1))) return false;
    size_t got = 0;
    for (size_t more = 1; more && got < (size_t)size; got += more)
        more = file_more(o, got, *content + got, (size_t)size - got);
    r->status = got < (size_t)size ? WIRE_FILE_NOT_READ : WIRE_FILE_READ;
    if (r->status == WIRE_FILE_READ) {
        r->content = *content;
        r->content_len = (uint32_t)size;
    }
    return true;
}

void read_file(struct wire_writer *w, struct read_budget *budget, const char *path)
{
    struct wire_file r = {WIRE_STR(path, path)};
    struct opened opened = {.fd = -1};
    char small[READ_SMALL + 1], *content = NULL;
    errno = 0;
    /* LAY-7: a file that cannot be opened is skipped */
    bool special = (functions_replaced() || !is_regular(budget, path)) && file_is_special(path);
    r.status = special ? WIRE_FILE_NOT_REGULAR : WIRE_FILE_NOT_OPENED;
    if (!special) opened = file_open(path);
    if (opened.fd >= 0 || opened.file) {
        if (!file_small(opened, &r, small) && !file_content(opened, budget, &r, &content)) w->failed = true;
    } else if (errno == ENOMEM) {
        w->failed = true;
    }
    wire_put_file(w, &r);
    free(content);
    file_close(opened);
}

/* ---- graphics devices ------------------------------------------------------------------------------------------- */

#define CLASS "/sys/class/drm"
#define SHORT 512 /* bytes; the kernel's texts about a device are shorter, and programs may call on small stacks */

/* Adds the first bytes of a render node's file to the list; an empty text if it cannot be read. */
static bool add_short_file(struct name_list *list, const char *node, const char *file)
{
    char text[SHORT];
    size_t length = 0;
    snprintf(text, sizeof text, CLASS "/%s/device/%s", node, file);
    FILE *f = fopen(text, "rbe");
    if (f) {
        setvbuf(f, NULL, _IONBF, 0);
        length = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[length] = '\0';
    return name_add(list, text);
}

void read_graphics(struct wire_writer *w)
{
    struct name_list devices = {0}, power = {0};
    struct wire_graphics r = {0};
    errno = 0;
    DIR *dir = opendir(CLASS);
    if (!dir && errno == ENOMEM) w->failed = true;
    r.status = dir ? WIRE_GRAPHICS_LISTED : WIRE_GRAPHICS_NONE;
    if (dir) {
        for (struct dirent *entry; !w->failed && (entry = readdir(dir));) {
            if (strncmp(entry->d_name, "renderD", 7) != 0) continue;
            w->failed = !add_short_file(&devices, entry->d_name, "uevent") ||
                        !add_short_file(&power, entry->d_name, "power/runtime_status");
        }
        closedir(dir);
    }
    for (uint32_t i = 0; i < power.count; i++) power.name[i][strcspn(power.name[i], "\n")] = '\0';
    r.devices.count = devices.count;
    r.devices.list = (const char *const *)devices.name;
    r.power.count = power.count;
    r.power.list = (const char *const *)power.name;
    wire_put_graphics(w, &r);
    names_free(&devices);
    names_free(&power);
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void read_exe(struct wire_writer *w)
{
    char path[EXE_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    struct wire_exe r = {0};
    if (length > 0 && length < EXE_MAX) {
        r.path = path;
        r.path_len = (uint32_t)length;
    }
    wire_put_exe(w, &r);
}

void read_exists(struct wire_writer *w, const char *path)
{
    wire_put_exists(w, &(struct wire_exists){WIRE_STR(path, path), .yes = access(path, F_OK) == 0});
}

/* The ELF header of this library, as the linker names it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool foreign(const char *path)
{
    ElfW(Ehdr) other = {0};
    ssize_t length = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0) {
        length = pread(fd, &other, sizeof other, 0);
        close(fd);
    }
    if (length < 20 || memcmp(other.e_ident, ELFMAG, SELFMAG) != 0) return false;
    return other.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
           other.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] || other.e_machine != __ehdr_start.e_machine;
}

void read_foreign(struct wire_writer *w, const char *path)
{
    wire_put_foreign(w, &(struct wire_foreign){WIRE_STR(path, path), .yes = foreign(path)});
}
