/* die.c: ends the process with a signal, as a program that it stands for was ended, and leaves no core file and no
 * report of a crash: the program has left its own. Go cannot do this: its runtime has handlers for those signals. */
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
