/* thunk_entries.c: enough functions for one per name. Each takes its arguments as words, of any
 * type. */
#include "thunks.h"

#if UINTPTR_MAX == 0xffffffff
#define THUNK(n)                                                                                                       \
    static uint64_t thunk_##n(struct passed passed)                                                                    \
    {                                                                                                                  \
        uint64_t args[ARGUMENTS];                                                                                      \
        passed_to(signature_of(thunk_name[0##n - 01000]), &passed, args);                                              \
        return thunk_run(0##n - 01000, args);                                                                          \
    }
#else
#define THUNK(n)                                                                                                       \
    static uint64_t thunk_##n(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,      \
                              uint64_t h, uint64_t i, uint64_t j)                                                      \
    {                                                                                                                  \
        uint64_t args[ARGUMENTS] = {a, b, c, d, e, f, g, h, i, j};                                                     \
        return thunk_run(0##n - 01000, args);                                                                          \
    }
#endif
#define T8(n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define T64(n) T8(n##0) T8(n##1) T8(n##2) T8(n##3) T8(n##4) T8(n##5) T8(n##6) T8(n##7)
#define T512(n) T64(n##0) T64(n##1) T64(n##2) T64(n##3) T64(n##4) T64(n##5) T64(n##6) T64(n##7)
#define X(n) THUNK(n)
T512(1)
T512(2)
#undef X
#define X(n) (PFN_vkVoidFunction) thunk_##n,
const PFN_vkVoidFunction thunks[THUNKS] = {T512(1) T512(2)};
#undef X
