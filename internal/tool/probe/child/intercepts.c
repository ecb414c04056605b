/* intercepts.c: which commands each layer of a chain takes for itself, for "vkloader graph": makes an instance and a
 * device through the loader, with the chain as it is, and asks each layer's own look-up functions for every name. What
 * they answer with a function of the layer's own library is intercepted; what comes from elsewhere is passed on.
 *
 * Each layer is asked in a process of its own, with a time limit: of a layer that crashes nothing is known, of the
 * others all.
 *
 * standard input: lines "layer<TAB>LIBRARY<TAB>NEGOTIATE<TAB>GIPA<TAB>GDPA" (names of functions), and "NAME" for
 * commands. descriptor 3: lines {"event":"intercepts","layer":0,"command":"vkX"}, after the last one of a layer
 * {"event":"asked","layer":0,"problem":""} */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events.h"
#include "intercepts.h"
#include "interface.h"

#define MAX_LAYERS 256
#define MAX_COMMANDS 4096
#define ASK_SECONDS 5

static struct {
    char *library, *negotiate, *gipa, *gdpa;
} layers[MAX_LAYERS];
static char *commands[MAX_COMMANDS];
static size_t layer_count, command_count;

static bool read_input(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n') line[n - 1] = 0;
        char *copy = strdup(line);
        if (!copy) return false;
        if (!strncmp(copy, "layer\t", 6)) {
            char *at = copy + 6, *field[4];
            for (size_t i = 0; i < 4; i++)
                if (!(field[i] = strsep(&at, "\t"))) return false;
            if (layer_count == MAX_LAYERS) return false;
            layers[layer_count].library = field[0];
            layers[layer_count].negotiate = field[1];
            layers[layer_count].gipa = field[2];
            layers[layer_count++].gdpa = field[3];
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

/* A function pointer through an object pointer: what dlsym is for. */
static PFN_vkVoidFunction symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    PFN_vkVoidFunction function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* Where the library that has this address begins in memory; NULL: none has. */
static const void *beginning(const void *address)
{
    Dl_info where;
    return address && dladdr(address, &where) ? where.dli_fbase : NULL;
}

static bool of_library(PFN_vkVoidFunction function, const void *library)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return function && beginning(address) == library;
}

static const char *ask(size_t index, VkInstance instance, VkDevice device)
{
    struct link_map *map = NULL;
    void *library = dlopen(layers[index].library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map)) return "the loader has not kept it";
    const void *own = beginning(map->l_ld);
    PFN_vkGetInstanceProcAddr gipa = NULL;
    PFN_vkGetDeviceProcAddr gdpa = NULL;
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderLayerInterfaceVersion)symbol(library, layers[index].negotiate);
    VkNegotiateLayerInterface about = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
    if (negotiate && negotiate(&about) == VK_SUCCESS) {
        gipa = about.pfnGetInstanceProcAddr;
        gdpa = about.pfnGetDeviceProcAddr;
    }
    if (!gipa) gipa = (PFN_vkGetInstanceProcAddr)symbol(library, layers[index].gipa);
    if (!gdpa) gdpa = (PFN_vkGetDeviceProcAddr)symbol(library, layers[index].gdpa);
    if (!gipa && !gdpa) return "it has no look-up function";
    for (size_t i = 0; i < command_count; i++)
        if ((gipa && of_library(gipa(instance, commands[i]), own)) ||
            (gdpa && device && of_library(gdpa(device, commands[i]), own)))
            fprintf(events, "{\"event\":\"intercepts\",\"layer\":%zu,\"command\":\"%s\"}\n", index, commands[i]);
    return device ? "" : "no device could be made: those of devices are not known";
}

void intercepts(VkInstance instance, VkDevice device)
{
    fflush(events);
    for (size_t i = 0; i < layer_count; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(ASK_SECONDS);
            finish(i, ask(i, instance, device));
            _exit(0); /* nothing of the libraries' own runs twice */
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            finish(i, "it could not be asked");
        else if (WIFSIGNALED(status))
            finish(i, WTERMSIG(status) == SIGALRM ? "it does not answer" : "it crashed when it was asked");
        else if (WEXITSTATUS(status))
            finish(i, "it ended the process when it was asked");
    }
}

bool intercepts_begin(void)
{
    return read_input();
}
