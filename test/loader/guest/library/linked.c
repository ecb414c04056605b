/* linked.c: a program that is linked with the loader (or, with -DALONE, is not) and never calls it; prints its
 * number of threads, its resident memory in kB, and whether the library is mapped. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vkCreateInstance(void);
void *keep;

int main(int argc, char **argv)
{
    (void)argv;
#ifndef ALONE
    if (argc > 100) keep = (void *)vkCreateInstance;
#endif
    char line[4400];
    int changed = 0, loader = 0;
    long threads = 0, resident = 0, value;
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %ld", &value) == 1) threads = value;
    fclose(f);
    f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Rss: %ld", &value) == 1) resident = value;
    if (f) fclose(f);
    f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f)) {
        loader |= strstr(line, "libvulkan") != NULL;
    }
    fclose(f);
    for (int sig = 1; sig <= 64; sig++) {
        struct sigaction now;
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_DFL && argc == 1) changed++;
    }
    printf("%ld %ld %d %d\n", threads, resident, changed, loader);
    return 0;
}
