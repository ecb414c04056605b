/* none.c: what only other systems have is not asked for here. */
#include "core/facts.h"

bool read_elsewhere(struct wire_writer *w, const struct wire_record *record)
{
    (void)w, (void)record;
    return false;
}
