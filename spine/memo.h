/* memo.h: answers of the core by the questions they were given to. Owner: memo.c. */
#ifndef VKL_MEMO_H
#define VKL_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The answer to a question of exactly these bytes, copied into a block of malloc that has *room bytes and may be made
 * larger; *need is the answer's size. False: not remembered, or no memory. */
bool memo_find(const void *question, size_t size, unsigned char **answer, size_t *room, size_t *need);
/* Remembers an answer, where it may be given again: before and after number what the core itself remembered. */
void memo_keep(const void *question, size_t size, const void *answer, size_t need, uint32_t before, uint32_t after);
/* Forgets everything. */
void memo_drop(void);

#endif
