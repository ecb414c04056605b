/* search.c: records the inputs of the dynamic linker's search for a bare name: the directories of LD_LIBRARY_PATH at
 * the start of the process, and the linker's cache.
 *
 * It does not search. If an input is not known, the result is "unknown" or "changed". */
#include "library/library.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE "/etc/ld.so.cache"
#define VARIABLE "LD_LIBRARY_PATH="
#define ENVIRONMENT_MAX ((size_t)1024 * 1024)
#define PATH_ROOM 1024

struct search {
    struct file_identity cache; /* all zero: no cache */
    char directories[];         /* separated by ":" or ";" */
};

/* Reads a file of unknown size and adds a NUL. Returns NULL unless it has read all of the file. */
static char *all_of(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    bool whole = false;
    *size = 0;
    for (size_t room = 4096; fd >= 0 && !whole && room <= ENVIRONMENT_MAX; room *= 2) {
        char *grown = array_grow(text, (uint32_t)room + 1, 1);
        if (!grown) break;
        text = grown;
        ssize_t got = 1;
        while (*size < room && (got = read(fd, text + *size, room - *size)) > 0) *size += (size_t)got;
        whole = got == 0;
        if (got < 0) break;
    }
    if (fd >= 0) close(fd);
    if (whole) text[*size] = '\0';
    if (!whole) free(text);
    return whole ? text : NULL;
}

/* Returns 1 at the first object, the program, if its DT_RPATH adds directories to the search or may do so; otherwise 2.
 */
static int program_searches(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const ElfW(Dyn) *e = walk_dynamic(&(struct walk){0}, info);
    if (!e) return 1;
    for (; e->d_tag != DT_NULL; e++)
        if (e->d_tag == DT_RPATH) return 1;
    return 2;
}

/* Copies the next directory of a list to path, without trailing slashes and with room for more bytes. Returns false at
 * the end of the list, or with *known false if the directory cannot be interpreted. */
static bool directory_next(const char **at, char path[PATH_ROOM], size_t more, bool *known)
{
    if (!**at) return false;
    size_t length = strcspn(*at, ":;"), cut = length;
    while (cut > 1 && (*at)[cut - 1] == '/') cut--;
    *known = (*at)[0] == '/' && strcspn(*at, "$") >= length && cut + more < PATH_ROOM;
    if (!*known) return false;
    memcpy(path, *at, cut);
    path[cut] = '\0';
    *at += length;
    if (**at) ++*at;
    return true;
}

struct search *linker_search_begin(void)
{
    size_t size, length;
    char *environment = all_of("/proc/self/environ", &size);
    if (!environment || gate_walk(program_searches, NULL) != 2) {
        free(environment);
        return NULL;
    }
    const char *value = "";
    for (const char *at = environment; at < environment + size; at += strlen(at) + 1)
        if (strncmp(at, VARIABLE, sizeof VARIABLE - 1) == 0) value = at + sizeof VARIABLE - 1;
    length = strlen(value) + 1;
    struct search *s = array_new(sizeof *s, (uint32_t)length, 1);
    if (s) {
        memcpy(s->directories, value, length);
        file_identify(CACHE, &s->cache);
    }
    free(environment);
    return s;
}

bool linker_search_same(const struct search *s, const char *name, const char *found)
{
    char path[PATH_ROOM];
    bool known = true;
    struct file_identity now;
    static const char subdirectories[] = "/glibc-hwcaps";
    if (!s || !found) return false;
    for (const char *at = s->directories; directory_next(&at, path, strlen(name) + sizeof subdirectories, &known);) {
        size_t length = strlen(path);
        memcpy(path + length, subdirectories, sizeof subdirectories);
        if (file_identify(path, &now)) return false;
        path[length] = '/';
        memcpy(path + length + 1, name, strlen(name) + 1);
        if (strcmp(path, found) == 0) return true;
        if (file_identify(path, &now)) return false;
    }
    file_identify(CACHE, &now);
    return known && file_same(&now, &s->cache);
}
