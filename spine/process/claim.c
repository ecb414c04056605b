/* claim.c: claims of threads on objects while they call out; other threads wait for the end of a claim. A forked child
 * has none of its parent's threads, so their claims do not count there.
 *
 * A thread that never returns from a call leaves its claim behind. claim_unwinds ends the claim if an exception or a
 * cancellation unwinds the stack, and claim_take_over if the thread comes again from a frame higher up its stack.
 * Otherwise other threads wait CLAIM_SECONDS_MAX seconds for it. */
#include "process/process.h"

#define WAITS_MAX (CLAIM_SECONDS_MAX * 10) /* lock_wait waits for 0.1 s */

static struct place {
    const void *what, *whose; /* what NULL: a free entry */
    uint64_t thread, number;
    uintptr_t frame;               /* the stack frame that made the claim */
    struct tally *tally;           /* the tally that counts the use, or NULL */
} places[64];                      /* under the lock */
static uint64_t places_generation; /* fork_generation() of the entries */
static uint64_t last_number;

static struct place *find(const void *what, const void *whose)
{
    lock_wanted(true);
    if (places_generation != fork_generation()) {
        places_generation = fork_generation();
        for (unsigned i = 0; i < sizeof places / sizeof *places; i++) places[i].what = NULL;
    }
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].what == what && places[i].whose == whose) return &places[i];
    return NULL;
}

static void give_up(struct place *p)
{
    p->what = NULL;
    lock_wake();
}

/* Waits for the end of other threads' claims. over: ends a claim whose thread does not return. Returns false if the
 * calling thread has the claim, or after the time limit. */
static bool wait_for(const void *what, const void *whose, bool over, uintptr_t frame)
{
    struct place *p;
    unsigned waits = 0;
    while ((p = find(what, whose))) {
        bool mine = p->thread == thread_known();
        bool late = waits >= WAITS_MAX;
        if (over && (late || (mine && frame >= p->frame))) /* the call with the claim has ended without returning */
            give_up(p);
        else if (mine || late)
            return false;
        else
            waits += !lock_wait();
    }
    return true;
}

/* Records a claim. Returns false if the table is full. */
static bool place_take(struct claim *claim, const void *what, const void *whose, uintptr_t frame, struct tally *tally)
{
    unsigned i = 0;
    while (i < sizeof places / sizeof *places && places[i].what) i++;
    if (i == sizeof places / sizeof *places) return false;
    *claim = (struct claim){i, ++last_number};
    places[i] = (struct place){what, whose, thread_known(), last_number, frame, tally};
    return true;
}

static bool take(struct claim *claim, const void *what, const void *whose, bool over, uintptr_t frame)
{
    return wait_for(what, whose, over, frame) && place_take(claim, what, whose, frame, NULL);
}

#define FRAME ((uintptr_t)__builtin_frame_address(0))

bool claim_wait(const void *what, const void *whose)
{
    return wait_for(what, whose, false, FRAME);
}

bool claim_take(struct claim *claim, const void *what, const void *whose)
{
    return take(claim, what, whose, false, FRAME);
}

bool claim_take_over(struct claim *claim, const void *what, const void *whose)
{
    return take(claim, what, whose, true, FRAME);
}

void claim_drop(const struct claim *claim)
{
    lock_wanted(true);
    struct place *p = &places[claim->place];
    if (p->number == claim->number && places_generation == fork_generation()) p->what = NULL;
    lock_wake();
}

void claim_use(struct claim *claim, struct tally *tally)
{
    static uint64_t mark;
    find(tally, &mark); /* in a forked child: frees the parent's entries */
    *claim = (struct claim){0};
    place_take(claim, tally, &mark, FRAME, tally);
    tally_up(tally);
}

void claim_unuse(const struct claim *claim, struct tally *tally)
{
    tally_down(tally);
    claim_drop(claim);
}

/* Ends the newest claim of this thread: it belongs to the frame that is being unwound. */
int claim_unwinds(int version, int actions, uint64_t class, void *exception, void *context)
{
    (void)version, (void)class, (void)exception, (void)context;
    enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 };
    if (!(actions & CLEANUP_PHASE)) return CONTINUE_UNWIND;
    lock_take();
    struct place *newest = NULL;
    find(NULL, &last_number);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].what && places[i].thread == thread_known() && (!newest || places[i].number > newest->number))
            newest = &places[i];
    if (newest) {
        if (newest->tally) tally_down(newest->tally);
        give_up(newest);
    }
    lock_drop();
    return CONTINUE_UNWIND;
}

void claims_forget(const void *what)
{
    lock_wanted(true);
    bool any = false;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].what == what) {
            places[i].what = NULL;
            any = true;
        }
    if (any) lock_wake();
}
