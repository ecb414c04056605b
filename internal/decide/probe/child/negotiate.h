/* negotiate.h: see negotiate.c. */
#ifndef PROBE_NEGOTIATE_H
#define PROBE_NEGOTIATE_H

#include <stdbool.h>

bool negotiate_driver(const char *path);
/* name: of the function, which a manifest may call otherwise. */
bool negotiate_layer(const char *path, const char *name);

#endif
