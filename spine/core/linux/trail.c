/* trail.c: remembers which variables and paths a call has asked for, and what they were. When a later call begins in
 * the same way and everything is as it was, the decision is the same: no message is written, and the memo is not
 * searched. Each variable and each path is asked for as before (LAY-3), by one question to the system.
 *
 * A trail is kept only of a call whose rounds were all remembered (memo.c), and whose paths are all known by stamps
 * that change with them (known.c). It decides nothing, and what it remembers is bounded. Memory is got and given back
 * without the lock. A forked child may use what was remembered before: a trail is complete before it can be found, and
 * never changes. */
#include "core/trail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/linux/known.h"

#define TRAILS_MAX 8
#define BYTES_MAX ((size_t)1024 * 1024) /* of the rounds of one trail, and of its steps */
#define PATIENCE 16                     /* calls until one that could not be kept is tried again */
#define KINDS 16                        /* of questions; two may share a place */

/* One question to the system, and its answer. Texts are in the rounds, but for look. */
struct step {
    enum { VARIABLE, STAMP, THERE, EXECUTABLE } kind;
    struct variable variable;
    const char *text; /* the variable's value, the program's path, NULL: none; or the path that is asked for */
    bool there;       /* is there something at it? */
    char *look;       /* the directory whose stamp it is, malloc; NULL: the path itself */
    struct file_identity stamp;
};

struct trail {
    _Atomic uint32_t references;
    uint64_t hash;
    struct wire_question question;
    struct wire_remembered told;
    size_t size; /* of what the call began with, at the start of the first message */
    uint32_t round_count, count;
    struct round *round[TRAIL_ROUNDS_MAX]; /* held */
    struct step step[];
};

/* Guarded by the lock; pointers are stored at once, so that a child forked in the middle finds none half written. */
static struct trail *_Atomic trails[TRAILS_MAX];
static unsigned hand; /* the place that gives way next */

/* In how many calls with such a question the next trail is tried. */
static _Atomic unsigned char patience[KINDS];

static bool bytes_same(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return !a == !b && (!a || (a_size == b_size && memcmp(a, b, a_size) == 0));
}

/* Of how a call begins. The head of a message grows with it, and does not count. */
static uint64_t hash_of(const struct wire_question *q, const struct wire_remembered *told, const unsigned char *bytes,
                        size_t size)
{
    const uint64_t parts[] = {(uint64_t)q->kind << 2 | (uint64_t)q->terminator << 1 | q->quiet, told->content_len,
                              q->layer_name ? bytes_hash(q->layer_name, q->layer_name_len) : 0,
                              size > 8 ? bytes_hash(bytes + 8, size - 8) : 0};
    return bytes_hash(parts, sizeof parts);
}

static bool begins_so(const struct trail *t, const struct call_start *s)
{
    const struct wire_question *a = &t->question, *b = s->question;
    return a->kind == b->kind && a->terminator == b->terminator && a->quiet == b->quiet && t->size == s->size &&
           bytes_same(a->layer_name, a->layer_name_len, b->layer_name, b->layer_name_len) &&
           bytes_same(t->told.path, t->told.path_len, s->told->path, s->told->path_len) &&
           bytes_same(t->told.content, t->told.content_len, s->told->content, s->told->content_len) &&
           (s->size <= 8 || memcmp(t->round[0]->message + 8, s->bytes + 8, s->size - 8) == 0);
}

static void trail_drop(struct trail *t)
{
    lock_wanted(false);
    if (!t || atomic_fetch_sub(&t->references, 1) != 1) return;
    for (uint32_t i = 0; i < t->round_count; i++) round_drop(t->round[i]);
    for (uint32_t i = 0; i < t->count; i++) free(t->step[i].look);
    free(t);
}

void trail_forget(void)
{
    for (unsigned i = 0; i < TRAILS_MAX; i++) trail_drop(atomic_exchange(&trails[i], NULL));
}

/* ---- following --------------------------------------------------------------------------------------------------- */

static bool text_is(const char *now, const char *then)
{
    return now ? then && strcmp(now, then) == 0 : !then;
}

/* Not inlined: the other steps need no such room. */
__attribute__((noinline)) static bool program_is(const char *then)
{
    char path[EXE_MAX];
    return text_is(exe_path(path) ? path : NULL, then);
}

static bool variable_is(struct variable variable, const char *then)
{
    char *block;
    bool same = text_is(env_read(variable, &block), then);
    free(block);
    return same;
}

static bool is_as_then(const struct step *step, struct looks *looks)
{
    switch (step->kind) {
    case VARIABLE: return variable_is(step->variable, step->text);
    case THERE: return (access(step->text, F_OK) == 0) == step->there;
    case EXECUTABLE: return program_is(step->text);
    case STAMP: break;
    }
    return stamp_stands(step->text, step->look, &step->stamp, looks);
}

/* The trail of calls with this hash, held, or NULL. */
static struct trail *trail_of(uint64_t hash)
{
    struct trail *found = NULL;
    lock_take();
    for (unsigned i = 0; i < TRAILS_MAX && !found; i++) {
        struct trail *t = atomic_load(&trails[i]);
        if (!t || t->hash != hash) continue;
        atomic_fetch_add(&t->references, 1);
        found = t;
    }
    lock_drop();
    return found;
}

/* Takes a trail that leads nowhere any more off the list. */
static void take_out(struct trail *t)
{
    bool gone = false;
    lock_take();
    for (unsigned i = 0; i < TRAILS_MAX && !gone; i++) {
        gone = atomic_load(&trails[i]) == t;
        if (gone) atomic_store(&trails[i], NULL);
    }
    lock_drop();
    if (gone) trail_drop(t);
}

uint32_t trail_follow(const struct call_start *start, struct looks *looks, struct round *rounds[TRAIL_ROUNDS_MAX])
{
    struct trail *t = trail_of(hash_of(start->question, start->told, start->bytes, start->size));
    if (!t) return 0;
    uint32_t count = 0;
    if (begins_so(t, start)) {
        uint32_t i = 0;
        while (i < t->count && is_as_then(&t->step[i], looks)) i++;
        if (i == t->count)
            for (; count < t->round_count; count++) rounds[count] = round_hold(t->round[count]);
        else
            take_out(t);
    }
    trail_drop(t);
    return count;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

/* The step that has led to a record. False: nothing is known of its path that one question could confirm. */
static bool step_of(struct step *step, const struct wire_record *record)
{
    struct wire_var var;
    struct wire_directory directory;
    struct wire_file file;
    struct wire_exists exists;
    struct wire_exe exe;
    *step = (struct step){.kind = STAMP};
    if (wire_get_var(record, &var)) {
        step->kind = VARIABLE;
        step->variable = (struct variable){var.name, var.secure};
        step->text = var.value;
    } else if (wire_get_exe(record, &exe)) {
        step->kind = EXECUTABLE;
        step->text = exe.path;
    } else if (wire_get_directory(record, &directory)) {
        step->text = directory.path;
    } else if (wire_get_file(record, &file)) {
        step->text = file.path;
    } else if (wire_get_exists(record, &exists)) {
        step->text = exists.path;
        step->there = exists.yes;
        if (!stamp_known(record, step->text, &step->stamp, &step->look)) step->kind = THERE;
        return true;
    }
    return step->kind != STAMP || (step->text && stamp_known(record, step->text, &step->stamp, &step->look));
}

static bool step_add(struct trail *t, const struct wire_record *record)
{
    if (record->id == WIRE_QUESTION || wire_get_remembered(record, &t->told)) return true;
    bool can = step_of(&t->step[t->count], record);
    t->count += can;
    return can;
}

/* The records of all rounds, behind what the call began with. With a trail, adds them to it. */
static bool each_record(const struct call_start *start, struct round *const *rounds, uint32_t count, struct trail *t,
                        uint32_t *records)
{
    *records = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct wire_reader reader;
        struct wire_record record;
        wire_open(&reader, rounds[i]->message, rounds[i]->message_size);
        while (wire_next(&reader, &record)) {
            if (i == 0 && record.at < rounds[0]->message + start->size) continue;
            ++*records;
            if (t && !step_add(t, &record)) return false;
        }
    }
    return true;
}

static struct trail *trail_new(const struct call_start *start, struct round *const *rounds, uint32_t count)
{
    uint32_t records;
    each_record(start, rounds, count, NULL, &records);
    if (records > BYTES_MAX / sizeof(struct step)) return NULL;
    struct trail *t = array_new(sizeof *t, records, sizeof t->step[0]);
    if (!t) return NULL;
    t->references = 1;
    t->question = *start->question;
    t->size = start->size;
    t->hash = hash_of(start->question, start->told, rounds[0]->message, start->size);
    for (; t->round_count < count; t->round_count++) t->round[t->round_count] = round_hold(rounds[t->round_count]);
    struct wire_record last = {0};
    struct wire_reader reader;
    if (each_record(start, rounds, count, t, &records) &&
        wire_open(&reader, rounds[0]->message, rounds[0]->message_size)) {
        while (wire_next(&reader, &last)) continue;
        if (wire_get_question(&last, &t->question)) return t; /* its texts are the round's now */
    }
    trail_drop(t);
    return NULL;
}

void trail_keep(const struct call_start *start, struct round *const *rounds, uint32_t count)
{
    _Atomic unsigned char *wait = &patience[start->question->kind % KINDS];
    unsigned char left = atomic_load(wait);
    if (left) {
        atomic_store(wait, left - 1);
        return;
    }
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) size += rounds[i]->message_size + rounds[i]->answer_size;
    struct trail *t = count <= TRAIL_ROUNDS_MAX && size <= BYTES_MAX ? trail_new(start, rounds, count) : NULL;
    if (!t) {
        atomic_store(wait, PATIENCE);
        return;
    }
    unsigned at = TRAILS_MAX;
    lock_take();
    for (unsigned i = 0; i < TRAILS_MAX; i++) {
        const struct trail *other = atomic_load(&trails[i]);
        if (other && other->hash == t->hash)
            at = i;
        else if (!other && at == TRAILS_MAX)
            at = i;
    }
    struct trail *before = atomic_exchange(&trails[at < TRAILS_MAX ? at : hand++ % TRAILS_MAX], t);
    lock_drop();
    trail_drop(before);
}
