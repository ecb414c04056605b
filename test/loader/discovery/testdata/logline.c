/* logline.c: appends one line to a log file; its text has as many bytes as the second argument says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/process.h"

int main(int count, char **argument)
{
    static char text[2000];
    if (count != 3) return 2;
    memset(text, 'x', (size_t)atoi(argument[2]));
    return logfile_append(argument[1], "[Vulkan Loader] ", text) ? 0 : 1;
}
