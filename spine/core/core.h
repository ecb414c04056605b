/* core.h: the interface of core/: questions to the core, and the plan in its answer. */
#ifndef VKL_CORE_H
#define VKL_CORE_H

#include "service/service.h"

/* ---- ask.c ----------------------------------------------------------------------------------------------------- */

struct wire_writer; /* gen/zwire.h */
struct wire_record;
struct round; /* core/answer_cache.h */
struct plan {
    const unsigned char *bytes; /* points into the round's answer */
    size_t size;
    VkResult result; /* of the answer record */
    struct round *round;
};
/* Facts of one API call; grows while the core asks for more. */
struct facts;
struct facts *facts_new(void);
void facts_free(struct facts *facts);
struct wire_writer *facts_writer(struct facts *facts);
/* Returns the connection to the driver service; its socket is -1 if there is none. */
struct service *facts_service(struct facts *facts);
/* Asks until the core has decided, reading the facts that it asks for. Returns VK_SUCCESS with a plan, whose own result
 * may still be an error; otherwise an error, after its message. question: an enum wire_question_kind. layer_name: may
 * be NULL. */
VkResult core_decide(struct instance *instance, struct facts *facts, uint32_t question, const char *layer_name,
                     bool terminator, struct plan *plan);
void plan_free(struct plan *plan);

/* The facts that an instance was created from, held so that the core can be asked about it later. NULL: no memory. */
struct saved_facts;
struct saved_facts *facts_keep(const struct facts *facts);
void saved_facts_free(struct saved_facts *asked);
/* Decides the instance of these facts again, this time listing the explicit layers that the first plan left out (its
 * record "unlisted" says so). */
VkResult core_decide_whole(const struct saved_facts *asked, struct plan *plan);

/* ---- windows/dxgi.c -------------------------------------------------------------------------------------------- */

/* A DXGI implemented on Vulkan calls the loader while it holds its own locks. In a call from DXGI the loader must not
 * call DXGI, or the thread would deadlock with itself. Linux has no DXGI. */
struct inside {
    bool dxgi;
    struct claim claim;
};
/* caller: the return address of the API call. */
#if BY_SYSTEM(0, 1)
void inside_begin(struct inside *inside, const void *caller);
void inside_end(const struct inside *inside);
#else
#define inside_begin(inside, caller) ((void)((inside)->dxgi = false))
#define inside_end(inside) ((void)(inside))
#endif

/* ---- plan.c ---------------------------------------------------------------------------------------------------- */

/* Reports whether a record is a log step. */
bool plan_speaks(const struct wire_record *record);
/* Carries out a log step: writes a line, sets the level for later lines, or sets the log file. Ignores other steps. */
void plan_step(struct instance *instance, const struct wire_record *record);
/* Carries out all log steps of a plan without driver steps. */
void plan_log(struct instance *instance, const struct plan *plan);

#endif
