/* logline.c: formats a line of a log file: time, process, tag and text. It reads neither clock nor file. */
#include <stdio.h>

#include "process/process.h"

/* The seconds since 1970 as 2026-01-31T23:59:59Z. */
static void time_text(unsigned long long since, char text[128])
{
    unsigned long long seconds = since % 86400, days = since / 86400;
    unsigned long long shifted = days + 719468, era = shifted / 146097, day_of_era = shifted % 146097;
    unsigned long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned long long month = (5 * day_of_year + 2) / 153; /* from March */
    snprintf(text, 128, "%04llu-%02llu-%02lluT%02llu:%02llu:%02lluZ", year_of_era + era * 400 + (month >= 10),
             month < 10 ? month + 3 : month - 9, day_of_year - (153 * month + 2) / 5 + 1, seconds / 3600,
             seconds / 60 % 60, seconds % 60);
}

int logfile_line(char line[LOGFILE_LINE_MAX], unsigned long long since, long process, const char *tag, const char *text)
{
    char when[128];
    time_text(since, when);
    int length = snprintf(line, LOGFILE_LINE_MAX, "%s %ld %s%s\n", when, process, tag, text);
    if (length >= LOGFILE_LINE_MAX) {
        length = LOGFILE_LINE_MAX - 1;
        line[length - 1] = '\n';
    }
    return length;
}
