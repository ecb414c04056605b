/* command.c: the Vulkan library that the probe opens, and the commands that its vkGetInstanceProcAddr finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "system.h"

static PFN_vkGetInstanceProcAddr gipa;

PFN_vkVoidFunction command_if_there(VkInstance instance, const char *name)
{
    return gipa(instance, name);
}

PFN_vkVoidFunction command(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction f = gipa(instance, name);
    if (!f) {
        fprintf(events, "{\"event\":\"missing\"");
        put_text("command", name);
        end_line();
        exit(3);
    }
    return f;
}

static void unloadable(const char *error)
{
    fprintf(events, "{\"event\":\"unloadable\"");
    put_text("error", error);
    end_line();
}

bool commands_open(const char *path)
{
    begin("load");
    void *library = system_open(path);
    done("load", library ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    if (!library) {
        unloadable(system_error());
        return false;
    }
    gipa = (PFN_vkGetInstanceProcAddr)system_symbol(library, "vkGetInstanceProcAddr");
    if (!gipa) {
        unloadable("no vkGetInstanceProcAddr in it");
        return false;
    }
    char *file = system_file((PFN_vkVoidFunction)gipa);
    if (file) {
        fprintf(events, "{\"event\":\"library\"");
        put_text("path", file);
        end_line();
    }
    free(file);
    return true;
}

static VkResult list_extensions(VkInstance instance, VkPhysicalDevice physical, uint32_t *count,
                                VkExtensionProperties *list)
{
    return physical ? COMMAND(instance, vkEnumerateDeviceExtensionProperties)(physical, NULL, count, list)
                    : COMMAND(NULL, vkEnumerateInstanceExtensionProperties)(NULL, count, list);
}

VkResult extensions_of(VkInstance instance, VkPhysicalDevice physical, VkExtensionProperties **list, uint32_t *count)
{
    uint32_t all = 0;
    VkResult r = list_extensions(instance, physical, &all, NULL);
    *list = r == VK_SUCCESS ? calloc(all + 1, sizeof **list) : NULL;
    if (*list)
        r = list_extensions(instance, physical, &all, *list);
    else if (r == VK_SUCCESS)
        r = VK_ERROR_OUT_OF_HOST_MEMORY;
    *count = *list && r >= 0 ? all : 0;
    return r;
}

bool is_listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].extensionName, name)) return true;
    return false;
}
