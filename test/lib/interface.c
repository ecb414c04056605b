/* interface.c: the real types of the API's commands and structures, from the generated list. */
#include "interface.h"
#include <string.h>

struct run {
    uint32_t wide, wide_size, narrow, narrow_size, windows;
};
struct structure {
    const char *name;
    int64_t type; /* -1: it has no sType */
    uint32_t wide, narrow, windows;
    const struct run *runs;
    uint32_t count;
};

static const struct signature signatures[] = {
#define SIGNATURE(name, words, types) {#name, words, types},
#define STRUCTURE(...)
#include "zinterfaces.inc"
#undef SIGNATURE
#undef STRUCTURE
    /* Those of Windows alone. */
    {"vkCreateWin32SurfaceKHR", "4pppp", "- VkWin32SurfaceCreateInfoKHR VkAllocationCallbacks -"},
    {"vkGetPhysicalDeviceWin32PresentationSupportKHR", "4p4", "- -"},
};
static const struct structure structures[] = {
#define SIGNATURE(...)
#define STRUCTURE(name, type, wide, narrow, windows, ...)                                                              \
    {#name,                                                                                                            \
     type,                                                                                                             \
     wide,                                                                                                             \
     narrow,                                                                                                           \
     windows,                                                                                                          \
     (const struct run[]){__VA_ARGS__},                                                                                \
     sizeof((const struct run[]){__VA_ARGS__}) / sizeof(struct run)},
#include "zinterfaces.inc"
#undef SIGNATURE
#undef STRUCTURE
};
#define NARROW (sizeof(void *) == 4)
#if defined _WIN32 || defined __arm__
#define HERE(what) ((what)->windows)
#else
#define HERE(what) ((what)->narrow)
#endif

/* ---- commands --------------------------------------------------------------------------------------------------- */

const struct signature *signature_of(const char *name)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (!strcmp(signatures[i].name, name)) return &signatures[i];
    return NULL;
}

#if UINTPTR_MAX == 0xffffffff
/* Argument i takes two words. */
static bool is_long(const struct signature *signature, int i)
{
    if (!signature) return i > 0;
    if (i + 1 >= (int)strlen(signature->words)) return false;
    return signature->words[i + 1] == '8' || signature->words[i + 1] == 'd';
}

/* Argument i, of two words, begins at an even word, and leaves word `at` empty: on ARM. */
static bool is_aligned(const struct signature *signature, int i, int at)
{
#ifdef __arm__
    return at % 2 && is_long(signature, i);
#else
    (void)signature, (void)i, (void)at;
    return false;
#endif
}

void passed_to(const struct signature *signature, const struct passed *passed, uint64_t *arguments)
{
    int at = 0;
    for (int i = 0; i < ARGUMENTS; i++) {
        at += is_aligned(signature, i, at);
        arguments[i] = passed->word[at++];
        if (is_long(signature, i)) arguments[i] |= (uint64_t)passed->word[at++] << 32;
    }
}

unsigned passed_bytes(const struct signature *signature)
{
    unsigned bytes = 0;
    for (int i = 0; signature && signature->words[1 + i]; i++) bytes += is_long(signature, i) ? 8 : 4;
    return bytes;
}

uint64_t call_by(const struct signature *signature, PFN_vkVoidFunction function, const uint64_t *arguments)
{
    struct passed passed = {0};
    int at = 0;
    for (int i = 0; i < ARGUMENTS; i++) {
        at += is_aligned(signature, i, at);
        passed.word[at++] = (uint32_t)arguments[i];
        if (is_long(signature, i)) passed.word[at++] = (uint32_t)(arguments[i] >> 32);
    }
    uint64_t value = call_words(function, &passed);
    return !signature || *signature->words == '8' ? value : (uint32_t)value;
}
#else
uint64_t call_by(const struct signature *signature, PFN_vkVoidFunction function, const uint64_t *a)
{
    typedef uint64_t (*any)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t);
    (void)signature;
    return ((any)(uintptr_t)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
}
#endif

/* ---- structures ------------------------------------------------------------------------------------------------- */

static const struct structure *structure_called(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
        if (!strncmp(structures[i].name, name, length) && !structures[i].name[length]) return &structures[i];
    return NULL;
}

const struct structure *structure_named(const char *name)
{
    return structure_called(name, strlen(name));
}

const struct structure *structure_of_argument(const struct signature *signature, int i)
{
    const char *at = signature ? signature->types : "";
    for (; i > 0 && *at; i--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return structure_called(at, strcspn(at, " "));
}

const struct structure *structure_of_type(uint64_t type)
{
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
        if (structures[i].type >= 0 && (uint64_t)structures[i].type == type) return &structures[i];
    return structure_named("VkBaseOutStructure");
}

size_t structure_size(const struct structure *structure)
{
    return structure->wide;
}

size_t place_here(const struct structure *structure, size_t place, size_t *size)
{
    if (!NARROW || !structure) return place;
    size_t first = place / structure->wide * HERE(structure), inside = place % structure->wide;
    for (uint32_t i = 0; i < structure->count; i++) {
        const struct run *run = &structure->runs[i];
        if (inside < run->wide || inside >= run->wide + run->wide_size) continue;
        size_t behind = inside - run->wide; /* the upper half of a value that is half as long here has no place */
        size_t left = behind < run->narrow_size ? run->narrow_size - behind : 0;
        if (*size > left) *size = left;
        return first + HERE(run) + behind;
    }
    const struct run *last =
        &structure->runs[structure->count - 1]; /* it is between members there, or behind the last */
    return first + HERE(structure) + (inside > last->wide ? inside - last->wide - last->wide_size : 0);
}

void widened(const struct structure *structure, const void *here, unsigned char *wide, size_t size)
{
    if (!NARROW || !structure) {
        memcpy(wide, here, size);
        return;
    }
    memset(wide, 0, size);
    for (size_t n = 0; n * structure->wide < size; n++) {
        for (uint32_t i = 0; i < structure->count; i++) {
            const struct run *run = &structure->runs[i];
            size_t to = n * structure->wide + run->wide;
            size_t bytes = run->narrow_size < run->wide_size ? run->narrow_size : run->wide_size;
            if (to >= size) break;
            if (to + bytes > size) bytes = size - to;
            memcpy(wide + to, (const char *)here + n * HERE(structure) + HERE(run), bytes);
        }
        size_t end = structure->runs[structure->count - 1].wide + structure->runs[structure->count - 1].wide_size;
        if ((n + 1) * structure->wide == size) /* the bytes behind the last member of the last one */
            memcpy(wide + n * structure->wide + end, (const char *)here + (n + 1) * HERE(structure),
                   structure->wide - end);
    }
}
