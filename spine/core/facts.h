/* facts.h: what ask.c and read.c share with each other and with nobody else. */
#ifndef VKL_FACTS_H
#define VKL_FACTS_H

#include <stdbool.h>

#include "gen/zvariables.h"
#include "gen/zwire.h"
#include "process/process.h"

/* Bytes of a manifest or a settings file; a larger one is not read (ERRATA 30). */
#define FILE_SIZE_MAX (16 * 1024 * 1024)

struct name_list {
    char **name;
    uint32_t count, room;
};
/* Adds a copy. False: no memory. */
bool name_add(struct name_list *list, const char *name);
void names_free(struct name_list *list);

/* Bytes that one call of the program has read of files, counted in a short table: two files may share a place. A file
 * with many names is read by a few of them only. */
#define READ_PLACES_MAX 64
#define READ_LEAST ((uint64_t)1024 * 1024) /* of each place; and a few times the largest of its files */
#define READ_SMALL 1024                    /* up to here a file takes little more than its name in another one */
struct read_budget {
    bool counted; /* read has begun */
    struct {
        uint64_t bytes, largest;
    } read[READ_PLACES_MAX];
};
/* Counts the bytes of a file about to be read, found by its device and inode; false: the call has read too many. */
bool read_count(struct read_budget *budget, const struct file_identity *file, uint64_t bytes);

/* Each appends one record; lack of memory is remembered in the writer. */
void read_var(struct wire_writer *w, struct variable v);
void read_directory(struct wire_writer *w, const char *path);
void read_file(struct wire_writer *w, struct read_budget *budget, const char *path);
void read_exe(struct wire_writer *w);
void read_graphics(struct wire_writer *w);
void read_exists(struct wire_writer *w, const char *path);
/* Whether a path leads to a library of another word size or machine than the process. */
void read_foreign(struct wire_writer *w, const char *path);
/* What only other systems than Linux have; false when the record asks for nothing of that kind. */
bool read_elsewhere(struct wire_writer *w, const struct wire_record *record);

#endif
