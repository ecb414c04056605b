/* read_budget.c: counts the bytes read from each file in one call, under any of its names. A file read too often is not
 * read again: the core's work grows with the bytes read, so these must be bounded by the size of the files on disk.
 * The tool counts in the same way (internal/core/facts/read_budget.go). */
#include "core/facts.h"

#include <string.h>

bool read_count(struct read_budget *budget, const struct file_identity *file, uint64_t bytes)
{
    if (bytes <= READ_SMALL) return true;
    if (!budget->counted) memset(budget->read, 0, sizeof budget->read);
    budget->counted = true;
    uint64_t mixed = (file->inode ^ file->device << 32) * 0x9fb21c651e98df25u;
    size_t i = (size_t)(mixed >> 58) % READ_PLACES_MAX;
    uint64_t largest = budget->read[i].largest > bytes ? budget->read[i].largest : bytes;
    if (budget->read[i].bytes + bytes > READ_LEAST + 2 * largest) return false;
    budget->read[i].bytes += bytes;
    budget->read[i].largest = largest;
    return true;
}
