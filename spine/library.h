/* library.h: driver and layer libraries in the process: opening, real paths, closing. Owner: library.c. */
#ifndef VKL_LIBRARY_H
#define VKL_LIBRARY_H

#include <sys/types.h>
#include <time.h>

#include "spine.h"

struct file_identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/* One reference to a driver's library. */
struct mapped_lib {
    struct mapped_lib *next; /* of those whose file is known */
    bool identified;
    struct file_identity identity; /* of the file that was mapped, which another one may have replaced since */
    void *handle;
    char *given;   /* as passed to dlopen */
    char *real;    /* real path of the object loaded; == given until library_resolve */
    bool reported; /* its driver has reported a physical device (ERRATA 1) */
};

/* Opens a driver's library. NULL: text is the linker's (malloc, may be NULL when there is no memory). */
struct mapped_lib *library_open(const char *path, char **text);
/* Notes which file is mapped; call it when real is known. */
void library_identify(struct mapped_lib *lib);
/* Lets a driver's library go: closed, or kept mapped as ERRATA 1 says. */
void library_close(struct mapped_lib *lib);
/* Forgets the record and leaves its reference with the caller. */
void library_forget(struct mapped_lib *lib);
/* Takes a further reference to every library of a scan and keeps it until library_drop_preloaded (INS-087). */
void library_preload(const struct driver_scan *scan);
/* Lets them go: all, or the one whose path was given (PHY-050). */
void library_drop_preloaded(const char *given);
/* Is this function the loader's own? A driver or layer that leads to it is the loader itself, by whatever name (the same
 * file is the same mapping), or has taken the loader's function for its own: calling it would never end (ERRATA 23). */
bool library_is_own(const void *function);
/* Does the linker's text speak of the other word size? (DRV-041, LAY-296) */
bool library_wrong_class(const char *text);
/* VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is exactly 1. */
bool library_never_closed(void);
/* Gives back a reference to a library, unless they are never closed. */
void library_let_go(void *handle);

#endif
