/* namespace.c: there are no drivers of a service here, and so nothing to offer them. */
#include "library/library.h"

void namespace_offer(void *handle)
{
    (void)handle;
}
