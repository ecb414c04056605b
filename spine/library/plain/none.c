/* none.c: Windows and macOS have no driver service, and the loader knows no objects there. */
#include "library/library.h"

#include <string.h>

struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text)
{
    (void)service, (void)given, (void)file, (void)count;
    *text = strdup("there is no driver service on this system");
    return NULL;
}

struct objects *objects_now(void)
{
    return NULL;
}

struct objects *objects_since(const struct objects *before)
{
    (void)before;
    return NULL;
}

struct objects *objects_hold(struct objects *o)
{
    return o;
}

void objects_drop(struct objects *o)
{
    (void)o;
}

void objects_forget(void) {}

bool objects_entry(const struct objects *o, unsigned i, struct objects_entry *out)
{
    (void)o, (void)i, (void)out;
    return false;
}

bool objects_have(const void *object, const char *path)
{
    (void)object, (void)path;
    return true;
}

bool build_damaged(const struct build *build)
{
    (void)build;
    return false;
}

void build_lose(const struct build *build)
{
    (void)build;
}

struct search *linker_search_begin(void)
{
    return NULL;
}

bool linker_search_same(const struct search *s, const char *name, const char *found)
{
    (void)s, (void)name, (void)found;
    return false;
}
