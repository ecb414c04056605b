/* gate.h: the fork gate, for files that call other functions of the dynamic linker inside it. */
#ifndef VKL_GATE_H
#define VKL_GATE_H

#include <stdint.h>

/* Enters the gate and returns the calling thread, for gate_leave. */
uint64_t gate_enter(void);
void gate_leave(uint64_t me);

#endif
