/* die.h: see die.c. */
#ifndef PROBE_DIE_H
#define PROBE_DIE_H

int die(const char *number);

#endif
