/* events.h: see events.c. */
#ifndef PROBE_EVENTS_H
#define PROBE_EVENTS_H

#include <stdio.h>

#include "gen/zvk.h"

extern FILE *events;
extern int round_number;

/* Reports the start and the end of a phase. If the process ends in between, the reader knows the phase. */
void begin(const char *phase);
void done(const char *phase, VkResult result);

/* Write a member of an object that the caller has begun; end_line ends the object. */
void put_text(const char *key, const char *value);
void put_number(const char *key, double value);
void put_uuid(const char *key, const uint8_t *uuid);
/* Begins a list of texts; the caller ends it with a bracket. */
void put_list(const char *key);
void put_element(uint32_t index, const char *value);
void end_line(void);

#endif
