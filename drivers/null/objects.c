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

/* Creates objects of all types without behavior. table.c names it for their commands, which differ only in types. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateObject(VkDevice device, const void *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, uint64_t *pObject)
{
    void *object = allocate(pAllocator, SIMPLE_SIZE, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    *pObject = (uintptr_t)object;
    return object ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Destroys objects of all types that own nothing else. */
VKAPI_ATTR void VKAPI_CALL null_vkDestroyObject(VkDevice device, uint64_t object,
                                                const VkAllocationCallbacks *pAllocator)
{
    release(pAllocator, (void *)(uintptr_t)object);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetRenderAreaGranularity(VkDevice device, VkRenderPass renderPass,
                                                           VkExtent2D *pGranularity)
{
    *pGranularity = (VkExtent2D){1, 1};
}

/* A descriptor set is a number: writes to it are discarded, and pools keep nothing. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkAllocateDescriptorSets(VkDevice device,
                                                             const VkDescriptorSetAllocateInfo *pAllocateInfo,
                                                             VkDescriptorSet *pDescriptorSets)
{
    for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; i++)
        pDescriptorSets[i] = TO_HANDLE(VkDescriptorSet, atomic_fetch_add(&device_of(device)->descriptor_sets, 1) + 1);
    return VK_SUCCESS;
}

/* ---- pipelines ------------------------------------------------------------------------------------------------- */

/* Creates graphics or compute pipelines; their create infos differ. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkCreatePipelines(VkDevice device, VkPipelineCache pipelineCache,
                                                      uint32_t createInfoCount, const void *pCreateInfos,
                                                      const VkAllocationCallbacks *pAllocator, uint64_t *pPipelines)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < createInfoCount; i++) {
        VkResult one = null_vkCreateObject(device, NULL, pAllocator, &pPipelines[i]);
        if (one != VK_SUCCESS) result = one;
    }
    return result;
}

/* ---- queries --------------------------------------------------------------------------------------------------- */

struct query_pool {
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
