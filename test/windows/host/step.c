/* step.c: of the host for Windows. A call is not performed one instruction at a time here. */
#include "../../host/host.h"

COMMAND(step)
{
    (void)line;
    fail("programs for Windows do not step by themselves");
}
