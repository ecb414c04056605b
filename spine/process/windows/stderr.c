/* stderr.c: writes the log's lines to standard error and to the debugger (WIN-011). */
#include <stdio.h>
#include <windows.h>

#include "process/process.h"

#define LINE_MAX 1024 /* characters of a tag and a text */

void stderr_write(const char *tag, const char *text)
{
    char line[LINE_MAX];
    WCHAR wide[LINE_MAX];
    snprintf(line, sizeof line, "%s%s\n", tag, text);
    fputs(line, stderr);
    fflush(stderr); /* msvcrt buffers output to a pipe or a file, and a program that crashes would lose it */
    if (MultiByteToWideChar(CP_UTF8, 0, line, -1, wide, LINE_MAX) > 0) OutputDebugStringW(wide);
}

void stderr_end(void)
{
    fflush(stderr);
}
