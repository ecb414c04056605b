/* exit.c: is the process ending, or is the DLL merely unloaded? The system says so at detach (WIN-010). */
#include "process/windows/start.h"

static bool begun;

void exit_note(void)
{
    begun = true;
}

bool exit_begun(void)
{
    return begun;
}
