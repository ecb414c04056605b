/* threads.c: rules G-8 and G-12: small stacks, fibers, short-lived threads, first callers of every kind, and no
 * background activity. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest.h"

/* count: of lives; 0: a single enumeration */
static void *some_lives(void *count)
{
    if (!count) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    for (intptr_t i = 0; i < (intptr_t)count; i++) CHECK(life() == VK_SUCCESS, "no life");
    return NULL;
}

static void thread_with(size_t stack, void *count)
{
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstacksize(&attr, stack) == 0, "stack of %zu", stack);
    int err = pthread_create(&t, &attr, some_lives, count);
    CHECK(err == 0, "pthread_create: %s", strerror(err));
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
}

/* The first call, and later ones, on the smallest possible stack. */
static void small_stack_first(void)
{
    load();
    thread_with(16384, (void *)1);
}

static void small_stacks(void)
{
    load();
    for (int i = 0; i < 20; i++) thread_with(16384, NULL);
    for (int i = 0; i < 20; i++) thread_with(16384, (void *)1);
    thread_with(16384, (void *)100);
}

/* Measures the stack that enumerations and whole lives use, including the first ones. */
#define PAINTED (512 * 1024)
static size_t painted(void *(*function)(void *), void *argument)
{
    pthread_attr_t attr;
    pthread_t t;
    unsigned char *stack = mmap(NULL, PAINTED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, 0x5a, PAINTED);
    pthread_attr_init(&attr);
    CHECK(pthread_attr_setstack(&attr, stack, PAINTED) == 0, "no stack");
    CHECK(pthread_create(&t, &attr, function, argument) == 0, "no thread");
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
    size_t untouched = 0;
    while (untouched < PAINTED && stack[untouched] == 0x5a) untouched++;
    munmap(stack, PAINTED);
    return PAINTED - untouched;
}

static void *nothing(void *p)
{
    return p;
}

static void stack_use(void)
{
    load();
    size_t empty = painted(nothing, NULL);
    size_t enumerations = painted(some_lives, NULL), lives = painted(some_lives, (void *)3);
    printf("%zu %zu %zu\n", empty, enumerations, lives);
}

/* ---- fibers ---- */

#define FIBERS 4
static ucontext_t fiber[FIBERS], scheduler;
static int fibers_done;

static void fiber_main(int index)
{
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

static void *run_fibers(void *round)
{
    for (int i = 0; i < FIBERS; i++)
        if (fibers_done < FIBERS) swapcontext(&scheduler, &fiber[i]);
    return round;
}

/* Fibers with their own stacks move between threads. */
static void fibers(void)
{
    load();
    for (int i = 0; i < FIBERS; i++) {
        size_t size = 64 * 1024; /* the distribution's loader needs more than 24 kB on Debian 13 */
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

/* A messenger's callback switches to another fiber, which uses the loader, and back. */
static ucontext_t within, outside;
static int switched;
static VkBool32 VKAPI_PTR switch_away(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    (void)types;
    (void)data;
    (void)user;
    if (switched++ == 0) swapcontext(&within, &outside);
    return VK_FALSE;
}

static void message_fiber(void)
{
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

static void callback_fiber(void)
{
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

static void short_threads(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    unsigned threads = thread_count();
    for (int i = 0; i < 100; i++) thread_with(65536, NULL);
    long before = resident_kb();
    for (int i = 0; i < 400; i++) thread_with(65536, NULL);
    long after = resident_kb();
    CHECK(after < before + 16000, "%ld kB resident, were %ld", after, before);
    CHECK(thread_count() == threads, "%u threads, were %u", thread_count(), threads);
}

static void *many_enumerations(void *p)
{
    for (int i = 0; i < 50; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    return p;
}

/* Many threads at once. */
static void crowd(void)
{
    pthread_t t[64];
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    unsigned threads = thread_count();
    for (int i = 0; i < 64; i++) CHECK(pthread_create(&t[i], NULL, many_enumerations, NULL) == 0, "no thread");
    for (int i = 0; i < 64; i++) pthread_join(t[i], NULL);
    CHECK(thread_count() == threads, "%u threads, were %u", thread_count(), threads);
}

/* A manifest of many MB in the layer directory during a few calls. */
static void large_manifest(void)
{
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

/* Many calls with large and small files: memory stops growing, and no descriptor stays open. */
static void steady(void)
{
    load();
    char *before_descriptors = descriptors();
    large_manifest();
    for (int i = 0; i < 100; i++) CHECK(life() == VK_SUCCESS, "no life");
    long before = resident_kb();
    for (int i = 0; i < 1500; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    for (int i = 0; i < 250; i++) CHECK(life() == VK_SUCCESS, "no life");
    long after = resident_kb();
    printf("%ld kB, then %ld kB\n", before, after);
    CHECK(before < 90000, "%ld kB resident after a large manifest", before);
    CHECK(after < before + 15000, "%ld kB resident, were %ld", after, before);
    char *after_descriptors = descriptors();
    same("descriptors", before_descriptors, after_descriptors);
    free(before_descriptors);
    free(after_descriptors);
}

/* ---- G-8 ---- */

#define IDLERS 4
static pthread_barrier_t idle;

static void *idler(void *p)
{
    CHECK(life() == VK_SUCCESS, "no life");
    pthread_barrier_wait(&idle);
    pause();
    return p;
}

/* While a debugger stops every other thread, calls of this thread still return. */
static void threads_stopped(void)
{
    int go[2], done[2];
    char byte, path[64];
    CHECK(pipe(go) == 0 && pipe(done) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t t;
        load();
        pthread_barrier_init(&idle, NULL, IDLERS + 1);
        for (int i = 0; i < IDLERS; i++) CHECK(pthread_create(&t, NULL, idler, NULL) == 0, "no thread");
        pthread_barrier_wait(&idle);
        CHECK(thread_count() == IDLERS + 1, "%u threads, of which %d are the program's", thread_count(), IDLERS + 1);
        CHECK(write(done[1], "r", 1) == 1 && read(go[0], &byte, 1) == 1, "pipe");
        for (int i = 0; i < 10; i++) CHECK(life() == VK_SUCCESS, "no life");
        _exit(0);
    }
    close(done[1]);
    CHECK(read(done[0], &byte, 1) == 1, "the child died");
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    CHECK(d, "%s: %s", path, strerror(errno));
    int count = 0;
    pid_t tid[IDLERS];
    for (struct dirent *e; (e = readdir(d));) {
        int number = atoi(e->d_name), status;
        if (number == 0 || number == pid || count == IDLERS) continue;
        CHECK(ptrace(PTRACE_SEIZE, number, NULL, NULL) == 0, "ptrace: %s", strerror(errno));
        ptrace(PTRACE_INTERRUPT, number, NULL, NULL);
        waitpid(number, &status, __WALL);
        tid[count++] = number;
    }
    closedir(d);
    CHECK(count == IDLERS, "%d threads are stopped", count);
    CHECK(write(go[1], "g", 1) == 1, "pipe");
    double end = seconds() + 10;
    int status = -1;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (seconds() > end) {
            kill(pid, SIGKILL);
            fail("no answer while other threads are stopped");
        }
        usleep(1000);
        /* A process ends only when its threads can: lets them run when it is ending. */
        for (int i = 0; i < count; i++) {
            int s;
            if (waitpid(tid[i], &s, __WALL | WNOHANG) == tid[i] && WIFSTOPPED(s) && (s >> 16) == PTRACE_EVENT_EXIT)
                ptrace(PTRACE_CONT, tid[i], NULL, NULL);
        }
    }
    CHECK(status == 0, "status %x", (unsigned)status);
}

/* ---- first callers ---- */

/* argument: a library whose constructor creates an instance, before main or inside dlopen */
static void constructor(void)
{
    setenv("GUEST_LOADER", loader_path, 1);
    void *first = dlopen(arguments[0], RTLD_NOW);
    CHECK(first, "%s", dlerror());
    const int *result = dlsym(first, "constructor_result");
    CHECK(result && *result == VK_SUCCESS, "the constructor got %d", result ? *result : -1000);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
}

/* ---- the floating-point environment ---- */

struct floats {
    unsigned mxcsr;
    unsigned short control;
};

static struct floats floats_now(void)
{
    struct floats f = {0};
#if defined __x86_64__ || defined __i386__ /* other machines do not run the case that uses them */
    __asm__ volatile("stmxcsr %0" : "=m"(f.mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(f.control));
#endif
    return f;
}

static void floats_set(struct floats f)
{
#if defined __x86_64__ || defined __i386__
    __asm__ volatile("ldmxcsr %0" : : "m"(f.mxcsr));
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(f.control)); /* no exception has occurred */
#endif
    (void)f;
}

/* Writes a settings file with the driver and its device, which contains fractional numbers. */
static void write_settings(const VkPhysicalDeviceIDProperties *id, uint32_t version)
{
    char path[4096];
    static const char *const directories[] = {".local", "share", "vulkan", "loader_settings.d"};
    int length = snprintf(path, sizeof path, "%s", getenv("HOME"));
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        length += snprintf(path + length, sizeof path - (size_t)length, "/%s", directories[i]);
        CHECK(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
    }
    snprintf(path + length, sizeof path - (size_t)length, "/vk_loader_settings.json");
    FILE *f = fopen(path, "w");
    CHECK(f, "%s: %s", path, strerror(errno));
    fprintf(f,
            "{\"file_format_version\": \"1.0.0\", \"settings\": {\"additional_drivers\": [{\"path\": \"%s\"}], "
            "\"device_configurations\": [{\"driverVersion\": %u.3, \"deviceUUID\": [",
            getenv("VK_DRIVER_FILES"), version);
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) fprintf(f, "%s%d.%u", i ? ", " : "", id->deviceUUID[i], i % 9 + 1);
    fprintf(f, "], \"driverUUID\": [");
    for (unsigned i = 0; i < VK_UUID_SIZE; i++) fprintf(f, "%s%.2fe-1", i ? ", " : "", id->driverUUID[i] * 10 + 0.07);
    fprintf(f, "]}]}}\n");
    fclose(f);
}

static int devices_shown(VkPhysicalDeviceProperties2 *properties)
{
    VkInstance instance;
    VkPhysicalDevice device;
    uint32_t count = 1;
    CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)get_instance_proc(instance, "vkEnumeratePhysicalDevices");
    PFN_vkGetPhysicalDeviceProperties2 get =
        (PFN_vkGetPhysicalDeviceProperties2)get_instance_proc(instance, "vkGetPhysicalDeviceProperties2");
    VkResult result = list(instance, &count, &device);
    if (result == VK_SUCCESS && count == 1 && properties) get(device, properties);
    instance_end(instance);
    return result == VK_SUCCESS ? (int)count : (int)result;
}

/* The program's rounding, exceptions and denormals change no decision, and are not changed. */
static void float_environment(void)
{
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    load();
    CHECK(devices_shown(&properties) == 1, "the driver has no device");
    write_settings(&id, properties.properties.driverVersion);
    unsetenv("VK_DRIVER_FILES");
    unsetenv("VK_ICD_FILENAMES");
    CHECK(devices_shown(NULL) == 1, "the settings file leads to %d devices", devices_shown(NULL));
    struct floats usual = floats_now();
    for (unsigned way = 0; way < 16; way++) {
        const unsigned rounding = way & 3; /* nearest, down, up, to zero */
        struct floats set = {usual.mxcsr | rounding << 13, usual.control | (unsigned short)(rounding << 10)};
        if (way & 4) set.mxcsr |= 0x8040;   /* denormals are zero */
        if (way & 8) set.mxcsr &= ~0x1e80u; /* all exceptions except denormals' */
        if (way & 8) set.control &= (unsigned short)~0x3du;
        set.mxcsr &= ~0x3fu; /* no exception has occurred */
        int shown = 0;
        for (int i = 0; i < 3; i++) {
            unload(); /* clears the caches */
            load();
            floats_set(set);
            shown = devices_shown(NULL);
            struct floats is = floats_now();
            floats_set(usual);
            CHECK(shown == 1, "with control word %x %d devices are shown", set.mxcsr, shown);
            CHECK(is.mxcsr == set.mxcsr && is.control == set.control, "control words were %x %x, are %x %x", set.mxcsr,
                  set.control, is.mxcsr, is.control);
        }
    }
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
    {"threads-stopped", threads_stopped},
    {"constructor", constructor},
    {"float-environment", float_environment},
    {0},
};
