/* lost.c: says that the host on Windows does not search for lost blocks, because the opened library is interposed
 * (interpose.c). */
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
