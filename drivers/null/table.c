/* table.c: names and functions. The functions have their prototypes in the files that define them. */
#include "null.h"

#define COMMAND(name, function, level, gate) void null_vk##function(void);
#define EXPORT(name) void name(void);
#include "names.inc"
#undef COMMAND
#undef EXPORT

#define COMMAND(name, function, level, gate) {"vk" #name, sizeof("vk" #name) - 1, level, gate, null_vk##function},
#define EXPORT(name) {#name, sizeof(#name) - 1, GLOBAL, 0, name},
const struct entry entries[] = {
#include "names.inc"
};
const size_t entry_count = sizeof(entries) / sizeof(*entries);
