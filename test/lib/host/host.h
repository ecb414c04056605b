/* host.h: the records that the files of the host program share.
 *
 * The host is the program under whose feet a loader is tested. It reads one command a line from standard input and
 * answers with one line of JSON on standard output. It never judges: it follows the line and reports the
 * results.
 *
 *   main.c       the loop, the command table, the answer's text
 *   table.c      named objects, numbers for pointers, references in arguments
 *   library.c    opening and closing the loader, looking names up
 *   allocator.c  counting and failing allocators
 *   instance.c   global commands and instances
 *   physdev.c    physical devices and groups
 *   device.c     devices, queues, command buffers
 *   window.c     surfaces and swapchains
 *   debug.c      messengers, report callbacks, names and labels
 *   call.c       any command with any arguments, and raw memory for it
 *   step.c       a call one instruction at a time
 *   process.c    environment, directories, recorded lines, threads
 *   kernel.c     forks, the kernel's facts about this process
 *   lost.c       the loader's own memory: refused, lost
 *
 * A file of test/lib/windows/host stands in for the one of the same name.
 */
#ifndef TEST_HOST_H
#define TEST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "../interface.h"

#define MAX_WORDS 512

/* One command: a verb, then key=value words, percent-encoded. A key may come several times. */
struct line {
    char *verb;
    int count;
    char *key[MAX_WORDS], *value[MAX_WORDS];
    char *text; /* owns the words */
};

/* The answer that is being written. */
struct answer {
    char *text;
    size_t size, room;
    bool comma, failed;
};

struct arena { /* memory of one command, gone afterwards */
    unsigned char *base;
    size_t size, used;
};

/* main.c */
extern __thread struct answer *now;
void put_raw(const char *text);
void put_string(const char *text);
void put_key(const char *key);
void put_text(const char *key, const char *text); /* NULL gives null */
void put_int(const char *key, int64_t value);
void put_hex(const char *key, const void *bytes, size_t size);
void put_open(const char *key, char bracket); /* '[' or '{'; key may be NULL */
void put_close(char bracket);
void put_number(int64_t value); /* array element */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *arg(const struct line *line, const char *key); /* NULL: not given */
const char *arg_nth(const struct line *line, const char *key, int n);
int arg_count(const struct line *line, const char *key);
const char *arg_or(const struct line *line, const char *key, const char *otherwise);
uint64_t arg_int(const struct line *line, const char *key, uint64_t otherwise);
uint64_t number(const char *text);
uint32_t version_number(const char *text);       /* 1.3.0 or a plain number */
bool perform(char *text, struct answer *answer); /* one line; false: end of the program was asked for */
void answer_free(struct answer *answer);

/* Arena. */
void *take(struct arena *arena, size_t size);
char *take_text(struct arena *arena, const char *text);
bool arena_start(struct arena *arena);
void arena_freeze(struct arena *arena); /* read-only from now on */
void arena_end(struct arena *arena);

/* table.c */
enum kind {
    ANY,
    INSTANCE,
    DEVICE,
    QUEUE,
    COMMAND_BUFFER,
    POOL,
    SURFACE,
    SWAPCHAIN,
    MESSENGER,
    REPORT,
    ALLOCATOR,
    MEMORY,
    SCRIPT
};
#define PARTS 8
struct object {
    struct object *next;
    char name[96];
    enum kind kind;
    uint64_t handle;
    uint64_t parent;
    void *extra;
    size_t size;
    struct {              /* of memory: what structures are where, so that places in it are those of this machine */
        size_t at, count; /* where the first begins, and how many stand there one behind the other */
        const struct structure *is;
    } part[PARTS];
    int parts;
};
/* So many bytes before memory that is not there. */
void *at_edge(size_t bytes);
struct object *object_add(const char *name, enum kind kind, uint64_t handle, uint64_t parent, void *extra, size_t size);
struct object *object_find(const char *name);
void object_drop(const char *name);
/* Bytes behind an array that the loader fills; they must stay: the command fails when they were overwritten. */
#define BEHIND 64
void behind_set(void *array, size_t size);
void behind_check(const char *what, const void *array, size_t size);
void behind_check_memory(void);          /* of every object of the kind MEMORY */
int pointer_number(const void *pointer); /* the same pointer, the same number; 0 for NULL */
void put_pointer(const char *key, const void *pointer);
/* A reference: null, garbage, zeros, #N (a numbered pointer), 0xHEX or digits, name, name+bytes, name@pointers. */
uint64_t resolve(const char *reference);
uint64_t arg_ref(const struct line *line, const char *key, uint64_t otherwise);

/* library.c */
PFN_vkVoidFunction export(const char *name);
PFN_vkVoidFunction command(const struct line *line, const char *name, uint64_t instance, uint64_t device);
PFN_vkVoidFunction instance_command(uint64_t instance, const char *name);
PFN_vkVoidFunction device_command(uint64_t device, const char *name);

/* allocator.c */
const VkAllocationCallbacks *arg_allocator(const struct line *line);
extern bool allocators; /* there is one */

/* debug.c */
struct sink {            /* one receiver of messages */
    struct sink *before; /* all there ever were */
    char name[64];
    char script[64]; /* performed inside the callback, when not empty */
    VkBool32 returns;
};
/* The create infos chained to an instance, in the order given. Returns the head; *tail is where more can be hung. */
const void *chained_messengers(const struct line *line, struct arena *arena, const void *rest);
void put_events(void);
bool have_events(void);

/* process.c */
bool perform_script(const char *name, struct answer *answer, int thread);
void host_performs(const char *script); /* unless one is being performed; fakes call it, too */
/* Performs a script object's lines so many times; the answer is a JSON array of the last time's answers. */
bool perform_object(const struct object *script, struct answer *answer, int times);

/* kernel.c */
bool loader_code(uintptr_t *from, uintptr_t *to); /* executable part of the loader that is open */

/* lost.c */
#define LOST 9                   /* the exit code when it has lost memory */
void blocks_watch(void);         /* after the loader has come or gone */
void blocks_instances(int more); /* made or destroyed */
bool blocks_lost(void);          /* says which, on standard error */

/* Command functions. */
#define COMMAND(name) void do_##name(const struct line *line)

#endif
