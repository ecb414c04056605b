/* slow.c: a driver library whose constructor says that it runs and waits for a byte: a dlopen that takes its time. It
 * is no usable driver. GUEST_HOLD: the descriptor to read, the descriptor to write. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void slow(void) {
    int in, out;
    char byte = 'c';
    const char *text = getenv("GUEST_HOLD");
    if (!text || sscanf(text, "%d %d", &in, &out) != 2) return;
    if (write(out, &byte, 1) == 1) (void)!read(in, &byte, 1);
}
