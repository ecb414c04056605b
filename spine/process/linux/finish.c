/* finish.c: the part of the compiler's start files that unloading needs. The library is linked without those files,
 * because they are not marked for indirect jumps. */
#include "process/process.h"

/* The library's identity in __cxa_atexit and pthread_atfork. When the library is unloaded, their functions are removed
 * after every other destructor has run. A linker that adds the compiler's start files uses their definition instead. */
extern void *__dso_handle;
__attribute__((weak, visibility("hidden"))) void *__dso_handle = &__dso_handle;
__attribute__((weak)) void __cxa_finalize(void *);

__attribute__((destructor(101))) static void forget_functions(void)
{
    bool exits = exit_begun(); /* __cxa_finalize sets it, too, so it is read first */
    if (__cxa_finalize) __cxa_finalize(__dso_handle);
    if (!exits) threads_forget();
}
