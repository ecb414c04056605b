/* none.c: Windows and macOS have no driver service. */
#include "gen/zwire.h"
#include "service/service.h"

void read_service(struct wire_writer *w, struct service *s)
{
    (void)s;
    struct wire_service r = {.status = WIRE_SERVICE_NONE};
    wire_put_service(w, &r);
}

void service_end(struct service *s)
{
    (void)s;
}

void closure_drop(struct closure *c)
{
    (void)c;
}

void namespace_offer(void *handle)
{
    (void)handle;
}

void *closure_driver(const struct closure *c)
{
    (void)c;
    return NULL;
}
