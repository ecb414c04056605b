/* events.c: what the probe says, one JSON object a line, on a descriptor of its own: drivers and layers print on
 * standard output and standard error. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "events.h"

FILE *events;

/* Descriptor 3, moved out of the way and closed in programs that a driver or layer starts; standard output for who runs
 * the probe by hand. */
void events_open(void)
{
    int own = fcntl(3, F_DUPFD_CLOEXEC, 64);
    if (own >= 0) {
        close(3);
        events = fdopen(own, "w");
    }
    if (!events) events = stdout;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void put_string(const char *s)
{
    fputc('"', events);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(events, "\\%c", c);
        else if (c < 0x20)
            fprintf(events, "\\u%04x", c);
        else
            fputc(c, events);
    }
    fputc('"', events);
}

static void put_key(const char *key)
{
    fprintf(events, ",\"%s\":", key);
}

void put_text(const char *key, const char *value)
{
    put_key(key);
    put_string(value);
}

void put_number(const char *key, double value)
{
    fprintf(events, ",\"%s\":%.0f", key, value);
}

void put_uuid(const char *key, const uint8_t *uuid)
{
    fprintf(events, ",\"%s\":\"", key);
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) fprintf(events, "%02x", uuid[i]);
    fprintf(events, "\"");
}

int round_number = 1;
static double began;

void begin(const char *phase)
{
    fprintf(events, "{\"event\":\"begin\",\"phase\":\"%s\",\"round\":%d}\n", phase, round_number);
    fflush(events);
    began = now_us();
}

void done(const char *phase, VkResult result)
{
    double us = now_us() - began;
    fprintf(events, "{\"event\":\"done\",\"phase\":\"%s\",\"round\":%d,\"us\":%.3f,\"result\":%d}\n", phase,
            round_number, us, (int)result);
    fflush(events);
}

void end_line(void)
{
    fprintf(events, "}\n");
    fflush(events);
}
