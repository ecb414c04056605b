/* lookups.c: measures the time that a loader takes to find a command by its name. Programs look up hundreds of commands
 * when they start. A loader that compares the name with the name of each command takes ten times as long as a loader
 * with a table. The result is the time of the fastest round, to exclude the load of other programs. */
#include "lookups.h"

#include <stdio.h>

#include "command.h"
#include "events.h"
#include "system.h"

enum { rounds = 5, times = 25 };

void measure_lookups(VkInstance instance)
{
    /* Commands from all parts of a list in the order of versions, and commands of a device, which a loader finds
     * last. */
    static const char *const names[] = {"vkDestroyInstance", "vkGetPhysicalDeviceFeatures2", "vkCreateDevice",
                                        "vkAllocateMemory",  "vkCreateGraphicsPipelines",    "vkCmdDrawIndexed",
                                        "vkQueuePresentKHR", "vkCmdBeginRendering"};
    enum { count = sizeof names / sizeof *names };
    double best = 0;
    for (int round = 0; round < rounds; round++) {
        double began = system_now();
        for (int n = 0; n < times * count; n++) (void)command_if_there(instance, names[n % count]);
        double us = system_now() - began;
        if (!round || us < best) best = us;
    }
    fprintf(events, "{\"event\":\"lookups\"");
    put_number("ns", best * 1000 / (times * count));
    end_line();
}
