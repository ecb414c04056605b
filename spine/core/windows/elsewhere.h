/* elsewhere.h: the interface between the readers of Windows facts. Owner: elsewhere.c. */
#ifndef VKL_ELSEWHERE_H
#define VKL_ELSEWHERE_H

#include "core/facts.h"
#include "process/windows/wide.h"

/* Returns the bytes of a registry value for the wire, with text as UTF-8, for free(). NULL: no memory, or text that
 * is not valid UTF-16. */
char *value_data(DWORD type, const BYTE *data, DWORD size, uint32_t *length);

/* Each appends its records; the writer records a lack of memory. */
void read_adapters(struct wire_writer *w, const char *name);
void read_devices(struct wire_writer *w, const char *name);
void read_dxgi(struct wire_writer *w);

#endif
