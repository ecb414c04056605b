/* adapter.h: which physical devices each of DXGI's adapters has. Owner: adapter.c. */
#ifndef VKL_ADAPTER_H
#define VKL_ADAPTER_H

#include "physdev/list.h"

/* Does a driver of the scan say which of its devices an adapter has (WIN-062)? */
bool adapters_asked(const struct scan *scan);
/* Adds to the scan the devices that its drivers report by adapter: in the order of the adapters, within one in that of
 * the drivers, each device once (WIN-061, WIN-066). *ordered false: no DXGI factory orders adapters, and no driver was
 * asked (WIN-060). VK_SUCCESS or out of memory. */
VkResult adapters_scan(struct instance *instance, struct scan *scan, bool *ordered);
/* Is the device in the scan's list? */
bool scan_has(const struct scan *scan, const struct driver *driver, const void *handle);
void log_unordered(struct instance *instance);

#endif
