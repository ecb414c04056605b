/* objects.c: the fakes' objects. Memory of dead objects is not used again, so that their use is seen, unless the script
 * says "reuse". */
#include "objects.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_SIZE 32768
static struct object pool[POOL_SIZE];
static uint32_t used, serials[KINDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *const kind_name[KINDS] = {
    "none",    "instance",  "physical_device", "device", "queue", "command_buffer",
    "surface", "swapchain", "messenger",       "report", "pool"};

struct object *object_new(enum kind kind, struct object *parent)
{
    struct object *object = NULL;
    uint64_t magic = script_number(script_word("magic", 1, "0x01CDC0DE"));
    bool reuse = script_has("reuse", NULL);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; reuse && !object && i < used; i++)
        if (!pool[i].alive) object = &pool[i];
    if (!object && used < POOL_SIZE) object = &pool[used++];
    for (uint32_t i = 0; !object && i < POOL_SIZE; i++)
        if (!pool[i].alive) object = &pool[i];
    if (!object) abort();
    memset(object, 0, sizeof *object);
    object->word = magic;
    object->kind = kind;
    object->alive = true;
    object->serial = ++serials[kind];
    object->parent = parent;
    object->owner = kind == INSTANCE ? object : parent ? parent->owner : NULL;
    pthread_mutex_unlock(&lock);
    return object;
}

void object_name(struct object *object, const char *id)
{
    pthread_mutex_lock(&lock);
    snprintf(object->id, sizeof object->id, "%s", id);
    pthread_mutex_unlock(&lock);
}

struct object *object_of(const void *pointer)
{
    uintptr_t at = (uintptr_t)pointer - (uintptr_t)pool;
    if ((uintptr_t)pointer < (uintptr_t)pool || at >= sizeof pool || at % sizeof *pool || at / sizeof *pool >= used)
        return NULL;
    return (struct object *)(uintptr_t)pointer;
}

struct object *object_like(enum kind kind, const struct object *parent, const char *id, uint32_t family, uint32_t index)
{
    struct object *found = NULL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used && !found; i++) {
        struct object *o = &pool[i];
        if (o->alive && o->kind == kind && o->parent == parent && o->family == family && o->index == index &&
            (!id || !strcmp(o->id, id)))
            found = o;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

struct object *object_over(enum kind kind, const void *parent, const char *id, const void *lower)
{
    struct object *found = NULL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used && !found; i++) {
        struct object *o = &pool[i];
        if (o->alive && o->kind == kind && (const void *)o->parent == parent && o->other == lower && !strcmp(o->id, id))
            found = o;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void objects_kill(const void *parent)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++)
        if (pool[i].alive && (const void *)pool[i].parent == parent) pool[i].alive = false;
    pthread_mutex_unlock(&lock);
}

void object_kill(struct object *object)
{
    pthread_mutex_lock(&lock);
    object->alive = false;
    for (uint32_t i = 0; i < used; i++) { /* objects that end with their parent */
        enum kind kind = pool[i].kind;
        if (pool[i].alive && pool[i].parent == object &&
            (kind == PHYSICAL_DEVICE || kind == QUEUE || kind == COMMAND_BUFFER))
            pool[i].alive = false;
    }
    pthread_mutex_unlock(&lock);
}

int objects_alive(enum kind kind, const struct object *owner)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++) n += pool[i].alive && pool[i].kind == kind && pool[i].owner == owner;
    pthread_mutex_unlock(&lock);
    return n;
}

/* How many objects of any kind live; for test programs. */
__attribute__((visibility("default"))) int fakeAlive(void);
int fakeAlive(void)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < used; i++) n += pool[i].alive;
    pthread_mutex_unlock(&lock);
    return n;
}

static bool describe(const void *pointer, char *text, size_t size)
{
    struct object *o = object_of(pointer);
    if (!o) return false;
    snprintf(text, size, "%s%s:%u", o->alive ? "" : "dead ", kind_name[o->kind], o->serial);
    return true;
}

void record_object(struct record *r, const char *key, const void *pointer)
{
    char text[64];
    if (!pointer) return record_text(r, key, NULL);
    if (!describe(pointer, text, sizeof text))
        snprintf(text, sizeof text, "foreign 0x%llx", (unsigned long long)(uintptr_t)pointer);
    record_text(r, key, text);
}

void record_argument(struct record *r, uint64_t value)
{
    char text[64];
    if (value && describe((const void *)(uintptr_t)value, text, sizeof text))
        record_text(r, NULL, text);
    else
        record_int(r, NULL, (int64_t)value);
}
