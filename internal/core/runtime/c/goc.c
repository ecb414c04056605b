/* goc.c: the run-time support of code that goc writes: memory, strings, slices, maps, panics. It is the first part
 * of the file that goc writes, so the compiler sees all of the code together.
 *
 * Memory comes from malloc in blocks, is never freed by the code itself, and is freed when the call's memory is
 * closed. A panic, and a lack of memory, return by longjmp to the exported function that was called. The only
 * shared data is one spare block. */
#include <math.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "goc.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma clang diagnostic ignored "-Wunused-const-variable"
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-but-set-variable"
#pragma clang diagnostic ignored "-Wparentheses-equality"
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#pragma clang diagnostic ignored "-Wmissing-braces"
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma clang diagnostic ignored "-Wself-assign"
#else
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Waddress"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wclobbered"
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#endif

#define GOC_COLD __attribute__((cold, noinline))
#define GOC_DEAD __attribute__((cold, noinline, noreturn))

/* ---- types ------------------------------------------------------------------------------------------------------ */

struct goc_str {
    const uint8_t *p;
    int64_t n;
};
struct goc_slice {
    void *p;
    int64_t n, c;
};
/* A function value: a closure, whose first member is its code. */
struct goc_func {
    void *fn;
};
struct goc;
struct goc_type {
    bool (*equal)(struct goc *, const void *, const void *);
};
/* An interface: a value with its type. v points to the value, even if that is a pointer. */
struct goc_iface {
    const struct goc_type *t;
    const void *v;
};
struct goc_range {
    struct goc_str s;
    int64_t at;
};

/* ---- memory ----------------------------------------------------------------------------------------------------- */

#ifndef GOC_FIRST /* bytes of the first block; later ones are twice as large, up to GOC_LARGEST */
#define GOC_FIRST ((size_t)32 * 1024)
#endif
#define GOC_LARGEST ((size_t)1024 * 1024)
/* Bytes of stack below the exported function that recursive code may use. Programs call the library on stacks of
 * 16 kB. Frames are several times as large without optimisation, and larger still with a sanitizer. A command with
 * its own stack may define another number. */
#ifdef __has_feature /* of clang, and of gcc from 14 */
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) || __has_feature(memory_sanitizer) ||       \
    __has_feature(thread_sanitizer)
#define GOC_SANITIZER
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_HWADDRESS__ || defined __SANITIZE_THREAD__
#define GOC_SANITIZER
#endif
#ifndef GOC_STACK
#ifdef GOC_SANITIZER
#define GOC_STACK ((size_t)1024 * 1024)
#elif defined __OPTIMIZE__
#define GOC_STACK ((size_t)6 * 1024)
#else
#define GOC_STACK ((size_t)64 * 1024)
#endif
#endif

struct goc_block {
    struct goc_block *next;
    size_t size;
};

struct goc {
    struct goc_block block; /* the first one, which begins here */
    jmp_buf env;
    const char *base; /* the frame of the exported function */
    uint8_t *top, *end;
    struct goc_block *blocks; /* the others, newest first */
    uint8_t *tail, *tail_end; /* behind the large string that was made last */
    size_t next, bytes;
    uint64_t seed;
    int status;
    char text[512];
};

static const uint64_t goc_nothing[2]; /* what things without a size point to */

/* The first block of a closed call, for the next goc_open; NULL: none. */
static struct goc *_Atomic goc_spare;

struct goc *goc_open(void)
{
    struct goc *g = atomic_exchange(&goc_spare, NULL);
    if (!g) g = malloc(GOC_FIRST);
    if (!g) return NULL;
    g->block = (struct goc_block){NULL, GOC_FIRST};
    g->top = (uint8_t *)(((uintptr_t)(g + 1) + 15) & ~(uintptr_t)15);
    g->end = (uint8_t *)g + GOC_FIRST;
    g->blocks = NULL;
    g->tail = g->tail_end = NULL;
    g->next = 2 * GOC_FIRST;
    g->bytes = GOC_FIRST;
    g->seed = (uint64_t)(uintptr_t)g * UINT64_C(0x9e3779b97f4a7c15);
    g->status = 0;
    g->text[0] = 0;
    return g;
}

void goc_close(struct goc *g)
{
    if (!g) return;
    for (struct goc_block *b = g->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    struct goc *none = NULL;
    if (!atomic_compare_exchange_strong(&goc_spare, &none, g)) free(g);
}

void goc_trim(void)
{
    free(atomic_exchange(&goc_spare, NULL));
}
const char *goc_text(const struct goc *g)
{
    return g->text;
}
size_t goc_bytes(const struct goc *g)
{
    return g->bytes;
}

static GOC_DEAD void goc_leave(struct goc *g, int status)
{
    g->status = status;
    longjmp(g->env, 1);
}

static GOC_DEAD void goc_no_memory(struct goc *g)
{
    goc_leave(g, GOC_MEMORY);
}

/* Allocates a separate block, zeroed by the system, if size is large; otherwise the next block to allocate from.
 * Returns zeroed memory of this size. */
static GOC_COLD void *goc_more(struct goc *g, size_t size)
{
    bool own = size >= GOC_LARGEST / 4;
    size_t bytes = own ? size + 32 : g->next;
    if (!own && bytes < size + 32) bytes = 2 * size + 32; /* size is small: nothing overflows */
    if (bytes < size) goc_no_memory(g);
    struct goc_block *b = own ? calloc(1, bytes) : malloc(bytes);
    if (!b) goc_no_memory(g);
    *b = (struct goc_block){g->blocks, bytes};
    g->blocks = b;
    g->bytes += bytes;
    uint8_t *start = (uint8_t *)(((uintptr_t)(b + 1) + 15) & ~(uintptr_t)15);
    if (own) return start;
    if (g->next < GOC_LARGEST) g->next *= 2;
    g->top = start + size;
    g->end = (uint8_t *)b + bytes;
    return memset(start, 0, size);
}

/* Returns zeroed memory. */
static inline void *goc_alloc(struct goc *g, size_t size)
{
    uint8_t *p = (uint8_t *)(((uintptr_t)g->top + 15) & ~(uintptr_t)15);
    if (size == 0) return (void *)(uintptr_t)goc_nothing;
    if (p > g->end || size > (size_t)(g->end - p)) return goc_more(g, (size + 15) & ~(size_t)15);
    g->top = p + size;
    return memset(p, 0, size);
}

/* Returns memory of any alignment, which the caller fills. */
static inline uint8_t *goc_raw(struct goc *g, size_t size)
{
    if (size > (size_t)(g->end - g->top)) return goc_more(g, (size + 15) & ~(size_t)15);
    uint8_t *p = g->top;
    g->top += size;
    return p;
}

static void *goc_array(struct goc *g, size_t element, int64_t count)
{
    if (element && (uint64_t)count > (SIZE_MAX / 2) / element) goc_no_memory(g);
    return goc_alloc(g, element * (size_t)count);
}

/* ---- panics ----------------------------------------------------------------------------------------------------- */

static GOC_DEAD void goc_panic(struct goc *g, struct goc_str text)
{
    size_t n = (size_t)text.n < sizeof g->text ? (size_t)text.n : sizeof g->text - 1;
    if (n) memcpy(g->text, text.p, n);
    g->text[n] = 0;
    goc_leave(g, GOC_PANIC);
}

static GOC_DEAD void goc_panic_text(struct goc *g, const char *text)
{
    goc_panic(g, (struct goc_str){(const uint8_t *)text, (int64_t)strlen(text)});
}
#define goc_fault(g, what) goc_panic_text(g, "runtime error: " what)

static GOC_DEAD void goc_index_fault(struct goc *g)
{
    goc_fault(g, "index out of range");
}

static GOC_DEAD void goc_slice_fault(struct goc *g)
{
    goc_fault(g, "slice bounds out of range");
}

static GOC_DEAD void goc_too_deep(struct goc *g)
{
    goc_panic_text(g, "nested too deeply");
}

/* Saves registers only: no signal mask, and on Windows no handlers of the frames in between, which have none. */
#if defined _WIN64
#define GOC_SETJMP(env) _setjmp(env, NULL)
#elif defined _WIN32
#define GOC_SETJMP(env) _setjmp3(env, NULL)
#else
#define GOC_SETJMP(env) _setjmp(env)
#endif
#define GOC_ENTER(g)                                                                                                   \
    (g)->base = __builtin_frame_address(0);                                                                            \
    if (GOC_SETJMP((g)->env)) return (g)->status
#define GOC_DEPTH(g)                                                                                                   \
    if ((size_t)((g)->base - (const char *)__builtin_frame_address(0)) > GOC_STACK) goc_too_deep(g)

static inline void *goc_check(struct goc *g, const void *p)
{
    if (__builtin_expect(!p, 0)) goc_fault(g, "invalid memory address or nil pointer dereference");
    return (void *)(uintptr_t)p;
}

static inline int64_t goc_index(struct goc *g, int64_t i, int64_t n)
{
    if (__builtin_expect((uint64_t)i >= (uint64_t)n, 0)) goc_index_fault(g);
    return i;
}
/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static inline int64_t goc_quotient(struct goc *g, int64_t a, int64_t b)
{
    if (b == 0) goc_fault(g, "integer divide by zero");
    return b == -1 ? (int64_t) - (uint64_t)a : a / b;
}
static inline int64_t goc_remainder(struct goc *g, int64_t a, int64_t b)
{
    if (b == 0) goc_fault(g, "integer divide by zero");
    return b == -1 ? 0 : a % b;
}
static inline uint64_t goc_unsigned_quotient(struct goc *g, uint64_t a, uint64_t b)
{
    if (b == 0) goc_fault(g, "integer divide by zero");
    return a / b;
}
static inline uint64_t goc_unsigned_remainder(struct goc *g, uint64_t a, uint64_t b)
{
    if (b == 0) goc_fault(g, "integer divide by zero");
    return a % b;
}
static inline uint64_t goc_shift_count(struct goc *g, int64_t n)
{
    if (n < 0) goc_fault(g, "negative shift amount");
    return (uint64_t)n;
}
static inline uint64_t goc_shift_left(uint64_t v, uint64_t n)
{
    return n < 64 ? v << n : 0;
}
static inline uint64_t goc_shift_right(uint64_t v, uint64_t n)
{
    return n < 64 ? v >> n : 0;
}
static inline int64_t goc_shift_right_signed(int64_t v, uint64_t n)
{
    return v >> (n < 63 ? n : 63);
}

/* As Go's compiler does on x86-64 where Go leaves it open: a number out of range becomes the number with the highest
 * bit alone. */
static inline int64_t goc_float_to_int64(double f)
{
    return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? (int64_t)f : INT64_MIN;
}
static inline int32_t goc_float_to_int32(double f)
{
    return f > -2147483649.0 && f < 2147483648.0 ? (int32_t)f : INT32_MIN;
}
static inline uint64_t goc_float_to_uint64(double f)
{
    if (f < 9223372036854775808.0) return (uint64_t)goc_float_to_int64(f);
    return f < 18446744073709551616.0 ? (uint64_t)(int64_t)(f - 9223372036854775808.0) ^ (UINT64_C(1) << 63)
                                      : UINT64_C(1) << 63;
}

/* Returns the smaller number. A NaN wins, and -0 is less than 0. */
static inline double goc_min_float(double a, double b)
{
    if (a != a || b != b) return a + b;
    if (a == 0 && b == 0) return signbit(a) ? a : b;
    return a < b ? a : b;
}
static inline double goc_max_float(double a, double b)
{
    if (a != a || b != b) return a + b;
    if (a == 0 && b == 0) return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

static inline bool goc_equal_strings(struct goc_str a, struct goc_str b)
{
    return a.n == b.n && (a.p == b.p || a.n <= 0 || memcmp(a.p, b.p, (size_t)a.n) == 0);
}

static int goc_compare_strings(struct goc_str a, struct goc_str b)
{
    int64_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, (size_t)n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Returns memory for a large string, in a separate block with as much room again behind the string. */
static GOC_COLD uint8_t *goc_large_string(struct goc *g, uint64_t size)
{
    if (size > SIZE_MAX / 4) goc_no_memory(g);
    uint8_t *p = goc_more(g, 2 * (size_t)size);
    g->tail = p + size;
    g->tail_end = p + 2 * size;
    return p;
}

/* The most recent string, or the most recent large one, grows in place: no other string includes the bytes behind its
 * end. */
static struct goc_str goc_concatenate(struct goc *g, struct goc_str a, struct goc_str b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    if (a.p + a.n == g->top && b.n <= g->end - g->top) {
        memcpy(g->top, b.p, (size_t)b.n);
        g->top += b.n;
        return (struct goc_str){a.p, a.n + b.n};
    }
    if (a.p + a.n == g->tail && b.n <= g->tail_end - g->tail) {
        memcpy(g->tail, b.p, (size_t)b.n);
        g->tail += b.n;
        return (struct goc_str){a.p, a.n + b.n};
    }
    uint64_t size = (uint64_t)a.n + (uint64_t)b.n;
    uint8_t *p = size >= GOC_LARGEST / 4 ? goc_large_string(g, size) : goc_raw(g, (size_t)size);
    memcpy(p, a.p, (size_t)a.n);
    memcpy(p + a.n, b.p, (size_t)b.n);
    return (struct goc_str){p, a.n + b.n};
}

static inline struct goc_str goc_substring(struct goc *g, struct goc_str s, int64_t low, int64_t high, int flags)
{
    if (!(flags & 1)) low = 0;
    if (!(flags & 2)) high = s.n;
    if ((uint64_t)high > (uint64_t)s.n || (uint64_t)low > (uint64_t)high) goc_slice_fault(g);
    return (struct goc_str){low ? s.p + low : s.p, high - low};
}

static struct goc_str goc_string_of_bytes(struct goc *g, struct goc_slice b)
{
    if (b.n == 0) return (struct goc_str){NULL, 0};
    uint8_t *p = goc_raw(g, (size_t)b.n);
    memcpy(p, b.p, (size_t)b.n);
    return (struct goc_str){p, b.n};
}

static struct goc_slice goc_bytes_of_string(struct goc *g, struct goc_str s)
{
    uint8_t *p = goc_alloc(g, (size_t)s.n);
    if (s.n) memcpy(p, s.p, (size_t)s.n);
    return (struct goc_slice){p, s.n, s.n};
}

static struct goc_str goc_string_of_rune(struct goc *g, int64_t r)
{
    if (r < 0 || r > 0x10ffff || (r >= 0xd800 && r < 0xe000)) r = 0xfffd;
    uint8_t b[4];
    size_t n;
    if (r < 0x80) {
        b[0] = (uint8_t)r;
        n = 1;
    } else if (r < 0x800) {
        b[0] = (uint8_t)(0xc0 | r >> 6);
        b[1] = (uint8_t)(0x80 | (r & 63));
        n = 2;
    } else if (r < 0x10000) {
        b[0] = (uint8_t)(0xe0 | r >> 12);
        b[1] = (uint8_t)(0x80 | (r >> 6 & 63));
        b[2] = (uint8_t)(0x80 | (r & 63));
        n = 3;
    } else {
        b[0] = (uint8_t)(0xf0 | r >> 18);
        b[1] = (uint8_t)(0x80 | (r >> 12 & 63));
        b[2] = (uint8_t)(0x80 | (r >> 6 & 63));
        b[3] = (uint8_t)(0x80 | (r & 63));
        n = 4;
    }
    uint8_t *p = goc_raw(g, n);
    memcpy(p, b, n);
    return (struct goc_str){p, (int64_t)n};
}

/* Decodes as Go's range does: a byte that begins nothing valid is U+FFFD, of length one. */
static int64_t goc_rune(const uint8_t *p, int64_t n, int32_t *r)
{
    uint8_t c = p[0];
    *r = 0xfffd;
    if (c < 0x80) {
        *r = c;
        return 1;
    }
    int more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
    if (more == 0 || n <= more) return 1;
    int32_t v = c & (more == 1 ? 31 : more == 2 ? 15 : 7);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) return 1;
        v = v << 6 | (p[i] & 63);
    }
    if ((more == 2 && (v < 0x800 || (v >= 0xd800 && v < 0xe000))) || (more == 3 && (v < 0x10000 || v > 0x10ffff)))
        return 1;
    *r = v;
    return more + 1;
}

static bool goc_next(struct goc_range *i, int64_t *key, int32_t *value)
{
    if (i->at >= i->s.n) return false;
    *key = i->at;
    i->at += goc_rune(i->s.p + i->at, i->s.n - i->at, value);
    return true;
}

static int64_t goc_index_byte_string(struct goc *g, struct goc_str s, uint8_t c)
{
    (void)g;
    const uint8_t *p = s.n ? memchr(s.p, c, (size_t)s.n) : NULL;
    return p ? p - s.p : -1;
}
static int64_t goc_index_byte(struct goc *g, struct goc_slice s, uint8_t c)
{
    return goc_index_byte_string(g, (struct goc_str){s.p, s.n}, c);
}
static int64_t goc_count_string(struct goc *g, struct goc_str s, uint8_t c)
{
    (void)g;
    int64_t n = 0;
    for (int64_t i = 0; i < s.n; i++) n += s.p[i] == c;
    return n;
}

/* ---- slices ----------------------------------------------------------------------------------------------------- */

static struct goc_slice goc_make_slice(struct goc *g, size_t element, int64_t length, int64_t capacity)
{
    if (length < 0 || (element && (uint64_t)length > (UINT64_C(1) << 47) / element))
        goc_fault(g, "makeslice: len out of range");
    if (capacity < length || (element && (uint64_t)capacity > (UINT64_C(1) << 47) / element))
        goc_fault(g, "makeslice: cap out of range");
    return (struct goc_slice){goc_array(g, element, capacity), length, capacity};
}

static struct goc_slice goc_make_bytes(struct goc *g, int64_t length)
{
    return goc_make_slice(g, 1, length, length);
}

static struct goc_slice goc_reslice(struct goc *g, struct goc_slice s, size_t element, int64_t low, int64_t high,
                                    int64_t highest, int flags)
{
    if (!(flags & 1)) low = 0;
    if (!(flags & 2)) high = s.n;
    if (!(flags & 4)) highest = s.c;
    if ((uint64_t)highest > (uint64_t)s.c || (uint64_t)high > (uint64_t)highest || (uint64_t)low > (uint64_t)high)
        goc_slice_fault(g);
    char *p = s.p;
    if (highest > low) p += (size_t)low * element; /* never a pointer behind the end */
    return (struct goc_slice){p, high - low, highest - low};
}

/* Returns the slice in a new array with room for count more elements. */
static __attribute__((noinline)) struct goc_slice goc_grow(struct goc *g, struct goc_slice s, int64_t count,
                                                           size_t element)
{
    int64_t length = s.n + count; /* wraps for elements without a size alone */
    if (length < 0) goc_fault(g, "growslice: len out of range");
    int64_t capacity = s.c < 256 ? 2 * s.c : s.c + s.c / 4 + 192;
    int64_t least = element >= 64 ? 1 : element >= 16 ? 4 : element ? (int64_t)(64 / element) : 1;
    if (capacity < least) capacity = least;
    if (capacity < length) capacity = length;
    void *p = goc_array(g, element, capacity);
    if (s.n) memcpy(p, s.p, (size_t)s.n * element);
    return (struct goc_slice){p, s.n, capacity};
}

static struct goc_slice goc_append(struct goc *g, struct goc_slice s, const void *more, int64_t count, size_t element)
{
    if (count == 0) return s;
    if (count > s.c - s.n) s = goc_grow(g, s, count, element);
    if (element) memmove((char *)s.p + (size_t)s.n * element, more, (size_t)count * element);
    s.n += count;
    return s;
}

static int64_t goc_copy(struct goc_slice to, const void *from, int64_t count, size_t element)
{
    if (count > to.n) count = to.n;
    if (count > 0 && element) memmove(to.p, from, (size_t)count * element);
    return count;
}

/* ---- interfaces ------------------------------------------------------------------------------------------------- */

static const void *goc_box(struct goc *g, const void *value, size_t size)
{
    void *p = goc_alloc(g, size);
    if (size) memcpy(p, value, size);
    return p;
}

static bool goc_equal_interfaces(struct goc *g, struct goc_iface a, struct goc_iface b)
{
    if (a.t != b.t || !a.t) return a.t == b.t;
    GOC_DEPTH(g); /* a value may hold interfaces, without end */
    return a.t->equal(g, a.v, b.v);
}

/* ---- maps ------------------------------------------------------------------------------------------------------- */

struct goc_maptype {
    size_t entry, key_size, value_size, key, value;
    uint64_t (*hash)(struct goc *g, const void *key, uint64_t seed);
    bool (*equal)(struct goc *g, const void *a, const void *b);
};

/* Entries without gaps, in an unspecified order, and a table of their numbers, from 1, by hash. */
struct goc_map {
    const struct goc_maptype *type;
    struct goc *g;
    char *entries;
    uint32_t *table;
    uint32_t mask; /* size of the table less one */
    uint32_t count, room;
};

static inline uint64_t goc_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    return h;
}
static inline uint64_t goc_hash_number(uint64_t v, uint64_t h)
{
    return goc_mix((v ^ h) + UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 and -0 are the same key. */
static inline uint64_t goc_hash_float(double f, uint64_t h)
{
    uint64_t v = 0;
    if (f != 0) memcpy(&v, &f, sizeof v);
    return goc_hash_number(v, h);
}

static uint64_t goc_hash_string(struct goc_str s, uint64_t h)
{
    h ^= (uint64_t)s.n * UINT64_C(0x9e3779b97f4a7c15);
    int64_t i = 0;
    for (; i + 8 <= s.n; i += 8) {
        uint64_t v;
        memcpy(&v, s.p + i, 8);
        h = goc_mix(h ^ v) * UINT64_C(0x9fb21c651e98df25);
    }
    uint64_t v = 0;
    if (i < s.n) memcpy(&v, s.p + i, (size_t)(s.n - i));
    return goc_mix(h ^ v ^ UINT64_C(0x51));
}

static void goc_map_grow(struct goc_map *m, uint32_t room)
{
    const struct goc_maptype *t = m->type;
    uint32_t size = 8;
    while (size < 2 * room) size *= 2;
    char *entries = goc_array(m->g, t->entry, room);
    uint32_t *table = goc_array(m->g, sizeof *table, size);
    if (m->count) memcpy(entries, m->entries, (size_t)m->count * t->entry);
    m->entries = entries;
    m->table = table;
    m->mask = size - 1;
    m->room = room;
    for (uint32_t number = 1; number <= m->count; number++) {
        uint64_t hash;
        memcpy(&hash, entries + (size_t)(number - 1) * t->entry, sizeof hash);
        uint32_t at = (uint32_t)hash & m->mask;
        while (table[at]) at = (at + 1) & m->mask;
        table[at] = number;
    }
}

static struct goc_map *goc_make_map(struct goc *g, const struct goc_maptype *type, int64_t reserve)
{
    struct goc_map *m = goc_alloc(g, sizeof *m);
    m->type = type;
    m->g = g;
    if (reserve > 0 && reserve < 1 << 20) goc_map_grow(m, (uint32_t)reserve);
    return m;
}

static inline uint64_t goc_map_hash(const struct goc_map *m, const void *key)
{
    return m->type->hash(m->g, key, m->g->seed);
}

/* Returns the table index of a key's entry, or of a free place for it, which contains 0. */
static uint32_t goc_map_find(const struct goc_map *m, const void *key, uint64_t hash)
{
    const struct goc_maptype *t = m->type;
    uint32_t at = (uint32_t)hash & m->mask;
    for (; m->table[at]; at = (at + 1) & m->mask) {
        char *entry = m->entries + (size_t)(m->table[at] - 1) * t->entry;
        if (*(uint64_t *)entry == hash && t->equal(m->g, entry + t->key, key)) break;
    }
    return at;
}

/* Returns the address of a key's value, or NULL. */
static void *goc_map_get(const struct goc_map *m, const void *key)
{
    if (!m || m->count == 0) return NULL;
    uint32_t number = m->table[goc_map_find(m, key, goc_map_hash(m, key))];
    return number ? m->entries + (size_t)(number - 1) * m->type->entry + m->type->value : NULL;
}

/* Returns the address of a key's value, and adds a missing key. */
static void *goc_map_set(struct goc *g, struct goc_map *m, const void *key)
{
    if (!m) goc_panic_text(g, "assignment to entry in nil map");
    uint64_t hash = goc_map_hash(m, key);
    if (m->room == 0) goc_map_grow(m, 8);
    uint32_t at = goc_map_find(m, key, hash);
    if (m->table[at]) return m->entries + (size_t)(m->table[at] - 1) * m->type->entry + m->type->value;
    if (m->count == m->room) {
        if (m->room > UINT32_MAX / 8) goc_no_memory(g);
        goc_map_grow(m, 2 * m->room);
        at = (uint32_t)hash & m->mask;
        while (m->table[at]) at = (at + 1) & m->mask;
    }
    char *entry = m->entries + (size_t)m->count * m->type->entry;
    m->table[at] = ++m->count;
    *(uint64_t *)entry = hash;
    if (m->type->key_size) memcpy(entry + m->type->key, key, m->type->key_size);
    return entry + m->type->value;
}

static int64_t goc_map_length(const struct goc_map *m)
{
    return m ? m->count : 0;
}
