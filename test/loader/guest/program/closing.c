/* closing.c: rules G-11 and G-13: unloading, several copies, the end of the process, a replaced file. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* Returns the real path of the loader's file, as in /proc/self/maps. */
static const char *file_name(void)
{
    static char path[4096];
    CHECK(realpath(loader_path, path), "%s: %s", loader_path, strerror(errno));
    return path;
}

/* Returns all mappings, without the end of the heap, which the C library changes. */
static char *mappings(void)
{
    char *text = maps(), *heap = strstr(text, "[heap]");
    if (!heap) return text;
    while (heap > text && heap[-1] != '\n') heap--;
    char *end = strchr(heap, '\n');
    memmove(heap, end, strlen(end) + 1);
    return text;
}

static void close_round(int round)
{
    load();
    for (int n = 0; n < 2; n++) CHECK(life() == VK_SUCCESS, "no life in round %d", round);
    unload();
    CHECK(!mapped(file_name()), "%s is still mapped", file_name());
    CHECK(!mapped("libvk_null"), "the driver is still mapped");
}

/* Returns the number of keys for thread-specific values that the process can still create. */
static unsigned keys_left(void)
{
    static pthread_key_t key[4096];
    unsigned count = 0;
    while (count < sizeof key / sizeof key[0] && pthread_key_create(&key[count], NULL) == 0) count++;
    for (unsigned i = 0; i < count; i++) pthread_key_delete(key[i]);
    return count;
}

/* A hundred rounds of opening, using and closing leave nothing behind, after a few rounds for the C library's caches.
 */
static void close_rounds(void)
{
    char *open_before = descriptors();
    for (int i = 0; i < 20; i++) close_round(i);
    free(maps());
    char *before = mappings();
    unsigned threads = thread_count(), keys = keys_left();
    long grown = 64;
    /* A leak grows in every hundred rounds; the C library's heap grows only occasionally. */
    for (int hundred = 0; hundred < 3 && grown >= 64; hundred++) {
        long resident = resident_kb();
        for (int i = 0; i < 100; i++) close_round(i);
        grown = resident_kb() - resident;
    }
    char *after = mappings();
    printf("%ld kB\n", grown);
    same("mappings", before, after);
    CHECK(grown < 64, "%ld kB more resident memory", grown);
    CHECK(thread_count() == threads && threads == 1, "%u threads, were %u", thread_count(), threads);
    CHECK(keys_left() == keys, "%u keys are left, were %u", keys_left(), keys);
    char *open_after = descriptors();
    same("descriptors", open_before, open_after);
    /* A fork or exit handler in the unmapped library would crash here. */
    pid_t pid = fork();
    if (pid == 0) exit(0);
    int status = wait_child(pid, 20);
    CHECK(status == 0, "a fork after unloading: status %x", (unsigned)status);
    free(before);
    free(after);
    free(open_before);
    free(open_after);
}

/* argument: the same loader in another file */
static void two_loaders(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    void *first = loader;
    PFN_vkGetInstanceProcAddr first_proc = get_instance_proc;
    loader_path = arguments[0];
    load();
    CHECK(loader != first, "one library, not two");
    CHECK(life() == VK_SUCCESS, "no life on the second");
    VkInstance instance;
    CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
    void *second = loader;
    PFN_vkGetInstanceProcAddr second_proc = get_instance_proc;
    loader = first;
    get_instance_proc = first_proc;
    unload();
    loader = second;
    get_instance_proc = second_proc;
    instance_end(instance);
    for (int i = 0; i < 5; i++) CHECK(life() == VK_SUCCESS, "no life after the first is gone");
    unload();
    CHECK(!mapped("libvk_null"), "the driver is still mapped");
}

/* ---- the end of the process ---- */

static void *for_ever(void *p)
{
    for (;;) life();
    return p;
}

static void *end_here(void *how)
{
    if (strstr(how, "quick")) quick_exit(0);
    if (strstr(how, "_exit")) _exit(0);
    exit(0);
}

/* argument: how the process ends */
static void end_alive(void)
{
    VkInstance instance;
    VkDevice device;
    const char *how = arguments[0];
    load();
    CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
    CHECK(device_new(instance, &device) == VK_SUCCESS, "no device");
    if (strstr(how, "busy")) {
        for (int i = 0; i < 6; i++) {
            pthread_t t;
            pthread_create(&t, NULL, for_ever, NULL);
        }
        usleep(30000);
    }
    if (strstr(how, "elsewhere")) { /* another thread ends the process while this one is inside the loader */
        pthread_t t;
        pthread_create(&t, NULL, end_here, arguments[0]);
        for_ever(NULL);
    }
    if (strstr(how, "exit") || strstr(how, "quick")) end_here(arguments[0]);
    if (strstr(how, "child")) {
        pid_t pid = fork();
        if (pid == 0) exit(0);
        int status = wait_child(pid, 20);
        CHECK(status == 0, "status %x", (unsigned)status);
    }
}

/* Replaces the C library's function, to notice a file opened at the end. */
static bool leaving;
static void last_word(void)
{
    leaving = true;
}

static void end_untouched(void)
{
    atexit(last_word);
    load();
    (void)get_instance_proc(NULL, "vkCreateInstance");
}

void *dlopen(const char *path, int flags)
{
    static void *(*real)(const char *, int);
    if (!real) real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (leaving) {
        fprintf(stderr, "guest: at the end %s is opened\n", path);
        _exit(1);
    }
    return real(path, flags);
}

/* ---- G-13 ---- */

static int child_life(void *unused)
{
    (void)unused;
    return life() == VK_SUCCESS ? 0 : 1;
}

static void first_result(void)
{
    VkInstance instance;
    load();
    VkResult result = instance_new(&instance);
    printf("%d\n", result);
}

/* The library was opened by a relative path, and the working directory changes before the first call. */
static void change_directory(void)
{
    load();
    CHECK(chdir("/") == 0, "chdir: %s", strerror(errno));
    CHECK(life() == VK_SUCCESS, "no life");
    CHECK(in_child(child_life, NULL, 20) == 0, "no life in a child");
}

/* The library's file is replaced between opening and the first call. argument: the command that replaces it */
static void upgrade(void)
{
    load();
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-ec", arguments[0], (char *)NULL);
        _exit(127);
    }
    int status = wait_child(pid, 60);
    CHECK(status == 0, "%s: status %x", arguments[0], (unsigned)status);
    for (int i = 0; i < 3; i++) CHECK(life() == VK_SUCCESS, "no life");
    CHECK(in_child(child_life, NULL, 20) == 0, "no life in a child");
    unload();
    load();
    CHECK(life() == VK_SUCCESS, "no life with the new file");
}

const struct guest_case closing_cases[] = {
    {"close-rounds", close_rounds},
    {"two-loaders", two_loaders},
    {"end-alive", end_alive},
    {"end-untouched", end_untouched},
    {"first-result", first_result},
    {"upgrade", upgrade},
    {"change-directory", change_directory},
    {0},
};
