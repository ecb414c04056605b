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

bool commands_open(const char *path)
{
    begin("load");
    void *library = system_open(path);
    done("load", library ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
    if (!library) {
        fprintf(events, "{\"event\":\"unloadable\"");
        put_text("error", system_error());
        end_line();
        return false;
    }
    gipa = (PFN_vkGetInstanceProcAddr)system_symbol(library, "vkGetInstanceProcAddr");
    if (!gipa) {
        fprintf(events, "{\"event\":\"unloadable\"");
        put_text("error", "no vkGetInstanceProcAddr in it");
        end_line();
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
