/* threads.c: rules G-8 and G-12: small stacks, fibers, short threads, first callers of every kind; nothing runs in the
 * background. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest.h"

/* Not a count but an enumeration alone: 0. */
static void *some_lives(void *count) {
    if (!count) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    for (intptr_t i = 0; i < (intptr_t)count; i++) CHECK(life() == VK_SUCCESS, "no life");
    return NULL;
}

static void thread_with(size_t stack, void *count) {
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstacksize(&attr, stack) == 0, "stack of %zu", stack);
    int err = pthread_create(&t, &attr, some_lives, count);
    CHECK(err == 0, "pthread_create: %s", strerror(err));
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
}

/* The first call of all, and later ones, on the smallest stack that there is. */
static void small_stack_first(void) {
    load();
    thread_with(16384, NULL);
    CHECK(core_mapped() || !getenv("GUEST_CORE"), "the core is not open");
}

static void small_stacks(void) {
    load();
    for (int i = 0; i < 20; i++) thread_with(16384, NULL);
    for (int i = 0; i < 20; i++) thread_with(16384, (void *)1);
    thread_with(16384, (void *)600); /* long enough for collections */
}

/* How much of the calling thread's own stack enumerations take, the first and opening one among them; and that the
 * core is entered on another. */
#define PAINTED (128 * 1024)
static void *painted_enumerations(void *p) {
    for (int i = 0; i < 200; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    return p;
}

static void stack_use(void) {
    pthread_attr_t attr;
    pthread_t t;
    load();
    unsigned char *stack = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, 0x5a, PAINTED);
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstack(&attr, stack, PAINTED) == 0, "no stack");
    CHECK(pthread_create(&t, &attr, painted_enumerations, NULL) == 0, "no thread");
    pthread_join(t, NULL);
    size_t untouched = 0;
    while (untouched < PAINTED && stack[untouched] == 0x5a) untouched++;
    printf("%zu bytes of the thread's stack\n", PAINTED - untouched);
    CHECK(core_opened_at, "the core was not opened");
    CHECK(core_opened_at < (uintptr_t)stack || core_opened_at >= (uintptr_t)stack + PAINTED,
          "the core was opened on the thread's stack");
    CHECK(PAINTED - untouched < 12000, "%zu bytes of the thread's stack were used", PAINTED - untouched);
}

/* ---- fibers ---- */

#define FIBERS 4
static ucontext_t fiber[FIBERS], scheduler;
static int fibers_done;

static void fiber_main(int index) {
    for (int i = 0; i < 5; i++) {
        VkInstance instance;
        CHECK(enumerate() == VK_SUCCESS, "no enumeration");
        CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
        swapcontext(&fiber[index], &scheduler);
        instance_end(instance);
    }
    fibers_done++;
    swapcontext(&fiber[index], &scheduler);
}

static void *run_fibers(void *round) {
    for (int i = 0; i < FIBERS; i++)
        if (fibers_done < FIBERS) swapcontext(&scheduler, &fiber[i]);
    return round;
}

/* Fibers on stacks of their own that go from thread to thread. */
static void fibers(void) {
    load();
    for (int i = 0; i < FIBERS; i++) {
        size_t size = 24 * 1024;
        getcontext(&fiber[i]);
        fiber[i].uc_stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fiber[i].uc_stack.ss_size = size;
        fiber[i].uc_link = NULL;
        makecontext(&fiber[i], (void (*)(void))fiber_main, 1, i);
    }
    while (fibers_done < FIBERS) {
        pthread_t t;
        pthread_create(&t, NULL, run_fibers, NULL);
        pthread_join(t, NULL);
    }
}

/* A messenger's callback that switches to another fiber, which uses the loader, and back. */
static ucontext_t within, outside;
static int switched;
static VkBool32 VKAPI_PTR switch_away(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)severity;
    (void)types;
    (void)data;
    (void)user;
    if (switched++ == 0) swapcontext(&within, &outside);
    return VK_FALSE;
}

static void message_fiber(void) {
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)loader_function("vkCreateInstance");
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = 0x1111,
        .messageType = 7,
        .pfnUserCallback = switch_away,
    };
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = &messenger};
    VkInstance instance;
    CHECK(create(&info, NULL, &instance) == VK_SUCCESS, "no instance");
    instance_end(instance);
    swapcontext(&within, &outside);
}

static void callback_fiber(void) {
    static char stack[256 * 1024];
    load();
    getcontext(&within);
    within.uc_stack.ss_sp = stack;
    within.uc_stack.ss_size = sizeof stack;
    makecontext(&within, message_fiber, 0);
    swapcontext(&outside, &within);
    CHECK(switched == 1, "no message");
    CHECK(life() == VK_SUCCESS, "no life while another is in its callback");
    swapcontext(&outside, &within);
    CHECK(switched > 1, "no further message");
}

/* ---- many ---- */

static void short_threads(void) {
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    unsigned threads = thread_count();
    for (int i = 0; i < 100; i++) thread_with(65536, NULL);
    long before = resident_kb();
    for (int i = 0; i < 1000; i++) thread_with(65536, NULL);
    long after = resident_kb();
    CHECK(after < before + 40000, "%ld kB resident, were %ld", after, before);
    CHECK(thread_count() == threads, "%u threads, were %u", thread_count(), threads);
}

static void *many_enumerations(void *p) {
    for (int i = 0; i < 50; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    return p;
}

/* All at once: the runtime's threads were all made at opening. */
static void crowd(void) {
    pthread_t t[64];
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    unsigned threads = thread_count();
    for (int i = 0; i < 64; i++) CHECK(pthread_create(&t[i], NULL, many_enumerations, NULL) == 0, "no thread");
    for (int i = 0; i < 64; i++) pthread_join(t[i], NULL);
    CHECK(thread_count() == threads, "%u threads, were %u", thread_count(), threads);
}

/* A manifest of many MB in the layer folder, for a few calls. */
static void large_manifest(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/large.json", getenv("VK_LAYER_PATH"));
    FILE *f = fopen(path, "w");
    CHECK(f, "%s: %s", path, strerror(errno));
    fprintf(f, "{\"file_format_version\": \"1.0.0\", \"filler\": [0");
    for (int i = 0; i < 400000; i++) fprintf(f, ", \"some text %d\"", i);
    fprintf(f, "]}\n");
    fclose(f);
    for (int i = 0; i < 3; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration with a large manifest");
    unlink(path);
}

/* Many calls, many collections, of large and of small heaps: memory comes to rest, and no descriptor is left. */
static void steady(void) {
    load();
    char *before_descriptors = descriptors();
    large_manifest();
    for (int i = 0; i < 300; i++) CHECK(life() == VK_SUCCESS, "no life");
    long before = resident_kb();
    for (int i = 0; i < 4000; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    for (int i = 0; i < 700; i++) CHECK(life() == VK_SUCCESS, "no life");
    long after = resident_kb();
    printf("%ld kB, then %ld kB\n", before, after);
    CHECK(before < 90000, "%ld kB resident after a large manifest", before);
    CHECK(after < before + 40000, "%ld kB resident, were %ld", after, before);
    char *after_descriptors = descriptors();
    same("descriptors", before_descriptors, after_descriptors);
    free(before_descriptors);
    free(after_descriptors);
}

/* ---- G-8 ---- */

static int core_tasks(pid_t pid, pid_t *tid, int room) {
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    CHECK(d, "%s: %s", path, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && atoi(e->d_name) != pid && count < room) tid[count++] = atoi(e->d_name);
    closedir(d);
    return count;
}

static long switches(pid_t pid) {
    pid_t tid[64];
    long sum = 0, value;
    int count = core_tasks(pid, tid, 64);
    for (int i = 0; i < count; i++) {
        char path[96], line[256];
        snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid[i]);
        FILE *f = fopen(path, "r");
        if (!f) continue;
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &value) == 1) sum += value;
        fclose(f);
    }
    return sum;
}

/* Between calls nothing happens. */
static void at_rest(void) {
    load();
    for (int i = 0; i < 50; i++) CHECK(life() == VK_SUCCESS, "no life");
    usleep(500000);
    long before = switches(getpid());
    usleep(1500000);
    long after = switches(getpid());
    CHECK(after - before <= 4, "the core's threads woke up %ld times in 1.5 s", after - before);
}

/* With every thread of the core stopped by a debugger, the program's own thread still gets its answers. */
static void threads_stopped(void) {
    int go[2], done[2];
    char byte;
    CHECK(pipe(go) == 0 && pipe(done) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        load();
        CHECK(life() == VK_SUCCESS, "no life");
        usleep(100000);
        CHECK(write(done[1], "r", 1) == 1 && read(go[0], &byte, 1) == 1, "pipe");
        for (int i = 0; i < 10; i++) CHECK(life() == VK_SUCCESS, "no life");
        _exit(0);
    }
    CHECK(read(done[0], &byte, 1) == 1, "the child died");
    pid_t tid[64];
    int count = core_tasks(pid, tid, 64);
    CHECK(count > 0, "the core has no threads");
    for (int i = 0; i < count; i++) {
        CHECK(ptrace(PTRACE_SEIZE, tid[i], NULL, NULL) == 0, "ptrace: %s", strerror(errno));
        ptrace(PTRACE_INTERRUPT, tid[i], NULL, NULL);
        int status;
        waitpid(tid[i], &status, __WALL);
    }
    CHECK(write(go[1], "g", 1) == 1, "pipe");
    double end = seconds() + 10;
    int status = -1;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (seconds() > end) {
            kill(pid, SIGKILL);
            fail("no answer while the core's threads are stopped");
        }
        usleep(1000);
        /* A process ends only when its threads may: let them go when it is ending. */
        for (int i = 0; i < count; i++) {
            int s;
            if (waitpid(tid[i], &s, __WALL | WNOHANG) == tid[i] && WIFSTOPPED(s) && (s >> 16) == PTRACE_EVENT_EXIT)
                ptrace(PTRACE_CONT, tid[i], NULL, NULL);
        }
    }
    CHECK(status == 0, "status %x", (unsigned)status);
}

/* ---- first callers ---- */

/* A library whose constructor makes an instance, before main or inside dlopen (its path is the argument). */
static void constructor(void) {
    setenv("GUEST_LOADER", loader_path, 1);
    void *first = dlopen(arguments[0], RTLD_NOW);
    CHECK(first, "%s", dlerror());
    const int *result = dlsym(first, "constructor_result");
    CHECK(result && *result == VK_SUCCESS, "the constructor got %d", result ? *result : -1000);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
}

/* Floating-point exceptions that the program has unmasked are not for the core's arithmetic. */
static void float_exceptions(void) {
    unsigned control = __builtin_ia32_stmxcsr();
    load();
    __builtin_ia32_ldmxcsr(control & ~0x1e80u); /* all but denormals */
    unsigned set = __builtin_ia32_stmxcsr();
    for (int i = 0; i < 100; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    CHECK(__builtin_ia32_stmxcsr() == set, "control was %x, is %x", set, __builtin_ia32_stmxcsr());
    __builtin_ia32_ldmxcsr(control);
}

const struct guest_case thread_cases[] = {
    {"small-stack-first", small_stack_first},
    {"small-stacks", small_stacks},
    {"stack-use", stack_use},
    {"fibers", fibers},
    {"callback-fiber", callback_fiber},
    {"short-threads", short_threads},
    {"crowd", crowd},
    {"steady", steady},
    {"at-rest", at_rest},
    {"threads-stopped", threads_stopped},
    {"constructor", constructor},
    {"float-exceptions", float_exceptions},
    {0},
};
