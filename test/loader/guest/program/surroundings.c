/* surroundings.c: rules G-5, G-6, G-7: the environment at the time of the call, interposed functions of the C library,
 * and arguments that the loader must not keep. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

extern char **environ;

/* ---- G-5 ---- */

static VkResult try_instance(void)
{
    VkInstance instance;
    VkResult result = instance_new(&instance);
    if (result == VK_SUCCESS) instance_end(instance);
    return result;
}

static void environment_now(void)
{
    const char *drivers = getenv("VK_DRIVER_FILES");
    char *keep = strdup(drivers);
    load();
    CHECK(try_instance() == VK_SUCCESS, "no instance");
    setenv("VK_DRIVER_FILES", "/nonexistent/driver.json", 1);
    setenv("VK_ICD_FILENAMES", "/nonexistent/driver.json", 1); /* the compared loader reads this variable */
    CHECK(try_instance() == VK_ERROR_INCOMPATIBLE_DRIVER, "setenv is not seen");
    setenv("VK_DRIVER_FILES", keep, 1);
    setenv("VK_ICD_FILENAMES", keep, 1);
    CHECK(try_instance() == VK_SUCCESS, "setenv back is not seen");
    static char *other[] = {"VK_DRIVER_FILES=/nonexistent/driver.json", "VK_ICD_FILENAMES=/nonexistent/driver.json",
                            NULL};
    char **saved = environ;
    environ = other;
    CHECK(try_instance() == VK_ERROR_INCOMPATIBLE_DRIVER, "another environ is not seen");
    environ = saved;
    CHECK(try_instance() == VK_SUCCESS, "environ back is not seen");
    free(keep);
}

/* ---- G-6 ---- */

/* With OWN_FUNCTIONS, this program interposes functions of the C library; the loader then reads files in another way.
 */
#ifdef OWN_FUNCTIONS
static atomic_int called[8];
enum { GETENV, SECURE, OPENDIR, READDIR, CLOSEDIR, FOPEN, FPUTS, FPUTC };
static const char *const names[] = {"getenv",   "secure_getenv", "opendir", "readdir",
                                    "closedir", "fopen",         "fputs",   "fputc"};
static bool counting;
static void count(int what)
{
    if (counting) called[what]++;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)next(#name)
/* With 64-bit file offsets, these functions have another name. */
#if __SIZEOF_POINTER__ == 4
#define FILE_REAL(name) __typeof__(name) *real = (__typeof__(name) *)next(#name "64")
#else
#define FILE_REAL(name) REAL(name)
#endif
static void *next(const char *name)
{
    static void *(*look)(void *, const char *);
    /* The first version of the C library on each machine. */
    static const char *const first[] = {"GLIBC_2.0",  "GLIBC_2.2",  "GLIBC_2.2.5", "GLIBC_2.4",
                                        "GLIBC_2.17", "GLIBC_2.27", "GLIBC_2.36"};
    for (unsigned i = 0; !look && i < sizeof first / sizeof *first; i++)
        look = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", first[i]);
    return look(RTLD_NEXT, name);
}

char *secure_getenv(const char *name)
{
    REAL(secure_getenv);
    count(SECURE);
    return real(name);
}
DIR *opendir(const char *path)
{
    REAL(opendir);
    count(OPENDIR);
    return real(path);
}
struct dirent *readdir(DIR *dir)
{
    FILE_REAL(readdir);
    count(READDIR);
    return real(dir);
}
int closedir(DIR *dir)
{
    REAL(closedir);
    count(CLOSEDIR);
    return real(dir);
}
FILE *fopen(const char *path, const char *mode)
{
    FILE_REAL(fopen);
    if (strncmp(mode, "rb", 2) == 0) count(FOPEN);
    return real(path, mode);
}
int fputs(const char *text, FILE *file)
{
    REAL(fputs);
    if (file == stderr) count(FPUTS);
    return real(text, file);
}
int fputc(int c, FILE *file)
{
    REAL(fputc);
    if (file == stderr) count(FPUTC);
    return real(c, file);
}
char *getenv(const char *name)
{
    REAL(getenv);
    count(GETENV);
    return real(name);
}

static void own_functions(void)
{
    counting = true;
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    counting = false;
    for (int i = GETENV; i <= FPUTC; i++) CHECK(called[i] > 0, "%s was not called", names[i]);
}
#endif

/* ---- G-7 ---- */

/* Copies a call's argument to the end of pages that are unmapped after the call. */
static void *lent(const void *bytes, size_t size)
{
    const size_t page = 4096;
    char *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED && size <= page, "mmap: %s", strerror(errno));
    return memcpy(at + ((page - size) & ~(size_t)15), bytes, size);
}

static void gone(void *p)
{
    munmap((void *)((uintptr_t)p & ~(uintptr_t)4095), 4096);
}

static void bytes_not_kept(void)
{
    load();
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)loader_function("vkCreateInstance");
    PFN_vkEnumerateInstanceExtensionProperties list =
        (PFN_vkEnumerateInstanceExtensionProperties)loader_function("vkEnumerateInstanceExtensionProperties");
    for (int i = 0; i < 50; i++) {
        char text[64];
        VkInstance instance;
        VkDevice device;
        uint32_t count = 0;
        snprintf(text, sizeof text, "program %d", i / 2); /* each name twice */
        char *name = lent(text, sizeof text), *engine = lent("engine", 7);
        char *extension = lent("VK_KHR_surface", 15);
        const char **names = lent(&extension, sizeof extension);
        VkApplicationInfo *app = lent(&(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                                           .pApplicationName = name,
                                                           .pEngineName = engine,
                                                           .apiVersion = VK_API_VERSION_1_1},
                                      sizeof *app);
        VkInstanceCreateInfo *info = lent(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                                  .pApplicationInfo = app,
                                                                  .enabledExtensionCount = 1,
                                                                  .ppEnabledExtensionNames = names},
                                          sizeof *info);
        CHECK(create(info, NULL, &instance) == VK_SUCCESS, "no instance");
        void *all[] = {name, engine, extension, names, app, info};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) gone(all[k]);
        CHECK(device_new(instance, &device) == VK_SUCCESS, "no device");
        device_end(instance, device);
        instance_end(instance);
        char *layer = lent(text, sizeof text);
        CHECK(list(layer, &count, NULL) == VK_ERROR_LAYER_NOT_PRESENT, "a layer %s", text);
        gone(layer);
        CHECK(life() == VK_SUCCESS, "no life");
    }
}

const struct guest_case surroundings_cases[] = {
    {"environment-now", environment_now},
#ifdef OWN_FUNCTIONS
    {"own-functions", own_functions},
#endif
    {"bytes-not-kept", bytes_not_kept},
    {0},
};
