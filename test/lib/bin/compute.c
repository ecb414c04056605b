/* compute.c: a program that computes: records many dispatches into one command buffer, each of which adds one to a
 * number in a buffer, submits it, and reads the number back. Everything is called through the library's exports, so
 * that every recorded command goes through a trampoline.
 *
 *   compute LIBRARY DISPATCHES [DEVICE INDEX]
 *
 * Prints one line: device name, dispatches, result, nanoseconds a recorded command. Exits 0 when the result is right.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/zvk.h"

/* layout(local_size_x = 1) in; layout(set = 0, binding = 0) buffer B { uint total; };
 * void main() { atomicAdd(total, 1u); } */
static const uint32_t shader[] = {
    0x07230203, 0x00010000, 0x0008000b, 0x00000013, 0x00000000, 0x00020011, 0x00000001, 0x0006000b, 0x00000001,
    0x4c534c47, 0x6474732e, 0x3035342e, 0x00000000, 0x0003000e, 0x00000000, 0x00000001, 0x0005000f, 0x00000005,
    0x00000004, 0x6e69616d, 0x00000000, 0x00060010, 0x00000004, 0x00000011, 0x00000001, 0x00000001, 0x00000001,
    0x00030003, 0x00000002, 0x000001c2, 0x00040005, 0x00000004, 0x6e69616d, 0x00000000, 0x00030005, 0x00000007,
    0x00000042, 0x00050006, 0x00000007, 0x00000000, 0x61746f74, 0x0000006c, 0x00030005, 0x00000009, 0x00000000,
    0x00050048, 0x00000007, 0x00000000, 0x00000023, 0x00000000, 0x00030047, 0x00000007, 0x00000003, 0x00040047,
    0x00000009, 0x00000022, 0x00000000, 0x00040047, 0x00000009, 0x00000021, 0x00000000, 0x00040047, 0x00000012,
    0x0000000b, 0x00000019, 0x00020013, 0x00000002, 0x00030021, 0x00000003, 0x00000002, 0x00040015, 0x00000006,
    0x00000020, 0x00000000, 0x0003001e, 0x00000007, 0x00000006, 0x00040020, 0x00000008, 0x00000002, 0x00000007,
    0x0004003b, 0x00000008, 0x00000009, 0x00000002, 0x00040015, 0x0000000a, 0x00000020, 0x00000001, 0x0004002b,
    0x0000000a, 0x0000000b, 0x00000000, 0x00040020, 0x0000000c, 0x00000002, 0x00000006, 0x0004002b, 0x00000006,
    0x0000000e, 0x00000001, 0x0004002b, 0x00000006, 0x0000000f, 0x00000000, 0x00040017, 0x00000011, 0x00000006,
    0x00000003, 0x0006002c, 0x00000011, 0x00000012, 0x0000000e, 0x0000000e, 0x0000000e, 0x00050036, 0x00000002,
    0x00000004, 0x00000000, 0x00000003, 0x000200f8, 0x00000005, 0x00050041, 0x0000000c, 0x0000000d, 0x00000009,
    0x0000000b, 0x000700ea, 0x00000006, 0x00000010, 0x0000000d, 0x0000000e, 0x0000000f, 0x0000000e, 0x000100fd,
    0x00010038,
};

static void *library;

static void *export(const char *name)
{
    void *p = dlsym(library, name);
    if (!p) {
        fprintf(stderr, "%s: no export %s\n", "compute", name);
        exit(3);
    }
    return p;
}

static void must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS) return;
    fprintf(stderr, "%s gave %d\n", what, (int)result);
    exit(1);
}

#define GET(command) PFN_##command command = (PFN_##command) export(#command)
#define MUST(command, ...) must(((PFN_##command) export(#command))(__VA_ARGS__), #command)
#define DO(command, ...) ((PFN_##command) export(#command))(__VA_ARGS__)

static VkPhysicalDevice pick(VkInstance instance, uint32_t index, char *name)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    MUST(vkEnumeratePhysicalDevices, instance, &count, devices);
    if (index >= count) {
        fprintf(stderr, "there is no device %u\n", index);
        exit(1);
    }
    VkPhysicalDeviceProperties properties;
    DO(vkGetPhysicalDeviceProperties, devices[index], &properties);
    snprintf(name, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE, "%s", properties.deviceName);
    return devices[index];
}

static uint32_t compute_family(VkPhysicalDevice physical)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    DO(vkGetPhysicalDeviceQueueFamilyProperties, physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return i;
    fprintf(stderr, "no queue family computes\n");
    exit(1);
}

static uint32_t host_memory(VkPhysicalDevice physical, uint32_t allowed)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    DO(vkGetPhysicalDeviceMemoryProperties, physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    fprintf(stderr, "no memory that the host sees\n");
    exit(1);
}

/* Pipeline, layout and descriptor set for one storage buffer; they live until the device is destroyed. */
struct work {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkShaderModule module;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

static struct work make_work(VkDevice device, VkBuffer buffer)
{
    struct work w;
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    MUST(vkCreateDescriptorSetLayout, device, &set_layout, NULL, &w.set_layout);
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &w.set_layout};
    MUST(vkCreatePipelineLayout, device, &layout, NULL, &w.layout);
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof shader, .pCode = shader};
    MUST(vkCreateShaderModule, device, &module, NULL, &w.module);
    VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = w.module,
                                                      .pName = "main"},
                                            .layout = w.layout};
    MUST(vkCreateComputePipelines, device, VK_NULL_HANDLE, 1, &pipeline, NULL, &w.pipeline);
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    MUST(vkCreateDescriptorPool, device, &pool, NULL, &w.pool);
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = w.pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &w.set_layout};
    MUST(vkAllocateDescriptorSets, device, &allocate, &w.set);
    VkDescriptorBufferInfo range = {buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = w.set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &range};
    DO(vkUpdateDescriptorSets, device, 1, &write, 0, NULL);
    return w;
}

static void destroy_work(VkDevice device, const struct work *w)
{
    DO(vkDestroyDescriptorPool, device, w->pool, NULL);
    DO(vkDestroyPipeline, device, w->pipeline, NULL);
    DO(vkDestroyShaderModule, device, w->module, NULL);
    DO(vkDestroyPipelineLayout, device, w->layout, NULL);
    DO(vkDestroyDescriptorSetLayout, device, w->set_layout, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    uint32_t dispatches = (uint32_t)strtoul(argv[2], NULL, 10);

    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    MUST(vkCreateInstance, &info, NULL, &instance);
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    VkPhysicalDevice physical = pick(instance, argc > 3 ? (uint32_t)atoi(argv[3]) : 0, name);
    uint32_t family = compute_family(physical);
    float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = family,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    VkDevice device;
    MUST(vkCreateDevice, physical, &device_info, NULL, &device);
    VkQueue queue;
    DO(vkGetDeviceQueue, device, family, 0, &queue);

    VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    MUST(vkCreateBuffer, device, &buffer_info, NULL, &buffer);
    VkMemoryRequirements needs;
    DO(vkGetBufferMemoryRequirements, device, buffer, &needs);
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = needs.size,
                                        .memoryTypeIndex = host_memory(physical, needs.memoryTypeBits)};
    VkDeviceMemory memory;
    MUST(vkAllocateMemory, device, &memory_info, NULL, &memory);
    MUST(vkBindBufferMemory, device, buffer, memory, 0);
    uint32_t *number;
    MUST(vkMapMemory, device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&number);
    *number = 0;

    struct work work = make_work(device, buffer);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    VkCommandPool pool;
    MUST(vkCreateCommandPool, device, &pool_info, NULL, &pool);
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBuffer commands;
    MUST(vkAllocateCommandBuffers, device, &allocate, &commands);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    MUST(vkBeginCommandBuffer, commands, &begin);
    DO(vkCmdBindPipeline, commands, VK_PIPELINE_BIND_POINT_COMPUTE, work.pipeline);
    DO(vkCmdBindDescriptorSets, commands, VK_PIPELINE_BIND_POINT_COMPUTE, work.layout, 0, 1, &work.set, 0, NULL);
    GET(vkCmdDispatch);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (uint32_t i = 0; i < dispatches; i++) vkCmdDispatch(commands, 1, 1, 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    DO(vkCmdPipelineBarrier, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
       0, NULL, 0, NULL);
    MUST(vkEndCommandBuffer, commands);
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    MUST(vkCreateFence, device, &fence_info, NULL, &fence);
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    MUST(vkQueueSubmit, queue, 1, &submit, fence);
    MUST(vkWaitForFences, device, 1, &fence, VK_TRUE, 60000000000ull);

    uint32_t got = *number;
    double each = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / dispatches;
    printf("%s: %u dispatches, result %u, %.1f ns a command\n", name, dispatches, got, each);
    DO(vkDestroyFence, device, fence, NULL);
    DO(vkDestroyCommandPool, device, pool, NULL);
    destroy_work(device, &work);
    DO(vkUnmapMemory, device, memory);
    DO(vkDestroyBuffer, device, buffer, NULL);
    DO(vkFreeMemory, device, memory, NULL);
    DO(vkDestroyDevice, device, NULL);
    DO(vkDestroyInstance, instance, NULL);
    dlclose(library);
    return got == dispatches ? 0 : 1;
}
