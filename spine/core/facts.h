/* facts.h: the interface between ask.c and the readers of facts. */
#ifndef VKL_FACTS_H
#define VKL_FACTS_H

#include <stdbool.h>

#include "gen/zvariables.h"
#include "gen/zwire.h"
#include "process/process.h"

/* Bytes of a manifest or a settings file; a larger one is not read (LOG-19). */
#define FILE_SIZE_MAX (16 * 1024 * 1024)

/* Adds a text to a list that is about to be written, whose packed form is in the writer. */
static inline void strs_add(struct wire_strs *list, struct wire_writer *packed, const char *text, uint32_t length)
{
    wire_put_str(packed, text, length);
    *list = (struct wire_strs){.count = list->count + 1, .at = packed->bytes, .end = packed->bytes + packed->size};
}

/* The bytes that one API call has read from files, counted in a small hash table. Two files may share an entry, and a
 * file with many names is then read under a few of them only. */
#define READ_PLACES_MAX 64
#define READ_LEAST ((uint64_t)1024 * 1024) /* bytes allowed per entry, plus twice the largest of its files */
#define READ_SMALL 1024                    /* bytes; smaller files are not counted */
struct read_budget {
    struct wire_writer regular; /* paths of regular files, from the directories that this call has listed */
    size_t next;                /* bytes of regular that the files read so far take */
    bool counted;               /* the table is initialized */
    struct {
        uint64_t bytes, largest;
    } read[READ_PLACES_MAX];
};
/* Counts the bytes of a file about to be read. Returns false if the call has already read too many bytes of it. */
bool read_count(struct read_budget *budget, const struct file_identity *file, uint64_t bytes);

/* Each appends one record; the writer records a lack of memory. elevated: as process_elevated. */
void read_var(struct wire_writer *w, struct variable v, bool elevated);
void read_directory(struct wire_writer *w, struct read_budget *budget, const char *path);
void read_file(struct wire_writer *w, struct read_budget *budget, const char *path);
void read_exe(struct wire_writer *w);
void read_graphics(struct wire_writer *w);
void read_exists(struct wire_writer *w, const char *path);
/* Appends whether a path leads to a library of another word size or machine than the process. */
void read_foreign(struct wire_writer *w, const char *path);
/* Reports whether another library provides one of the C library's functions that read files. Not on Windows. */
bool file_access_is_replaced(void);
/* Reads a fact that only Windows has. Returns false if the record asks for no such fact. */
bool read_elsewhere(struct wire_writer *w, const struct wire_record *record);

#endif
