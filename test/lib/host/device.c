/* device.c: devices, queues and command buffers. */
#include "host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const *names(const struct line *line, const char *key, struct arena *arena, uint32_t *count)
{
    int n = arg_count(line, key);
    const char **array = take(arena, ((size_t)n + 1) * sizeof *array);
    for (int i = 0; i < n; i++) {
        const char *name = arg_nth(line, key, i);
        array[i] = strcmp(name, "null") ? take_text(arena, name) : NULL;
    }
    *count = (uint32_t)n;
    return n ? array : NULL;
}

COMMAND(create_device)
{
    struct arena arena;
    VkDevice device = (VkDevice)(uintptr_t)0xabababababababab;
    uint64_t pd = arg_ref(line, "pd", 0);
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)command(line, "vkCreateDevice", arg_ref(line, "instance", 0), 0);
    if (now->failed || !arena_start(&arena)) return;
    VkDeviceCreateInfo *info = take(&arena, sizeof *info);
    float *priority = take(&arena, sizeof *priority);
    VkDeviceQueueCreateInfo *queue = take(&arena, sizeof *queue);
    queue->sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue->queueFamilyIndex = (uint32_t)arg_int(line, "family", 0);
    queue->queueCount = 1;
    queue->pQueuePriorities = priority;
    info->sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info->queueCreateInfoCount = 1;
    info->pQueueCreateInfos = queue;
    info->ppEnabledLayerNames = names(line, "layer", &arena, &info->enabledLayerCount);
    info->ppEnabledExtensionNames = names(line, "ext", &arena, &info->enabledExtensionCount);
    info->enabledLayerCount = (uint32_t)arg_int(line, "layer_count", info->enabledLayerCount);
    info->enabledExtensionCount = (uint32_t)arg_int(line, "ext_count", info->enabledExtensionCount);
    if (arg(line, "features")) {
        VkPhysicalDeviceFeatures *features = take(&arena, sizeof *features);
        features->robustBufferAccess = VK_TRUE;
        info->pEnabledFeatures = features;
    }
    /* Structures in the order of their words: next=, group=, features2=, unknown=, unknown_edge=. The first word is
     * nearest. */
    VkBaseOutStructure *last = NULL;
    for (int i = line->count - 1; i >= 0; i--) {
        VkBaseOutStructure *made = NULL;
        if (!strcmp(line->key[i], "features2")) {
            VkPhysicalDeviceFeatures2 *f = take(&arena, sizeof *f);
            f->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
            f->features.robustBufferAccess = VK_TRUE;
            made = (VkBaseOutStructure *)f;
        } else if (!strcmp(line->key[i], "unknown")) {
            made = take(&arena, 64);
            made->sType = (VkStructureType)number(line->value[i]);
        } else if (!strcmp(line->key[i], "unknown_edge")) {
            made = at_edge(32);
            made->sType = (VkStructureType)number(line->value[i]);
        } else if (!strcmp(line->key[i], "group")) { /* group=#1,#2; group=null: says that it has one, and has none */
            VkDeviceGroupDeviceCreateInfo *g = take(&arena, sizeof *g);
            VkPhysicalDevice *members = take(&arena, 64 * sizeof *members);
            char *list = take_text(&arena, line->value[i]), *rest = NULL;
            g->sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO;
            for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
                members[g->physicalDeviceCount++] = (VkPhysicalDevice)(uintptr_t)resolve(word);
            if (strcmp(line->value[i], "null")) g->pPhysicalDevices = members;
            made = (VkBaseOutStructure *)g;
        } else if (!strcmp(line->key[i], "next")) {
            made = (VkBaseOutStructure *)(uintptr_t)resolve(line->value[i]);
        } else {
            continue;
        }
        if (!made) continue;
        made->pNext = last;
        last = made;
    }
    info->pNext = arg(line, "chain") ? (const void *)(uintptr_t)arg_ref(line, "chain", 0) : last;
    if (now->failed) return arena_end(&arena);
    unsigned char *before = malloc(arena.used);
    if (!before) abort();
    memcpy(before, arena.base, arena.used);
    if (arg(line, "readonly")) arena_freeze(&arena);
    VkResult result = create((VkPhysicalDevice)(uintptr_t)pd, info, arg_allocator(line), &device);
    put_int("result", result);
    put_int("unchanged", !memcmp(before, arena.base, arena.used));
    put_int("written", device != (VkDevice)(uintptr_t)0xabababababababab);
    if (result == VK_SUCCESS) {
        put_pointer("device", device);
        object_add(arg_or(line, "as", "d"), DEVICE, (uint64_t)(uintptr_t)device, pd, NULL, 0);
    }
    free(before);
    arena_end(&arena);
}

COMMAND(destroy_device)
{
    const char *name = arg_or(line, "name", "d");
    uint64_t device = resolve(name);
    PFN_vkDestroyDevice destroy =
        (PFN_vkDestroyDevice)command(line, "vkDestroyDevice", arg_ref(line, "instance", 0), device);
    if (now->failed) return;
    destroy((VkDevice)(uintptr_t)device, arg_allocator(line));
    object_drop(name);
}

COMMAND(get_queue)
{
    uint64_t device = arg(line, "device") ? arg_ref(line, "device", 0) : resolve("d");
    uint32_t family = (uint32_t)arg_int(line, "family", 0), index = (uint32_t)arg_int(line, "index", 0);
    VkQueue queue = NULL;
    const char *name = arg(line, "two") ? "vkGetDeviceQueue2" : "vkGetDeviceQueue";
    PFN_vkVoidFunction f = command(line, name, arg_ref(line, "instance", 0), device);
    if (now->failed) return;
    if (arg(line, "two")) {
        VkDeviceQueueInfo2 info = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, .queueFamilyIndex = family, .queueIndex = index};
        ((PFN_vkGetDeviceQueue2)f)((VkDevice)(uintptr_t)device, &info, &queue);
    } else {
        ((PFN_vkGetDeviceQueue)f)((VkDevice)(uintptr_t)device, family, index, &queue);
    }
    put_pointer("queue", queue);
    if (queue) put_int("same_word", *(void **)queue == *(void **)(uintptr_t)device);
    object_add(arg_or(line, "as", "q"), QUEUE, (uint64_t)(uintptr_t)queue, device, NULL, 0);
}

COMMAND(command_buffers)
{
    uint64_t device = arg(line, "device") ? arg_ref(line, "device", 0) : resolve("d");
    uint64_t instance = arg_ref(line, "instance", 0);
    uint32_t count = (uint32_t)arg_int(line, "count", 1);
    PFN_vkCreateCommandPool create = (PFN_vkCreateCommandPool)command(line, "vkCreateCommandPool", instance, device);
    PFN_vkAllocateCommandBuffers allocate =
        (PFN_vkAllocateCommandBuffers)command(line, "vkAllocateCommandBuffers", instance, device);
    if (now->failed) return;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer buffers[64] = {0};
    char name[96];
    if (count > 64) count = 64;
    put_int("pool_result", create((VkDevice)(uintptr_t)device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = count};
    VkResult result = allocate((VkDevice)(uintptr_t)device, &info, buffers);
    put_int("result", result);
    put_open("buffers", '[');
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        put_number(pointer_number(buffers[i]));
        if (buffers[i] && result == VK_SUCCESS) same = same && *(void **)buffers[i] == *(void **)(uintptr_t)device;
        snprintf(name, sizeof name, "%s%u", arg_or(line, "as", "c"), i);
        object_add(name, COMMAND_BUFFER, (uint64_t)(uintptr_t)buffers[i], device, NULL, 0);
    }
    put_close(']');
    put_int("same_word", same);
    snprintf(name, sizeof name, "%spool", arg_or(line, "as", "c"));
    object_add(name, POOL, (uint64_t)pool, device, NULL, 0);
}
