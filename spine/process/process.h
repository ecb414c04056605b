/* process.h: the interface of process/: the one lock and the fork gate, waiting, the end of the process, the log and
 * the callbacks that receive it, memory, variables and names. It uses no driver, layer or device, and of an instance
 * only the log level, the allocator and the callbacks. */
#ifndef VKL_PROCESS_H
#define VKL_PROCESS_H

#include "process/control.h"
#include "process/file.h"
#include "spine.h"

/* ---- gate.c ---------------------------------------------------------------------------------------------------- */

/* The one lock of the library. It is held for short times and never while calling out (drivers, layers, callbacks,
 * allocators, dl functions, core). It is not recursive. In a forked child it is free. */
void lock_take(void);
void lock_drop(void);
/* Asserts, in builds with sanitizers, that this thread holds the lock (taken) or does not hold it (not).
 * test/lib/lock_check.h asserts the same before each function that it lists. */
#ifndef CHECK_LOCK
#define lock_wanted(taken) ((void)0)
#endif
/* Registers the fork handlers, once. Call it as early as possible, since another thread may fork at any time. */
void fork_watch(void);
/* The fork gate: the spine calls dlopen, dlclose and dlsym only inside (G-4). Entering waits only while a thread forks.
 */
/* Enters the gate and returns the calling thread, for gate_leave. Not on Windows. */
uint64_t gate_enter(void);
void gate_leave(uint64_t me);
/* Opens a library with RTLD_LAZY | RTLD_LOCAL (DRV-024, LAY-277). On failure *text, if text is not NULL, is a copy of
 * the dynamic linker's message, for free(), or NULL without memory. seen: the identity of the path's file, if the
 * caller has just read it; otherwise NULL. */
void *gate_dlopen(const char *path, const struct file_identity *seen, char **text);
/* Returns a new reference to a library that the process has open under this name, or NULL. */
void *gate_dlopen_mapped(const char *name);
int gate_dlclose(void *handle);
void *gate_dlsym(void *handle, const char *name);
/* Returns the real path of the object that contains a function (DRV-025), for free(). NULL: no such object, or no
 * memory. */
char *gate_path_of(const void *function);
/* Returns the linker's path of the library of a handle, for free(). NULL: unknown, or no memory. */
char *gate_path_by_handle(void *handle);
/* Reports whether all functions are in the same object. The list ends with NULL. */
bool gate_same_object(const void *const *functions);
/* Calls dl_iterate_phdr. The dynamic linker holds its lock during the walk, so no object is unmapped. Not on Windows.
 */
struct dl_phdr_info;
typedef int gate_walk_step(struct dl_phdr_info *object, size_t size, void *data);
int gate_walk(gate_walk_step *step, void *data);
/* Returns a number that differs between a process and its forked children. */
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
    if (now) t->count = now - 1; /* a use that began before the fork is not in the count */
}

/* ---- thread.c -------------------------------------------------------------------------------------------------- */

/* Returns the number of the calling thread, which no other thread ever gets. Call it without the lock. */
uint64_t thread_now(void);
/* Returns the same number for a thread that has called thread_now before. May be called with the lock. */
uint64_t thread_known(void);
/* Frees the numbers' storage when the library is unloaded. */
void threads_forget(void);
/* Delays the cancellation of the calling thread while it has descriptors open. Returns the state to pass to cancel_on.
 */
int cancel_off(void);
void cancel_on(int before);

/* ---- gate.c (on Windows wake.c) and claim.c -------------------------------------------------------------------- */

/* Waiting for a call of another thread. Besides this, the spine waits only for its mutex and for forks;
 * docs/concurrency.md lists all waits. */
/* Call these functions with the lock. Those that wait release it meanwhile. */

/* Waits for a lock_wake of another thread and returns true, or returns false after 0.1 s. The caller must then check
 * its condition again, since the wake may have been for another thread. */
bool lock_wait(void);
void lock_wake(void);

/* A reference to a thread's claim on an object while the thread calls out. The claim itself is in a table of claim.c,
 * because the thread may never return: it may be cancelled, or leave by an exception or longjmp. */
struct claim {
    unsigned place;
    uint64_t number;
};
/* Waits until no other thread has claimed the pair (what, whose). Returns false if the calling thread itself has
 * claimed it: a driver, an allocator or another library has called back into the loader, and waiting would deadlock.
 * Also returns false after CLAIM_SECONDS_MAX, when the other thread is taken not to return. The calling thread must
 * have called thread_now before. */
#define CLAIM_SECONDS_MAX 5
bool claim_wait(const void *what, const void *whose);
/* Waits like claim_wait, then claims the pair. */
bool claim_take(struct claim *claim, const void *what, const void *whose);
/* Waits like claim_take, but takes the claim away from a thread that does not return. If that thread returns after all,
 * both use the object. */
bool claim_take_over(struct claim *claim, const void *what, const void *whose);
void claim_drop(const struct claim *claim);
/* Adds a use to a tally. The use ends at claim_unuse, or when the thread is cancelled or leaves by an exception. */
void claim_use(struct claim *claim, struct tally *tally);
void claim_unuse(const struct claim *claim, struct tally *tally);
/* The unwinder calls this for the frame of a function with CLAIM_UNWINDS (asm/linux/system.h); it ends the thread's
 * newest claim. */
int claim_unwinds(int version, int actions, uint64_t class, void *exception, void *context);
/* Call before freeing a claimed object; its address may be reused. */
void claims_forget(const void *what);

/* ---- exit.c ---------------------------------------------------------------------------------------------------- */

/* exit_watch registers a function that runs at exit; call it before creating an object that a destructor frees.
 * exit_begun tells destructors whether the process ends; they then free nothing. */
void exit_watch(void);
bool exit_begun(void);

/* ---- system.c -------------------------------------------------------------------------------------------------- */

/* Call these when an instance is created and when it is destroyed. While an instance lives, the system's libraries that
 * the loader has opened stay open. On Linux the loader opens none. */
#if BY_SYSTEM(0, 1)
void system_hold(void);
void system_drop(void);
#else
#define system_hold() ((void)0)
#define system_drop() ((void)0)
#endif

/* ---- callback.c ------------------------------------------------------------------------------------------------ */

/* A callback for messages that a program or a layer registered: of a VkDebugUtilsMessengerEXT or, if report is set, of
 * a VkDebugReportCallbackEXT. */
struct messenger {
    struct messenger *next;
    struct messenger *
        *owner;    /* the pointer to this messenger in its object; set to NULL if the messenger is dropped first */
    uint32_t uses; /* calls of the callback in progress */
    bool gone;     /* destroyed: the last user frees it */
    bool chained;  /* given with vkCreateInstance (DBG-004) */
    bool resting;  /* chained, and not called between vkCreateInstance and vkDestroyInstance (DBG-008) */
    bool report;
    bool has_allocator; /* of this block (ALC-012) */
    VkAllocationCallbacks allocator;
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT messenger;
    VkDebugReportFlagsEXT flags;
    PFN_vkDebugReportCallbackEXT callback;
    void *user;
};

/* A message in the forms of both extensions. */
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

/* Allocates a messenger. NULL: no memory. */
struct messenger *messenger_new(const VkAllocationCallbacks *allocator);
void messenger_free(struct messenger *m); /* for a messenger outside all lists, or NULL */
void messenger_fill(struct messenger *m, const VkDebugUtilsMessengerCreateInfoEXT *info);
void messenger_fill_report(struct messenger *m, const VkDebugReportCallbackCreateInfoEXT *info);
/* Adds a messenger at the head of the instance's list (DBG-018). Call it with the lock if other threads know the
 * instance. owner: may be NULL. */
void messenger_add(struct instance *instance, struct messenger *m, struct messenger **owner);
/* Removes a messenger. Its callback is not called again. */
void messenger_drop(struct instance *instance, struct messenger *m);
/* DBG-017: converts severity and types to the flags of VK_EXT_debug_report. */
VkDebugReportFlagsEXT messenger_flags(VkDebugUtilsMessageSeverityFlagsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types);
/* Calls the callback of every messenger that wants the message. Call it without the lock. */
void messengers_send(struct instance *instance, const struct message *message);

/* Chained messengers (DBG-004), those of VkInstanceCreateInfo's chain: start copies and activates them in
 * vkCreateInstance, rest deactivates them at its end, wake activates them again in vkDestroyInstance, and free frees
 * them at its end. */
VkResult messengers_chained_start(struct instance *instance, const void *next, const VkAllocationCallbacks *allocator);
void messengers_chained_rest(struct instance *instance);
void messengers_chained_wake(struct instance *instance); /* also drops the other messengers (DBG-010) */
void messengers_chained_free(struct instance *instance);
/* Reports whether any messenger wants messages of this kind. Call it before building a text. */
bool messengers_heed(const struct instance *instance, unsigned flags);
/* Sends a loader message to the messengers (DBG-014 to 018). The log calls it without the lock. */
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
/* Formats a pointer like the C library's %p; on Windows, whose %p has no 0x, in upper case. Returns text. */
#define POINTER_TEXT 32
const char *pointer_text(char text[POINTER_TEXT], const void *pointer);
/* Writes one line, cut off at 511 bytes, to standard error and to the messengers. instance: NULL if the message
 * concerns none. */
void log_line(struct instance *instance, unsigned flags, const char *format, ...) __attribute__((format(printf, 3, 4)));
void log_text(struct instance *instance, unsigned flags, const char *text);
/* Writes a line at every log level (HND-035, LAY-322), flushes, and aborts the process. */
void log_abort(struct instance *instance, unsigned flags, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* Reports an invalid first argument of the command with this number (CMD_*) and ends the process (HND-001). */
void bad_handle(uint32_t command) __attribute__((noreturn));
/* Reads VK_LOADER_DEBUG; called by the constructor alone. */
void log_start(void);
/* Replaces the log level of the instance or, for NULL, of the process by a settings file's. */
void log_set_level(struct instance *instance, unsigned level);
/* From now on also writes the instance's lines of the level to a file. Does nothing in an elevated process, or if the
 * file cannot be written safely. */
void log_set_file(struct instance *instance, unsigned level, const char *path);
/* Frees the log's data of an instance when it ends. */
void log_forget(struct instance *instance);
/* Reports whether any sink wants messages other than LOG_FATAL. Check before building an expensive message. */
bool log_heard(const struct instance *instance);

/* ---- stderr.c -------------------------------------------------------------------------------------------------- */

/* Writes one line to standard error: the tag, then the text. */
void stderr_write(const char *tag, const char *text);
/* Flushes standard error before the process is aborted, and stops other threads from beginning a line. */
void stderr_end(void);

/* ---- logline.c and logfile.c ----------------------------------------------------------------------------------- */

#define LOGFILE_LINE_MAX 700       /* a line of the log has at most 511 bytes, plus tag and time */
#define LOGFILE_SIZE_MAX (1 << 20) /* bytes of the file; the previous file is at most as large */

/* Formats a line with its line feed, cut off if it is too long. since: seconds since 1970. Returns the number of bytes,
 * or -1 on failure. */
int logfile_line(char line[LOGFILE_LINE_MAX], unsigned long long since, long process, const char *tag,
                 const char *text);
/* Appends a line to a regular file of the user's own. Fails if there is a link in the path, or if another user could
 * redirect the write. A new file is readable by its owner alone. A file above the size limit is first renamed to
 * "PATH.1". Returns false on failure, which has no other effect. */
bool logfile_append(const char *path, const char *tag, const char *text);

/* ---- privileges.c ---------------------------------------------------------------------------------------------- */

/* Reports whether the process is elevated (GEN-5): it has rights that its user lacks, or may take some back. */
bool process_elevated(void);

/* ---- memory.c -------------------------------------------------------------------------------------------------- */

/* Sets *size to the bytes of a head and count elements. Returns false, with *size undefined, if no block can be that
 * large. Use it for every count from a driver, a layer, a file or the program: an unchecked product can wrap to a small
 * size (with a 32-bit size_t, 16,519,105 extensions take four bytes). */
bool size_of_array(size_t head, uint64_t count, size_t each, size_t *size);
/* array_new returns a zeroed array from malloc; array_grow enlarges one with realloc, without zeroing the added
 * elements. NULL: no memory, or size_of_array fails. */
void *array_new(size_t head, uint64_t count, size_t each);
void *array_grow(void *array, uint64_t count, size_t each);
/* Enlarges *array, a pointer to count elements of this size, by more elements. Returns false without memory. */
bool array_more(void *array, uint32_t count, uint32_t more, size_t each);

/* Allocates a zeroed block from the allocator; NULL: from malloc. Sizes are in bytes. Returns NULL without memory. */
void *mem_new(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope);
/* Enlarges a block and zeroes the added part. */
void *mem_grow(const VkAllocationCallbacks *allocator, void *block, size_t old_size, size_t size,
               VkSystemAllocationScope scope);
void mem_free(const VkAllocationCallbacks *allocator, void *block);

/* ---- readable.c ------------------------------------------------------------------------------------------------ */

/* Copies the readable part of a range of memory, and returns its size; 0 if the system cannot tell. The first byte must
 * be readable. */
size_t memory_read(void *to, const void *from, size_t size);

/* ---- variable.c ------------------------------------------------------------------------------------------------ */

/* Returns the present value of a variable; NULL if it is not set or counts as unset (G-5, GEN-5). Pass *block to free()
 * after the last use of the value. */
const char *env_read(struct variable v, char **block);
/* Returns the value from the C library, without regard to the rights of the program. Not on Windows. */
const char *env_value(struct variable v);

/* ---- text.c ---------------------------------------------------------------------------------------------------- */

/* INS-046: reports whether a name has less than 256 bytes of UTF-8, without control characters. */
bool name_well_formed(const char *name);
/* Returns the name if a library of this name is a Vulkan loader (DRV-046), otherwise NULL. */
const char *loader_name(const char *soname);
/* Reports whether a list of names, none of which is NULL, has the name. */
bool name_listed(const char *const *names, uint32_t count, const char *name);
/* Reports whether a list of extensions has the name. */
bool extension_listed(const VkExtensionProperties *list, uint32_t count, const char *name);

/* ---- start.c ---------------------------------------------------------------------------------------------------- */

/* Reads the two variables that are read at load, unless that has been done. Functions that may run before the library's
 * constructor call it. */
void start_once_at_load(void);
/* Returns the value of VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING at load (GEN-2, ENV-110, INS-088). */
enum { UNLOAD_USUAL = 0, UNLOAD_NEVER /* "1" */, UNLOAD_TO_THE_LETTER /* "0" */ };
int unloading(void);

#endif
