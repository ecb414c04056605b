/* allocator.c: allocators that count, check, fill and fail. They call Vulkan only where a
 * recorded script that they perform does. */
#include "host.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 65536
bool allocators;
struct allocator {
    VkAllocationCallbacks callbacks;
    pthread_mutex_t lock;
    void *block[BLOCKS];
    size_t size[BLOCKS];
    int live, high;
    int64_t calls, failed, reallocations, frees, faults, fail_from, fail_once;
    int fill;
    bool keep;          /* freed blocks stay as they are */
    void *kept[BLOCKS]; /* these */
    int kept_count;
    char script[64]; /* performed in each callback, when not empty */
    int linger;      /* milliseconds that a reallocation takes when it is done */
    uint64_t scopes[8];
    char fault[128];
};

static int find(struct allocator *a, const void *memory)
{
    for (int i = 0; i < a->high; i++)
        if (a->block[i] == memory) return i;
    return -1;
}

static void fault(struct allocator *a, const char *what)
{
    a->faults++;
    if (!a->fault[0]) strncpy(a->fault, what, sizeof a->fault - 1);
}

/* ALC-016: on a thread that performs a command just now. Under the lock. */
static void check_thread(struct allocator *a)
{
    if (!now) fault(a, "called on another thread, or outside a call");
}

/* Under the lock. */
static void *get(struct allocator *a, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    void *memory = NULL;
    int64_t call = a->calls++;
    check_thread(a);
    if (alignment == 0 || (alignment & (alignment - 1))) fault(a, "alignment is no power of two");
    if ((unsigned)scope < 8) a->scopes[scope]++;
    if ((a->fail_from >= 0 && call >= a->fail_from) || call == a->fail_once) {
        a->failed++;
        return NULL;
    }
    if (alignment < 16) alignment = 16;
    if (posix_memalign(&memory, alignment, size ? size : 1)) return NULL;
    if (a->fill >= 0) memset(memory, a->fill, size);
    int at = find(a, NULL);
    if (at < 0) {
        if (a->high == BLOCKS) abort();
        at = a->high++;
    }
    a->block[at] = memory;
    a->size[at] = size;
    a->live++;
    return memory;
}

static void drop(struct allocator *a, void *memory)
{
    int at = find(a, memory);
    if (at < 0) {
        fault(a, "free of a block that is not live");
        return;
    }
    a->block[at] = NULL;
    a->live--;
    if (a->keep && a->kept_count < BLOCKS)
        a->kept[a->kept_count++] = memory;
    else
        free(memory);
}

static void *VKAPI_PTR allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    struct allocator *a = data;
    if (a->script[0]) host_performs(a->script);
    pthread_mutex_lock(&a->lock);
    void *memory = get(a, size, alignment, scope);
    pthread_mutex_unlock(&a->lock);
    return memory;
}

static void VKAPI_PTR release(void *data, void *memory)
{
    struct allocator *a = data;
    if (!memory) return;
    if (a->script[0]) host_performs(a->script);
    pthread_mutex_lock(&a->lock);
    a->frees++;
    check_thread(a);
    drop(a, memory);
    pthread_mutex_unlock(&a->lock);
}

static void *VKAPI_PTR reallocate(void *data, void *old, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    struct allocator *a = data;
    void *memory = NULL;
    if (a->script[0]) host_performs(a->script);
    pthread_mutex_lock(&a->lock);
    a->reallocations++;
    check_thread(a);
    int at = old ? find(a, old) : -1;
    if (old && at < 0) {
        fault(a, "reallocation of a block that is not live");
    } else if (size == 0) {
        if (old) drop(a, old);
    } else {
        size_t before = old ? a->size[at] : 0;
        memory = get(a, size, alignment, scope);
        if (memory && old) {
            memcpy(memory, old, before < size ? before : size);
            drop(a, old);
        }
    }
    pthread_mutex_unlock(&a->lock);
    if (a->linger) usleep((useconds_t)a->linger * 1000);
    return memory;
}

static void VKAPI_PTR notified(void *data, size_t size, VkInternalAllocationType type, VkSystemAllocationScope scope)
{
    struct allocator *a = data;
    (void)size, (void)type, (void)scope;
    pthread_mutex_lock(&a->lock);
    fault(a, "notification of an internal allocation");
    pthread_mutex_unlock(&a->lock);
}

COMMAND(allocator)
{
    const char *name = arg_or(line, "as", "a");
    struct object *known = object_find(name);
    struct allocator *a = known ? known->extra : calloc(1, sizeof *a);
    if (!a) abort();
    if (!known) {
        pthread_mutex_init(&a->lock, NULL);
        a->callbacks = (VkAllocationCallbacks){
            .pUserData = a, .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};
        object_add(name, ALLOCATOR, (uint64_t)(uintptr_t)&a->callbacks, 0, a, sizeof *a);
        a->fill = -1;
        allocators = true;
    }
    a->calls = a->failed = 0;
    a->fail_from = (int64_t)arg_int(line, "fail_from", (uint64_t)-1);
    a->fail_once = (int64_t)arg_int(line, "fail_once", (uint64_t)-1);
    if (arg(line, "internal")) a->callbacks.pfnInternalAllocation = a->callbacks.pfnInternalFree = notified;
    if (arg(line, "fill")) a->fill = (int)arg_int(line, "fill", 0);
    a->keep = arg(line, "keep") != NULL;
    snprintf(a->script, sizeof a->script, "%s", arg_or(line, "perform", ""));
    a->linger = (int)arg_int(line, "linger", 0);
}

COMMAND(allocator_stats)
{
    struct object *object = object_find(arg_or(line, "name", "a"));
    if (!object || object->kind != ALLOCATOR) return fail("no such allocator");
    struct allocator *a = object->extra;
    put_int("live", a->live);
    put_int("calls", a->calls);
    put_int("failed", a->failed);
    put_int("reallocations", a->reallocations);
    put_int("frees", a->frees);
    put_int("faults", a->faults);
    if (a->fault[0]) put_text("fault", a->fault);
    put_open("scopes", '[');
    for (int i = 0; i < 5; i++) put_number((int64_t)a->scopes[i]);
    put_close(']');
}

const VkAllocationCallbacks *arg_allocator(const struct line *line)
{
    const char *name = arg(line, "allocator");
    return name ? (const VkAllocationCallbacks *)(uintptr_t)resolve(name) : NULL;
}
