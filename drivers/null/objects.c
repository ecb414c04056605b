/* objects.c: objects without behavior. Their creation ignores the create info.
 *
 * Each object is a small allocation, so that handles are unique, allocation callbacks are used as by a real driver, and
 * sanitizers report objects that a program does not destroy. */
#include "null.h"

static VkResult create(const VkAllocationCallbacks *callbacks, struct object **out)
{
    *out = allocate(callbacks, sizeof(**out), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    return *out ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

#define CREATE(command, info, type)                                                                                    \
    VKAPI_ATTR VkResult VKAPI_CALL command(VkDevice device, const info *pCreateInfo,                                   \
                                           const VkAllocationCallbacks *pAllocator, type *pObject)                     \
    {                                                                                                                  \
        struct object *o;                                                                                              \
        VkResult result = create(pAllocator, &o);                                                                      \
        if (result == VK_SUCCESS) *pObject = TO_HANDLE(type, o);                                                       \
        return result;                                                                                                 \
    }

#define DESTROY(command, type)                                                                                         \
    VKAPI_ATTR void VKAPI_CALL command(VkDevice device, type object, const VkAllocationCallbacks *pAllocator)          \
    {                                                                                                                  \
        release(pAllocator, FROM_HANDLE(object, object));                                                              \
    }

#define ONLY_EXISTS(name)                                                                                              \
    CREATE(null_vkCreate##name, Vk##name##CreateInfo, Vk##name)                                                        \
    DESTROY(null_vkDestroy##name, Vk##name)

ONLY_EXISTS(BufferView)
ONLY_EXISTS(ImageView)
ONLY_EXISTS(Sampler)
ONLY_EXISTS(SamplerYcbcrConversion)
ONLY_EXISTS(ShaderModule)
ONLY_EXISTS(PipelineLayout)
ONLY_EXISTS(DescriptorSetLayout)
ONLY_EXISTS(DescriptorUpdateTemplate)
ONLY_EXISTS(RenderPass)
ONLY_EXISTS(Framebuffer)
ONLY_EXISTS(PipelineCache)
CREATE(null_vkCreateRenderPass2, VkRenderPassCreateInfo2, VkRenderPass)
DESTROY(null_vkDestroyPipeline, VkPipeline)

VKAPI_ATTR void VKAPI_CALL null_vkGetRenderAreaGranularity(VkDevice device, VkRenderPass renderPass,
                                                           VkExtent2D *pGranularity)
{
    *pGranularity = (VkExtent2D){1, 1};
}

/* ---- pipelines ------------------------------------------------------------------------------------------------- */

/* Writes durations of 0. The structure must be filled if it is in the chain. */
static void answer_feedback(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
        if (s->sType != VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO) continue;
        const VkPipelineCreationFeedbackCreateInfo *f = (const VkPipelineCreationFeedbackCreateInfo *)s;
        const VkPipelineCreationFeedback valid = {.flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT};
        *f->pPipelineCreationFeedback = valid;
        for (uint32_t i = 0; i < f->pipelineStageCreationFeedbackCount; i++)
            f->pPipelineStageCreationFeedbacks[i] = valid;
    }
}

#define CREATE_PIPELINES(command, info)                                                                                \
    VKAPI_ATTR VkResult VKAPI_CALL command(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,   \
                                           const info *pCreateInfos, const VkAllocationCallbacks *pAllocator,          \
                                           VkPipeline *pPipelines)                                                     \
    {                                                                                                                  \
        VkResult result = VK_SUCCESS;                                                                                  \
        memset(pPipelines, 0, createInfoCount * sizeof(*pPipelines));                                                  \
        for (uint32_t i = 0; i < createInfoCount; i++) {                                                               \
            struct object *o;                                                                                          \
            VkResult one = create(pAllocator, &o);                                                                     \
            answer_feedback(pCreateInfos[i].pNext);                                                                    \
            if (one == VK_SUCCESS)                                                                                     \
                pPipelines[i] = TO_HANDLE(VkPipeline, o);                                                              \
            else                                                                                                       \
                result = one;                                                                                          \
            if (one != VK_SUCCESS && (pCreateInfos[i].flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT)) break;  \
        }                                                                                                              \
        return result;                                                                                                 \
    }

CREATE_PIPELINES(null_vkCreateGraphicsPipelines, VkGraphicsPipelineCreateInfo)
CREATE_PIPELINES(null_vkCreateComputePipelines, VkComputePipelineCreateInfo)

/* Returns the header that every cache has, and no data. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPipelineCacheData(VkDevice device, VkPipelineCache pipelineCache,
                                                           size_t *pDataSize, void *pData)
{
    VkPhysicalDeviceProperties p;
    null_vkGetPhysicalDeviceProperties((VkPhysicalDevice)device_of(device)->physical, &p);
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize = sizeof(header),
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = p.vendorID,
        .deviceID = p.deviceID,
    };
    memcpy(header.pipelineCacheUUID, p.pipelineCacheUUID, sizeof(header.pipelineCacheUUID));
    if (pData && *pDataSize < sizeof(header)) {
        *pDataSize = 0;
        return VK_INCOMPLETE;
    }
    if (pData) memcpy(pData, &header, sizeof(header));
    *pDataSize = sizeof(header);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkMergePipelineCaches(VkDevice device, VkPipelineCache dstCache,
                                                          uint32_t srcCacheCount, const VkPipelineCache *pSrcCaches)
{
    return VK_SUCCESS;
}

/* ---- queries --------------------------------------------------------------------------------------------------- */

struct query_pool {
    struct object object;
    uint32_t values; /* of one query */
};

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *pCreateInfo,
                                                      const VkAllocationCallbacks *pAllocator, VkQueryPool *pQueryPool)
{
    struct query_pool *q = allocate(pAllocator, sizeof(*q), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!q) return VK_ERROR_OUT_OF_HOST_MEMORY;
    q->values = 1;
    if (pCreateInfo->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
        q->values = (uint32_t)__builtin_popcount(pCreateInfo->pipelineStatistics);
    *pQueryPool = TO_HANDLE(VkQueryPool, q);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroyQueryPool(VkDevice device, VkQueryPool queryPool,
                                                   const VkAllocationCallbacks *pAllocator)
{
    release(pAllocator, FROM_HANDLE(query_pool, queryPool));
}

VKAPI_ATTR void VKAPI_CALL null_vkResetQueryPool(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                                 uint32_t queryCount)
{
}

/* Every query has the result 0 and is available. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkGetQueryPoolResults(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                                          uint32_t queryCount, size_t dataSize, void *pData,
                                                          VkDeviceSize stride, VkQueryResultFlags flags)
{
    uint32_t values = FROM_HANDLE(query_pool, queryPool)->values;
    bool wide = flags & VK_QUERY_RESULT_64_BIT, availability = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    size_t width = wide ? 8 : 4, size = width * (values + availability);
    for (uint32_t i = 0; i < queryCount; i++) {
        size_t at = i * stride;
        if (at > dataSize || size > dataSize - at) break;
        char *p = (char *)pData + at;
        memset(p, 0, size);
        if (availability)
            memcpy(p + width * values, wide ? (const void *)&(uint64_t){1} : (const void *)&(uint32_t){1}, width);
    }
    return VK_SUCCESS;
}
