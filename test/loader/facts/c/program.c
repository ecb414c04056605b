/* program.c: a program that contains the spine with a replaced core (-Wl,--wrap). The spine's messages to the core go
 * to the test through a pipe, and the test's answers come back through another. So the test sees every fact that the
 * library reads, and can ask for more facts than the core does.
 *
 * Each byte of standard input makes an API call. The output has entries: a letter (B: a call of the core begins, A: a
 * message that was answered before, D: a message, which the test answers, E: the end of the API call, with its result
 * instead of a message), the size of the message, and the message. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gen/zvk.h"
#include "interface.h"

enum { TO_TEST = 3, FROM_TEST = 4, ANSWER_MAX = 1 << 20, ENTRIES_MAX = 256 };

struct goc;
int __wrap_core_go_begin(struct goc *g, void **call);
int __wrap_core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok);
int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok);

VkResult vkEnumerateInstanceVersion(uint32_t *version);
VkResult vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties);
VkResult vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *properties);
VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                          VkInstance *instance);
void vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator);

static void tell(uint32_t kind, const void *message, size_t size)
{
    uint32_t head[2] = {kind, (uint32_t)size};
    const char *at = message;
    if (write(TO_TEST, head, sizeof head) != sizeof head) _exit(3);
    for (ssize_t wrote; size; at += wrote, size -= (size_t)wrote) {
        wrote = write(TO_TEST, at, size);
        if (wrote <= 0) _exit(3);
    }
}

static void hear(void *message, size_t size)
{
    char *at = message;
    for (ssize_t got; size; at += got, size -= (size_t)got) {
        got = read(FROM_TEST, at, size);
        if (got <= 0) _exit(4);
    }
}

int __wrap_core_go_begin(struct goc *g, void **call)
{
    (void)g;
    *call = NULL;
    tell('B', NULL, 0);
    return 0;
}

int __wrap_core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok)
{
    (void)g, (void)call;
    *ok = true;
    tell('A', message, size);
    return 0;
}

int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok)
{
    static char bytes[ANSWER_MAX];
    uint32_t length;
    (void)g, (void)call;
    tell('D', message, size);
    hear(&length, sizeof length);
    if (length > sizeof bytes) _exit(5);
    hear(bytes, length);
    *answer = bytes;
    *answer_size = length;
    *ok = true;
    return 0;
}

static VkResult perform(int what)
{
    uint32_t number = ENTRIES_MAX;
    static VkLayerProperties layers[ENTRIES_MAX];
    static VkExtensionProperties extensions[ENTRIES_MAX];
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = NULL;
    switch (what) {
    case 'v': return vkEnumerateInstanceVersion(&number);
    case 'l': return vkEnumerateInstanceLayerProperties(&number, layers);
    case 'e': return vkEnumerateInstanceExtensionProperties(NULL, &number, extensions);
    default: break;
    }
    VkResult result = vkCreateInstance(&info, NULL, &instance);
    if (result == VK_SUCCESS) vkDestroyInstance(instance, NULL);
    return result;
}

int main(void)
{
    char what;
    while (read(STDIN_FILENO, &what, 1) == 1) {
        VkResult result = perform(what);
        tell('E', &result, sizeof result);
    }
    return 0;
}
