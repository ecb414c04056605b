/* offsets.h: the offsets in the spine's records that trampolines.c uses; dispatch/names.c asserts them. */
#ifndef VKL_OFFSETS_H
#define VKL_OFFSETS_H

/* Eight bytes at +8 of instances and physical devices; small enough for a comparison with an immediate operand. */
#define INSTANCE_MAGIC 0x10ADED01
#define PHYSDEV_TRAMP_MAGIC 0x10ADED02
#define PHYSDEV_TERM_MAGIC 0x10ADED03
/* First four bytes of a device's table. */
#define DEVICE_MARK 0x1DEAD04C

#define POINTER_SIZE __SIZEOF_POINTER__

/* The same on every machine: the magic is at +8 where pointers have 32 bits, too (INS-080). */
#define HANDLE_MAGIC 8
#define HANDLE_LOWER 16
#define PHYSDEV_DRIVER (16 + POINTER_SIZE)

#define INSTANCE_SLOTS 8
#define DEVICE_SLOTS (8 + POINTER_SIZE)
#define DRIVER_SLOTS 0

/* Forwarding stubs of unknown commands (UNK-019). */
#define UNKNOWN_MAX 250

#endif
