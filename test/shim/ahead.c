/* ahead.c: an interposer, preloaded beside redirect.c or alone. WORLD_AHEAD=seconds: the time of day is so much later,
 * so that whatever was changed was changed long ago. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern char **environ;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
    int (*real)(clockid_t, struct timespec *) = (__typeof__(real))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, out);
    for (char **e = environ; clock == CLOCK_REALTIME && result == 0 && e && *e; e++)
        if (strncmp(*e, "WORLD_AHEAD=", 12) == 0) out->tv_sec += atoi(*e + 12);
    return result;
}
