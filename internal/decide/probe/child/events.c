/* events.c: the probe's report, one JSON object a line, on a separate descriptor, because drivers and layers print on
 * standard output and standard error. */
#include "probe.h"
#include "system.h"

FILE *events;

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

void put_list(const char *key)
{
    put_key(key);
    fputc('[', events);
}

void put_element(uint32_t index, const char *value)
{
    if (index) fputc(',', events);
    put_string(value);
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
    began = system_now();
}

void done(const char *phase, VkResult result)
{
    double us = system_now() - began;
    fprintf(events, "{\"event\":\"done\",\"phase\":\"%s\",\"round\":%d,\"us\":%.3f,\"result\":%d}\n", phase,
            round_number, us, (int)result);
    fflush(events);
}

void end_line(void)
{
    fprintf(events, "}\n");
    fflush(events);
}
