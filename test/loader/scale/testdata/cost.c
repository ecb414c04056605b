/* cost.c: makes the calls that its arguments name and writes what each returned, then what all of them cost: CPU time
 * in microseconds, and by how many kilobytes the most memory that the process ever had grew. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static long long cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

/* What getrusage knows of the memory includes that of the process before its exec. */
static long peak(void)
{
    char line[256];
    long kilobytes = -1;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f) exit(4);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    fclose(f);
    return kilobytes;
}

static void *loader;

static void *function(const char *name)
{
    void *f = dlsym(loader, name);
    if (!f) exit(3);
    return f;
}

static int perform(const char *what)
{
    uint32_t number = 0;
    if (strcmp(what, "version") == 0)
        return ((int (*)(uint32_t *))(uintptr_t)function("vkEnumerateInstanceVersion"))(&number);
    if (strcmp(what, "layers") == 0)
        return ((int (*)(uint32_t *, void *))(uintptr_t)function("vkEnumerateInstanceLayerProperties"))(&number, NULL);
    if (strcmp(what, "extensions") == 0)
        return ((int (*)(const char *, uint32_t *, void *))(uintptr_t)function(
            "vkEnumerateInstanceExtensionProperties"))(NULL, &number, NULL);
    struct { /* VkInstanceCreateInfo */
        uint32_t type;
        const void *next;
        uint32_t flags;
        const void *app;
        uint32_t layer_count;
        const char *const *layers;
        uint32_t extension_count;
        const char *const *extensions;
    } info = {.type = 1};
    const char *layer = what + strlen("instance");
    if (*layer == '=') {
        layer++;
        info.layer_count = 1;
        info.layers = &layer;
    }
    void *instance = NULL;
    int result =
        ((int (*)(const void *, const void *, void **))(uintptr_t)function("vkCreateInstance"))(&info, NULL, &instance);
    if (result == 0) ((void (*)(void *, const void *))(uintptr_t)function("vkDestroyInstance"))(instance, NULL);
    return result;
}

int main(int argc, char **argv)
{
    loader = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!loader) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    long before = peak();
    long long start = cpu();
    for (int i = 1; i < argc; i++) printf("%d\n", perform(argv[i]));
    printf("%lld\n", cpu() - start);
    printf("%ld\n", peak() - before);
    return 0;
}
