/* stderr.c: writes the log's lines to standard error. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "process/process.h"

/* The thread that ends the process, 0 when none does. Under the lock of the stream. */
static uintptr_t ending;

/* LOG-11: three writes, so that a library that interposes fputs and fputc sees the parts. They stay one line among
 * threads. */
void stderr_write(const char *tag, const char *text)
{
    uintptr_t self = (uintptr_t)pthread_self();
    int cancel; /* a thread that is cancelled while it writes must not keep the stream locked */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    flockfile(stderr);
    if (ending == self) ending = 0; /* its program has caught the signal, and goes on */
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
    funlockfile(stderr); /* a handler of the signal may let other threads write */
}
