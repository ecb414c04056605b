/* refusal.c: messages about libraries that are refused. */
#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char overwritten[] =
    ": this file was overwritten while the process had it mapped, so that its code can be neither called nor unloaded any more; restart the program to use the new file, and replace a file (write a new one and rename it) instead of writing into it";

/* Joins four texts, for free(); NULL without memory. */
static char *joined(const char *a, const char *b, const char *c, const char *d)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

char *library_overwritten_text(const char *name)
{
    return joined(name, overwritten, "", "");
}

char *library_loader_text(const char *name, const char *loader)
{
    return joined(name, ": this is a Vulkan loader by its own name (", loader,
                  "), which would look for drivers and layers in its turn, and neither a driver nor a layer");
}
