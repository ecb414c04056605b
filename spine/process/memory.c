/* memory.c: memory from the application's callbacks or from the C library, on the calling thread (ALC-001 to ALC-016).
 *
 * It keeps no list of blocks: who frees knows whose the block is (ALC-006). Nothing is assumed about what a callback's
 * memory contains (ALC-010). */
#include <stdlib.h>
#include <string.h>

#include "process/process.h"

#define ALIGNMENT 16 /* ALC-008: a power of two, enough for everything that the spine stores */

void *mem_new(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope)
{
    lock_wanted(false);
    if (!allocator) return calloc(1, size ? size : 1);
    void *block = allocator->pfnAllocation(allocator->pUserData, size ? size : 1, ALIGNMENT, scope);
    if (block) memset(block, 0, size);
    return block;
}

void *mem_grow(const VkAllocationCallbacks *allocator, void *block, size_t old_size, size_t size,
               VkSystemAllocationScope scope)
{
    lock_wanted(false);
    if (!block) return mem_new(allocator, size, scope);
    void *grown = allocator ? allocator->pfnReallocation(allocator->pUserData, block, size ? size : 1, ALIGNMENT, scope)
                            : realloc(block, size ? size : 1);
    if (grown && size > old_size) memset((char *)grown + old_size, 0, size - old_size);
    return grown;
}

void mem_free(const VkAllocationCallbacks *allocator, void *block)
{
    lock_wanted(false);
    if (!block) return;
    if (allocator)
        allocator->pfnFree(allocator->pUserData, block);
    else
        free(block);
}
