/* objects.h: the objects that a fake hands out. A pointer is looked up before it is followed, so that a handle of
 * another library is told apart from this one's, and a destroyed one from a live one. */
#ifndef TEST_FAKE_OBJECTS_H
#define TEST_FAKE_OBJECTS_H

#include "script.h"

enum kind {
    NO_KIND,
    INSTANCE,
    PHYSICAL_DEVICE,
    DEVICE,
    QUEUE,
    COMMAND_BUFFER,
    SURFACE,
    SWAPCHAIN,
    MESSENGER,
    REPORT,
    POOL,
    KINDS
};

struct object {
    uintptr_t word; /* the loader's; 0x01CDC0DE when handed out */
    enum kind kind;
    bool alive;
    uint32_t serial; /* counted from 1 in each kind */
    struct object *parent, *owner;
    char id[64]; /* physical device: which one of the script */
    uint32_t family, index, flags;
    uint64_t bits; /* extensions enabled, kept by driver.c */
    void *memory, *other;
    VkAllocationCallbacks callbacks;
};

struct object *object_new(enum kind kind, struct object *parent);

/* Gives it its name, which other threads may be looking for. */
void object_name(struct object *object, const char *id);

/* NULL when the pointer is none of this fake's. */
struct object *object_of(const void *pointer);
struct object *object_like(enum kind kind, const struct object *parent, const char *id, uint32_t family,
                           uint32_t index);
/* Returns the wrapper of a handle from below; parent is only compared. */
struct object *object_over(enum kind kind, const void *parent, const char *id, const void *lower);
/* All that have this parent. */
void objects_kill(const void *parent);
void object_kill(struct object *object);
int objects_alive(enum kind kind, const struct object *owner);
/* "instance:1", "dead device:2", "foreign 0x...", null. */
void record_object(struct record *r, const char *key, const void *pointer);
/* Records one argument of a function with an unknown signature. */
void record_argument(struct record *r, uint64_t value);

#endif
