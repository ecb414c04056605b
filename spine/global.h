/* global.h: questions to the core, and the log lines of its answers. Owner: global.c. */
#ifndef VKL_GLOBAL_H
#define VKL_GLOBAL_H

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

/* Writes the log steps of a plan that has no driver steps. */
void plan_log(struct instance *instance, const struct plan *plan);

#endif
