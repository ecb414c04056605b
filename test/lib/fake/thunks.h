/* thunks.h: functions for names with an unknown signature. */
#ifndef TEST_FAKE_THUNKS_H
#define TEST_FAKE_THUNKS_H

#include <stdbool.h>
#include <stdint.h>
#include "../interface.h"

/* The function of a name: always the same, and no other name's. */
PFN_vkVoidFunction thunk_for(const char *name);
/* Calls the next function of a name: a driver has none below, a layer calls down. Returns false if there is none. */
bool thunk_below(const char *name, const uint64_t *a, uint64_t *value);

/* thunk_entries.c: the functions; function i performs thunk_run(i, its arguments). */
#define THUNKS 1024
extern const PFN_vkVoidFunction thunks[THUNKS];
extern char thunk_name[THUNKS][96];
uint64_t thunk_run(int index, const uint64_t *arguments);

#endif
