/* resources.c: buffers, images, memory, and objects without behavior. */
#include "program.h"

VkDeviceMemory make_memory(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties p;
    vkGetPhysicalDeviceMemoryProperties(physical, &p);
    for (uint32_t i = 0; i < p.memoryTypeCount; i++) {
        if (!(needs.memoryTypeBits & (1u << i)) || (p.memoryTypes[i].propertyFlags & wanted) != wanted) continue;
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = i};
        VkDeviceMemory memory;
        OK(vkAllocateMemory(device, &info, NULL, &memory));
        return memory;
    }
    CHECK(!"a memory type");
    return VK_NULL_HANDLE;
}

static void buffers(void)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = 1000,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    };
    VkBuffer buffer[2];
    VkDeviceMemory memory[2];
    for (int i = 0; i < 2; i++) {
        OK(vkCreateBuffer(device, &info, NULL, &buffer[i]));
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(device, buffer[i], &needs);
        CHECK(needs.size >= info.size && needs.alignment && (needs.alignment & (needs.alignment - 1)) == 0);
        memory[i] = make_memory(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
        OK(vkBindBufferMemory(device, buffer[i], memory[i], 0));
    }

    /* Written data stays until the next map. */
    char *p;
    OK(vkMapMemory(device, memory[0], 0, VK_WHOLE_SIZE, 0, (void **)&p));
    memset(p, 7, info.size);
    vkUnmapMemory(device, memory[0]);
    OK(vkMapMemory(device, memory[0], 128, 64, 0, (void **)&p));
    CHECK(p[0] == 7 && p[63] == 7);
    vkUnmapMemory(device, memory[0]);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(device, buffer[i], NULL);
        vkFreeMemory(device, memory[i], NULL);
    }
}

static void images(void)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {100, 50, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_LINEAR,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    VkImage image;
    OK(vkCreateImage(device, &info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image, &needs);
    VkSubresourceLayout layout;
    VkImageSubresource whole = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    vkGetImageSubresourceLayout(device, image, &whole, &layout);
    CHECK(layout.offset == 0 && layout.rowPitch == 400 && layout.size == 20000 && needs.size >= 20000);
    VkDeviceMemory memory = make_memory(needs, 0);
    OK(vkBindImageMemory(device, image, memory, 0));
    vkDestroyImage(device, image, NULL);
    vkFreeMemory(device, memory, NULL);

    /* A compressed cube map with a mip chain, and its memory. */
    info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    info.format = VK_FORMAT_BC1_RGB_UNORM_BLOCK;
    info.extent = (VkExtent3D){64, 64, 1};
    info.mipLevels = 7;
    info.arrayLayers = 6;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    OK(vkCreateImage(device, &info, NULL, &image));
    vkGetImageMemoryRequirements(device, image, &needs);
    CHECK(needs.size >= 6 * (16 * 16 * 8 + 8 * 8 * 8 + 4 * 4 * 8 + 2 * 2 * 8 + 3 * 8));
    vkDestroyImage(device, image, NULL);
}

static void descriptors(void)
{
    VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .descriptorCount = 1,
                                            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDescriptorSetLayout layout;
    OK(vkCreateDescriptorSetLayout(device, &layout_info, NULL, &layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                       .maxSets = 2,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkDescriptorPool pool;
    OK(vkCreateDescriptorPool(device, &info, NULL, &pool));
    VkDescriptorSetLayout layouts[2] = {layout, layout};
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 2,
                                            .pSetLayouts = layouts};
    VkDescriptorSet sets[2], old;
    OK(vkAllocateDescriptorSets(device, &allocate, sets));
    CHECK(sets[0] != sets[1]);
    old = sets[1];
    OK(vkFreeDescriptorSets(device, pool, 1, &old));
    allocate.descriptorSetCount = 1;
    OK(vkAllocateDescriptorSets(device, &allocate, &sets[1]));
    vkDestroyDescriptorPool(device, pool, NULL);
    vkDestroyDescriptorSetLayout(device, layout, NULL);
}

static void caches(void)
{
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    OK(vkCreatePipelineCache(device, &info, NULL, &cache));
    size_t size = 0;
    OK(vkGetPipelineCacheData(device, cache, &size, NULL));
    VkPipelineCacheHeaderVersionOne header;
    CHECK(size == sizeof(header));
    OK(vkGetPipelineCacheData(device, cache, &size, &header));
    CHECK(header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.headerSize == 32);
    vkDestroyPipelineCache(device, cache, NULL);
}

void resources(void)
{
    buffers();
    images();
    descriptors();
    caches();
}
