/* dlfcn.h: dlopen and related functions for test programs on Windows, through the system's functions. Returned paths
 * have slashes, not backslashes. */
#ifndef TEST_DLFCN_H
#define TEST_DLFCN_H

#define RTLD_NOW 0
#define RTLD_LAZY 0
#define RTLD_LOCAL 0
#define RTLD_NOLOAD 4            /* only if the library is loaded already */
#define RTLD_DEFAULT ((void *)0) /* the program itself */

typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname; /* NULL: the module exports no function at the address */
    void *dli_saddr;
} Dl_info;

void *dlopen(const char *path, int mode);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
char *dlerror(void);
int dladdr(const void *address, Dl_info *info);

#endif
