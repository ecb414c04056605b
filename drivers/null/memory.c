/* memory.c: device memory.
 *
 * Memory is allocated on the host when it is first mapped, and stays until it is freed. Memory that is never mapped
 * costs only its record. Only the program writes to it. */
#include "null.h"

#include <sys/mman.h>

VKAPI_ATTR VkResult VKAPI_CALL null_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo *pAllocateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
    if (pAllocateInfo->allocationSize > MEMORY_HEAP_SIZE) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct memory *m = allocate(pAllocator, sizeof(*m), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!m) return VK_ERROR_OUT_OF_HOST_MEMORY;
    m->size = pAllocateInfo->allocationSize;
    *pMemory = TO_HANDLE(VkDeviceMemory, m);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkFreeMemory(VkDevice device, VkDeviceMemory memory,
                                             const VkAllocationCallbacks *pAllocator)
{
    struct memory *m = FROM_HANDLE(memory, memory);
    if (!m) return;
    if (m->host) munmap(m->host, m->size);
    release(pAllocator, m);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                VkDeviceSize size, VkMemoryMapFlags flags, void **ppData)
{
    struct memory *m = FROM_HANDLE(memory, memory);
    if (!m->host) {
        void *p = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return VK_ERROR_MEMORY_MAP_FAILED;
        m->host = p;
    }
    *ppData = (char *)m->host + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceMemoryCommitment(VkDevice device, VkDeviceMemory memory,
                                                            VkDeviceSize *pCommittedMemoryInBytes)
{
    *pCommittedMemoryInBytes = FROM_HANDLE(memory, memory)->size;
}
