/* rendering.c: command buffers with pipelines, passes, draws, dispatches and queries. */
#include "program.h"

/* SPIR-V 1.0 of shaders whose main does nothing. */
#define HEADER(bound) 0x07230203, 0x00010000, 0, bound, 0
#define SHADER_CAPABILITY (2 << 16) | 17, 1
#define MEMORY_MODEL (3 << 16) | 14, 0, 1
#define ENTRY_POINT(stage) (5 << 16) | 15, stage, 1, 0x6E69616D, 0 /* "main" */
#define VOID_TYPE (2 << 16) | 19, 2, (3 << 16) | 33, 3, 2
#define BODY VOID_TYPE, (5 << 16) | 54, 2, 1, 0, 3, (2 << 16) | 248, 4, (1 << 16) | 253, (1 << 16) | 56

static const uint32_t vertex_code[] = {HEADER(5), SHADER_CAPABILITY, MEMORY_MODEL, ENTRY_POINT(0), BODY};
static const uint32_t fragment_code[] = {
    HEADER(5), SHADER_CAPABILITY, MEMORY_MODEL, ENTRY_POINT(4), (3 << 16) | 16, 1, 7 /* origin is upper left */, BODY};
static const uint32_t compute_code[] = {
    HEADER(5), SHADER_CAPABILITY, MEMORY_MODEL, ENTRY_POINT(5), (6 << 16) | 16, 1, 17 /* local size */, 1, 1, 1, BODY};

static VkShaderModule module(const uint32_t *code, size_t size)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule m;
    OK(vkCreateShaderModule(device, &info, NULL, &m));
    return m;
}

VkCommandPool make_pool(void)
{
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    OK(vkCreateCommandPool(device, &info, NULL, &pool));
    return pool;
}

VkCommandBuffer begin(VkCommandPool pool)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBuffer buffer;
    OK(vkAllocateCommandBuffers(device, &allocate, &buffer));
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(buffer, &info));
    return buffer;
}

void submit_and_wait(VkCommandBuffer buffer)
{
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &info, NULL, &fence));
    CHECK(vkGetFenceStatus(device, fence) == VK_NOT_READY);
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, 1000) == VK_TIMEOUT);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &buffer};
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    OK(vkResetFences(device, 1, &fence));
    CHECK(vkGetFenceStatus(device, fence) == VK_NOT_READY);
    vkDestroyFence(device, fence, NULL);
}

#define SIDE 64
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

static VkImage image;
static VkImageView view;
static VkDeviceMemory image_memory;

static void make_target(void)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = FORMAT,
        .extent = {SIDE, SIDE, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    };
    OK(vkCreateImage(device, &info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image, &needs);
    image_memory = make_memory(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    OK(vkBindImageMemory(device, image, image_memory, 0));
    VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = FORMAT,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    OK(vkCreateImageView(device, &view_info, NULL, &view));
}

static VkRenderPass make_pass(void)
{
    VkAttachmentDescription attachment = {
        .format = FORMAT,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    };
    VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &reference};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass};
    VkRenderPass pass;
    OK(vkCreateRenderPass(device, &info, NULL, &pass));
    return pass;
}

static VkPipeline make_graphics(VkPipelineLayout layout, VkRenderPass pass, VkShaderModule vertex,
                                VkShaderModule fragment)
{
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = vertex,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = fragment,
         .pName = "main"},
    };
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, SIDE, SIDE, 0, 1};
    VkRect2D scissor = {{0, 0}, {SIDE, SIDE}};
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .viewportCount = 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    /* The shader writes no colour, so none may be let through. */
    VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0};
    VkPipelineColorBlendStateCreateInfo blends = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = 1,
                                                  .pAttachments = &blend};
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewports,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pColorBlendState = &blends,
        .layout = layout,
        .renderPass = pass,
    };
    VkPipeline pipeline;
    OK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

static void draw(VkCommandBuffer c, VkBuffer indices)
{
    vkCmdDraw(c, 3, 1, 0, 0);
    vkCmdBindIndexBuffer(c, indices, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(c, 6, 2, 0, 0, 0);
    vkCmdDrawIndirect(c, indices, 0, 1, sizeof(VkDrawIndirectCommand));
}

void rendering(void)
{
    VkShaderModule vertex = module(vertex_code, sizeof(vertex_code));
    VkShaderModule fragment = module(fragment_code, sizeof(fragment_code));
    VkShaderModule compute = module(compute_code, sizeof(compute_code));
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout;
    OK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    make_target();
    VkRenderPass pass = make_pass();
    VkFramebufferCreateInfo framebuffer_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                .renderPass = pass,
                                                .attachmentCount = 1,
                                                .pAttachments = &view,
                                                .width = SIDE,
                                                .height = SIDE,
                                                .layers = 1};
    VkFramebuffer framebuffer;
    OK(vkCreateFramebuffer(device, &framebuffer_info, NULL, &framebuffer));
    VkPipeline graphics = make_graphics(layout, pass, vertex, fragment);
    VkComputePipelineCreateInfo compute_info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = compute,
                  .pName = "main"},
        .layout = layout,
    };
    VkPipeline computing;
    OK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &compute_info, NULL, &computing));

    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 256,
                                      .usage = VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer indices;
    OK(vkCreateBuffer(device, &buffer_info, NULL, &indices));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, indices, &needs);
    VkDeviceMemory memory = make_memory(needs, 0);
    OK(vkBindBufferMemory(device, indices, memory, 0));
    VkQueryPoolCreateInfo query_info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 2};
    VkQueryPool pool;
    OK(vkCreateQueryPool(device, &query_info, NULL, &pool));

    VkCommandPool commands = make_pool();
    VkCommandBuffer c = begin(commands);
    vkCmdFillBuffer(c, indices, 0, VK_WHOLE_SIZE, 0);
    VkMemoryBarrier filled = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &filled, 0,
                         NULL, 0, NULL);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, computing);
    vkCmdDispatch(c, 4, 4, 4);
    vkCmdResetQueryPool(c, pool, 0, 2);
    vkCmdBeginQuery(c, pool, 0, 0);
    VkClearValue clear = {.color = {.float32 = {0, 0, 0, 1}}};
    VkRenderPassBeginInfo begin_pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = pass,
                                        .framebuffer = framebuffer,
                                        .renderArea = {{0, 0}, {SIDE, SIDE}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    vkCmdBeginRenderPass(c, &begin_pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics);
    draw(c, indices);
    vkCmdEndRenderPass(c);
    vkCmdEndQuery(c, pool, 0);
    OK(vkEndCommandBuffer(c));
    submit_and_wait(c);
    uint64_t results[2] = {9, 9};
    OK(vkGetQueryPoolResults(device, pool, 0, 1, sizeof(results), results, sizeof(results),
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT));
    CHECK(results[0] == 0 && results[1] == 1);

    vkDestroyCommandPool(device, commands, NULL);
    vkDestroyQueryPool(device, pool, NULL);
    vkDestroyBuffer(device, indices, NULL);
    vkFreeMemory(device, memory, NULL);
    vkDestroyPipeline(device, computing, NULL);
    vkDestroyPipeline(device, graphics, NULL);
    vkDestroyFramebuffer(device, framebuffer, NULL);
    vkDestroyRenderPass(device, pass, NULL);
    vkDestroyImageView(device, view, NULL);
    vkDestroyImage(device, image, NULL);
    vkFreeMemory(device, image_memory, NULL);
    vkDestroyPipelineLayout(device, layout, NULL);
    vkDestroyShaderModule(device, compute, NULL);
    vkDestroyShaderModule(device, fragment, NULL);
    vkDestroyShaderModule(device, vertex, NULL);
}
