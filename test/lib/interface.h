/* interface.h: how the tests' host and fakes call functions, and where members of structures are, on this machine. A
 * case gives arguments as twelve 64-bit numbers, and places in structures as they are where pointers have 64 bits.
 */
#ifndef TEST_INTERFACE_H
#define TEST_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vulkan.h"

#define ARGUMENTS 12

struct signature {
    const char *name;
    const char *words; /* result and arguments, see zinterfaces.inc */
    const char *types; /* of what arguments point to */
};
struct structure;

/* Returns NULL for an unknown command. Host and fakes agree that all of its arguments but the first have 64 bits. */
const struct signature *signature_of(const char *name);
uint64_t call_by(const struct signature *signature, PFN_vkVoidFunction function, const uint64_t *arguments);

#if UINTPTR_MAX == 0xffffffff
/* All arguments are words: on the stack, or on ARM the first four in registers. */
struct passed {
    uint32_t word[2 * ARGUMENTS];
};
void passed_to(const struct signature *signature, const struct passed *passed, uint64_t *arguments);
/* Returns the number of argument bytes; 0 for an unknown command. */
unsigned passed_bytes(const struct signature *signature);
/* words.c: calls with these words on the stack. */
uint64_t call_words(PFN_vkVoidFunction function, const struct passed *passed);
#endif

/* Returns the place of the low bytes of a number, which is at its end on big-endian machines. */
static inline void *low_bytes(uint64_t *number, size_t size)
{
    return (char *)number + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof *number - size : 0);
}

/* NULL: there is none. Argument i of a command points to one. */
const struct structure *structure_named(const char *name);
const struct structure *structure_of_argument(const struct signature *signature, int i);
/* By the sType; numbers that no structure of the API has are those of a structure that has pNext and nothing else. */
const struct structure *structure_of_type(uint64_t type);

size_t structure_size(const struct structure *structure); /* where pointers have 64 bits */
/* Returns the place here of a place in an array of structures, and the number of its bytes here. */
size_t place_here(const struct structure *structure, size_t place, size_t *size);
/* Bytes of an array of structures from here, as they were where pointers have 64 bits. */
void widened(const struct structure *structure, const void *here, unsigned char *wide, size_t size);

#endif
