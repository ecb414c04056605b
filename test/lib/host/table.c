/* table.c: named objects and small numbers for pointers. Never frees the object of a handle. */
#include "host.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects;
static const void *pointers[65536];
static int pointer_count = 1;

/* Memory that is no Vulkan object: zeros, and bytes that a program might pass by mistake. */
static uint64_t zeros[64];
static uint64_t garbage[64];

/* Bytes, not one of them zero, and then the end of the mapped memory. */
void *at_edge(size_t bytes)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + size, size, PROT_NONE)) abort();
    memset(page, 0x5a, size);
    return page + size - bytes;
}

static uint64_t edge(void)
{
    static void *bytes;
    pthread_mutex_lock(&lock);
    if (!bytes) bytes = at_edge(24);
    pthread_mutex_unlock(&lock);
    return (uint64_t)(uintptr_t)bytes;
}

struct object *object_add(const char *name, enum kind kind, uint64_t handle, uint64_t parent, void *extra, size_t size)
{
    struct object *object = calloc(1, sizeof *object);
    if (!object) abort();
    snprintf(object->name, sizeof object->name, "%s", name);
    object->kind = kind;
    object->handle = handle;
    object->parent = parent;
    object->extra = extra;
    object->size = size;
    pthread_mutex_lock(&lock);
    object->next = objects;
    objects = object;
    pthread_mutex_unlock(&lock);
    return object;
}

struct object *object_find(const char *name)
{
    pthread_mutex_lock(&lock);
    struct object *object = objects;
    while (object && strcmp(object->name, name)) object = object->next;
    pthread_mutex_unlock(&lock);
    return object;
}

void object_drop(const char *name)
{
    pthread_mutex_lock(&lock);
    for (struct object **at = &objects; *at; at = &(*at)->next) {
        if (strcmp((*at)->name, name)) continue;
        struct object *gone = *at;
        *at = gone->next;
        free(gone);
        break;
    }
    pthread_mutex_unlock(&lock);
}

void behind_set(void *array, size_t size)
{
    memset((char *)array + size, 0xab, BEHIND);
}

void behind_check(const char *what, const void *array, size_t size)
{
    for (size_t i = 0; i < BEHIND; i++)
        if (((const unsigned char *)array)[size + i] != 0xab)
            return fail("%s: byte %zu behind the end was written", what, i);
}

void behind_check_memory(void)
{
    pthread_mutex_lock(&lock);
    for (const struct object *o = objects; o; o = o->next)
        if (o->kind == MEMORY) behind_check(o->name, o->extra, o->size);
    pthread_mutex_unlock(&lock);
}

int pointer_number(const void *pointer)
{
    int found = 0;
    if (!pointer) return 0;
    pthread_mutex_lock(&lock);
    for (int i = 1; i < pointer_count && !found; i++)
        if (pointers[i] == pointer) found = i;
    if (!found && pointer_count < 65536) {
        found = pointer_count;
        pointers[pointer_count++] = pointer;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void put_pointer(const char *key, const void *pointer)
{
    put_int(key, pointer_number(pointer));
}

uint64_t resolve(const char *reference)
{
    char name[96];
    uint64_t offset = 0;
    if (!strcmp(reference, "null")) return 0;
    if (!strcmp(reference, "zeros")) return (uint64_t)(uintptr_t)zeros;
    if (!strcmp(reference, "edge")) return edge();
    if (!strcmp(reference, "garbage")) {
        /* Its first word points at zeros, so that a reader who follows it meets a table without a mark. */
        for (int i = 1; i < 64; i++) garbage[i] = 0x5a5a5a5a5a5a5a5aull;
        garbage[0] = (uint64_t)(uintptr_t)zeros;
        return (uint64_t)(uintptr_t)garbage;
    }
    if (*reference == '#') {
        uint64_t n = number(reference + 1);
        pthread_mutex_lock(&lock);
        bool known = n < (uint64_t)pointer_count;
        uint64_t value = known ? (uint64_t)(uintptr_t)pointers[n] : 0;
        pthread_mutex_unlock(&lock);
        if (!known) fail("no pointer %s", reference);
        return value;
    }
    if ((*reference >= '0' && *reference <= '9') || *reference == '-') return number(reference);
    snprintf(name, sizeof name, "%s", reference);
    char *plus = strpbrk(name, "+@");
    if (plus) {
        offset = number(plus + 1) * (*plus == '@' ? sizeof(void *) : 1);
        *plus = 0;
    }
    struct object *object = object_find(name);
    if (object) return object->handle + offset;
    fail("no object %s", reference);
    return 0;
}

uint64_t arg_ref(const struct line *line, const char *key, uint64_t otherwise)
{
    const char *value = arg(line, key);
    return value ? resolve(value) : otherwise;
}
