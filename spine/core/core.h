/* core.h: what core/ offers: questions to the core, and the plan that it answers with. */
#ifndef VKL_CORE_H
#define VKL_CORE_H

#include "service/service.h"

/* ---- ask.c ----------------------------------------------------------------------------------------------------- */

struct wire_writer; /* gen/zwire.h */
struct wire_record;
struct round; /* core/answer_cache.h */
struct plan {
    const unsigned char *bytes; /* of the round */
    size_t size;
    VkResult result; /* of the answer record */
    struct round *round;
};
/* Facts of one API call; grows while the core asks for more. */
struct facts;
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

/* What an instance keeps of the facts that it was made from, to ask about it later. NULL: no memory. */
struct asked;
struct asked *facts_keep(const struct facts *facts);
void asked_free(struct asked *asked);
/* The plan of that instance with the layers that nobody has asked for: what a record "unlisted" says that it lacks. */
VkResult core_decide_whole(const struct asked *asked, struct plan *plan);

/* ---- windows/dxgi.c -------------------------------------------------------------------------------------------- */

/* A DXGI that is implemented with Vulkan calls the loader while it holds its own locks. A call that comes from it must
 * not ask DXGI, or the thread would wait for itself. On Linux there is no DXGI. */
struct inside {
    bool dxgi;
    struct claim claim;
};
/* caller: the address that the call of the API returns to. */
void inside_begin(struct inside *inside, const void *caller);
void inside_end(const struct inside *inside);

/* ---- plan.c ---------------------------------------------------------------------------------------------------- */

/* Is it a step about the log? */
bool plan_speaks(const struct wire_record *record);
/* Carries out a step of a plan when it is about the log: a line to write, or a level that counts from there on. */
void plan_step(struct instance *instance, const struct wire_record *record);
/* All such steps of a plan that has no driver steps. */
void plan_log(struct instance *instance, const struct plan *plan);

#endif
