/* A driver that is none: it is opened and closed again, and leaves a destructor for the thread that asked it. */
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;

static void at_exit_of_thread(void *value)
{
    (void)value;
}

__attribute__((constructor)) static void start(void)
{
    pthread_key_create(&key, at_exit_of_thread);
    pthread_setspecific(key, &key);
}

void *vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    (void)name;
    return NULL;
}
