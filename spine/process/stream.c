/* stream.c: where the log's lines go besides messengers: standard error. */
#include <pthread.h>
#include <stdio.h>

#include "process/process.h"

/* LOG-11: three writes, so that whoever replaces fputs and fputc sees the parts. They stay one line among threads. */
void stream_write(const char *tag, const char *text)
{
    int cancel; /* a thread that is cancelled while it writes must not keep the stream locked */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    flockfile(stderr);
    fputs(tag, stderr);
    fputs(text, stderr);
    fputc('\n', stderr);
    funlockfile(stderr);
    pthread_setcancelstate(cancel, NULL);
}

void stream_flush(void)
{
    fflush(stderr);
}
