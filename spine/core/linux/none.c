/* none.c: facts that only Windows has: on Linux there are none. */
#include "core/core.h"
#include "core/facts.h"

bool read_elsewhere(struct wire_writer *w, const struct wire_record *record)
{
    (void)w, (void)record;
    return false;
}

void inside_begin(struct inside *inside, const void *caller)
{
    (void)caller;
    inside->dxgi = false;
}

void inside_end(const struct inside *inside)
{
    (void)inside;
}
