/* lost.c: of the host for Windows. Nothing stands between the loader and its memory here: nothing is refused or counted. */
#include "../../host/host.h"

COMMAND(malloc_fail)
{
    (void)line;
    fail("no interposer");
}

void blocks_watch(void) {}

void blocks_instances(int more)
{
    (void)more;
}

bool blocks_lost(void)
{
    return false;
}
