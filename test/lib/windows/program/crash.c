/* crash.c: a driver and a layer that crash when the loader calls them. With HANGS they do not return, and with ABORTS
 * they call abort.
 */
#include <stdlib.h>
#include <windows.h>

#define EXPORT __declspec(dllexport)

static void fail(void)
{
#if defined HANGS
    Sleep(INFINITE);
#elif defined ABORTS
    abort();
#else
    *(volatile int *)0 = 0;
#endif
}

EXPORT int __stdcall vkNegotiateLoaderLayerInterfaceVersion(void *structure)
{
    (void)structure;
    fail();
    return 0;
}

EXPORT int __stdcall vk_icdNegotiateLoaderICDInterfaceVersion(unsigned *version)
{
    (void)version;
    fail();
    return 0;
}

EXPORT void *__stdcall vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    (void)name;
    fail();
    return NULL;
}
