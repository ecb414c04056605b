/* names.c: the driver interface that the loader finds by symbol, and the look-up of commands by name.
 *
 * A name is looked up in a perfect hash made by the generator: one hash and one comparison for every name. An
 * extension's command is found only if that extension is enabled on the instance or device, as far as the given handle
 * shows that.
 */
#include "null.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);

#define INTERFACE_VERSION 7

enum level { GLOBAL, INSTANCE, PHYSICAL_DEVICE, DEVICE };

struct entry {
    uint16_t name; /* in all_names */
    uint8_t length, level;
    uint8_t gate[2]; /* 0, 0: no extension needed */
};

#define COMMAND(name, function, level, gate, other) char name[sizeof(#name)];
static const struct names {
#include "znames.inc"
} all_names = {
#undef COMMAND
#define COMMAND(name, function, level, gate, other) #name,
#include "znames.inc"
};

#undef COMMAND
#define COMMAND(name, function, level, gate, other)                                                                    \
    {offsetof(struct names, name), sizeof(#name) - 1, level, {gate, other}},
static const struct entry entries[] = {
#include "znames.inc"
};

#undef COMMAND
#define COMMAND(name, function, level, gate, other) (PFN_vkVoidFunction) function,
static const PFN_vkVoidFunction functions[] = {
#include "znames.inc"
};

#undef COMMAND
#include "znames.inc"

/* Instance extensions come first in the list of extensions, so that their gates are below this one. */
enum {
    INSTANCE_GATES =
#define INSTANCE_EXTENSION(gate, name, version) 1 +
#define DEVICE_EXTENSION(gate, name, version)
#include "zextensions.inc"
        1
};

static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word); /* the generator reads names as little-endian numbers */
#endif
    return word;
}

/* Hashes eight bytes at a time; the last eight overlap those before them. The products are independent of each other.
 * Must agree with the generator's hash. */
static inline uint64_t name_hash(const char *name, size_t length)
{
    const uint64_t k = 0x9E3779B97F4A7C15u;
    uint64_t h = NAME_SEED + (uint64_t)length, factor = k;
    for (size_t i = 0; i + 8 < length; i += 8, factor += 2 * k) h += word_at(name + i) * factor;
    h += word_at(name + length - 8) * factor;
    h ^= h >> 32;
    return h * k;
}

static inline bool same_name(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i + 8 < length; i += 8)
        if (word_at(a + i) != word_at(b + i)) return false;
    return word_at(a + length - 8) == word_at(b + length - 8);
}

/* Returns the index of a name in entries and functions, or -1. Every command has at least eight letters. */
static inline int slot_of(const char *name)
{
    size_t length = strlen(name);
    if (length < 8) return -1;
    uint64_t h = name_hash(name, length);
    unsigned slot = ((unsigned)(h >> 40) + displacement_of[h >> 32 & (NAME_BUCKETS - 1)]) % NAME_SLOTS;
    int at = (int)command_in[slot] - 1;
    if (at < 0 || entries[at].length != length || !same_name((const char *)&all_names + entries[at].name, name, length))
        return -1;
    return at;
}

static bool gates_allow(const struct entry *e, const struct gates *enabled)
{
    return e->gate[0] == 0 || gate_is_open(enabled, e->gate[0]) ||
           (e->gate[1] != 0 && gate_is_open(enabled, e->gate[1]));
}

/* Accepts every version, and returns the lower one of the loader's and the driver's. */
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (*version > INTERFACE_VERSION) *version = INTERFACE_VERSION;
    return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL null_vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    int at = slot_of(name);
    if (at < 0) return NULL;
    const struct entry *e = &entries[at];
    if (e->level == GLOBAL) return functions[at];
    if (!instance) return NULL;
    /* Every instance has the commands of device extensions, whether or not a device enables them. */
    if (e->gate[0] < INSTANCE_GATES && !gates_allow(e, &((struct instance *)instance)->enabled)) return NULL;
    return functions[at];
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    return null_vkGetInstanceProcAddr(instance, name);
}

/* Finds physical-device commands only, so that the loader can distinguish them from unknown device commands. */
PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
    int at = slot_of(name);
    return at >= 0 && entries[at].level == PHYSICAL_DEVICE ? null_vkGetInstanceProcAddr(instance, name) : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL null_vkGetDeviceProcAddr(VkDevice device, const char *name)
{
    int at = slot_of(name);
    if (at < 0 || entries[at].level != DEVICE || !gates_allow(&entries[at], &device_of(device)->enabled)) return NULL;
    return functions[at];
}
