/* trampolines.c: a trampoline, terminator or stub for each command of gen/zcommands.inc. Each checks the first
 * argument, finds the function in a table and calls it last. Compilers turn that call into a jump, which leaves every
 * argument, the stack and the return address as they are, so that an unwinder sees the caller. docs/porting.md lists
 * the machines whose calling conventions do not allow a jump everywhere.
 *
 * The Makefile compiles this file with -O2 and without sanitizers in every build, because arguments on the stack pass
 * by a jump alone.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "asm/offsets.h"
#include "asm/stubs.h"
#include "gen/zsignatures.h"
#include "registers.h"
#include "asm/numbers.h"

/* SIGNATURE(command, X) expands X with the result, the parameters, their types and the arguments. */
#ifdef REGISTERS
#define SIGNATURE(command, X) X(intptr_t, (void *a0 REGISTERS), (void *a0 REGISTERS), (a0 PASSED))
#else
#define SIGNATURE(command, X) SIGNATURE_##command(X)
#endif

/* The functions of log.c and missing.c that report a fault. Here they have no noreturn, because compilers make no jump
 * to a function that does not return, and the result of each command that reports through them. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define REPORTS(result)                                                                                                \
    HIDDEN result COMMAND_CALL bad_handle_##result(uint32_t command) __asm__(                                          \
        TEXT(__USER_LABEL_PREFIX__) "bad_handle");                                                                     \
    HIDDEN result REPORT_CALL missing_driver_command_##result(uint32_t command, const void *physdev) __asm__(          \
        TEXT(__USER_LABEL_PREFIX__) "missing_driver_command");
REPORTS(intptr_t)
#ifndef REGISTERS
REPORTS(void)
REPORTS(int32_t)
REPORTS(uint32_t)
REPORTS(uint64_t)
#endif
#define CONCATENATE(a, b) a##b
#define REPORT_(function, result) CONCATENATE(function, result)
#define REPORT(n, function) REPORT_(function, SIGNATURE(n, RESULT))
void missing_device_command(const void *object, uint32_t command) HIDDEN;
void missing_chain_command(void) HIDDEN;
intptr_t REPORT_CALL missing_unknown_physdev_command(const void *physdev, uint32_t number) HIDDEN;
int32_t missing_unknown_device_command(const void *object) HIDDEN;

typedef void *__attribute__((may_alias)) pointer;
typedef uint32_t __attribute__((may_alias)) mark;
typedef uint64_t __attribute__((may_alias)) magic;
#define AT(type, base, offset) (*(type *)((char *)(base) + (offset)))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* clang guarantees the jump. On loongarch it refuses arguments on the stack. */
#if defined __clang__ && !defined __loongarch__ && !defined __powerpc64__
#define JUMP __attribute__((musttail)) return
#else
#define JUMP return
#endif
/* On x86-64, the code for a valid call fits in one aligned block of 32 bytes, so that no branch crosses the end of a
 * block. */
#ifdef __x86_64__
#define ALIGNED __attribute__((aligned(32)))
#else
#define ALIGNED
#endif

#define RESULT(result, parameters, types, arguments) result
#define PARAMETERS(result, parameters, types, arguments) parameters
#define TYPES(result, parameters, types, arguments) types
#define ARGUMENTS(result, parameters, types, arguments) arguments
#define FUNCTION(prefix, n)                                                                                            \
    ALIGNED HIDDEN SIGNATURE(n, RESULT)                                                                                \
    COMMAND_CALL prefix##n SIGNATURE(n, PARAMETERS) SYMBOL(prefix##n);                                                 \
    SIGNATURE(n, RESULT) COMMAND_CALL prefix##n SIGNATURE(n, PARAMETERS)
#define POINTER(n, name) SIGNATURE(n, RESULT)(COMMAND_CALL * name) SIGNATURE(n, TYPES)

/* Device, queue, command buffer: object -> table -> mark (HND-006). */
#define DEVICE_TRAMPOLINE(n)                                                                                           \
    FUNCTION(tramp_, n)                                                                                                \
    {                                                                                                                  \
        void *table = NULL;                                                                                            \
        if (UNLIKELY(!a0 || !(table = AT(pointer, a0, 0)) || AT(mark, table, 0) != DEVICE_MARK))                       \
            return REPORT(n, bad_handle_)(CMD_##n);                                                                    \
        POINTER(n, to) = AT(pointer, table, DEVICE_SLOTS + POINTER_SIZE * DSLOT_##n);                                  \
        JUMP to SIGNATURE(n, ARGUMENTS);                                                                               \
    }
/* Instance and physical device: magic at +8 before anything is followed (HND-005). */
#define HANDLE_TRAMPOLINE(n, expected)                                                                                 \
    FUNCTION(tramp_, n)                                                                                                \
    {                                                                                                                  \
        if (UNLIKELY(!a0 || AT(magic, a0, HANDLE_MAGIC) != expected)) return REPORT(n, bad_handle_)(CMD_##n);          \
        POINTER(n, to) = AT(pointer, AT(pointer, a0, 0), INSTANCE_SLOTS + POINTER_SIZE * ISLOT_##n);                   \
        a0 = AT(pointer, a0, HANDLE_LOWER);                                                                            \
        JUMP to SIGNATURE(n, ARGUMENTS);                                                                               \
    }
#define INSTANCE_TRAMPOLINE(n) HANDLE_TRAMPOLINE(n, INSTANCE_MAGIC)
#define INSTANCE_TRAMPOLINE_EXPORTED(n) INSTANCE_TRAMPOLINE(n) EXPORT_COMMAND(n);
#define PHYSDEV_TRAMPOLINE(n) HANDLE_TRAMPOLINE(n, PHYSDEV_TRAMP_MAGIC)
#define PHYSDEV_TRAMPOLINE_EXPORTED(n) PHYSDEV_TRAMPOLINE(n) EXPORT_COMMAND(n);
#define DEVICE_TRAMPOLINE_EXPORTED(n) DEVICE_TRAMPOLINE(n) EXPORT_COMMAND(n);
/* Terminator: the driver's handle and the driver's function, which may be missing (EXT-047). */
#define PHYSDEV_TERMINATOR(n)                                                                                          \
    FUNCTION(term_, n)                                                                                                 \
    {                                                                                                                  \
        POINTER(n, to) = AT(pointer, AT(pointer, a0, PHYSDEV_DRIVER), DRIVER_SLOTS + POINTER_SIZE * ISLOT_##n);        \
        if (UNLIKELY(!to)) return REPORT(n, missing_driver_command_)(CMD_##n, a0);                                     \
        a0 = AT(pointer, a0, HANDLE_LOWER);                                                                            \
        JUMP to SIGNATURE(n, ARGUMENTS);                                                                               \
    }
/* In a device's table where the chain answered NULL (GPA-016, GPA-022). One section holds all of these stubs, so that
 * is_missing() compares addresses. */
#define MISSING __attribute__((section(MISSING_SECTION)))
#define DEVICE_MISSING(n)                                                                                              \
    MISSING HIDDEN void missing_##n(const void *object) SYMBOL(missing_##n);                                           \
    void missing_##n(const void *object)                                                                               \
    {                                                                                                                  \
        missing_device_command(object, CMD_##n);                                                                       \
    }

/* Commands whose trampoline or terminator is written by hand elsewhere. */
#define NONE(n)
#define WRITTEN(n)
#define SURFACE(n)
#define DEVICE_WRITTEN(n)

#define COMMAND(kind, n, trampoline, ...) trampoline(n)
#define ALIAS(...)
#include "gen/zcommands.inc"

#define COMMAND(kind, n, trampoline, terminator, ...) terminator(n)
#define ALIAS(...)
#include "gen/zcommands.inc"

/* One for each slot of a device's table. */
#define MISSING_GLOBAL(n)
#define MISSING_INSTANCE(n)
#define MISSING_PHYSDEV(n)
#define MISSING_SHARED DEVICE_MISSING
#define MISSING_DEVICE DEVICE_MISSING
MISSING_BEGIN
#define COMMAND(kind, n, ...) MISSING_##kind(n)
#define ALIAS(...)
#include "gen/zcommands.inc"

/* In an instance's table where the top layer answered NULL (LAY-401). */
MISSING void missing_in_chain(void)
{
    missing_chain_command();
}

/* The unknown device command of a device that lacks it (UNK-015): returns an error. Where functions remove their
 * arguments from the stack, their number is unknown, and the process ends after the message. */
MISSING int32_t missing_unknown_device(const void *object)
{
#ifdef CALLEE_CLEANS
    missing_unknown_device_command(object);
    abort();
#else
    JUMP missing_unknown_device_command(object);
#endif
}
MISSING_END

/* ---- unknown commands ------------------------------------------------------------------------------------------- */

/* Forwarding stub i of each kind (UNK-003, UNK-013). */
#ifndef UNKNOWN_STUBS
typedef intptr_t COMMAND_CALL unknown(void *a REGISTERS);
#define UNKNOWN_STUBS(name, i)                                                                                         \
    unknown unknown_physdev_trampoline_##name SYMBOL(unknown_physdev_trampoline_##name);                               \
    unknown unknown_physdev_terminator_##name SYMBOL(unknown_physdev_terminator_##name);                               \
    unknown unknown_device_trampoline_##name SYMBOL(unknown_device_trampoline_##name);                                 \
    intptr_t COMMAND_CALL unknown_physdev_trampoline_##name(void *a REGISTERS)                                         \
    {                                                                                                                  \
        unknown *to = AT(pointer, AT(pointer, a, 0), INSTANCE_SLOTS + POINTER_SIZE * (ISLOT_COUNT + (i)));             \
        a = AT(pointer, a, HANDLE_LOWER);                                                                              \
        JUMP to(a PASSED);                                                                                             \
    }                                                                                                                  \
    intptr_t COMMAND_CALL unknown_physdev_terminator_##name(void *a REGISTERS)                                         \
    {                                                                                                                  \
        unknown *to = AT(pointer, AT(pointer, a, PHYSDEV_DRIVER), DRIVER_SLOTS + POINTER_SIZE * (ISLOT_COUNT + (i)));  \
        if (UNLIKELY(!to)) return missing_unknown_physdev_command(a, i); /* UNK-007: the driver lacks it */            \
        a = AT(pointer, a, HANDLE_LOWER);                                                                              \
        JUMP to(a PASSED);                                                                                             \
    }                                                                                                                  \
    intptr_t COMMAND_CALL unknown_device_trampoline_##name(void *a REGISTERS)                                          \
    {                                                                                                                  \
        unknown *to = AT(pointer, AT(pointer, a, 0), DEVICE_SLOTS + POINTER_SIZE * (DSLOT_COUNT + (i)));               \
        JUMP to(a PASSED);                                                                                             \
    }
#endif
/* The number of a stub has three digits in its name; 1000 before them keeps C from reading it as octal. */
#define UNKNOWN_1(digits) UNKNOWN_STUBS(digits, 1##digits - 1000)
#define UNKNOWN_10(d)                                                                                                  \
    UNKNOWN_1(d##0)                                                                                                    \
    UNKNOWN_1(d##1)                                                                                                    \
    UNKNOWN_1(d##2)                                                                                                    \
    UNKNOWN_1(d##3)                                                                                                    \
    UNKNOWN_1(d##4) UNKNOWN_1(d##5) UNKNOWN_1(d##6) UNKNOWN_1(d##7) UNKNOWN_1(d##8) UNKNOWN_1(d##9)
#define UNKNOWN_50(h, a, b, c, d, e)                                                                                   \
    UNKNOWN_10(h##a) UNKNOWN_10(h##b) UNKNOWN_10(h##c) UNKNOWN_10(h##d) UNKNOWN_10(h##e)
_Static_assert(UNKNOWN_MAX == 250, "the stubs that follow");
UNKNOWN_50(0, 0, 1, 2, 3, 4)
UNKNOWN_50(0, 5, 6, 7, 8, 9)
UNKNOWN_50(1, 0, 1, 2, 3, 4)
UNKNOWN_50(1, 5, 6, 7, 8, 9)
UNKNOWN_50(2, 0, 1, 2, 3, 4)
