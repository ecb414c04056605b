/* wake.c: waits for another thread, and wakes all waiting threads, with one condition variable. */
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
