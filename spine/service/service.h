/* service.h: the interface of service/: the connection to the driver service, its drivers with the libraries that they
 * need, and the devices that they open. It decides nothing: the core selects drivers. Windows and macOS have no driver
 * service. */
#ifndef VKL_SERVICE_H
#define VKL_SERVICE_H

#include "process/process.h"

struct wire_writer; /* gen/zwire.h */

/* ---- client.c -------------------------------------------------------------------------------------------------- */

#define SERVICE_AHEAD_MAX 16

/* The connection of one API call. */
struct service {
    int socket;                        /* -1: none */
    uint32_t asked;                    /* number of requests so far */
    int64_t until;                     /* when the call gives up, in milliseconds of the monotonic clock */
    char place[108];                   /* the path of the socket */
    uint32_t ahead[SERVICE_AHEAD_MAX]; /* files requested by service_ahead and not yet taken, in order */
    uint32_t ahead_count;
};

/* Requests a file that service_file is to open later, so that several files need one wait; answers come in the order of
 * the requests. Does nothing if SERVICE_AHEAD_MAX requests are open. */
void service_ahead(struct service *s, uint32_t number);
/* Opens a file of the index that read_service has received, for reading only. number: its number in the index. size:
 * its bytes according to the index; a file of another size is rejected. *identity: the file's identity. Returns a
 * descriptor, which the caller owns, or -1 with the reason in *why; the connection may have ended then. */
int service_file(struct service *s, uint32_t number, uint32_t size, struct file_identity *identity, const char **why);
/* Opens a file of the service's device tree through a new connection; path "" opens the directory itself. Returns a
 * descriptor, which the caller owns, or -1. */
int service_device(const char *path);
/* Connects to the driver service and appends its record. If the service has answered, s stays connected. Lack of memory
 * is recorded in the writer. */
void read_service(struct wire_writer *w, struct service *s);
/* Ends the connection, if there is one. */
void service_end(struct service *s);

/* ---- owner.c ---------------------------------------------------------------------------------------------------- */

/* Reports whether only root and the program's user can change the file at a path without links. The function writes to
 * path, and restores it. */
bool owner_counts(char *path);

/* ---- closure.c -------------------------------------------------------------------------------------------------- */

/* A file of the service in a plan. */
struct serve_file {
    uint32_t number, size;
    const char *name; /* the name by which other libraries need it */
};

/* The open libraries of a driver of the service and of its dependencies. */
struct closure;
/* Opens a driver of the service. fd: of the last file, which is the driver's library; the caller closes it. NULL: *text
 * is the reason, from malloc, or NULL without memory. */
struct closure *closure_open(struct service *service, const struct serve_file *file, uint32_t count, int fd,
                             char **text);
/* Returns the handle of the driver's library. */
void *closure_driver(const struct closure *c);
/* Closes the libraries of a closure, unless libraries are never closed. c: may be NULL. */
void closure_drop(struct closure *c);

/* ---- namespace.c ------------------------------------------------------------------------------------------------ */

/* Passes the function that opens devices to a driver of the service. Call it before any other function of the driver.
 */
void namespace_offer(void *handle);

#endif
