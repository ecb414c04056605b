/* wake.c: threads that wait for what another one does, and are woken: one condition variable. */
#include "process/windows/wake.h"

#include "process/process.h"

static CONDITION_VARIABLE ended = CONDITION_VARIABLE_INIT;

bool lock_wait(void)
{
    return SleepConditionVariableSRW(&ended, &lock_word, 100, 0);
}

void lock_wake(void)
{
    WakeAllConditionVariable(&ended);
}
