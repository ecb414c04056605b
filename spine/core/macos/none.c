/* none.c: facts that macOS lacks: the order of DXGI's adapters, replaced functions for files, graphics devices as
 * files. */
#include "core/core.h"
#include "core/facts.h"
#include "core/posix/interposed.h"

void inside_begin(struct inside *inside, const void *caller)
{
    (void)caller;
    inside->dxgi = false;
}

void inside_end(const struct inside *inside)
{
    (void)inside;
}

/* Returns false: the dynamic linker binds the library's own calls, too, to functions that another library
 * interposes. */
bool file_functions_replaced(void)
{
    return false;
}

void read_graphics(struct wire_writer *w)
{
    wire_put_graphics(w, &(struct wire_graphics){.status = WIRE_GRAPHICS_NONE});
}
