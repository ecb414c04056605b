/* standin.c: stands in the core's place, to see what the spine does with what a core says. Built with CORE_ID; the
 * variable STANDIN chooses: fault, bad, space, start, abi, need, mask. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *way(void) {
    const char *text = getenv("STANDIN");
    return text ? text : "";
}

const char *vkcore_id(void) { return CORE_ID; }
int vkcore_inherited(void) { return 0; }
int vkcore_start(char *text, size_t room) {
    if (strcmp(way(), "start") != 0) return 0;
    snprintf(text, room, "nothing is there");
    return EAGAIN;
}
void vkcore_lock(void) {}
void vkcore_unlock(void) {}
uint32_t vkcore_abi(void) { return strcmp(way(), "abi") == 0 ? 77 : 2; }

/* Which signals are open, and whether the thread may be cancelled; at most 220 bytes. */
static void what_is_open(char *text) {
    sigset_t mask;
    int cancel;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i <= 64; i++)
        if (i != 32 && i != 33 && !sigismember(&mask, i)) text += sprintf(text, "%d ", i);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    strcpy(text, cancel == PTHREAD_CANCEL_DISABLE ? "stays. " : "may be cancelled. ");
}

static char attached_with[220];
uint64_t vkcore_attach(void) {
    what_is_open(attached_with);
    return 1;
}
void vkcore_detach(uint64_t context) {
    if (getenv("STANDIN_SAY")) fprintf(stderr, "standin: context %lu detached\n", context);
}

static int32_t say(const void *bytes, size_t size, void *answer, size_t room, size_t *need, int32_t result) {
    *need = size;
    if (size > room) return 1;
    memcpy(answer, bytes, size);
    return result;
}

int32_t vkcore_decide(uint64_t context, const void *facts, size_t size, void *answer, size_t room, size_t *need) {
    (void)context;
    (void)facts;
    (void)size;
    if (strcmp(way(), "fault") == 0) {
        static const char text[] = "index out of range %s%n";
        return say(text, sizeof text - 1, answer, room, need, 2);
    }
    if (strcmp(way(), "bad") == 0) return 3;
    if (strcmp(way(), "mask") == 0) { /* as it was in the first entry, and as it is */
        char text[440];
        strcpy(text, attached_with);
        what_is_open(text + strlen(text));
        return say(text, strlen(text), answer, room, need, 2);
    }
    if (strcmp(way(), "space") == 0) {
        *need = room + 1;
        return 1;
    }
    if (strcmp(way(), "need") == 0) { /* the executable's path, again and again */
        static const uint32_t message[] = {0x31574b56, 48, 32, 24, 0, 0, 0, 0, 36, 16, 0, 0};
        return say(message, sizeof message, answer, room, need, 0);
    }
    static const uint32_t empty[] = {0x31574b56, 32, 32, 24, 0, 0, 0, 0}; /* facts are missing, but none is named */
    return say(empty, sizeof empty, answer, room, need, 0);
}
