/* thread.c: gives each thread a number that is never used again, unlike the C library's pthread_t. */
#include <pthread.h>
#include <stdatomic.h>

#include "process/process.h"

/* The state of the key under which each thread stores its number. Keys are few, so the first call of thread_now creates
 * it. While another thread creates it, or if no key is available, pthread_self() serves as the number. */
enum { KEY_NONE, KEY_WANTED, KEY_THERE };
static _Atomic int state;
static pthread_key_t key;
static _Atomic uintptr_t last;

static uint64_t name(void)
{
    return (uint64_t)(uintptr_t)pthread_self();
}

uint64_t thread_now(void)
{
    int none = KEY_NONE;
    if (atomic_compare_exchange_strong(&state, &none, KEY_WANTED) && pthread_key_create(&key, NULL) == 0)
        atomic_store(&state, KEY_THERE);
    if (atomic_load(&state) != KEY_THERE) return name();
    uintptr_t number = (uintptr_t)pthread_getspecific(key);
    if (number) return number;
    number = atomic_fetch_add(&last, 1) + 1;
    return pthread_setspecific(key, (const void *)number) == 0 ? number : name();
}

uint64_t thread_known(void)
{
    uintptr_t number = atomic_load(&state) == KEY_THERE ? (uintptr_t)pthread_getspecific(key) : 0;
    return number ? number : name();
}

int cancel_off(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void cancel_on(int before)
{
    pthread_setcancelstate(before, NULL);
}

void threads_forget(void)
{
    if (atomic_exchange(&state, KEY_WANTED) != KEY_THERE) return;
    pthread_key_delete(key);
}
