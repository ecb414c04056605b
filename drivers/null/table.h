/* table.h: names and functions. */
#ifndef NULL_TABLE_H
#define NULL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "gen/zvk.h"

enum level { GLOBAL, INSTANCE, PHYSICAL, DEVICE };

struct entry {
    char name[52];
    uint8_t length, level;
    uint8_t gate; /* 0: no extension needed */
    PFN_vkVoidFunction function;
};

extern const struct entry entries[]; /* by length and alphabet */
extern const size_t entry_count;

#endif
