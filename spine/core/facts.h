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

/* What one call of the program's has asked the system about, so that it asks once (linux/known.c). */
#define LOOKS_MAX 16
struct absence {
    char *path;       /* malloc; where there is nothing */
    size_t length;    /* of that */
    size_t directory; /* length of the part of it that is there */
    struct file_identity stamp;
    bool lasting; /* nothing comes to be there without another stamp */
};
/* How much was read of files in this call, by their place in a short table: files may share one. A file that has many
 * names is read by a few of them only. */
#define READ_PLACES_MAX 64
#define READ_LEAST ((uint64_t)1024 * 1024) /* of each place; and a few times the largest of its files */
#define READ_SMALL 1024                    /* up to here a file takes little more than its name in another one */
struct looks {
    unsigned next, next_plain, next_there; /* how many were added; the last LOOKS_MAX are kept */
    bool counted;                          /* read has begun */
    struct absence absent[LOOKS_MAX];
    char *plain[LOOKS_MAX];    /* directories, malloc: all files in them that matter are regular ones */
    uint64_t there[LOOKS_MAX]; /* hashes of directories that were found */
    struct {
        uint64_t bytes, largest;
    } read[READ_PLACES_MAX];
};
/* Every call begins with it, so only the counts are cleared. */
static inline void looks_begin(struct looks *looks)
{
    looks->next = looks->next_plain = looks->next_there = 0;
    looks->counted = false;
}
static inline unsigned looks_used(unsigned next)
{
    return next < LOOKS_MAX ? next : LOOKS_MAX;
}
/* May so many bytes of a file be read, or told again? They count then. Of its identity device and inode are needed. */
bool looks_allow(struct looks *looks, const struct file_identity *file, uint64_t bytes);
void looks_end(struct looks *looks);
/* Forgets what is known of paths that were read. */
void known_forget(void);

/* Each appends one record; lack of memory is remembered in the writer. */
void read_var(struct wire_writer *w, struct variable v);
void read_directory(struct wire_writer *w, struct looks *looks, const char *path);
void read_file(struct wire_writer *w, struct looks *looks, const char *path);
void read_exe(struct wire_writer *w);
void read_graphics(struct wire_writer *w);
void read_exists(struct wire_writer *w, struct looks *looks, const char *path);
/* What only other systems than Linux have; false when the record asks for nothing of that kind. */
bool read_elsewhere(struct wire_writer *w, const struct wire_record *record);

#endif
