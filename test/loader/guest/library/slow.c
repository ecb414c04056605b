/* slow.c: a driver library that waits inside dlopen, dlsym or dlclose: in its constructor, in the resolver of a symbol,
 * or in its destructor (built with IN_CONSTRUCTOR, IN_SYMBOL or IN_DESTRUCTOR). It writes a byte and waits for one.
 * GUEST_HOLD: the descriptor to read, the descriptor to write. It is no usable driver. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void slow(void)
{
    int in, out;
    char byte = 'c';
    const char *text = getenv("GUEST_HOLD");
    if (!text || sscanf(text, "%d %d", &in, &out) != 2) return;
    if (write(out, &byte, 1) == 1) (void)!read(in, &byte, 1);
}

#ifdef IN_SYMBOL
static void *nothing(void)
{
    return NULL;
}
static void *(*resolve(void))(void)
{
    static int once;
    if (!once++) slow();
    return nothing;
}
void *vk_icdGetInstanceProcAddr(void) __attribute__((ifunc("resolve")));
#elif defined IN_DESTRUCTOR
__attribute__((destructor)) static void end(void)
{
    slow();
}
#else
__attribute__((constructor)) static void begin(void)
{
    slow();
}
#endif
