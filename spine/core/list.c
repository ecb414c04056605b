/* list.c: growing lists of names, used while facts are gathered. */
#include <stdlib.h>
#include <string.h>

#include "core/facts.h"
#include "process/process.h"

bool name_add(struct name_list *list, const char *name)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2 : 16;
        char **grown = room > list->room ? array_grow(list->name, room, sizeof *grown) : NULL;
        if (!grown) return false;
        list->name = grown;
        list->room = room;
    }
    char *copy = strdup(name);
    if (!copy) return false;
    list->name[list->count++] = copy;
    return true;
}

void names_free(struct name_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->name[i]);
    free(list->name);
}
