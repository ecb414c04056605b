/* A program whose thread creates an instance and ends. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *work(void *symbol)
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
    void *instance = NULL;
    ((int (*)(const void *, const void *, void **))symbol)(&info, NULL, &instance);
    return NULL;
}

int main(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    void *create = library ? dlsym(library, "vkCreateInstance") : NULL;
    pthread_t thread;
    if (!create || pthread_create(&thread, NULL, work, create) != 0) return 1;
    pthread_join(thread, NULL);
    return 0;
}
