/* asked.c: counts the questions to the core, and tests panics of the core, which library/standin.c wraps. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static atomic_int entered;

/* Asks a question about a layer that does not exist, and returns how often the core was called. */
static int ask(const char *kind, int number)
{
    char name[32];
    uint32_t count = 0;
    PFN_vkEnumerateInstanceExtensionProperties list =
        (PFN_vkEnumerateInstanceExtensionProperties)loader_function("vkEnumerateInstanceExtensionProperties");
    snprintf(name, sizeof name, "%s %d", kind, number);
    int before = entered;
    VkResult result = list(name, &count, NULL);
    CHECK(result == VK_ERROR_LAYER_NOT_PRESENT, "%s: result %d", name, result);
    return entered - before;
}

static void begin(void)
{
    char text[32];
    snprintf(text, sizeof text, "%p", (void *)&entered);
    setenv("GUEST_COUNTER", text, 1);
    load();
    CHECK(ask("first", 0) > 0, "the core was not asked");
}

/* Recently used answers stay in the cache; the least recently used ones are removed. */
static void asked_often(void)
{
    begin();
    for (int i = 0; i < 100; i++) {
        CHECK(ask("other", i) > 0, "question %d was not asked before", i);
        CHECK(ask("first", 0) == 0, "what is used is forgotten after %d others", i + 1);
    }
    for (int i = 97; i < 100; i++) CHECK(ask("other", i) == 0, "question %d is forgotten", i);
    for (int i = 50; i < 53; i++) CHECK(ask("other", i) > 0, "question %d is remembered", i);
}

/* Each question contains a large file. argument: the number of such answers that the cache holds */
static void asked_large(void)
{
    int kept = atoi(arguments[0]);
    begin();
    for (int i = 0; i < 6; i++) CHECK(ask("large", i) > 0, "question %d was not asked before", i);
    for (int i = 5; i > 5 - kept; i--) CHECK(ask("large", i) == 0, "question %d is forgotten", i);
    CHECK(ask("large", 5 - kept) > 0, "more than %d are remembered", kept);
}

/* A panic leaks no memory, and later calls succeed. argument: the kind of panic */
static void after_panics(void)
{
    load();
    VkInstance instance;
    CHECK(life() == VK_SUCCESS, "no life");
    long before = 0;
    for (int i = 0; i < 400; i++) {
        setenv("STANDIN", arguments[0], 1);
        VkResult result = instance_new(&instance);
        CHECK(result == atoi(arguments[1]), "result %d", result);
        unsetenv("STANDIN");
        if (i % 20 == 0) CHECK(life() == VK_SUCCESS, "no life after it");
        if (i == 100) before = resident_kb();
    }
    CHECK(resident_kb() < before + 200, "%ld kB resident, were %ld", resident_kb(), before);
}

const struct guest_case asked_cases[] = {
    {"asked-often", asked_often}, {"asked-large", asked_large}, {"after-panics", after_panics}, {0}};
