/* privileges.c: whether the program has more rights than its user. */
#include "process/process.h"
#include "process/windows/wide.h"

bool process_privileged(void)
{
    return process_elevated();
}
