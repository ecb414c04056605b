/* events.h: see events.c. */
#ifndef PROBE_EVENTS_H
#define PROBE_EVENTS_H

#include <stdio.h>

#include "gen/zvk.h"

extern FILE *events;
extern int round_number;

/* A phase begins, and is done; what is written between them names the phase when nothing comes after it. */
void begin(const char *phase);
void done(const char *phase, VkResult result);

/* Members of an object, whose beginning is written before; end_line ends it. */
void put_text(const char *key, const char *value);
void put_number(const char *key, double value);
void put_uuid(const char *key, const uint8_t *uuid);
/* A list of texts; the caller ends it with a bracket. */
void put_list(const char *key);
void put_element(uint32_t index, const char *value);
void end_line(void);

#endif
