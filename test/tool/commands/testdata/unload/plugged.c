/* A program that creates an instance, lists its devices and destroys it, and then calls its plug-in. */
#include <dlfcn.h>
#include <stddef.h>

int main(int count, char **argument)
{
    struct {
        int type;
        const void *next;
        int flags;
        const void *app;
        unsigned layers;
        const void *l;
        unsigned extensions;
        const void *e;
    } info = {1, NULL, 0, NULL, 0, NULL, 0, NULL};
    void *instance = NULL, *library = dlopen("libvulkan.so.1", RTLD_NOW);
    unsigned devices = 0;
    if (!library || count < 2) return 1;
    if (((int (*)(const void *, const void *, void **))dlsym(library, "vkCreateInstance"))(&info, NULL, &instance) != 0)
        return 2;
    ((int (*)(void *, unsigned *, void *))dlsym(library, "vkEnumeratePhysicalDevices"))(instance, &devices, NULL);
    ((void (*)(void *, const void *))dlsym(library, "vkDestroyInstance"))(instance, NULL);
    void *plugin = dlopen(argument[1], RTLD_LAZY);
    return plugin ? ((int (*)(void))dlsym(plugin, "plugin"))() : 3;
}
