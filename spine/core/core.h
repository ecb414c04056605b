/* core.h: what core/ offers: questions to the core, and the plan that it answers with. */
#ifndef VKL_CORE_H
#define VKL_CORE_H

#include "process/process.h"

/* ---- ask.c ----------------------------------------------------------------------------------------------------- */

struct wire_writer; /* gen/zwire.h */
struct wire_record;
struct round; /* core/memo.h */
struct plan {
    const unsigned char *bytes; /* of the round */
    size_t size;
    VkResult result; /* of the answer record */
    struct round *round;
};
/* Facts of one API call; grows while the core asks for more. */
struct facts;
struct service;
struct facts *facts_new(void);
void facts_free(struct facts *facts);
struct wire_writer *facts_writer(struct facts *facts);
/* The connection to the driver service, if there is one. */
struct service *facts_service(struct facts *facts);
/* Asks until the answer is decided, reading what the core wants. VK_SUCCESS with a plan (its own result may still be
 * an error), else an error after its message. question: an enum wire_question_kind; layer_name may be NULL. */
VkResult core_decide(struct instance *instance, struct facts *facts, uint32_t question, const char *layer_name,
                     bool terminator, struct plan *plan);
void plan_free(struct plan *plan);

/* ---- service.c ------------------------------------------------------------------------------------------------- */

#define SERVICE_AHEAD_MAX 16

/* One call's connection. */
struct service {
    int socket;                        /* -1: there is none */
    uint32_t asked;                    /* requests so far */
    int64_t until;                     /* when it is given up, in milliseconds of the monotonic clock */
    char place[108];                   /* its socket */
    uint32_t ahead[SERVICE_AHEAD_MAX]; /* files that were asked for and not taken, in their order */
    uint32_t ahead_count;
};

/* Asks for a file that service_file is to open later, so that nobody waits for each file by itself; answers come in the
 * order of the questions. It does nothing when too much was asked for already. */
void service_ahead(struct service *s, uint32_t number);
/* Opens file number of the index that read_service has got, for reading alone. -1: *why says why not; the connection
 * may be gone then. size: in bytes, as the index says; another one is refused. The descriptor is the caller's. */
int service_file(struct service *s, uint32_t number, uint32_t size, const char **why);
/* Opens what the service has in its tree of devices at a path, over a connection of its own; "" is the directory
 * itself. -1: it has or gives none. The descriptor is the caller's. */
int service_device(const char *path);
/* Ends the connection; of none it does nothing. */
void service_end(struct service *s);

/* ---- plan.c ---------------------------------------------------------------------------------------------------- */

/* Carries out a step of a plan when it is about the log: a line to write, or a level that counts from there on. */
void plan_step(struct instance *instance, const struct wire_record *record);
/* All such steps of a plan that has no driver steps. */
void plan_log(struct instance *instance, const struct plan *plan);

#endif
