/* closing.c: rules G-11 and G-13: unloading, several spines, the end of the process, where the core is looked for. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* The real name of the loader's file, as it is in /proc/self/maps. */
static const char *file_name(void) {
    static char path[4096];
    CHECK(realpath(loader_path, path), "%s: %s", loader_path, strerror(errno));
    return path;
}

static void close_rounds(void) {
    int maps = 0;
    long resident = 0;
    unsigned threads = 0;
    const int rounds = 120;
    for (int i = 0; i < rounds; i++) {
        load();
        /* The core collects when some MB have come together: in the first half it comes to rest. */
        for (int n = 0; n < 4; n++) CHECK(life() == VK_SUCCESS, "no life in round %d", i);
        unload();
        CHECK(!mapped(file_name()), "%s is still mapped", file_name());
        if (i == rounds / 2) {
            maps = maps_count();
            resident = resident_kb();
            threads = thread_count();
        }
        /* Handlers of fork that point into what is gone would crash here. */
        if (i % 10 == 0) {
            pid_t pid = fork();
            if (pid == 0) _exit(0);
            int status = wait_child(pid, 20);
            CHECK(status == 0, "a fork after unloading: status %x", (unsigned)status);
        }
    }
    CHECK(maps_count() <= maps + 4, "%d mappings, were %d", maps_count(), maps);
    CHECK(resident_kb() < resident + 16000, "%ld kB resident, were %ld", resident_kb(), resident);
    CHECK(thread_count() == threads, "%u threads, were %u", thread_count(), threads);
}

/* argument: the same loader as another file, beside which is the same core */
static void two_spines(void) {
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    unsigned threads = thread_count();
    void *first = loader;
    PFN_vkGetInstanceProcAddr first_proc = get_instance_proc;
    loader_path = arguments[0];
    load();
    CHECK(loader != first, "one library, not two");
    CHECK(life() == VK_SUCCESS, "no life on the second");
    CHECK(thread_count() == threads, "%u threads, were %u: a second core", thread_count(), threads);
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
}

/* ---- the end of the process ---- */

static void *for_ever(void *p) {
    for (;;) life();
    return p;
}

static void *end_here(void *how) {
    if (strstr(how, "quick")) quick_exit(0);
    if (strstr(how, "_exit")) _exit(0);
    exit(0);
}

/* argument: how */
static void end_alive(void) {
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
    if (strstr(how, "elsewhere")) { /* another thread ends the process, this one is inside the loader */
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

/* Replaces the C library's: what is opened at the end shows up, and the stack on which the core is opened. */
static bool leaving;
uintptr_t core_opened_at;
static void last_word(void) { leaving = true; }

static void end_untouched(void) {
    atexit(last_word);
    load();
    (void)get_instance_proc(NULL, "vkCreateInstance");
}

void *dlopen(const char *path, int flags) {
    static void *(*real)(const char *, int);
    if (!real) real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (strstr(path, "libvkcore")) core_opened_at = (uintptr_t)__builtin_frame_address(0);
    if (leaving) {
        fprintf(stderr, "guest: at the end %s is opened\n", path);
        _exit(1);
    }
    return real(path, flags);
}

/* ---- G-13 ---- */

static int child_life(void *unused) {
    (void)unused;
    return life() == VK_SUCCESS ? 0 : 1;
}

static void first_result(void) {
    VkInstance instance;
    load();
    VkResult result = instance_new(&instance);
    printf("%d\n", result);
}

/* The library was found by a relative path; the folder is another when it is first asked. */
static void change_folder(void) {
    load();
    CHECK(chdir("/") == 0, "chdir: %s", strerror(errno));
    CHECK(life() == VK_SUCCESS, "no life");
    CHECK(in_child(child_life, NULL, 20) == 0, "no life in a child");
}

static void result_unload(void) {
    first_result();
    unload();
}

const struct guest_case closing_cases[] = {
    {"close-rounds", close_rounds}, {"two-spines", two_spines},     {"end-alive", end_alive},
    {"end-untouched", end_untouched}, {"first-result", first_result}, {"result-unload", result_unload},
    {"change-folder", change_folder}, {0},
};
