/* objects.c: objects without behavior. Their creation ignores the create info.
 *
 * Each object is a small allocation, so that handles are unique, allocation callbacks are used as by a real driver, and
 * sanitizers report objects that a program does not destroy. */
#include "null.h"

/* Stands for every command without effect. Callers pass their arguments, and take the result as VK_SUCCESS, or as 0. */
uint64_t null_vknothing(void)
{
    return 0;
}

static VkResult create(const VkAllocationCallbacks *callbacks, uint64_t *out)
{
    void *object = allocate(callbacks, SIMPLE_SIZE, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    *out = (uintptr_t)object;
    return object ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Creates objects of all types without behavior. table.c names it for their commands, which differ only in types. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateObject(VkDevice device, const void *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, uint64_t *pObject)
{
    return create(pAllocator, pObject);
}

/* Destroys objects of all types that own nothing else. */
VKAPI_ATTR void VKAPI_CALL null_vkDestroyObject(VkDevice device, uint64_t object,
                                                const VkAllocationCallbacks *pAllocator)
{
    release(pAllocator, FROM_HANDLE(object, object));
}

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
            uint64_t object;                                                                                           \
            VkResult one = create(pAllocator, &object);                                                                \
            answer_feedback(pCreateInfos[i].pNext);                                                                    \
            if (one == VK_SUCCESS)                                                                                     \
                pPipelines[i] = TO_HANDLE(VkPipeline, object);                                                         \
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
