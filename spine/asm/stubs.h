/* stubs.h: the assembler's stubs, which stand where a function is missing or nobody knows the command. */
#ifndef VKL_STUBS_H
#define VKL_STUBS_H

extern const char missing_first[] __attribute__((visibility("hidden")));
extern const char missing_last[] __attribute__((visibility("hidden")));
void missing_in_chain(void);
void missing_unknown_physdev(void);
void missing_unknown_device(void);
void unknown_physdev_trampolines(void);
void unknown_physdev_terminators(void);
void unknown_device_trampolines(void);

#endif
