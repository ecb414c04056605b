/* table.h: records of libraries in the process. Owner: table.c. */
#ifndef VKL_TABLE_H
#define VKL_TABLE_H

#include <stdatomic.h>

#include "library/library.h"

enum library_state {
    LIBRARY_FREE,        /* the record has no library */
    LIBRARY_IN_USE,      /* instances or calls use it */
    LIBRARY_KEPT,        /* unused, and stays open */
    LIBRARY_QUARANTINED, /* overwritten: neither called nor closed */
    LIBRARY_CLOSING,     /* one thread closes it */
};

/* The result of comparing a file with its path, in library_look. */
enum library_file_state { FILE_UNKNOWN, FILE_SAME, FILE_REPLACED, FILE_OVERWRITTEN };

/* A file of a library. */
struct library_file {
    struct library_file *next;
    struct file_identity identity;
    const void *object; /* the object, if it came after the library was opened; else NULL */
    enum library_file_state found;
    char path[];
};

/* A library in the process, identified by its handle. Guarded by the lock; its texts change only while it is new. */
struct library {
    struct library *_Atomic next; /* set once */
    enum library_state state;
    uint32_t users;           /* openings and calls in progress */
    uint32_t references;      /* of the linker to the handle */
    bool reported;            /* the driver has reported a physical device */
    bool listed;              /* a list of extensions has opened it (INS-087) */
    bool looked;              /* held by library_look */
    bool unchanged;           /* library_look found it unchanged; valid while it is kept */
    bool moved;               /* the linker would find another file by the bare name */
    enum library_state after; /* the state that library_look sets at its end */
    void *handle;
    struct closure *closure; /* NULL, except for a driver of the service */
    char *given;             /* as passed to dlopen */
    char *path;              /* the linker's path of the file; NULL: same as given */
    bool as_given;           /* the linker opened it by given, or by searching for it */
    struct search *search;   /* of a bare name; NULL: unknown */
    struct file_identity identity;
    struct library_file *files;
    struct objects *before; /* objects that do not belong to the driver; NULL: unknown */
    struct driver_symbols symbols;
};

extern struct library *_Atomic library_table; /* grows at its end, under the lock */

/* Functions with a record as their only argument need the lock, unless their comment says otherwise. */

/* Reports whether a record's library is open and may be called. */
bool record_open(const struct library *l);
/* Returns the record of an open library, or NULL. */
struct library *record_with(const void *handle);
/* Begins a use. */
void record_hold(struct library *l);
/* Ends a use. True: the caller has to call record_close. */
bool record_unhold(struct library *l);
/* Reports whether an unused library stays open. */
bool record_stays(const struct library *l);
/* Reports whether a mapping has changed since then: the path leads to the same file with other contents, or the
 * linker's data is damaged. now: all zero if the path leads to no file. Call it without the lock. */
bool mapping_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then);
/* Reports whether a handle belongs to a library in quarantine. Call without the lock. */
bool record_quarantined(const void *handle);
/* Returns a record in state CLOSING, which lookups ignore. NULL: no memory. Call without the lock. */
struct library *record_new(void);
/* Puts a library whose own file was overwritten into quarantine. Call without the lock. */
void record_quarantine(struct library *l);
/* Frees the contents of a record in state CLOSING. Call without the lock. */
void record_free(struct library *l);
/* Adds a file, unless the library has it. object: as in library_file. Call without the lock. */
void record_file_add(struct library *l, const char *path, const struct file_identity *identity, const void *object);
/* Closes a library that this thread put into CLOSING, or puts it into quarantine. Call without the lock. */
void record_close(struct library *l);

#endif
