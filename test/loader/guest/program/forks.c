/* forks.c: rule G-4: forked children use the loader, in every state of the parent's threads. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define WITHIN 20 /* seconds; after these a child counts as hanging */

static int child_life(void *unused)
{
    (void)unused;
    VkResult result = life();
    if (result == VK_SUCCESS) result = life();
    if (thread_count() != 1) return 5;
    return result == VK_SUCCESS ? 0 : 2;
}

static int child_and_its_child(void *depth)
{
    int left = (int)(intptr_t)depth;
    if (life() != VK_SUCCESS) return 2;
    if (thread_count() != 1) return 5;
    if (left > 0 && in_child(child_and_its_child, (void *)(intptr_t)(left - 1), WITHIN) != 0) return 3;
    return life() == VK_SUCCESS ? 0 : 4;
}

static void expect_children(long count, int (*function)(void *), void *argument)
{
    int bad = 0, last = 0;
    for (long i = 0; i < count; i++) {
        int status = in_child(function, argument, WITHIN);
        if (status != 0) {
            bad++;
            last = status;
        }
        if (bad > 2) fail("%d of %ld children failed, the last with status %x", bad, i + 1, (unsigned)last);
    }
    CHECK(bad == 0, "%d of %ld children failed, the last with status %x", bad, count, (unsigned)last);
}

static void fork_idle(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    expect_children(number("GUEST_CHILDREN", 100), child_life, NULL);
    CHECK(life() == VK_SUCCESS, "no life in the parent afterwards");
}

/* The parent has the library open and has not called it. */
static void fork_untouched(void)
{
    load();
    expect_children(10, child_life, NULL);
    CHECK(life() == VK_SUCCESS, "no life in the parent");
}

static void fork_deep(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    int status = in_child(child_and_its_child, (void *)12, 60);
    CHECK(status == 0, "status %x", (unsigned)status);
}

static atomic_bool stop_flag;
static atomic_long lives;

static void *live_on(void *unused)
{
    while (!stop_flag) {
        VkInstance instance;
        CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
        instance_end(instance);
        lives++;
    }
    return unused;
}

static void fork_busy(void)
{
    pthread_t t[8];
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, live_on, NULL);
    expect_children(number("GUEST_CHILDREN", 100), child_and_its_child, (void *)(intptr_t)(number("GUEST_DEPTH", 0)));
    stop_flag = true;
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
    printf("%ld instances in the parent\n", lives);
    CHECK(lives > 20, "only %ld instances in the parent", lives);
}

/* Calls clone directly, so that fork handlers do not run. */
static void raw_clone(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    for (int i = 0; i < 10; i++) {
        pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
        CHECK(pid >= 0, "clone: %s", strerror(errno));
        if (pid == 0) _exit(child_life(NULL));
        int status = wait_child(pid, WITHIN);
        CHECK(status == 0, "status %x", (unsigned)status);
    }
}

/* vfork shares memory with the parent: afterwards the parent must not look like a child. */
static void fork_shared(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    int maps = maps_count();
    for (int i = 0; i < 10; i++) {
        pid_t pid = vfork();
        if (pid == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        int status = wait_child(pid, WITHIN);
        CHECK(status == 0, "status %x", (unsigned)status);
        CHECK(life() == VK_SUCCESS, "no life");
    }
    CHECK(maps_count() < maps + 20, "%d mappings, were %d", maps_count(), maps);
}

/* The child unloads the library and loads it again. */
static int reload(void *unused)
{
    (void)unused;
    unload();
    load();
    if (life() != VK_SUCCESS) return 2;
    unload();
    load();
    return life() == VK_SUCCESS ? 0 : 3;
}

static void fork_reload(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    expect_children(5, reload, NULL);
}

/* The child destroys an inherited instance, and creates another one. */
static VkInstance inherited;
static VkDevice inherited_device;
static int destroy_inherited(void *unused)
{
    device_end(inherited, inherited_device);
    instance_end(inherited);
    return child_life(unused);
}

static void fork_inherited(void)
{
    load();
    CHECK(instance_new(&inherited) == VK_SUCCESS, "no instance");
    CHECK(device_new(inherited, &inherited_device) == VK_SUCCESS, "no device");
    expect_children(5, destroy_inherited, NULL);
    CHECK(life() == VK_SUCCESS, "no life");
}

/* A bad handle in the child of a busy parent ends it with the message and SIGABRT, without a hang (HND-004). */
static int bad_handle(void *unused)
{
    (void)unused;
    static uint64_t zeros[64];
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)loader_function("vkDestroyInstance");
    destroy((VkInstance)zeros, NULL);
    return 1;
}

static void fork_bad_handle(void)
{
    pthread_t t[4];
    load();
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, live_on, NULL);
    while (lives < 8) usleep(1000);
    for (int i = 0; i < 20; i++) {
        int status = in_child(bad_handle, NULL, WITHIN);
        CHECK(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %x", (unsigned)status);
    }
    stop_flag = true;
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}

/* A fork waits a few seconds at most, even if the constructor of a library, or its code within another function of the
 * dynamic linker, waits for the forking thread. */
static int hold[2], released[2];
static void *open_slowly(void *unused)
{
    VkInstance instance;
    if (instance_new(&instance) == VK_SUCCESS) instance_end(instance);
    return unused;
}

static void fork_bounded(void)
{
    /* The driver in the environment reads one byte from the descriptor in GUEST_HOLD. */
    char text[32];
    CHECK(pipe(hold) == 0 && pipe(released) == 0, "pipe: %s", strerror(errno));
    snprintf(text, sizeof text, "%d %d", hold[0], released[1]);
    setenv("GUEST_HOLD", text, 1);
    load();
    pthread_t t;
    pthread_create(&t, NULL, open_slowly, NULL);
    char byte;
    CHECK(read(released[0], &byte, 1) == 1, "the library did not run");
    double begin = seconds();
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    double took = seconds() - begin;
    CHECK(took < 5, "fork took %.1f s", took);
    int status = wait_child(pid, WITHIN);
    CHECK(status == 0, "status %x", (unsigned)status);
    CHECK(write(hold[1], "x", 1) == 1, "write: %s", strerror(errno));
    pthread_join(t, NULL);
    printf("fork waited %.2f s\n", took);
    CHECK(took > 0.5, "fork did not wait for the dynamic linker (%.2f s)", took);
}

const struct guest_case fork_cases[] = {
    {"fork-idle", fork_idle},
    {"fork-untouched", fork_untouched},
    {"fork-deep", fork_deep},
    {"fork-busy", fork_busy},
    {"raw-clone", raw_clone},
    {"fork-shared", fork_shared},
    {"fork-reload", fork_reload},
    {"fork-inherited", fork_inherited},
    {"fork-bad-handle", fork_bad_handle},
    {"fork-bounded", fork_bounded},
    {0},
};
