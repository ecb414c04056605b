/* exit.c: distinguishes the end of the process from the unloading of the DLL, as the system reports at detach
 * (WIN-010). */
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
