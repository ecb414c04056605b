/* program.h: the commands that the files of the null driver's test program call, looked up by name. */
#ifndef TEST_NULL_PROGRAM_H
#define TEST_NULL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/zvk.h"

/* clang-format off */
#define GLOBAL_COMMANDS(X) X(vkCreateInstance) X(vkEnumerateInstanceExtensionProperties)

#define INSTANCE_COMMANDS(X)                                                                                           \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceFeatures2KHR)                              \
    X(vkGetPhysicalDeviceProperties2KHR) X(vkGetPhysicalDeviceMemoryProperties)                                        \
    X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkCreateDevice) X(vkGetPhysicalDeviceFormatProperties)               \
    X(vkGetPhysicalDeviceImageFormatProperties) X(vkEnumerateDeviceExtensionProperties) X(vkCreateHeadlessSurfaceEXT)  \
    X(vkDestroySurfaceKHR) X(vkGetPhysicalDeviceSurfaceSupportKHR) X(vkGetPhysicalDeviceSurfaceCapabilitiesKHR)        \
    X(vkGetPhysicalDeviceSurfaceFormatsKHR) X(vkGetPhysicalDeviceSurfacePresentModesKHR) X(vkGetDeviceProcAddr)        \
    X(vkCreateDebugUtilsMessengerEXT) X(vkDestroyDebugUtilsMessengerEXT)

#define DEVICE_COMMANDS(X)                                                                                             \
    X(vkDestroyDevice) X(vkGetDeviceQueue) X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory) X(vkUnmapMemory)         \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) X(vkBindBufferMemory) X(vkCreateImage)       \
    X(vkDestroyImage) X(vkGetImageMemoryRequirements) X(vkBindImageMemory) X(vkGetImageSubresourceLayout)              \
    X(vkCreateImageView) X(vkDestroyImageView) X(vkCreateShaderModule) X(vkDestroyShaderModule)                        \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateRenderPass) X(vkDestroyRenderPass)                  \
    X(vkCreateFramebuffer) X(vkDestroyFramebuffer) X(vkCreateGraphicsPipelines) X(vkCreateComputePipelines)            \
    X(vkDestroyPipeline) X(vkCreatePipelineCache) X(vkDestroyPipelineCache) X(vkGetPipelineCacheData)                  \
    X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout) X(vkCreateDescriptorPool)                           \
    X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkFreeDescriptorSets) X(vkUpdateDescriptorSets)           \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkFreeCommandBuffers)                 \
    X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkResetCommandPool) X(vkCmdPipelineBarrier)                        \
    X(vkCmdBeginRenderPass) X(vkCmdEndRenderPass) X(vkCmdBindPipeline) X(vkCmdDraw) X(vkCmdDrawIndexed)                \
    X(vkCmdDrawIndirect) X(vkCmdBindIndexBuffer) X(vkCmdBindDescriptorSets) X(vkCmdDispatch) X(vkCmdFillBuffer)        \
    X(vkCmdClearColorImage) X(vkCmdSetEvent) X(vkCmdResetEvent) X(vkCmdExecuteCommands) X(vkCmdBeginQuery)             \
    X(vkCmdEndQuery) X(vkCmdResetQueryPool) X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkGetQueryPoolResults)        \
    X(vkCreateFence) X(vkDestroyFence) X(vkResetFences) X(vkGetFenceStatus) X(vkWaitForFences) X(vkCreateSemaphore)    \
    X(vkDestroySemaphore) X(vkCreateEvent) X(vkDestroyEvent) X(vkGetEventStatus) X(vkSetEvent) X(vkResetEvent)         \
    X(vkQueueSubmit) X(vkQueueWaitIdle) X(vkDeviceWaitIdle) X(vkCreateSwapchainKHR) X(vkDestroySwapchainKHR)           \
    X(vkGetSwapchainImagesKHR) X(vkAcquireNextImageKHR) X(vkQueuePresentKHR)
/* clang-format on */

#define DECLARE(name) extern PFN_##name name;
GLOBAL_COMMANDS(DECLARE)
INSTANCE_COMMANDS(DECLARE)
DEVICE_COMMANDS(DECLARE)
#undef DECLARE
extern PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;

extern VkInstance instance;
extern VkPhysicalDevice physical;
extern VkDevice device;
extern VkQueue queue;

/* Ends the program with a line that names the false condition. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(call) CHECK((call) == VK_SUCCESS)

void open_loader(const char *path);
void make_instance(bool messenger);
void make_device(void);
void end_device(void);
void end_instance(void);

void queries(void);
void resources(void);
void rendering(void);
void synchronization(void);
void presentation(void);
int driver_names(const char *driver);
int driver_allocations(const char *driver);

VkCommandPool make_pool(void);
VkCommandBuffer begin(VkCommandPool pool);
void submit_and_wait(VkCommandBuffer buffer);
VkDeviceMemory make_memory(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted);

#endif
