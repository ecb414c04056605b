/* graphics.c: the graphics devices that the kernel shows. It decides nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/facts.h"

#define CLASS "/sys/class/drm"
#define SHORT 512 /* bytes; the kernel's texts about a device are shorter, and programs may call on small stacks */

/* Adds the first bytes of a render node's file to the list; an empty text if it cannot be read. */
static bool add_short_file(struct name_list *list, const char *node, const char *file)
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
    return name_add(list, text);
}

void read_graphics(struct wire_writer *w)
{
    struct name_list devices = {0}, power = {0};
    struct wire_graphics r = {0};
    errno = 0;
    DIR *dir = opendir(CLASS);
    if (!dir && errno == ENOMEM) w->failed = true;
    r.status = dir ? WIRE_GRAPHICS_LISTED : WIRE_GRAPHICS_NONE;
    if (dir) {
        for (struct dirent *entry; !w->failed && (entry = readdir(dir));) {
            if (strncmp(entry->d_name, "renderD", 7) != 0) continue;
            w->failed = !add_short_file(&devices, entry->d_name, "uevent") ||
                        !add_short_file(&power, entry->d_name, "power/runtime_status");
        }
        closedir(dir);
    }
    for (uint32_t i = 0; i < power.count; i++) power.name[i][strcspn(power.name[i], "\n")] = '\0';
    r.devices.count = devices.count;
    r.devices.list = (const char *const *)devices.name;
    r.power.count = power.count;
    r.power.list = (const char *const *)power.name;
    wire_put_graphics(w, &r);
    names_free(&devices);
    names_free(&power);
}
