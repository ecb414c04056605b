/* lost.c: of the host for Windows: the opened library is interposed (interpose.c), and lost blocks are not
 * searched for. */
#include "../../host/host.h"
#include "interpose.h"

extern void *host_loader;

void blocks_watch(void)
{
    if (host_loader) interpose(host_loader);
}

void blocks_instances(int more)
{
    (void)more;
}

bool blocks_lost(void)
{
    return false;
}
