/* ask.c: asks the core, which is Go translated to C (build/core.c, by tools/goc). A question and its facts form a
 * message. The core answers with a plan, or with the facts that it needs; ask.c reads those facts and sends them in the
 * next message of the same call.
 *
 * It decides nothing. Every call has its own core; the remembered answers and settings are guarded by the lock. So any
 * thread and any forked child may ask the core at any time. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/answer_cache.h"
#include "core/core.h"
#include "core/facts.h"

#include "goc.h"

#define CALL_ROUNDS_MAX 64 /* messages of one call; three or four are usual */

/* The core (internal/core/entry). Results: 0, GOC_PANIC, GOC_MEMORY. */
int core_go_begin(struct goc *g, void **call);
int core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok);
int core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                   size_t *answer_size, bool *ok);

struct facts {
    bool begun;           /* the facts that every call sends first are sent */
    bool elevated;        /* the process is elevated (GEN-5); asked once for all variables */
    struct wire_writer w; /* facts for the next message */
    struct service service;
    struct goc *memory; /* of the core; NULL until a message is not found in the cache */
    void *call;
    uint32_t count, told; /* rounds of this call, and the number of them that the core has received */
    struct read_budget budget;
    struct round *round[CALL_ROUNDS_MAX]; /* the messages so far, held because the core points into them */
};

/* The round whose answer names the settings file that the global commands fall back on (SET-15); NULL: none. */
static struct round *_Atomic remembered;

struct facts *facts_new(void)
{
    struct facts *facts = malloc(sizeof *facts);
    if (!facts) return NULL;
    memset(facts, 0, offsetof(struct facts, budget.read)); /* both arrays are read only up to their counts */
    facts->elevated = process_elevated();
    facts->service.socket = -1;
    return facts;
}

void facts_free(struct facts *facts)
{
    if (!facts) return;
    service_end(&facts->service);
    goc_close(facts->memory);
    free(facts->w.bytes);
    free(facts->budget.regular.bytes);
    for (uint32_t i = 0; i < facts->count; i++) round_drop(facts->round[i]);
    free(facts);
}

/* The rounds of a finished call. */
struct saved_facts {
    uint32_t count;
    struct round *round[];
};

struct saved_facts *facts_keep(const struct facts *facts)
{
    struct saved_facts *asked = array_new(sizeof *asked, facts->count, sizeof *asked->round);
    for (; asked && asked->count < facts->count; asked->count++)
        asked->round[asked->count] = round_hold(facts->round[asked->count]);
    return asked;
}

void saved_facts_free(struct saved_facts *asked)
{
    for (uint32_t i = 0; asked && i < asked->count; i++) round_drop(asked->round[i]);
    free(asked);
}

struct wire_writer *facts_writer(struct facts *facts)
{
    return &facts->w;
}

struct service *facts_service(struct facts *facts)
{
    return &facts->service;
}

void plan_free(struct plan *plan)
{
    round_drop(plan->round);
    memset(plan, 0, sizeof *plan);
}

/* Frees the remembered rounds when the library is unloaded (G-11); at the end of the process nothing is freed. */
__attribute__((destructor)) static void stop(void)
{
    if (exit_begun()) return;
    round_drop(atomic_exchange(&remembered, NULL));
    answers_forget();
    goc_trim();
}

/* ---- remembered settings ---------------------------------------------------------------------------------------- */

static bool find_remember(const struct round *r, struct wire_remember *out)
{
    struct wire_reader reader;
    struct wire_record record;
    wire_open(&reader, r->answer, r->answer_size);
    while (wire_next(&reader, &record))
        if (wire_get_remember(&record, out)) return true;
    return false;
}

/* Fills *told with the settings file that an earlier call remembered, or leaves it alone. Returns the round that owns
 * the texts, held; NULL if there is none. */
static struct round *remembered_find(struct wire_remembered *told)
{
    lock_take();
    struct round *r = round_hold(atomic_load(&remembered));
    lock_drop();
    struct wire_remember kept;
    if (r && find_remember(r, &kept) && kept.path)
        *told = (struct wire_remembered){kept.path, kept.path_len, kept.content, kept.content_len};
    return r;
}

static void remember(struct round *r)
{
    struct wire_remember kept;
    if (!r->remembers || !find_remember(r, &kept)) return;
    lock_take();
    struct round *before = atomic_exchange(&remembered, kept.path ? round_hold(r) : NULL);
    lock_drop();
    round_drop(before);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* Reads the fact that a record asks for. Returns false if the record asks for no fact. */
static bool satisfy(struct facts *f, const struct wire_record *record)
{
    struct wire_writer *w = &f->w;
    struct wire_need_var var;
    struct wire_need_directory directory;
    struct wire_need_file file;
    struct wire_need_exists exists;
    struct wire_need_foreign foreign;
    if (wire_get_need_var(record, &var))
        read_var(w, (struct variable){var.name, var.secure}, f->elevated);
    else if (wire_get_need_directory(record, &directory))
        read_directory(w, &f->budget, directory.path);
    else if (wire_get_need_file(record, &file))
        read_file(w, &f->budget, file.path);
    else if (wire_get_need_exists(record, &exists))
        read_exists(w, exists.path);
    else if (wire_get_need_foreign(record, &foreign))
        read_foreign(w, foreign.path);
    else if (record->id == WIRE_NEED_GRAPHICS)
        read_graphics(w);
    else if (record->id == WIRE_NEED_SERVICE)
        read_service(w, &f->service);
    else if (record->id == WIRE_NEED_EXE)
        read_exe(w);
    else
        return read_elsewhere(w, record);
    return true;
}

/* Records whether the answer has a record to remember, and whether it has log steps. */
static void look_through(struct round *r)
{
    struct wire_reader reader;
    struct wire_record record;
    wire_open(&reader, r->answer, r->answer_size);
    while (wire_next(&reader, &record)) {
        r->remembers |= record.id == WIRE_REMEMBER;
        r->speaks |= plan_speaks(&record);
    }
}

/* Lets the core answer a round, after sending it the earlier rounds that were answered from the cache. */
static int let_decide(struct facts *f, struct round *r)
{
    if (!f->memory) {
        f->memory = goc_open();
        if (!f->memory) return GOC_MEMORY;
        int status = core_go_begin(f->memory, &f->call);
        if (status) return status;
    }
    bool ok = true;
    for (; f->told < f->count; f->told++) {
        const struct round *before = f->round[f->told];
        int status = core_go_add(f->memory, f->call, before->message, before->message_size, &ok);
        if (status) return status;
    }
    const void *answer = NULL;
    size_t size = 0;
    int status = core_go_decide(f->memory, f->call, r->message, r->message_size, &answer, &size, &ok);
    if (status) return status;
    f->told++;
    if (!ok) size = 0;
    r->answer = malloc(size + 1);
    if (!r->answer) return GOC_MEMORY;
    if (size) memcpy(r->answer, answer, size);
    r->answer_size = size;
    look_through(r);
    return 0;
}

/* Sends the facts gathered so far as one message. On success *out is the round with its answer. */
static VkResult ask_once(struct instance *instance, struct facts *f, struct round **out)
{
    if (f->w.failed) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct round *fresh = round_new(f->count ? f->round[f->count - 1]->id : 0, f->w.bytes, f->w.size);
    f->w = (struct wire_writer){0};
    if (!fresh) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct round *r = answer_find(fresh);
    if (r) {
        round_drop(fresh);
    } else {
        r = fresh;
        unsigned char *exact = realloc(r->message, r->message_size); /* its writer had room for more */
        if (exact) r->message = exact;
        struct control control = control_take();
        int status = let_decide(f, r);
        control_give(control);
        if (status == GOC_PANIC)
            log_line(instance, LOG_ERROR, "The Vulkan loader's core failed: %s", goc_text(f->memory));
        if (status) {
            round_drop(r);
            return status == GOC_MEMORY ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INITIALIZATION_FAILED;
        }
        answer_keep(r);
    }
    f->round[f->count++] = r;
    *out = r;
    return VK_SUCCESS;
}

/* Reads the first record of a round's answer; the reader is then at the second record. */
static bool answer_open(struct wire_reader *reader, const struct round *r, struct wire_answer *answer)
{
    struct wire_record record;
    return wire_open(reader, r->answer, r->answer_size) && wire_next(reader, &record) &&
           wire_get_answer(&record, answer);
}

/* Asks one question until the core has decided, reading the facts that it asks for. */
static VkResult decide(struct instance *instance, struct facts *facts, const struct wire_question *q, struct plan *plan)
{
    memset(plan, 0, sizeof *plan);
    while (facts->count < CALL_ROUNDS_MAX) {
        struct round *r;
        wire_put_question(&facts->w, q);
        VkResult result = ask_once(instance, facts, &r);
        if (result != VK_SUCCESS) return result;
        struct wire_reader reader;
        struct wire_record record;
        struct wire_answer answer;
        if (!answer_open(&reader, r, &answer)) break;
        if (answer.status == WIRE_ANSWER_DECIDED) {
            remember(r);
            *plan = (struct plan){r->answer, r->answer_size, answer.result, round_hold(r)};
            return VK_SUCCESS;
        }
        bool any = false;
        while (wire_next(&reader, &record)) any |= satisfy(facts, &record);
        if (!any || reader.bad) break;
    }
    log_line(instance, LOG_ERROR, "The Vulkan loader's core came to no decision");
    return VK_ERROR_INITIALIZATION_FAILED;
}

/* Asks the first question of a call. */
static VkResult decide_first(struct instance *instance, struct facts *facts, const struct wire_question *q,
                             struct plan *plan)
{
    struct wire_remembered told = {0};
    bool global = q->kind != WIRE_QUESTION_INSTANCE && q->kind != WIRE_QUESTION_INSTANCE_DRIVERS;
    struct round *teller = global ? remembered_find(&told) : NULL;
    facts->begun = true;
    /* Sending the variables that every decision needs saves a round. */
#define GIVE(name, secure) read_var(&facts->w, (struct variable){name, secure}, facts->elevated);
    DECISIVE_VARIABLES(GIVE)
#undef GIVE
    if (told.path) wire_put_remembered(&facts->w, &told);
    VkResult result = decide(instance, facts, q, plan);
    round_drop(teller);
    return result;
}

VkResult core_decide(struct instance *instance, struct facts *facts, uint32_t question, const char *layer_name,
                     bool terminator, struct plan *plan)
{
    start_once_at_load();
    exit_watch();
    struct wire_question q = {
        .kind = question,
        .layer_name = layer_name,
        /* LAY-249: no layer has a longer name */
        .layer_name_len = layer_name ? (uint32_t)strnlen(layer_name, VK_MAX_EXTENSION_NAME_SIZE + 1) : 0,
        .terminator = terminator,
        .quiet = !log_heard(instance),
    };
    if (facts->begun) return decide(instance, facts, &q, plan);
    return decide_first(instance, facts, &q, plan);
}

VkResult core_decide_whole(const struct saved_facts *asked, struct plan *plan)
{
    struct wire_question q = {.kind = WIRE_QUESTION_INSTANCE, .quiet = true};
    struct facts *facts = facts_new();
    *plan = (struct plan){0};
    if (!facts) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (; facts->count < asked->count; facts->count++)
        facts->round[facts->count] = round_hold(asked->round[facts->count]);
    wire_put_whole(&facts->w, &(struct wire_whole){0});
    VkResult result = decide(NULL, facts, &q, plan);
    facts_free(facts);
    return result;
}
