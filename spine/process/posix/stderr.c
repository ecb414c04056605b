/* stderr.c: writes the log's lines to standard error. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "process/process.h"

/* The thread that is about to abort the process, or 0. Guarded by the stream's lock. */
static uintptr_t ending;

/* LOG-11: writes a line with three calls, so that a library that interposes fputs and fputc sees the parts. The
 * stream's lock keeps the parts together. */
void stderr_write(const char *tag, const char *text)
{
    uintptr_t self = (uintptr_t)pthread_self();
    int cancel; /* a thread cancelled while it writes would keep the stream locked */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    flockfile(stderr);
    if (ending == self) ending = 0; /* the program has caught the signal of the abort */
    if (!ending) {
        fputs(tag, stderr);
        fputs(text, stderr);
        fputc('\n', stderr);
    }
    funlockfile(stderr);
    pthread_setcancelstate(cancel, NULL);
}

void stderr_end(void)
{
    flockfile(stderr);
    fflush(stderr);
    ending = (uintptr_t)pthread_self();
    funlockfile(stderr); /* a handler of the signal may need other threads to write */
}
