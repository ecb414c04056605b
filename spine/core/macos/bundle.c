/* bundle.c: the resource directory of the program's bundle, by the path of the program alone, as CoreFoundation finds
 * it: X.app/Contents/MacOS/program has X.app/Contents/Resources, and X.framework/Versions/V/program has Resources
 * beside it. The framework CoreFoundation is not used. It decides nothing. */
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/facts.h"

/* Cuts the last component off a path, and returns it; an empty one if there is none. */
static const char *component_off(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return "";
    *slash = '\0';
    return slash + 1;
}

/* Turns the path of a program into that of the directory with the bundle's Resources. Returns false without a
 * bundle. */
static bool base_of(char *path)
{
    component_off(path);
    const char *directory = component_off(path);
    if (strcmp(directory, "MacOS") == 0) {
        const char *slash = strrchr(path, '/');
        return slash && strcmp(slash + 1, "Contents") == 0;
    }
    /* X.framework/Versions/V/program: Resources lie in V */
    char *versions = strrchr(path, '/');
    if (!versions || strcmp(versions + 1, "Versions") != 0 || versions - path < 10 ||
        strncmp(versions - 10, ".framework", 10) != 0)
        return false;
    path[strlen(path)] = '/'; /* the directory is again part of the path */
    return true;
}

static bool is_directory(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static void read_bundle(struct wire_writer *w)
{
    char path[PATH_MAX + sizeof "/Resources"], *real = NULL;
    uint32_t size = PATH_MAX;
    struct wire_bundle r = {0};
    if (_NSGetExecutablePath(path, &size) == 0 && (real = realpath(path, NULL)) && strlen(real) < PATH_MAX) {
        strcpy(path, real);
        if (base_of(path) && is_directory(strcat(path, "/Resources")))
            r = (struct wire_bundle){WIRE_STR(resources, path)};
    }
    wire_put_bundle(w, &r);
    free(real);
}

bool read_elsewhere(struct wire_writer *w, const struct wire_record *record)
{
    if (record->id != WIRE_NEED_BUNDLE) return false;
    read_bundle(w);
    return true;
}
