/* hosted.c: the loader in a program of another language. hosted() uses it on the calling thread and on four new
 * threads, and returns 0 on success. With GUEST_HOSTED, the same happens when the library is opened: at once on the
 * opening thread, and on the others as soon as the dynamic linker permits. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../lib/vulkan.h"

static void *loader;

static int once(void)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(loader, "vkCreateInstance");
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)dlsym(loader, "vkDestroyInstance");
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)dlsym(loader, "vkEnumeratePhysicalDevices");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    uint32_t count = 0;
    int result = create(&info, NULL, &instance);
    if (result != VK_SUCCESS) return result;
    result = enumerate(instance, &count, NULL);
    destroy(instance, NULL);
    return result == VK_SUCCESS && count == 0 ? -1000 : result;
}

static int open_loader(void)
{
    const char *path = getenv("GUEST_LOADER");
    if (!loader) loader = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    if (loader) return 0;
    fprintf(stderr, "hosted: %s\n", dlerror());
    return -1001;
}

static void *often(void *p)
{
    for (int i = 0; i < 20; i++) {
        int result = once();
        if (result != 0) *(int *)p = result;
    }
    return NULL;
}

__attribute__((visibility("default"))) int hosted(void)
{
    pthread_t t[4];
    int result = open_loader();
    if (result != 0) return result;
    often(&result);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, often, &result) != 0) return -1002;
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return result;
}

__attribute__((constructor)) static void at_load(void)
{
    if (!getenv("GUEST_HOSTED")) return;
    static int later;
    int result = open_loader();
    if (result == 0) often(&result);
    if (result != 0) {
        fprintf(stderr, "hosted: result %d\n", result);
        _exit(1);
    }
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, often, &later) == 0) pthread_detach(t);
    }
}
