/* goc.h: the interface to code that goc writes: the memory of a call, and how a call ends.
 *
 *   struct goc *g = goc_open();                 NULL: no memory
 *   switch (exported(g, arguments, results)) {  0: returned; GOC_PANIC: see goc_text(g); GOC_MEMORY: no memory
 *   }
 *   goc_close(g);                               frees the memory of the calls, with their results
 *
 * One struct goc serves one thread at a time. Results point into its memory. */
#ifndef GOC_H
#define GOC_H

#include <stddef.h>
#include <stdint.h>

struct goc;

enum { GOC_PANIC = 1, GOC_MEMORY = 2 };

/* Memory for calls, from malloc; NULL: there is none. goc_close frees it, but keeps a block for the next goc_open. */
struct goc *goc_open(void);
void goc_close(struct goc *g);
/* The text of the last call's panic. */
const char *goc_text(const struct goc *g);
/* Returns the bytes that g has from malloc. */
size_t goc_bytes(const struct goc *g);
/* Frees the blocks that are cached for the next goc_open. */
void goc_trim(void);

#endif
