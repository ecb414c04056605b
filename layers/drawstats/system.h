/* system.h: functions with different names in the C libraries of Linux, Windows and macOS. */
#ifndef DRAWSTATS_SYSTEM_H
#define DRAWSTATS_SYSTEM_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef _WIN32
#define safe_getenv getenv
#define O_CLOEXEC _O_NOINHERIT
#endif
#ifdef __linux__
#define safe_getenv secure_getenv
#endif
#ifdef __APPLE__
#define safe_getenv(name) (issetugid() ? NULL : getenv(name))
#endif

#endif
