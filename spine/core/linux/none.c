/* none.c: facts that only Windows has: on Linux there are none. */
#include "core/facts.h"

bool read_elsewhere(struct wire_writer *w, const struct wire_record *record)
{
    (void)w, (void)record;
    return false;
}
