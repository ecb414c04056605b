/* library.c: opens and closes the loader under test and a library of the program's own, looks names up in the loader.
 * Loads it by no other way. */
#include "host.h"
#include <dlfcn.h>
#include <string.h>

extern void *host_loader; /* for fakes, too */
void *host_loader;

PFN_vkVoidFunction export(const char *name)
{
    PFN_vkVoidFunction found = host_loader ? (PFN_vkVoidFunction)dlsym(host_loader, name) : NULL;
    return found;
}

PFN_vkVoidFunction instance_command(uint64_t instance, const char *name)
{
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr) export("vkGetInstanceProcAddr");
    return gipa ? gipa((VkInstance)(uintptr_t)instance, name) : NULL;
}

PFN_vkVoidFunction device_command(uint64_t device, const char *name)
{
    PFN_vkGetDeviceProcAddr gdpa = (PFN_vkGetDeviceProcAddr) export("vkGetDeviceProcAddr");
    return gdpa ? gdpa((VkDevice)(uintptr_t)device, name) : NULL;
}

/* For libraries that call the loader while they are opened and closed. */
void host_calls_loader(void);
void host_calls_loader(void)
{
    PFN_vkEnumerateInstanceVersion f = (PFN_vkEnumerateInstanceVersion) export("vkEnumerateInstanceVersion");
    uint32_t version;
    if (f) f(&version);
}

/* The command in the way the line asks for: via=export, gipa or gdpa; without via, the export, and where there is
 * none, through the instance. */
PFN_vkVoidFunction command(const struct line *line, const char *name, uint64_t instance, uint64_t device)
{
    const char *via = arg(line, "via");
    PFN_vkVoidFunction found = NULL;
    if (!via) {
        found = export(name);
        if (!found && instance) found = instance_command(instance, name);
        if (!found && device) found = device_command(device, name);
    } else if (!strcmp(via, "gipa")) {
        found = instance_command(instance, name);
    } else if (!strcmp(via, "gdpa")) {
        found = device_command(device, name);
    } else {
        found = export(name);
    }
    if (!found) fail("%s not found", name);
    return found;
}

static void put_function(PFN_vkVoidFunction function)
{
    Dl_info info;
    put_pointer("ptr", (const void *)(uintptr_t)function);
    if (function && dladdr((const void *)(uintptr_t)function, &info) && info.dli_fname) {
        put_text("module", info.dli_fname);
        put_text("symbol", info.dli_sname);
    }
}

COMMAND(open)
{
    host_loader = dlopen(arg_or(line, "path", "libvulkan.so.1"), arg(line, "now") ? RTLD_NOW : RTLD_LAZY);
    if (!host_loader)
        fail("%s", dlerror());
    else
        blocks_watch();
}

COMMAND(close)
{
    (void)line;
    if (host_loader) put_int("closed", dlclose(host_loader));
    host_loader = NULL;
    blocks_watch();
}

static void *own;

COMMAND(hold)
{
    own = dlopen(arg_or(line, "path", ""), RTLD_NOW);
    if (!own) fail("%s", dlerror());
}

COMMAND(drop)
{
    (void)line;
    if (own) put_int("closed", dlclose(own));
    own = NULL;
}

COMMAND(dlsym)
{
    put_function(export(arg_or(line, "name", "")));
}

COMMAND(gipa)
{
    const char *name = arg(line, "name");
    const char *by = arg(line, "by"); /* the pointer that vkGetInstanceProcAddr(by, ...) gives, instead of the export */
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr) export("vkGetInstanceProcAddr");
    uint64_t instance = arg_ref(line, "instance", 0);
    if (by && gipa) gipa = (PFN_vkGetInstanceProcAddr)gipa((VkInstance)(uintptr_t)resolve(by), "vkGetInstanceProcAddr");
    if (now->failed) return;
    if (!gipa) return fail("no vkGetInstanceProcAddr");
    put_function(gipa((VkInstance)(uintptr_t)instance, name));
}

COMMAND(gdpa)
{
    uint64_t instance = arg_ref(line, "instance", 0), device = arg_ref(line, "device", 0);
    PFN_vkGetDeviceProcAddr gdpa = (PFN_vkGetDeviceProcAddr)command(line, "vkGetDeviceProcAddr", instance, device);
    if (now->failed) return;
    put_function(gdpa((VkDevice)(uintptr_t)device, arg(line, "name")));
}
