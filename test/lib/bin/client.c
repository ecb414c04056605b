/* client.c: a program that maps libvulkan.so.1 at once, says which file that is, waits for a line or the end of
 * standard input, and only then makes its first Vulkan call. Prints "library PATH", then "devices N"; ends with 1 when
 * it has to do without one of them. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The necessary part of VkInstanceCreateInfo: its type, and zeros. */
struct instance_info {
    int type;
    void *rest[8];
};
enum { INSTANCE_CREATE_INFO = 1 };

int main(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    int (*create)(const struct instance_info *, const void *, void **);
    int (*enumerate)(void *, uint32_t *, void *);
    struct instance_info info;
    Dl_info place;
    char real[PATH_MAX];
    void *instance = NULL;
    uint32_t count = 0;
    int status = 1;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return status;
    }
    *(void **)&create = dlsym(library, "vkCreateInstance");
    *(void **)&enumerate = dlsym(library, "vkEnumeratePhysicalDevices");
    if (!create || !enumerate || !dladdr(*(void **)&create, &place) || !realpath(place.dli_fname, real)) return status;
    printf("library %s\n", real);
    fflush(stdout);
    getchar();
    memset(&info, 0, sizeof info);
    info.type = INSTANCE_CREATE_INFO;
    if (create(&info, NULL, &instance) == 0 && enumerate(instance, &count, NULL) == 0 && count > 0) status = 0;
    printf("devices %u\n", count);
    return status;
}
