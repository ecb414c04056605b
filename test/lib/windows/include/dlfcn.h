/* dlfcn.h: for test programs that are built for Windows: the C library's functions that open libraries, by the system's
 * own. Paths come out with the slashes that they have elsewhere. */
#ifndef TEST_DLFCN_H
#define TEST_DLFCN_H

#define RTLD_NOW 0
#define RTLD_LAZY 0
#define RTLD_LOCAL 0
#define RTLD_NOLOAD 4            /* only a loaded library */
#define RTLD_DEFAULT ((void *)0) /* the program itself */

typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname; /* NULL: it is none that the module exports */
    void *dli_saddr;
} Dl_info;

void *dlopen(const char *path, int mode);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
char *dlerror(void);
int dladdr(const void *address, Dl_info *info);

#endif
