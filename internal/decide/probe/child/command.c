/* command.c: the Vulkan library that the probe opens, and the commands that its vkGetInstanceProcAddr finds. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "events.h"
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

void *library_open(const char *path)
{
    begin("load");
    void *library = system_open(path);
    done("load", library ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    if (!library) unloadable(system_error());
    return library;
}

bool commands_open(const char *path)
{
    void *library = library_open(path);
    if (!library) return false;
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
