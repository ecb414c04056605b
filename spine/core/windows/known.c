/* known.c: what was read is read again on this system: nothing is known of a path. */
#include "core/facts.h"

void looks_end(struct looks *looks)
{
    (void)looks;
}

void known_forget(void) {}
