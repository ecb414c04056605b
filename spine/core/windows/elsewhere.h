/* elsewhere.h: what the files that read the facts of Windows share. Owner: elsewhere.c. */
#ifndef VKL_ELSEWHERE_H
#define VKL_ELSEWHERE_H

#include "core/facts.h"
#include "process/windows/wide.h"

/* The bytes of a value of the registry as the wire has them: text as UTF-8; for free(). NULL: no memory, or text that
 * has no such form. */
char *value_data(DWORD type, const BYTE *data, DWORD size, uint32_t *length);

/* Each appends its records; lack of memory is remembered in the writer. */
void read_adapters(struct wire_writer *w, const char *name);
void read_devices(struct wire_writer *w, const char *name);
void read_dxgi(struct wire_writer *w);

#endif
