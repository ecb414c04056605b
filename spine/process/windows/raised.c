/* raised.c, logfile: a log file of the settings file is for Linux alone. */
#include "process/process.h"
#include "process/windows/wide.h"

bool process_raised(void)
{
    return process_elevated();
}

bool logfile_append(const char *path, const char *tag, const char *text)
{
    (void)path, (void)tag, (void)text;
    return false;
}
