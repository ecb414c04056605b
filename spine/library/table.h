/* table.h: records of libraries in the process. Owner: table.c. */
#ifndef VKL_TABLE_H
#define VKL_TABLE_H

#include <stdatomic.h>

#include "library/library.h"

enum library_state {
    LIBRARY_FREE,        /* the record has no library */
    LIBRARY_IN_USE,      /* instances or calls use it */
    LIBRARY_KEPT,        /* nobody uses it, and it stays open */
    LIBRARY_QUARANTINED, /* overwritten: neither called nor closed */
    LIBRARY_CLOSING,     /* one thread closes it */
};

/* A file of a library. */
struct library_file {
    struct library_file *next;
    struct file_identity identity;
    const void *object; /* of an object that came after the library was opened; else NULL */
    enum { FILE_SAME, FILE_REPLACED, FILE_OVERWRITTEN } found;
    char path[];
};

/* A library of the process, by its handle. Under the lock; its texts and files change only while it is new. */
struct library {
    struct library *_Atomic next; /* set once */
    enum library_state state;
    uint32_t users;           /* openings and calls */
    uint32_t references;      /* of the linker, for handle */
    bool reported;            /* its driver has reported a physical device */
    bool listed;              /* a list of extensions has opened it (INS-087) */
    bool looked;              /* library_look holds it */
    bool moved;               /* the linker would find another file by the bare name */
    enum library_state after; /* of library_look */
    void *handle;
    struct closure *closure; /* NULL, but of a driver of the service */
    char *given;             /* as passed to dlopen */
    char *path;              /* of the file, as the linker has it; NULL: as given */
    bool as_given;           /* the linker has it by given, or has searched for it */
    struct search *search;   /* that found a bare name; NULL: unknown */
    struct file_identity identity;
    struct library_file *files;
    struct objects *before; /* objects that are not the driver's; NULL: unknown */
    struct driver_symbols symbols;
};

extern struct library *_Atomic library_table; /* grows at its end, under the lock */

/* The functions that take a record and no list are called with the lock, unless they say otherwise. */

/* Reports whether a record's library is open and may be called. */
bool record_open(const struct library *l);
/* The record of an open library, or NULL. */
struct library *record_with(const void *handle);
/* Begins a use. */
void record_hold(struct library *l);
/* Ends a use. True: the caller has to call record_close. */
bool record_unhold(struct library *l);
/* Reports whether a library that nobody uses stays open. */
bool record_stays(const struct library *l);
/* Reports whether a handle is of a library in quarantine. Without the lock. */
bool record_quarantined(const void *handle);
/* A record in CLOSING, which nobody finds. NULL: no memory. Without the lock. */
struct library *record_new(void);
/* Frees the contents of a record in CLOSING. Without the lock. */
void record_free(struct library *l);
/* Adds a file that the library does not have yet. object: as in library_file. Without the lock. */
void record_file_add(struct library *l, const char *path, const struct file_identity *identity, const void *object);
/* Closes a library that this thread has put into CLOSING, or puts it into quarantine. Without the lock. */
void record_close(struct library *l);

#endif
