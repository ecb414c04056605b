/* closure.c: opens a driver of the service and the libraries that it needs, through their descriptors
 * (docs/rationale.md). The dynamic linker resolves a needed name with an open library of that name, so the needed
 * libraries are opened first. Libraries of the process or of its system are preferred; if the driver does not work with
 * them, the service's libraries are used.
 *
 * The linker compares a path's text before it looks at the file, and descriptor numbers are reused. So each path gets a
 * text that was never used before.
 *
 * It does not read the libraries, and leaves no descriptor open. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "service/service.h"

struct closure {
    uint32_t count;
    void *handle[]; /* the last one is the driver's */
};

/* A hint for error messages if the C library is not the one that nearly all drivers are built for. */
#ifdef __GLIBC__
static const char libc_hint[] = "";
#else
static const char libc_hint[] = " (drivers are built for glibc as a rule, and this program has another C library)";
#endif

static void close_all(struct closure *c)
{
    while (c->count) {
        void *handle = c->handle[--c->count];
        if (handle && unloading() != UNLOAD_NEVER) gate_dlclose(handle);
    }
}

void closure_drop(struct closure *c)
{
    if (!c) return;
    close_all(c);
    free(c);
}

void *closure_driver(const struct closure *c)
{
    return c->handle[c->count - 1];
}

/* Replaces the descriptor's path in an error message of the linker by the file's name. */
static char *name_file(char *text, const char *path, const char *name)
{
    char *at = text ? strstr(text, path) : NULL;
    if (!at) return text;
    size_t size = strlen(text) + strlen(name) + 1;
    char *out = malloc(size);
    if (!out) return text;
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, name, at + strlen(path));
    free(text);
    return out;
}

/* Returns a number greater than all earlier ones, also those of a loader that was unloaded before. */
static uint64_t next_serial(void)
{
    static uint64_t last; /* under the lock */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    lock_take();
    uint64_t serial = last = now > last ? now : last + 1;
    lock_drop();
    return serial;
}

/* Opens the library of a descriptor by a new path: between the directory and the descriptor's number, each bit of a
 * serial number is written as "./" or "/". */
static void *open_fd(int fd, const char *name, char **text)
{
    char path[192] = "/proc/self/fd/";
    size_t length = strlen(path);
    for (uint64_t serial = next_serial(); serial; serial >>= 1) {
        if (serial & 1) path[length++] = '.';
        path[length++] = '/';
    }
    snprintf(path + length, sizeof path - length, "%d", fd);
    void *handle = gate_dlopen(path, NULL, text);
    *text = name_file(*text, path, name);
    return handle;
}

/* Keeps the first error message; later failures follow from the first. */
static void keep_first(char **text, char *why)
{
    if (*text)
        free(why);
    else
        *text = why;
}

/* FLS-127: joins the error messages of the attempts with the system's and with the service's libraries. Frees both. */
static char *join_reasons(char *own, char *given)
{
    bool two = own && given && strcmp(own, given) != 0;
    char *one = own ? own : given;
    if (!one || (!two && !*libc_hint)) {
        if (own) free(given);
        return one;
    }
    static const char between[] = "; with the service's own libraries: ";
    size_t size = strlen(one) + sizeof between + (two ? strlen(given) : 0) + sizeof libc_hint;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s%s%s", one, two ? between : "", two ? given : "", libc_hint);
    if (own) free(given);
    if (!text) return one;
    free(one);
    return text;
}

/* Opens one library that the driver needs. own: prefers the system's. *took is set if the system's was used. Returns
 * NULL on failure, with the reason in *text if it is known. */
static void *open_needed(struct service *service, const struct serve_file *file, bool own, bool *took, char **text)
{
    void *handle = own ? gate_dlopen(file->name, NULL, NULL) : gate_dlopen_mapped(file->name);
    *took |= own && handle;
    if (handle) return handle;
    const char *why;
    char *said = NULL;
    struct file_identity identity;
    int fd = service_file(service, file->number, file->size, &identity, &why);
    if (fd < 0) {
        keep_first(text, strdup(why));
        return NULL;
    }
    handle = open_fd(fd, file->name, &said);
    close(fd);
    if (!handle) keep_first(text, said);
    return handle;
}

/* Opens all libraries once. Returns false with the reason in *text. */
static bool open_all(struct closure *c, struct service *service, const struct serve_file *file, uint32_t count, int fd,
                     bool own, bool *took, char **text)
{
    char *said = NULL;
    uint32_t asked = 0;
    for (; c->count + 1 < count; c->count++) {
        for (; asked + 1 < count && asked < c->count + SERVICE_AHEAD_MAX; asked++)
            service_ahead(service, file[asked].number);
        c->handle[c->count] = open_needed(service, &file[c->count], own, took, text);
    }
    void *driver = open_fd(fd, file[count - 1].name, &said);
    if (!driver) {
        keep_first(text, said);
        close_all(c);
        return false;
    }
    c->handle[c->count++] = driver;
    free(*text); /* an error about a library without which the driver works */
    *text = NULL;
    return true;
}

struct closure *closure_open(struct service *service, const struct serve_file *file, uint32_t count, int fd,
                             char **text)
{
    struct closure *c = array_new(sizeof *c, count, sizeof c->handle[0]);
    bool took = false;
    *text = NULL;
    if (!c) return NULL;
    if (open_all(c, service, file, count, fd, true, &took, text)) return c;
    char *first = *text;
    *text = NULL;
    if (took && open_all(c, service, file, count, fd, false, &took, text)) {
        free(first);
        return c;
    }
    *text = join_reasons(first, *text);
    free(c);
    return NULL;
}
