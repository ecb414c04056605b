/* script.h: the script that a fake follows, and its log.
 *
 * The script is the text file "<path of the library>.script". It is looked at again on every call, so that a test can
 * change it under a running process, unless it says "steady". One statement a line, words separated by blanks,
 * percent-encoded. The log is a file named in the script ("log PATH"); every line is one JSON object, written with one
 * write in append mode, so that the lines of all fakes of a case are in the order of the events.
 */
#ifndef TEST_FAKE_SCRIPT_H
#define TEST_FAKE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../vulkan.h"

#define SCRIPT_WORDS 64
struct statement {
    int count;
    char *word[SCRIPT_WORDS];
};
struct script {
    char *text; /* holds the words */
    int count;
    struct statement *statement;
};

const struct script *script_now(void);
/* The n-th statement whose first word is key and, when second is not NULL, whose second word is that. */
const struct statement *script_find(const char *key, const char *second, int n);
bool script_has(const char *key, const char *second);
/* Word i of the first such statement, or otherwise. */
const char *script_word(const char *key, int i, const char *otherwise);
/* value of "name=" among the words of a statement. */
const char *statement_value(const struct statement *statement, const char *name, const char *otherwise);
uint64_t script_number(const char *text);
uint32_t script_version(const char *text);
const char *library_path(void);

/* One line of the log. */
struct record {
    char text[16384];
    size_t size;
    bool comma;
};
void record_open(struct record *r, const char *function);
void record_int(struct record *r, const char *key, int64_t value);
void record_text(struct record *r, const char *key, const char *value);
void record_pointer(struct record *r, const char *key, const void *pointer);
void record_names(struct record *r, const char *key, uint32_t count, const char *const *names);
/* The sType values of a pNext chain as a list of numbers. */
void record_chain(struct record *r, const char *key, const void *next);
void record_begin(struct record *r, const char *key, char bracket);
void record_end(struct record *r, char bracket);
void record_close(struct record *r);

/* append.c: appends a whole line to a file, also while other processes write there. */
void append(const char *path, const char *text, size_t size);

/* Follows the script before a call: counts it, has the host perform lines ("perform FN SCRIPT [N]"), waits
 * ("delay FN MS"), ends the process ("die FN"), and returns whether a result is imposed:
 * "result FN CODE [N | from N | count | fill | chance PERCENT]". phase is "count", "fill" or NULL. */
bool imposed(const char *function, const char *phase, VkResult *result);
/* "perform_lookup FN SCRIPT": the host's recorded lines are performed in the middle of a look-up. */
void perform_lookup(const char *name);
/* True PERCENT times in a hundred; drawn at each call, from "seed N". */
bool script_chance(uint64_t percent);
/* How often has this function been called, the running call included. */
int calls_of(const char *function);
/* Some text with every percent escape decoded in place. */
void percent_decode(char *text);

#endif
