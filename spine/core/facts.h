/* facts.h: what ask.c and read.c share with each other and with nobody else. */
#ifndef VKL_FACTS_H
#define VKL_FACTS_H

#include <stdbool.h>

#include "gen/zvariables.h"
#include "gen/zwire.h"

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
#define LOOKS_MAX 8
struct looks {
    struct known *at[LOOKS_MAX];
    unsigned next;
};
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
