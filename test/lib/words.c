/* words.c: a call with words as arguments, where pointers have 32 bits. test/lib/windows has a file that stands in. */
#include "interface.h"

#if UINTPTR_MAX == 0xffffffff
uint64_t call_words(PFN_vkVoidFunction function, const struct passed *passed)
{
    return ((uint64_t(*)(struct passed))(uintptr_t)function)(*passed);
}
#endif
