/* global.h: questions to the core, and the log lines of its answers. Owner: global.c. */
#ifndef VKL_GLOBAL_H
#define VKL_GLOBAL_H

#include "gen/zwire.h"
#include "spine.h"

/* Kinds of the wire's question record. */
enum {
    QUESTION_VERSION = 1,
    QUESTION_LAYERS,
    QUESTION_EXTENSIONS,
    QUESTION_INSTANCE,
    QUESTION_INSTANCE_OPENED,
    QUESTION_EXTENSIONS_OPENED
};

/* Carries out a step of a plan when it is about the log: a line to write, or a level that counts from there on. */
void plan_step(struct instance *instance, const struct wire_record *record);
/* All such steps of a plan that has no driver steps. */
void plan_log(struct instance *instance, const struct plan *plan);

#endif
