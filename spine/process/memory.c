/* memory.c: allocates memory from the application's callbacks or from the C library, on the calling thread (ALC-001 to
 * ALC-016).
 *
 * It keeps no list of blocks: the caller of mem_free knows the allocator of the block (ALC-006). It relies on no
 * property of a callback's memory (ALC-010). */
#include <stdlib.h>
#include <string.h>

#include "process/process.h"

#define ALIGNMENT 16 /* ALC-008: a power of two, enough for all types of the spine */

bool size_of_array(size_t head, uint64_t count, size_t each, size_t *size)
{
    return !__builtin_mul_overflow(count, each, size) && !__builtin_add_overflow(*size, head, size) &&
           *size <= PTRDIFF_MAX;
}

void *array_new(size_t head, uint64_t count, size_t each)
{
    size_t size;
    lock_wanted(false);
    return size_of_array(head, count, each, &size) ? calloc(1, size ? size : 1) : NULL;
}

void *array_grow(void *array, uint64_t count, size_t each)
{
    size_t size;
    lock_wanted(false);
    return size_of_array(0, count, each, &size) ? realloc(array, size ? size : 1) : NULL;
}

bool array_more(void *array, uint32_t count, uint32_t more, size_t each)
{
    void *block;
    if (more > UINT32_MAX - count) return false;
    memcpy(&block, array, sizeof block);
    block = array_grow(block, (uint64_t)count + more, each);
    if (block) memcpy(array, &block, sizeof block);
    return block;
}

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
