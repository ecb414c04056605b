/* hostile.c: unusual programs: fork handlers that use Vulkan, libraries whose constructors do, threads that are
 * cancelled or that leave a driver by an exception or longjmp. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include "guest.h"

#define COMMAND(instance, name) PFN_##name name = (PFN_##name)get_instance_proc(instance, #name)

/* Ends the process if it hangs. A build with a sanitizer gets more time. */
static void within(unsigned limit)
{
    alarm((unsigned)number("GUEST_WITHIN", limit));
}

/* ---- handlers of fork ----------------------------------------------------------------------------------------------
 */

static atomic_int handled[3];
static pid_t forking;

static void use(int which)
{
    if (!loader) load();
    CHECK(life() == VK_SUCCESS, "no life in handler %d of fork", which);
    handled[which]++;
}
static void before(void)
{
    forking = getpid();
    use(0);
}
static void in_parent(void)
{
    use(1);
}
static void in_the_child(void)
{
    alarm(60);
    use(2);
}

static atomic_bool enough;
static atomic_long all_lives;
static void *live(void *unused)
{
    while (!enough) {
        CHECK(life() == VK_SUCCESS, "no life");
        all_lives++;
    }
    return unused;
}

static int and_a_life(void *unused)
{
    (void)unused;
    if (handled[2] < 1) return 4;
    return life() == VK_SUCCESS && thread_count() == 1 ? 0 : 3;
}

/* arguments: the number of threads that use Vulkan meanwhile; "late": the handlers make the first call */
static void fork_handlers(void)
{
    pthread_t t[8];
    int threads = atoi(arguments[0]);
    bool late = arguments[1] != NULL;
    within(120);
    CHECK(pthread_atfork(before, in_parent, in_the_child) == 0, "pthread_atfork");
    if (!late) {
        load();
        CHECK(life() == VK_SUCCESS, "no life");
    }
    for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, live, NULL);
    for (int i = 0; i < 10; i++) {
        int status = in_child(and_a_life, NULL, 100);
        CHECK(status == 0, "child %d ended with status %x", i, (unsigned)status);
    }
    enough = true;
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    CHECK(handled[0] == 10 && handled[1] == 10, "%d and %d handlers ran", handled[0], handled[1]);
    CHECK(life() == VK_SUCCESS, "no life afterwards");
}

/* A fork handler that waits for a thread that uses Vulkan. */
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static void take_own(void)
{
    pthread_mutex_lock(&own);
}
static void give_own(void)
{
    pthread_mutex_unlock(&own);
}

static void *live_locked(void *unused)
{
    while (!enough) {
        pthread_mutex_lock(&own);
        VkResult result = life();
        pthread_mutex_unlock(&own);
        CHECK(result == VK_SUCCESS, "no life");
        all_lives++;
        usleep(100); /* a mutex of the C library is not fair */
    }
    return unused;
}

static int only_a_life(void *unused)
{
    (void)unused;
    return life() == VK_SUCCESS ? 0 : 3;
}

static void fork_own_lock(void)
{
    pthread_t t[3];
    within(170);
    CHECK(pthread_atfork(take_own, give_own, give_own) == 0, "pthread_atfork");
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, live_locked, NULL);
    for (int i = 0; i < 8; i++) {
        int status = in_child(only_a_life, NULL, 60);
        CHECK(status == 0, "child %d ended with status %x", i, (unsigned)status);
    }
    enough = true;
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}

/* ---- the dynamic linker's lock --------------------------------------------------------------------------------------
 */

extern void within_constructor(void);
void within_constructor(void)
{
    CHECK(life() == VK_SUCCESS, "no life in a constructor");
}

static atomic_long opened;
/* argument: a library whose constructor and destructor use Vulkan */
static void *open_and_close(void *path)
{
    while (!enough) {
        pthread_mutex_lock(&own);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(library, "%s", dlerror());
        dlclose(library);
        pthread_mutex_unlock(&own);
        opened++;
        usleep(200); /* the linker's lock is not fair */
    }
    return NULL;
}

static void linker_lock(void)
{
    pthread_t t[4];
    within(170);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, i == 0 ? open_and_close : live, arguments[0]);
    long rounds = number("GUEST_ROUNDS", 200);
    while (opened < rounds || all_lives < rounds) usleep(1000);
    if (number("GUEST_FORKS", 1))
        for (int i = 0; i < 10; i++) {
            /* A child forked while the program opens a library cannot open any library itself. */
            pthread_mutex_lock(&own);
            int status = in_child(only_a_life, NULL, 60);
            pthread_mutex_unlock(&own);
            CHECK(status == 0, "child %d ended with status %x", i, (unsigned)status);
        }
    enough = true;
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

/* ---- out of a driver ------------------------------------------------------------------------------------------------
 */

static VkInstance instance;
static VkPhysicalDevice physical;
static VkSurfaceKHR surface;
static int inside[2];

static void blocks(void)
{
    char byte = 'i';
    CHECK(write(inside[1], &byte, 1) == 1, "write: %s", strerror(errno));
    for (;;) pause();
}

static jmp_buf out;
static void jumps(void)
{
    longjmp(out, 1);
}

/* The exception unwinds every frame up to this function's. */
static char *upper; /* the frame of the function that catches it */
static _Unwind_Reason_Code up(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                              struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *unused)
{
    (void)version, (void)class, (void)exception, (void)unused;
    CHECK(!(actions & _UA_END_OF_STACK), "the stack has no frame that catches");
    if ((char *)_Unwind_GetCFA(context) >= upper) longjmp(out, 1);
    return _URC_NO_REASON;
}
static void throws(void)
{
    static struct _Unwind_Exception exception;
    _Unwind_ForcedUnwind(&exception, up, NULL);
    fail("nothing can be thrown");
}

static void (*doing)(void); /* the driver calls it once */
extern void within_driver(void);
void within_driver(void)
{
    void (*now)(void) = doing;
    doing = NULL;
    if (now) now();
}

static VkResult supported(VkBool32 *yes)
{
    COMMAND(instance, vkGetPhysicalDeviceSurfaceSupportKHR);
    *yes = VK_FALSE;
    return vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, yes);
}

static void *ask(void *unused)
{
    VkBool32 yes;
    VkResult result = supported(&yes);
    CHECK(result == VK_SUCCESS && yes, "result %d, supported %d", result, yes);
    return unused;
}

static void ask_elsewhere(void)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, ask, NULL) == 0, "no thread");
    pthread_join(t, NULL);
}

static void surface_new(void)
{
    static const char *const names[] = {"VK_KHR_surface", "VK_EXT_headless_surface"};
    COMMAND(NULL, vkCreateInstance);
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .enabledExtensionCount = 2, .ppEnabledExtensionNames = names};
    VkResult result = vkCreateInstance(&info, NULL, &instance);
    CHECK(result == VK_SUCCESS, "vkCreateInstance: %d", result);
    COMMAND(instance, vkEnumeratePhysicalDevices);
    COMMAND(instance, vkCreateHeadlessSurfaceEXT);
    uint32_t count = 1;
    result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(result >= 0 && count, "vkEnumeratePhysicalDevices: %d", result);
    VkHeadlessSurfaceCreateInfoEXT headless = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    result = vkCreateHeadlessSurfaceEXT(instance, &headless, NULL, &surface);
    CHECK(result == VK_SUCCESS, "vkCreateHeadlessSurfaceEXT: %d", result);
}

static void surface_end(void)
{
    COMMAND(instance, vkDestroySurfaceKHR);
    vkDestroySurfaceKHR(instance, surface, NULL);
    instance_end(instance);
}

/* Leaves a frame in the middle of the stack without returning. */
__attribute__((noinline)) static void leave(void (*how)(void))
{
    VkBool32 yes;
    char here;
    upper = &here;
    doing = how;
    if (setjmp(out) == 0) {
        supported(&yes);
        fail("the driver came back");
    }
}

static void *leave_elsewhere(void *how)
{
    leave(how == leave ? jumps : throws);
    return NULL;
}

/* argument: cancel, throw or jump, and whether the same thread calls again */
static void out_of_driver(void)
{
    pthread_t t;
    const char *how = arguments[0];
    bool same_thread = arguments[1] != NULL, jump = strcmp(how, "jump") == 0;
    within(120);
    load();
    for (int round = 0; round < (jump ? 1 : 3); round++) {
        surface_new();
        if (strcmp(how, "cancel") == 0) {
            char byte;
            doing = blocks;
            CHECK(pipe(inside) == 0, "pipe: %s", strerror(errno));
            CHECK(pthread_create(&t, NULL, ask, NULL) == 0, "no thread");
            CHECK(read(inside[0], &byte, 1) == 1, "the driver was not called");
            CHECK(pthread_cancel(t) == 0, "no cancellation");
            pthread_join(t, NULL);
            close(inside[0]);
            close(inside[1]);
        } else if (same_thread) {
            leave(jump ? jumps : throws);
        } else {
            CHECK(pthread_create(&t, NULL, leave_elsewhere, jump ? (void *)leave : NULL) == 0, "no thread");
            pthread_join(t, NULL);
        }
        double began = seconds();
        if (same_thread) { /* from a frame no deeper on the stack, which would look like a callback */
            VkBool32 yes;
            VkResult result = supported(&yes);
            CHECK(result == VK_SUCCESS && yes, "result %d, supported %d", result, yes);
        }
        ask_elsewhere();
        ask(NULL);
        double took = seconds() - began;
        CHECK(jump || took < 3, "asking again took %.1f s", took);
        surface_end();
    }
}

/* ---- descriptors
 * ----------------------------------------------------------------------------------------------------- */

static void *look_up(void *unused)
{
    get_instance_proc(instance, "vkBreakingTEST");
    return unused;
}

/* A thread is cancelled while a driver is asked for a new name in every device. The device can still be destroyed. */
static void out_of_look_up(void)
{
    pthread_t t;
    VkDevice device;
    char byte;
    within(60);
    load();
    CHECK(instance_new(&instance) == VK_SUCCESS && device_new(instance, &device) == VK_SUCCESS, "no device");
    doing = blocks;
    CHECK(pipe(inside) == 0, "pipe: %s", strerror(errno));
    CHECK(pthread_create(&t, NULL, look_up, NULL) == 0, "no thread");
    CHECK(read(inside[0], &byte, 1) == 1, "the driver was not asked");
    CHECK(pthread_cancel(t) == 0, "no cancellation");
    pthread_join(t, NULL);
    device_end(instance, device);
    instance_end(instance);
}

static void *live_until_cancelled(void *unused)
{
    for (;;) {
        VkInstance one;
        enumerate();
        if (instance_new(&one) == VK_SUCCESS) instance_end(one);
        pthread_testcancel();
    }
    return unused;
}

static void cancelled_threads(void)
{
    within(170);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    char *open_before = descriptors();
    for (long i = 0; i < number("GUEST_ROUNDS", 300); i++) {
        pthread_t t;
        CHECK(pthread_create(&t, NULL, live_until_cancelled, NULL) == 0, "no thread in round %ld", i);
        usleep((useconds_t)(rand() % 3000)); /* at any point of its work */
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
    char *open_after = descriptors();
    same("descriptors", open_before, open_after);
    CHECK(life() == VK_SUCCESS, "no life afterwards");
}

/* The global enumerations with a NULL count. */
static void no_count(void)
{
    load();
    COMMAND(NULL, vkEnumerateInstanceLayerProperties);
    COMMAND(NULL, vkEnumerateInstanceExtensionProperties);
    VkLayerProperties layer;
    VkExtensionProperties extension;
    printf("%d %d %d %d\n", vkEnumerateInstanceLayerProperties(NULL, NULL),
           vkEnumerateInstanceLayerProperties(NULL, &layer), vkEnumerateInstanceExtensionProperties(NULL, NULL, NULL),
           vkEnumerateInstanceExtensionProperties(NULL, NULL, &extension));
}

/* Installs a seccomp filter that refuses one system call. */
static void refuse(unsigned call, unsigned error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog sent = {.len = sizeof filter / sizeof *filter, .filter = filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &sent) == 0, "seccomp: %s", strerror(errno));
}

static void no_futex(void)
{
    refuse(SYS_futex, EPERM);
    load();
    for (int i = 0; i < 3; i++) CHECK(life() == VK_SUCCESS, "no life");
    CHECK(in_child(only_a_life, NULL, 60) == 0, "no life in a child");
    unload();
}

/* argument: the error number of pread */
static void no_pread(void)
{
    refuse(SYS_pread64, (unsigned)atoi(arguments[0]));
    load();
    CHECK(life() == VK_SUCCESS, "no life");
}

/* Every pread is interrupted, as in some FUSE file systems. */
static void no_end_of_signals(void)
{
    refuse(SYS_pread64, EINTR);
    load();
    printf("%d\n", life());
}

const struct guest_case hostile_cases[] = {
    {"fork-handlers", fork_handlers},
    {"fork-own-lock", fork_own_lock},
    {"linker-lock", linker_lock},
    {"no-count", no_count},
    {"no-end-of-signals", no_end_of_signals},
    {"no-futex", no_futex},
    {"no-pread", no_pread},
    {"out-of-driver", out_of_driver},
    {"out-of-look-up", out_of_look_up},
    {"cancelled-threads", cancelled_threads},
    {0},
};
