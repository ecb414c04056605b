/* finish.c: the part of the compiler's start files that unloading needs. The library is linked without those files,
 * because they are not marked for indirect jumps. */
#include "process/process.h"

/* What __cxa_atexit and pthread_atfork know the library by; its functions there are forgotten when it is unloaded,
 * after every other destructor. A linker that does add the start files takes theirs. */
extern void *__dso_handle;
__attribute__((weak, visibility("hidden"))) void *__dso_handle = &__dso_handle;
__attribute__((weak)) void __cxa_finalize(void *);

__attribute__((destructor(101))) static void forget_functions(void)
{
    bool exits = exit_begun(); /* __cxa_finalize sets it, too */
    if (__cxa_finalize) __cxa_finalize(__dso_handle);
    if (!exits) threads_forget();
}
