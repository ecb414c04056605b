/* host.h: redirects the host's calls of the dynamic linker to the runner for Mach-O files. It is included before each
 * file of the host. */
#ifndef MACOS_HOST_H
#define MACOS_HOST_H

#include <dlfcn.h>
#include <link.h>

#include "macho.h"

void *host_dlopen(const char *path, int mode);
int host_dlclose(void *handle);
void *host_dlsym(void *handle, const char *name);
char *host_dlerror(void);
int host_dladdr(const void *address, Dl_info *info);
int host_iterate_phdr(int (*step)(struct dl_phdr_info *, size_t, void *), void *data);

#define dlopen(path, mode) host_dlopen(path, mode)
#define dlclose(handle) host_dlclose(handle)
#define dlsym(handle, name) host_dlsym(handle, name)
#define dlerror() host_dlerror()
#define dl_iterate_phdr(step, data) host_iterate_phdr(step, data)
#define dladdr(address, info) host_dladdr(address, info)

#endif
