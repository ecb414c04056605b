/* die.c: ends the process with the signal that ended another program, so that the parent sees the same end. It leaves
 * no core file and no crash report, because the other program has left them. Go cannot do this: its runtime handles
 * these signals. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "die.h"

int die(const char *number)
{
    int sig = atoi(number);
    sigset_t only;
    prctl(PR_SET_DUMPABLE, 0);
    signal(sig, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, sig);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), sig);
    return 128 + sig; /* a signal that does not end processes */
}
