/* negotiate.h: see negotiate.c. */
#ifndef PROBE_NEGOTIATE_H
#define PROBE_NEGOTIATE_H

#include <stdbool.h>

bool negotiate_driver(const char *path);
/* name is the function's name, which a manifest may change. */
bool negotiate_layer(const char *path, const char *name);

#endif
