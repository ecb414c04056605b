/* opening.c: a driver that opens what OPENING_PATHS names, each path before a line's end, by the function that the
 * loader offers it, and writes into the file OPENING_LOG what became of each. It makes no instance unless the first one
 * could be opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../lib/vulkan.h"

typedef VkResult (*open_function)(const char *path, uint32_t slot);

static int called, opened;

/* One path; before it "socket " for a descriptor that is a socket, "none " for a number that is no descriptor. */
static VkResult try(open_function open_path, char *path, FILE *log)
{
    int pair[2] = {1000, -1};
    if (strncmp(path, "socket ", 7) == 0) {
        pair[0] = socket(AF_UNIX, SOCK_SEQPACKET, 0);
        path += 7;
    } else if (strncmp(path, "none ", 5) == 0) {
        path += 5;
    } else if (pipe(pair) != 0) {
        abort();
    }
    VkResult result = open_path(path, (uint32_t)pair[0]);
    struct stat is = {0};
    char text[6] = "";
    ssize_t got = -1;
    if (result == VK_SUCCESS && fstat(pair[0], &is) == 0 && !S_ISDIR(is.st_mode)) {
        if (S_ISSOCK(is.st_mode) && send(pair[0], "hello", 5, 0) != 5) abort();
        got = read(pair[0], text, 5);
    }
    fprintf(log, "%s %d %o %.*s\n", path, result, is.st_mode & S_IFMT, got > 0 ? (int)got : 0, text);
    if (pair[0] != 1000) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
    return result;
}

VkResult vk_icdInitializeOpenInNamespaceCallback(open_function open_path);
VkResult vk_icdInitializeOpenInNamespaceCallback(open_function open_path)
{
    FILE *log = fopen(getenv("OPENING_LOG"), "a");
    char *paths = strdup(getenv("OPENING_PATHS"));
    if (!log || !paths) abort();
    fprintf(log, "%s\n", called ? "late" : "first");
    for (char *path = strtok(paths, "\n"); path; path = strtok(NULL, "\n"))
        opened = try(open_path, path, log) == VK_SUCCESS || opened;
    free(paths);
    fclose(log);
    return VK_SUCCESS;
}

static VkResult extensions(const char *layer, uint32_t *count, VkExtensionProperties *list)
{
    (void)layer, (void)list;
    *count = 0;
    return VK_SUCCESS;
}

static VkResult devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *list)
{
    (void)instance, (void)list;
    *count = 0;
    return VK_SUCCESS;
}

static void *handle[4] = {(void *)0x01CDC0DE};

static VkResult create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    (void)info, (void)allocator;
    *instance = (VkInstance)handle;
    return opened ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
}

static void nothing(void) {}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    called = 1;
    if (*version > 5) *version = 5;
    return VK_SUCCESS;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    (void)instance;
    called = 1;
    if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create;
    if (!strcmp(name, "vkEnumerateInstanceExtensionProperties")) return (PFN_vkVoidFunction)extensions;
    if (!strcmp(name, "vkEnumeratePhysicalDevices")) return (PFN_vkVoidFunction)devices;
    return (PFN_vkVoidFunction)nothing;
}
