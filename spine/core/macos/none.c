/* none.c: facts that macOS lacks: replaced functions for files, graphics devices as files. */
#include "core/facts.h"

/* Returns false: the dynamic linker binds the library's own calls, too, to functions that another library
 * interposes. */
bool file_access_is_replaced(void)
{
    return false;
}

void read_graphics(struct wire_writer *w)
{
    wire_put_graphics(w, &(struct wire_graphics){.status = WIRE_GRAPHICS_NONE});
}
