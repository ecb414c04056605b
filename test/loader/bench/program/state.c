/* state.c: a device, and a command buffer in which draws are valid, also on real drivers: recorded inside a render
 * pass, with a pipeline. Nothing is submitted. The pipeline discards all primitives, so that neither an image nor a
 * fragment shader is needed. */
#include "state.h"

#include <string.h>

/* #version 450
 * void main() {} */
static const uint32_t shader[] = {
    0x07230203, 0x00010000, 0,          6, 0, 0x00020011, 1, 0x0003000e, 0, 1, 0x0005000f, 0, 4,          0x6e69616d, 0,
    0x00020013, 2,          0x00030021, 3, 2, 0x00050036, 2, 4,          0, 3, 0x000200f8, 5, 0x000100fd, 0x00010038,
};

static uint32_t family;
static VkCommandPool pool;
static VkRenderPass pass;
static VkFramebuffer framebuffer;
static VkPipelineLayout layout;
static VkShaderModule module;
static VkPipeline pipeline;

static PFN_vkVoidFunction of_device(const char *name)
{
    PFN_vkVoidFunction function = now.gdpa(now.device, name);
    if (!function) bench_die("the device has no %s", name);
    return function;
}
#define DO(name, ...) ((PFN_##name)of_device(#name))(__VA_ARGS__)
#define MUST(name, ...) bench_must(DO(name, __VA_ARGS__), #name)

/* Chooses a queue family with graphics; otherwise the first one, and nothing can be drawn. */
static void choose_family(void)
{
    PFN_vkGetPhysicalDeviceQueueFamilyProperties families_of =
        (PFN_vkGetPhysicalDeviceQueueFamilyProperties)bench_export("vkGetPhysicalDeviceQueueFamilyProperties");
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    families_of(now.physical, &count, families);
    now.draws = false;
    for (family = 0; family < count && !now.draws; family++)
        now.draws = families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT;
    family = now.draws ? family - 1 : 0;
}

VkDevice state_make_device(void)
{
    if (!now.create_device) {
        now.create_device = (PFN_vkCreateDevice)bench_export("vkCreateDevice");
        now.destroy_device = (PFN_vkDestroyDevice)bench_export("vkDestroyDevice");
        now.gdpa = (PFN_vkGetDeviceProcAddr)bench_export("vkGetDeviceProcAddr");
    }
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkDevice device;
    bench_must(now.create_device(now.physical, &info, NULL, &device), "vkCreateDevice");
    return device;
}

static void make_pipeline(void)
{
    VkPipelineLayoutCreateInfo empty = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    MUST(vkCreatePipelineLayout, now.device, &empty, NULL, &layout);
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof(shader), .pCode = shader};
    MUST(vkCreateShaderModule, now.device, &code, NULL, &module);
    VkPipelineShaderStageCreateInfo stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                             .module = module,
                                             .pName = "main"};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = VK_TRUE,
        .lineWidth = 1};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = 1,
                                         .pStages = &stage,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pRasterizationState = &rasterization,
                                         .layout = layout,
                                         .renderPass = pass,
                                         .basePipelineIndex = -1};
    MUST(vkCreateGraphicsPipelines, now.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
}

void state_record(void)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkRenderPassBeginInfo render = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                    .renderPass = pass,
                                    .framebuffer = framebuffer,
                                    .renderArea = {.extent = {1, 1}}};
    MUST(vkResetCommandPool, now.device, pool, 0);
    MUST(vkBeginCommandBuffer, now.commands, &begin);
    DO(vkCmdBeginRenderPass, now.commands, &render, VK_SUBPASS_CONTENTS_INLINE);
    DO(vkCmdBindPipeline, now.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

static void make_commands(void)
{
    VkCommandPoolCreateInfo with = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    MUST(vkCreateCommandPool, now.device, &with, NULL, &pool);
    VkCommandBufferAllocateInfo from = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    /* With the exported function, so that the library's functions accept the command buffer. */
    PFN_vkAllocateCommandBuffers allocate = (PFN_vkAllocateCommandBuffers)bench_export("vkAllocateCommandBuffers");
    bench_must(allocate(now.device, &from, &now.commands), "vkAllocateCommandBuffers");
}

static void make_pass(void)
{
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
    VkRenderPassCreateInfo passes = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
    MUST(vkCreateRenderPass, now.device, &passes, NULL, &pass);
    VkFramebufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = pass, .width = 1, .height = 1, .layers = 1};
    MUST(vkCreateFramebuffer, now.device, &buffer, NULL, &framebuffer);
}

void state_enter_device(void)
{
    choose_family();
    now.device = state_make_device();
    if (!now.draws) return;
    make_commands();
    make_pass();
    make_pipeline();
    state_record();
}

void state_leave_device(void)
{
    if (now.draws) {
        DO(vkDestroyPipeline, now.device, pipeline, NULL);
        DO(vkDestroyShaderModule, now.device, module, NULL);
        DO(vkDestroyPipelineLayout, now.device, layout, NULL);
        DO(vkDestroyFramebuffer, now.device, framebuffer, NULL);
        DO(vkDestroyRenderPass, now.device, pass, NULL);
        DO(vkDestroyCommandPool, now.device, pool, NULL);
    }
    now.destroy_device(now.device, NULL);
    now.device = NULL;
}
