/* known.h: what was read before and is as it was. Owners: known.c, trust.c. */
#ifndef VKL_KNOWN_H
#define VKL_KNOWN_H

#include "core/facts.h"
#include "process/process.h"

/* One reading of a path: a directory's names, a file's content, or whether it is there. */
struct reading {
    uint32_t kind; /* WIRE_DIRECTORY, WIRE_FILE, WIRE_EXISTS */
    const char *path;
    struct looks *looks;
    uint64_t hash;
    size_t start; /* of its record in the message */
    bool again;   /* it was read often enough: what is read now is worth keeping */
    bool absent;  /* this call has found already that there is nothing */
    bool stamped; /* the stamp is of what was read, and will change with it */
    struct file_identity stamp;
    char *look; /* whose stamp it is, when it is not the path's own; malloc */
};

/* Appends what is known of the path to the message, after asking the system whether it is as it was. False: it has to
 * be read, between this and reading_end. */
bool reading_begin(struct reading *r, struct wire_writer *w, struct looks *looks, uint32_t kind, const char *path);
/* What is read now is behind this descriptor; before it is read. */
void reading_of(struct reading *r, int fd);
/* There is nothing at the path; after errno has said so. */
void reading_of_nothing(struct reading *r);
/* The record is complete. */
void reading_end(struct reading *r, const struct wire_writer *w);

/* Has the path still this stamp? look: the directory that was stamped, because the path did not exist; each directory
 * is asked for once a call. NULL: the path itself. */
bool stamp_stands(const char *path, const char *look, const struct file_identity *stamp, struct looks *looks);
/* The stamp of what a record says of a path, where exactly that is known. look is malloc's, or NULL. */
bool stamp_known(const struct wire_record *record, const char *path, struct file_identity *stamp, char **look);

/* The path of the program. False: it is not known; nor is one of EXE_MAX bytes or more (GEN-13). */
#define EXE_MAX 1024
bool exe_path(char path[EXE_MAX]);

/* Does a library stand in for one of the C library's functions by which paths are looked at? */
bool functions_replaced(void);

/* Do the stamps of what is behind this descriptor, or of a directory, change with it? Asked of the system once a
 * device. */
bool stamps_trusted(int fd, const char *directory, uint64_t device);

#endif
