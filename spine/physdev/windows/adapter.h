/* adapter.h: lists physical devices by the adapters of DXGI. Owner: adapter.c. */
#ifndef VKL_ADAPTER_H
#define VKL_ADAPTER_H

#include "physdev/list.h"

/* Reports whether any driver of the scan can list the devices of an adapter (WIN-062). */
bool scan_needs_adapters(const struct scan *scan);
/* Adds to the scan the devices that its drivers report by adapter: in the order of the adapters, within an adapter in
 * driver order, each device once (WIN-061, WIN-066). *ordered is false if no DXGI factory orders adapters; no driver
 * was asked then (WIN-060). Returns VK_SUCCESS or out of memory. */
VkResult adapters_scan(struct instance *instance, struct scan *scan, bool *ordered);
/* Reports whether a device is in the scan's list. */
bool scan_has(const struct scan *scan, const struct driver *driver, const void *handle);
void log_unordered(struct instance *instance);

#endif
