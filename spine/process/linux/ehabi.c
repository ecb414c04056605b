/* ehabi.c: unwinding through this library on 32-bit ARM, whose exception tables differ from other machines' (EHABI).
 * The tables name routines of libgcc, which programs need not have; an unwinder brings its own.
 */
#include "process/process.h"

#ifdef __ARM_EABI__
#include <dlfcn.h>
#include <unwind.h>

/* The assembler's exception tables refer to these names. The unwinder finds its own functions by number, so the symbols
 * are defined as 0 here. */
#define UNUSED_HERE(name) __asm__(".globl " name "\n.hidden " name "\n.set " name ", 0");
UNUSED_HERE("__aeabi_unwind_cpp_pr0")
UNUSED_HERE("__aeabi_unwind_cpp_pr1")

/* Returns the function that unwinds a frame, from the unwinder in this process, or NULL. */
static _Unwind_Reason_Code (*unwinder_frame(void))(_Unwind_Control_Block *, _Unwind_Context *)
{
    void *found = dlsym(RTLD_DEFAULT, "__gnu_unwind_frame");
    if (!found) {
        void *libgcc = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD); /* glibc opens libgcc to end a thread */
        if (libgcc) found = dlsym(libgcc, "__gnu_unwind_frame");
        if (libgcc) dlclose(libgcc);
    }
    return (_Unwind_Reason_Code(*)(_Unwind_Control_Block *, _Unwind_Context *))(uintptr_t)found;
}

/* The personality function of functions with CLAIM_UNWINDS. */
_Unwind_Reason_Code claim_unwinds_arm(_Unwind_State state, _Unwind_Control_Block *exception, _Unwind_Context *context);
_Unwind_Reason_Code claim_unwinds_arm(_Unwind_State state, _Unwind_Control_Block *exception, _Unwind_Context *context)
{
    enum { CLEANUP_PHASE = 2 };
    if ((state & _US_ACTION_MASK) == _US_UNWIND_FRAME_STARTING) claim_unwinds(1, CLEANUP_PHASE, 0, exception, context);
    _Unwind_Reason_Code (*frame)(_Unwind_Control_Block *, _Unwind_Context *) = unwinder_frame();
    return frame && frame(exception, context) == _URC_OK ? _URC_CONTINUE_UNWIND : _URC_FAILURE;
}
#endif
