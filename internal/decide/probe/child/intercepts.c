/* intercepts.c: lists the commands that each layer of a chain intercepts, for "vkloader explain --picture". It creates
 * an instance and a device through the loader, with the whole chain, and asks each layer's look-up functions for every
 * name. A layer intercepts a command if the answer is a function of the layer's library; otherwise it passes the
 * command on.
 *
 * Where there is fork, each layer is asked in a separate process, with a time limit: a crash loses the answers of one
 * layer only.
 *
 * standard input: lines "layer<TAB>LIBRARY<TAB>NEGOTIATE<TAB>GIPA<TAB>GDPA" (names of functions), and "NAME" for
 * commands. descriptor 3: lines {"event":"intercepts","layer":0,"command":"vkX"}, after the last one of a layer
 * {"event":"asked","layer":0,"problem":""} */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "probe.h"
#include "system.h"

#define MAX_LAYERS 256
#define MAX_COMMANDS 4096
#define MAX_LINE (1 << 16)

static struct {
    char *library, *negotiate, *gipa, *gdpa;
} layers[MAX_LAYERS];
static char *commands[MAX_COMMANDS];
static size_t layer_count, command_count;

/* Cuts a line at its first tab; NULL without one. */
static char *cut_at_tab(char *text)
{
    char *tab = strchr(text, '\t');
    if (!tab) return NULL;
    *tab = 0;
    return tab + 1;
}

bool intercepts_begin(void)
{
    char *line = malloc(MAX_LINE);
    while (line && fgets(line, MAX_LINE, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        char *copy = strdup(line);
        if (!copy) return false;
        if (!strncmp(copy, "layer\t", 6)) {
            char *library = copy + 6, *negotiate = cut_at_tab(library);
            char *get_instance = negotiate ? cut_at_tab(negotiate) : NULL;
            char *get_device = get_instance ? cut_at_tab(get_instance) : NULL;
            if (!get_device || layer_count == MAX_LAYERS) return false;
            layers[layer_count].library = library;
            layers[layer_count].negotiate = negotiate;
            layers[layer_count].gipa = get_instance;
            layers[layer_count++].gdpa = get_device;
        } else if (command_count < MAX_COMMANDS) {
            commands[command_count++] = copy;
        }
    }
    free(line);
    return true;
}

static void finish(size_t layer, const char *problem)
{
    fprintf(events, "{\"event\":\"asked\",\"layer\":%zu,\"problem\":\"%s\"}\n", layer, problem);
    fflush(events);
}

static const char *ask(size_t index, VkInstance instance, VkDevice device)
{
    void *library = system_opened(layers[index].library);
    if (!library) return "the loader has not kept it";
    PFN_vkGetInstanceProcAddr gipa = NULL;
    PFN_vkGetDeviceProcAddr gdpa = NULL;
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderLayerInterfaceVersion)system_symbol(library, layers[index].negotiate);
    VkNegotiateLayerInterface about = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
    if (negotiate && negotiate(&about) == VK_SUCCESS) {
        gipa = about.pfnGetInstanceProcAddr;
        gdpa = about.pfnGetDeviceProcAddr;
    }
    if (!gipa) gipa = (PFN_vkGetInstanceProcAddr)system_symbol(library, layers[index].gipa);
    if (!gdpa) gdpa = (PFN_vkGetDeviceProcAddr)system_symbol(library, layers[index].gdpa);
    if (!gipa && !gdpa) return "it has no look-up function";
    for (size_t i = 0; i < command_count; i++)
        if ((gipa && system_owns(library, gipa(instance, commands[i]))) ||
            (gdpa && device && system_owns(library, gdpa(device, commands[i]))))
            fprintf(events, "{\"event\":\"intercepts\",\"layer\":%zu,\"command\":\"%s\"}\n", index, commands[i]);
    return device ? "" : "no device could be made: those of devices are not known";
}

static void ask_and_say(size_t index, VkInstance instance, VkDevice device)
{
    finish(index, ask(index, instance, device));
}

void intercepts(VkInstance instance, VkDevice device)
{
    fflush(events);
    for (size_t i = 0; i < layer_count; i++) {
        const char *problem = system_isolated(ask_and_say, i, instance, device);
        if (problem) finish(i, problem);
    }
}
