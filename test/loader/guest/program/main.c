/* main.c: guest LOADER CASE [ARGUMENT...]: runs one case on one loader. The exit code is 0 if the rule holds. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

const char *loader_path;
char **arguments;
void *loader;
PFN_vkGetInstanceProcAddr get_instance_proc;

void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "guest: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    _exit(1);
}

double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void only_in(const char *a, const char *b, const char *word)
{
    while (*a) {
        size_t length = strcspn(a, "\n") + 1;
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)length, a);
        if (!strstr(b, line)) fprintf(stderr, "guest: %s %s", word, line);
        a += a[length - 1] ? length : length - 1;
    }
}

void same(const char *what, const char *before, const char *after)
{
    if (strcmp(before, after) == 0) return;
    only_in(before, after, "was:");
    only_in(after, before, "is: ");
    fail("%s have changed", what);
}

long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

/* ---- the loader -------------------------------------------------------------------------------------------------- */

void load(void)
{
    loader = dlopen(loader_path, RTLD_NOW | RTLD_LOCAL);
    CHECK(loader, "%s", dlerror());
    get_instance_proc = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
    CHECK(get_instance_proc, "%s", dlerror());
}

void unload(void)
{
    CHECK(dlclose(loader) == 0, "%s", dlerror());
    loader = NULL;
}

PFN_vkVoidFunction loader_function(const char *name)
{
    PFN_vkVoidFunction f = (PFN_vkVoidFunction)dlsym(loader, name);
    CHECK(f, "%s", dlerror());
    return f;
}

#define COMMAND(instance, name) PFN_##name name = (PFN_##name)get_instance_proc(instance, #name)

VkResult enumerate(void)
{
    COMMAND(NULL, vkEnumerateInstanceVersion);
    COMMAND(NULL, vkEnumerateInstanceLayerProperties);
    COMMAND(NULL, vkEnumerateInstanceExtensionProperties);
    uint32_t version = 0, count = 0;
    VkResult result = vkEnumerateInstanceVersion(&version);
    if (result == VK_SUCCESS && version < VK_API_VERSION_1_0) return VK_ERROR_UNKNOWN;
    if (result == VK_SUCCESS) result = vkEnumerateInstanceLayerProperties(&count, NULL);
    if (result == VK_SUCCESS) result = vkEnumerateInstanceExtensionProperties(NULL, &count, NULL);
    if (result == VK_SUCCESS && count < 2) return VK_ERROR_UNKNOWN;
    return result;
}

VkResult instance_new(VkInstance *instance)
{
    static atomic_uint asked;
    char name[32];
    snprintf(name, sizeof name, "question %u", ++asked);
    return instance_named(name, instance);
}

VkResult instance_named(const char *name, VkInstance *instance)
{
    COMMAND(NULL, vkCreateInstance);
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = name, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    return vkCreateInstance(&info, NULL, instance);
}

void instance_end(VkInstance instance)
{
    COMMAND(instance, vkDestroyInstance);
    vkDestroyInstance(instance, NULL);
}

VkResult device_new(VkInstance instance, VkDevice *device)
{
    COMMAND(instance, vkEnumeratePhysicalDevices);
    COMMAND(instance, vkCreateDevice);
    COMMAND(instance, vkGetDeviceQueue);
    VkPhysicalDevice physical = NULL;
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) return result;
    if (count == 0) return VK_ERROR_UNKNOWN;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    result = vkCreateDevice(physical, &info, NULL, device);
    VkQueue got = NULL;
    if (result == VK_SUCCESS) vkGetDeviceQueue(*device, 0, 0, &got);
    return result == VK_SUCCESS && !got ? VK_ERROR_UNKNOWN : result;
}

void device_end(VkInstance instance, VkDevice device)
{
    COMMAND(instance, vkDestroyDevice);
    vkDestroyDevice(device, NULL);
}

VkResult life(void)
{
    VkInstance instance;
    VkDevice device;
    VkResult result = enumerate();
    if (result == VK_SUCCESS) result = instance_new(&instance);
    if (result != VK_SUCCESS) return result;
    result = device_new(instance, &device);
    if (result == VK_SUCCESS) device_end(instance, device);
    instance_end(instance);
    return result;
}

/* ---- observations of the process --------------------------------------------------------------------------------- */

static long status_number(const char *field)
{
    char line[256];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    CHECK(f, "/proc/self/status: %s", strerror(errno));
    size_t length = strlen(field);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, field, length) == 0 && line[length] == ':') value = atol(line + length + 1);
    fclose(f);
    return value;
}

unsigned thread_count(void)
{
    return (unsigned)status_number("Threads");
}
/* Counts pages, because the number in /proc/self/status is the sum of several inexact counters. */
long resident_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file) return status_number("VmRSS");
    while (kb < 0 && fgets(line, sizeof line, file)) sscanf(line, "Rss: %ld kB", &kb);
    fclose(file);
    return kb;
}
long space_kb(void)
{
    return status_number("VmSize");
}
long space_peak_kb(void)
{
    return status_number("VmPeak");
}

static int maps_lines(const char *part)
{
    char line[4400];
    int count = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    CHECK(f, "/proc/self/maps: %s", strerror(errno));
    while (fgets(line, sizeof line, f)) count += !part || strstr(line, part) != NULL;
    fclose(f);
    return count;
}

bool mapped(const char *part)
{
    return maps_lines(part) > 0;
}
int maps_count(void)
{
    return maps_lines(NULL);
}

char *maps(void)
{
    char *text = NULL, line[4400];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *f = fopen("/proc/self/maps", "r");
    CHECK(f && out, "/proc/self/maps: %s", strerror(errno));
    while (fgets(line, sizeof line, f)) fputs(line, out);
    fclose(f);
    fclose(out);
    return text;
}

char *dispositions(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (int sig = 1; sig <= 64; sig++) {
        /* The C library uses these; it sets one of them at the first pthread_create of a process. */
        if (sig == 32 || sig == 33) continue;
        struct {
            void *handler;
            unsigned long flags;
            void *restorer;
            uint64_t mask;
        } now = {0};
        if (syscall(SYS_rt_sigaction, sig, NULL, &now, 8) == 0)
            fprintf(f, "%d %p %lx %" PRIx64 "\n", sig, now.handler, now.flags, now.mask);
    }
    fclose(f);
    return text;
}

char *thread_state(void)
{
    char *text = NULL;
    sigset_t mask;
    stack_t alternate;
    uint64_t bits = 0;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigaltstack(NULL, &alternate);
    for (int sig = 1; sig <= 64; sig++)
        if (sigismember(&mask, sig) == 1) bits |= 1ull << (sig - 1);
    int length = asprintf(&text, "mask %" PRIx64 ", alternate stack %p %zu %x", bits, alternate.ss_sp,
                          alternate.ss_size, (unsigned)alternate.ss_flags);
    CHECK(length > 0, "no memory");
    return text;
}

char *descriptors(void)
{
    char *text = NULL, path[64], target[256];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0) continue;
        target[length] = 0;
        fprintf(f, "%d %s\n", fd, target);
    }
    fclose(f);
    return text;
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

int wait_child(pid_t pid, unsigned within)
{
    double end = seconds() + within;
    int status;
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid) return status;
        CHECK(got == 0, "waitpid: %s", strerror(errno));
        if (seconds() > end) break;
        usleep(500);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return -1;
}

int in_child(int (*function)(void *), void *argument, unsigned within)
{
    pid_t pid = fork();
    CHECK(pid >= 0, "fork: %s", strerror(errno));
    if (pid == 0) _exit(function(argument));
    return wait_child(pid, within);
}

int main(int argc, char **argv)
{
    const struct guest_case *lists[] = {signal_cases,       fork_cases,    limit_cases, closing_cases, thread_cases,
                                        surroundings_cases, allowed_cases, asked_cases, hostile_cases};
    CHECK(argc >= 3, "usage: guest LOADER CASE [ARGUMENT...]");
    loader_path = argv[1];
    arguments = argv + 3;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct guest_case *c = lists[i]; c->name; c++)
            if (strcmp(c->name, argv[2]) == 0) {
                c->run();
                return 0;
            }
    fail("no case %s", argv[2]);
}
