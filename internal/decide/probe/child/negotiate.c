/* negotiate.c: for "vkloader validate --load", opens a driver or layer alone and asks which version of the interface
 * with loaders it agrees on. It creates no instance. */
#include "negotiate.h"

#include <stdio.h>

#include "command.h"
#include "events.h"
#include "interface.h"
#include "system.h"

static bool finish(VkResult result, uint32_t version)
{
    done("negotiate", result);
    fprintf(events, "{\"event\":\"negotiated\"");
    put_number("version", version);
    end_line();
    fprintf(events, "{\"event\":\"end\"}\n"); /* the library did not end the process */
    fflush(events);
    return result == VK_SUCCESS;
}

bool negotiate_driver(const char *path)
{
    void *library = library_open(path);
    if (!library) return false;
    PFN_vkNegotiateLoaderICDInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderICDInterfaceVersion)system_symbol(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    uint32_t version = 7; /* the newest interface version */
    begin("negotiate");
    if (!negotiate) return finish(VK_SUCCESS, 0); /* an old driver, without interface versions */
    VkResult result = negotiate(&version);
    return finish(result, version);
}

bool negotiate_layer(const char *path, const char *name)
{
    void *library = library_open(path);
    if (!library) return false;
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderLayerInterfaceVersion)system_symbol(library, name);
    VkNegotiateLayerInterface about = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
    begin("negotiate");
    if (!negotiate) return finish(VK_SUCCESS, 0);
    VkResult result = negotiate(&about);
    return finish(result, about.loaderLayerInterfaceVersion);
}
