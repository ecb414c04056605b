/* graphics.c: the graphics devices that the kernel shows. It decides nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/facts.h"

#define CLASS "/sys/class/drm"
#define SHORT 512 /* bytes; the kernel's texts about a device are shorter, and programs may call on small stacks */

/* Adds the beginning of a render node's file to a list; an empty text if it cannot be read. */
static void add_short_file(struct wire_strs *list, struct wire_writer *packed, const char *node, const char *file,
                           const char *until)
{
    char text[SHORT];
    size_t length = 0;
    snprintf(text, sizeof text, CLASS "/%s/device/%s", node, file);
    FILE *f = fopen(text, "rbe");
    if (f) {
        setvbuf(f, NULL, _IONBF, 0);
        length = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[length] = '\0';
    strs_add(list, packed, text, (uint32_t)strcspn(text, until));
}

void read_graphics(struct wire_writer *w)
{
    struct wire_writer devices = {0}, power = {0};
    struct wire_graphics r = {0};
    errno = 0;
    DIR *dir = opendir(CLASS);
    if (!dir && errno == ENOMEM) w->failed = true;
    r.status = dir ? WIRE_GRAPHICS_LISTED : WIRE_GRAPHICS_NONE;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strncmp(entry->d_name, "renderD", 7) != 0) continue;
        add_short_file(&r.devices, &devices, entry->d_name, "uevent", "");
        add_short_file(&r.power, &power, entry->d_name, "power/runtime_status", "\n");
    }
    if (dir) closedir(dir);
    w->failed |= devices.failed || power.failed;
    wire_put_graphics(w, &r);
    free(devices.bytes);
    free(power.bytes);
}
