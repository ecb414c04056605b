/* read.c: gathers the facts that the core asks for: variables, directories, files, whether a path
 * exists. Everything goes through the C library's dynamic symbols (GEN-12, LAY-2, SYS-001),
 * at the time of the call (G-5).
 *
 * It decides nothing and remembers nothing between calls. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/facts.h"
#include "process/process.h"

#define REGULAR_LOOKS_MAX 16   /* paths compared with a file's path */
#define INTERRUPTIONS_MAX 1000 /* per read: a file that always answers EINTR cannot be read (LAY-8) */

void read_var(struct wire_writer *w, struct variable v, bool elevated)
{
    const char *value = v.secure && elevated ? NULL : env_value(v);
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
    struct wire_writer names = {0};
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
            strs_add(&r.names, &names, entry->d_name, (uint32_t)length);
            if (entry->d_type == DT_REG) add_regular(&budget->regular, path, entry->d_name);
        }
        closedir(dir);
    }
    w->failed |= names.failed;
    wire_put_directory(w, &r);
    free(names.bytes);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* An open file of any type: a descriptor, or a stream if another library interposes the C library's functions
 * (LAY-2). */
struct open_file {
    int fd; /* -1: none */
    FILE *file;
};

/* Opens a file without blocking: the path may have become a FIFO since it was checked. */
static struct open_file file_open(const char *path)
{
    struct open_file o = {.fd = -1};
    if (!file_access_is_replaced()) o.fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (o.fd < 0 && (file_access_is_replaced() || errno == EWOULDBLOCK /* until a lease ends */)) {
        o.file = fopen(path, "rbe");
        if (o.file) setvbuf(o.file, NULL, _IONBF, 0); /* the file is read at once into the caller's buffer */
    }
    return o;
}

static void file_close(struct open_file o)
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

static size_t file_more(struct open_file o, size_t at, char *to, size_t size)
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
static long long file_size(struct open_file o, uint32_t *status, struct file_identity *file)
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

/* The content of a file is read into the message itself, behind its status and its length. */
#define CONTENT_AT 8

/* Reads a small file without asking for its size. Returns true if the file ended within READ_SMALL bytes and its last
 * character is the closing brace of a manifest; otherwise the caller starts again. */
static bool file_small(struct open_file o, struct wire_writer *w, size_t *length)
{
    if (o.file || !wire_room(w, CONTENT_AT + READ_SMALL + 1)) return false;
    char *content = (char *)w->bytes + w->size + CONTENT_AT;
    size_t end = *length = file_more(o, 0, content, READ_SMALL + 1);
    while (end && strchr(" \t\r\n", content[end - 1])) end--;
    return *length <= READ_SMALL && end && content[end - 1] == '}';
}

/* Reads all of an open file and returns its status. */
static uint32_t file_content(struct open_file o, struct read_budget *budget, struct wire_writer *w, size_t *length)
{
    struct file_identity file = {0};
    uint32_t status;
    long long size = file_size(o, &status, &file);
    if (size > FILE_SIZE_MAX) return WIRE_FILE_TOO_LARGE;
    if (size < 0) return status;
    if (file.inode && !read_count(budget, &file, (uint64_t)size)) return WIRE_FILE_TOO_OFTEN;
    if (!wire_room(w, CONTENT_AT + (size_t)size)) return WIRE_FILE_NOT_READ;
    char *content = (char *)w->bytes + w->size + CONTENT_AT;
    *length = 0;
    for (size_t more = 1; more && *length < (size_t)size; *length += more)
        more = file_more(o, *length, content + *length, (size_t)size - *length);
    return *length < (size_t)size ? WIRE_FILE_NOT_READ : WIRE_FILE_READ;
}

/* Appends a file's record, whose content is not copied: manifests of layers can be large. */
void read_file(struct wire_writer *w, struct read_budget *budget, const char *path)
{
    struct open_file opened = {.fd = -1};
    size_t start = wire_begin(w, WIRE_FILE), length = 0;
    wire_put_str(w, path, WIRE_CSTR);
    errno = 0;
    /* LAY-7: a file that cannot be opened is skipped */
    bool special = (file_access_is_replaced() || !is_regular(budget, path)) && file_is_special(path);
    uint32_t status = special ? WIRE_FILE_NOT_REGULAR : WIRE_FILE_NOT_OPENED;
    if (!special) opened = file_open(path);
    if (opened.fd >= 0 || opened.file)
        status = file_small(opened, w, &length) ? WIRE_FILE_READ : file_content(opened, budget, w, &length);
    else if (errno == ENOMEM)
        w->failed = true;
    file_close(opened);
    wire_put_u32(w, status);
    wire_put_u32(w, status == WIRE_FILE_READ ? (uint32_t)length : WIRE_NULL);
    if (status == WIRE_FILE_READ && !w->failed) {
        w->size += length;
        wire_raw(w, "", 1);
    }
    wire_end(w, start);
}

void read_exists(struct wire_writer *w, const char *path)
{
    wire_put_exists(w, &(struct wire_exists){WIRE_STR(path, path), .yes = access(path, F_OK) == 0});
}
