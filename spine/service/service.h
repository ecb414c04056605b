/* service.h: the interface of service/: the connection to the driver service, the drivers that come from there with the
 * libraries that they need, and the devices that they open. It decides nothing: which drivers count is the core's. On
 * Windows there is no driver service. */
#ifndef VKL_SERVICE_H
#define VKL_SERVICE_H

#include "process/process.h"

struct wire_writer; /* gen/zwire.h */

/* ---- client.c -------------------------------------------------------------------------------------------------- */

#define SERVICE_AHEAD_MAX 16

/* One call's connection. */
struct service {
    int socket;                        /* -1: there is none */
    uint32_t asked;                    /* requests so far */
    int64_t until;                     /* when it is given up, in milliseconds of the monotonic clock */
    char place[108];                   /* its socket */
    uint32_t ahead[SERVICE_AHEAD_MAX]; /* files that were asked for and not taken, in their order */
    uint32_t ahead_count;
};

/* Asks for a file that service_file is to open later, so that the files need one wait together; answers come in the
 * order of the questions. It does nothing when too much was asked for already. */
void service_ahead(struct service *s, uint32_t number);
/* Opens file number of the index that read_service has got, for reading alone. -1: *why says why not; the connection
 * may be gone then. size: in bytes, as the index says; another one is refused. The descriptor is the caller's.
 * identity: of the file. */
int service_file(struct service *s, uint32_t number, uint32_t size, struct file_identity *identity, const char **why);
/* Opens a file of the service's tree of devices at a path, over a connection of its own; "" is the directory
 * itself. -1: it has or gives none. The descriptor is the caller's. */
int service_device(const char *path);
/* Connects to the driver service, appends its record, and leaves the connection in s while that has answered. Lack of
 * memory is remembered in the writer. */
void read_service(struct wire_writer *w, struct service *s);
/* Ends the connection; of none it does nothing. */
void service_end(struct service *s);

/* ---- owner.c ---------------------------------------------------------------------------------------------------- */

/* Reports whether only root and the program's own user can change the file at a path without links. The path is written
 * to, and restored in the end. */
bool owner_counts(char *path);

/* ---- closure.c -------------------------------------------------------------------------------------------------- */

/* A file of the service, as the plan names it. */
struct serve_file {
    uint32_t number, size;
    const char *name; /* by which others need it */
};

/* A driver of the service with the libraries that it needs, mapped; counted. */
struct closure;
/* fd: of the last file, the driver's own; it stays the caller's. NULL: *text says why (malloc, may be NULL when there
 * is no memory). */
struct closure *closure_open(struct service *service, const struct serve_file *file, uint32_t count, int fd,
                             char **text);
void *closure_driver(const struct closure *c);
/* Closes the libraries of a closure, unless libraries are never closed. NULL is none. */
void closure_drop(struct closure *c);

/* ---- namespace.c ------------------------------------------------------------------------------------------------ */

/* Offers a driver of the service, before anything else of it is called, the function by which it opens devices. */
void namespace_offer(void *handle);

#endif
