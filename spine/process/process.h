/* process.h: the interface of process/: the one lock and the fork gate, waiting, the end of the
 * process, the log and the callbacks that hear it, memory, variables and names. It knows no driver, layer or device,
 * and of an instance only the log's level, the allocator and the callbacks. */
#ifndef VKL_PROCESS_H
#define VKL_PROCESS_H

#include "process/control.h"
#include "process/file.h"
#include "spine.h"

/* ---- gate.c ---------------------------------------------------------------------------------------------------- */

/* The one lock: short, never held while calling out (drivers, layers, callbacks, allocators, dl functions, core). A
 * forked child finds it free. Not recursive. */
void lock_take(void);
void lock_drop(void);
/* Asserts, in builds with sanitizers, that this thread holds the lock (taken) or does not hold it (not), also
 * before each function of test/lib/lock_check.h. */
#ifndef CHECK_LOCK
#define lock_wanted(taken) ((void)0)
#endif
/* Registers the handlers of fork, once; as early as can be, since others may fork in the middle of anything. */
void fork_watch(void);
/* The fork gate: every dlopen, dlclose and dlsym of the spine happens inside (G-4). It waits for nothing but a fork. */
/* Enters the gate and returns the calling thread, for gate_leave. Not on Windows. */
uint64_t gate_enter(void);
void gate_leave(uint64_t me);
/* Opens a library lazily and for the loader alone (DRV-024, LAY-277). On failure, *text (unless text is NULL) is a
 * copy of the dynamic linker's message, for free(); NULL without memory. */
/* seen: the path's file, just examined; NULL: it is examined here. */
void *gate_dlopen(const char *path, const struct file_identity *seen, char **text);
/* A reference to a library that the process has under this name; NULL: it has none. */
void *gate_dlopen_mapped(const char *name);
int gate_dlclose(void *handle);
void *gate_dlsym(void *handle, const char *name);
/* Real path of the object that contains a function (DRV-025), for free(); NULL: none is found, or no memory. as_given,
 * if not NULL: whether the linker has it by this path, so that both lead to the same file. */
char *gate_path_of(const void *function, const char *given, bool *as_given);
/* The path by which the linker has the library of a handle, for free(). NULL: unknown, or no memory. */
char *gate_path_by_handle(void *handle);
/* Are all of these functions in the same object? The list ends with NULL. */
bool gate_same_object(const void *const *functions);
/* dl_iterate_phdr, which has the dynamic linker's lock meanwhile: nothing is unmapped. Not on Windows. */
struct dl_phdr_info;
typedef int gate_walk_step(struct dl_phdr_info *object, size_t size, void *data);
int gate_walk(gate_walk_step *step, void *data);
/* A position in the linker's list of objects during a walk; all zero before the first object. On Linux. */
struct walk {
    const struct link_map *map; /* NULL: the list is unknown */
    bool begun;
};
/* Returns the dynamic section of the next object of a walk. NULL: the object must not be read. The section comes from
 * the linker's list, because the program headers in memory change if the file is overwritten. If the list is unknown,
 * the headers name it. */
const void *walk_dynamic(struct walk *walk, const struct dl_phdr_info *object);
/* Sets the build of an object and returns its SONAME, or NULL. On Linux. */
const char *build_read(const struct dl_phdr_info *object, const void *dynamic, struct build *build);
/* Returns the string table of an object, which some linkers do not relocate. On Linux. */
const char *build_strings(const struct dl_phdr_info *object, const struct build *build);
/* Number of the process in its line of forks as this library sees it: changes in every forked child. */
uint64_t fork_generation(void);
static inline uint32_t tally_now(const struct tally *t)
{
    return t->generation == fork_generation() ? t->count : 0;
}
static inline void tally_up(struct tally *t)
{
    lock_wanted(true);
    *t = (struct tally){tally_now(t) + 1, fork_generation()};
}
static inline void tally_down(struct tally *t)
{
    lock_wanted(true);
    uint32_t now = tally_now(t);
    if (now) t->count = now - 1; /* a use that began before the fork was never counted here */
}

/* ---- thread.c -------------------------------------------------------------------------------------------------- */

/* The calling thread's number, which no other thread ever has; without the lock. */
uint64_t thread_now(void);
/* The same where thread_now was called before by this thread; with the lock, too. */
uint64_t thread_known(void);
/* Before the library is unloaded. */
void threads_forget(void);
/* A thread with open descriptors is not cancelled before it has closed them; cancel_on gets what cancel_off said. */
int cancel_off(void);
void cancel_on(int before);

/* ---- gate.c (on Windows wake.c) and claim.c -------------------------------------------------------------------- */

/* Waiting for another thread's call: the only way in which the spine waits for anything but its
 * mutex and a fork. docs/concurrency.md lists the waits. */
/* All functions are called with the lock; waiting gives it up meanwhile. */

/* Waits until another thread has said that something ended, or for a moment (false). The caller looks again then: it
 * may be something else. */
bool lock_wait(void);
void lock_wake(void);

/* A thread's claim while it calls out. The claim itself is the library's, in claim.c: the thread may never
 * return (it is cancelled, or leaves by an exception or a jump), and this is only its reference to the claim. */
struct claim {
    unsigned place;
    uint64_t number;
};
/* Waits until no other thread has claimed the pair. False when this very thread has: a driver, an allocator or another
 * library called back into the loader, and waiting would never end. False, too, after CLAIM_SECONDS_MAX: the other
 * thread does not come back. The calling thread has called thread_now before. */
#define CLAIM_SECONDS_MAX 5
bool claim_wait(const void *what, const void *whose);
/* The same, and makes it one's own. */
bool claim_take(struct claim *claim, const void *what, const void *whose);
/* The same, but one whose thread does not come back is taken from it. If it does after all, both have claimed it. */
bool claim_take_over(struct claim *claim, const void *what, const void *whose);
void claim_drop(const struct claim *claim);
/* A use that a tally counts; it ends, too, when its thread is cancelled or leaves by an exception. */
void claim_use(struct claim *claim, struct tally *tally);
void claim_unuse(const struct claim *claim, struct tally *tally);
/* CLAIM_UNWINDS (asm/linux/system.h) has the unwinder call this for the frame of a function that calls out. */
int claim_unwinds(int version, int actions, uint64_t class, void *exception, void *context);
/* Call before freeing a claimed object; its address may be reused. */
void claims_forget(const void *what);

/* ---- exit.c ---------------------------------------------------------------------------------------------------- */

/* watch is called before anything is made that a destructor takes away; begun tells destructors that the
 * process ends, so that they leave all of it where it is. */
void exit_watch(void);
bool exit_begun(void);

/* ---- system.c -------------------------------------------------------------------------------------------------- */

/* Called when an instance is created and when it is destroyed. In between, the libraries of the system that the loader
 * has opened stay open. On Linux the loader opens none. */
#if BY_SYSTEM(0, 1)
void system_hold(void);
void system_drop(void);
#else
#define system_hold() ((void)0)
#define system_drop() ((void)0)
#endif

/* ---- callback.c ------------------------------------------------------------------------------------------------ */

/* A callback that a program or a layer has given for messages: of a VkDebugUtilsMessengerEXT or, when report is set, of
 * a VkDebugReportCallbackEXT. */
struct messenger {
    struct messenger *next;
    struct messenger **owner; /* where the object that it belongs to remembers it: cleared when it is dropped first */
    uint32_t uses;            /* deliveries that are inside this callback */
    bool gone;                /* destroyed meanwhile: the last user frees it */
    bool chained;             /* given with vkCreateInstance (DBG-004) */
    bool resting;             /* chained, and between vkCreateInstance and vkDestroyInstance: hears nothing (DBG-008) */
    bool report;
    bool has_allocator; /* that this block came from (ALC-012) */
    VkAllocationCallbacks allocator;
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT messenger;
    VkDebugReportFlagsEXT flags;
    PFN_vkDebugReportCallbackEXT callback;
    void *user;
};

/* One message in both forms. */
struct message {
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    const VkDebugUtilsMessengerCallbackDataEXT *data;
    VkDebugReportFlagsEXT flags;
    VkDebugReportObjectTypeEXT type;
    uint64_t object;
    size_t location;
    int32_t code;
    const char *prefix, *text;
};

/* NULL: no memory. */
struct messenger *messenger_new(const VkAllocationCallbacks *allocator);
void messenger_free(struct messenger *m); /* a messenger outside all lists; NULL is none */
void messenger_fill(struct messenger *m, const VkDebugUtilsMessengerCreateInfoEXT *info);
void messenger_fill_report(struct messenger *m, const VkDebugReportCallbackCreateInfoEXT *info);
/* DBG-018: the most recent first. With the lock, once other threads may know the instance. owner: may be NULL. */
void messenger_add(struct instance *instance, struct messenger *m, struct messenger **owner);
/* From now on the callback is not called any more. */
void messenger_drop(struct instance *instance, struct messenger *m);
/* DBG-017: severity and types in the older extension's flags. */
VkDebugReportFlagsEXT messenger_flags(VkDebugUtilsMessageSeverityFlagsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types);
/* Calls every messenger that wants the message, without the lock. */
void messengers_send(struct instance *instance, const struct message *message);

/* Chained messengers (DBG-004): copied and active at the start of vkCreateInstance, put to rest at its end, active
 * again in vkDestroyInstance, freed at its end. */
VkResult messengers_chained_start(struct instance *instance, const void *next, const VkAllocationCallbacks *allocator);
void messengers_chained_rest(struct instance *instance);
void messengers_chained_wake(struct instance *instance); /* drops the others first (DBG-010) */
void messengers_chained_free(struct instance *instance);
/* Does any messenger want messages of this kind? Cheap; asked before the text is made. */
bool messengers_heed(const struct instance *instance, unsigned flags);
/* Delivers a loader message (DBG-014 to 018). Called by the log, without the lock. */
void messengers_deliver(struct instance *instance, unsigned flags, const char *text);

/* ---- log.c ----------------------------------------------------------------------------------------------------- */

enum {
    LOG_INFO = 1,
    LOG_WARN = 2,
    LOG_PERF = 4,
    LOG_ERROR = 8,
    LOG_DEBUG = 16,
    LOG_LAYER = 32,
    LOG_DRIVER = 64,
    LOG_VALIDATION = 128, /* about invalid use of the API */
    LOG_FATAL = 256       /* always reaches standard error */
};
/* The pointer as the C library's %p writes it, in upper case where that has no 0x, as on Windows. Returns text. */
#define POINTER_TEXT 32
const char *pointer_text(char text[POINTER_TEXT], const void *pointer);
/* instance may be NULL (message concerns none). One line; cut at 511 bytes; standard error and messengers. */
void log_line(struct instance *instance, unsigned flags, const char *format, ...) __attribute__((format(printf, 3, 4)));
void log_text(struct instance *instance, unsigned flags, const char *text);
/* Writes always (HND-035, LAY-322), flushes, aborts. */
void log_abort(struct instance *instance, unsigned flags, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* Reports an invalid first argument of the command with this number (CMD_*) and ends the process (HND-001). */
void bad_handle(uint32_t command) __attribute__((noreturn));
/* Reads VK_LOADER_DEBUG; called by the constructor alone. */
void log_start(void);
/* A settings file's level takes the place of the instance's or, with NULL, of the process's. */
void log_set_level(struct instance *instance, unsigned level);
/* The instance's lines of the level go into a file, too, from now on; nothing comes of it for a program with raised
 * privileges, or where the file cannot be written safely. */
void log_set_file(struct instance *instance, unsigned level, const char *path);
/* The instance ends. */
void log_forget(struct instance *instance);
/* Reports whether any sink wants messages that are not always written. Check before building an expensive one. */
bool log_heard(const struct instance *instance);

/* ---- stderr.c -------------------------------------------------------------------------------------------------- */

/* One line to standard error: the tag, then the text. */
void stderr_write(const char *tag, const char *text);
/* Before the process is aborted: all lines are out, and no other thread begins one that would be cut off. */
void stderr_end(void);

/* ---- logline.c and logfile.c ----------------------------------------------------------------------------------- */

#define LOGFILE_LINE_MAX 700       /* a line of the log has 511 bytes at most, besides tag and time */
#define LOGFILE_SIZE_MAX (1 << 20) /* of the file; the one before it has as many bytes at most */

/* The line with its line feed, cut where it is too long; since: seconds since 1970. Its bytes; -1: there is none. */
int logfile_line(char line[LOGFILE_LINE_MAX], unsigned long long since, long process, const char *tag,
                 const char *text);
/* Appends a line to a file: a regular one of the user's own, with no link on the way, where no other user can
 * redirect the write. A new file is readable by its owner alone. A file above the size limit becomes "PATH.1"
 * first. False: it cannot be written; nothing else comes of that. */
bool logfile_append(const char *path, const char *tag, const char *text);

/* ---- privileges.c ---------------------------------------------------------------------------------------------- */

/* Does the program have rights that its user lacks, or may it take some back? */
bool process_privileged(void);

/* ---- memory.c -------------------------------------------------------------------------------------------------- */

/* The bytes of count elements behind a head. False: no block can be that large, and *size says nothing. Every size that
 * comes from a driver, a layer, a file or the program is computed here: a product that wraps is a block that is too
 * small (where size_t has 32 bits, 16,519,105 extensions take four bytes). */
bool size_of_array(size_t head, uint64_t count, size_t each, size_t *size);
/* Arrays of malloc's memory; NULL: there is none, or the size is none. Zeroed; and, with the old elements, not zeroed.
 */
void *array_new(size_t head, uint64_t count, size_t each);
void *array_grow(void *array, uint64_t count, size_t each);
/* Makes room for more elements behind count in *array, a pointer to elements of this size. False: no memory. */
bool array_more(void *array, uint32_t count, uint32_t more, size_t each);

/* allocator NULL: malloc. Sizes in bytes; NULL when there is none. Blocks are zeroed by mem_new only. */
void *mem_new(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope);
/* The added part is zeroed. */
void *mem_grow(const VkAllocationCallbacks *allocator, void *block, size_t old_size, size_t size,
               VkSystemAllocationScope scope);
void mem_free(const VkAllocationCallbacks *allocator, void *block);

/* ---- readable.c ------------------------------------------------------------------------------------------------ */

/* Copies the readable part of a range with a readable beginning, and returns its size. 0: it cannot be told. */
size_t memory_read(void *to, const void *from, size_t size);

/* ---- variable.c ------------------------------------------------------------------------------------------------ */

/* A variable as it is now, NULL when it is not set or counts as unset (G-5, GEN-5). *block: for free(), when the value
 * is not wanted any more. */
const char *env_read(struct variable v, char **block);
/* Returns the value that the C library gives, with any rights of the program; not on Windows. */
const char *env_value(struct variable v);

/* ---- text.c ---------------------------------------------------------------------------------------------------- */

/* INS-046: less than 256 bytes of UTF-8, without control characters. */
bool name_well_formed(const char *name);
/* The same, if a library of this name is a Vulkan loader (DRV-046); else NULL. */
const char *loader_name(const char *soname);
/* Is the name one of a list of names without NULL? */
bool name_listed(const char *const *names, uint32_t count, const char *name);
/* Is it one of a list of extensions? */
bool extension_listed(const VkExtensionProperties *list, uint32_t count, const char *name);

/* ---- start.c ---------------------------------------------------------------------------------------------------- */

/* Reads the two variables that are read at load, unless that has been done; called by functions that may run before the
 * library's own constructor. */
void start_once_at_load(void);
/* VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING as it was at load (GEN-2, ENV-110, INS-088). */
enum { UNLOAD_USUAL = 0, UNLOAD_NEVER /* "1" */, UNLOAD_TO_THE_LETTER /* "0" */ };
int unloading(void);

#endif
