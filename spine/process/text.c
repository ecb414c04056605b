/* text.c: names given by the program: well-formed (INS-046; reads at most 256 bytes, never past the end), listed. */
#include "process/process.h"

#include <stdio.h>
#include <string.h>

bool name_well_formed(const char *name)
{
    if (!name) return false;
    for (unsigned i = 0, more = 0; i < 256; i++) {
        unsigned char c = (unsigned char)name[i];
        if (more) { /* within a multi-byte character; the end of the string is no continuation (FUZ-042) */
            if ((c & 0xC0) != 0x80) return false;
            more--;
        } else if (c == 0) {
            return true;
        } else if (c < 0x20 || c == 0x7F) {
            return false;
        } else if (c >= 0x80) {
            if ((c & 0xE0) == 0xC0)
                more = 1;
            else if ((c & 0xF0) == 0xE0)
                more = 2;
            else if ((c & 0xF8) == 0xF0)
                more = 3;
            else
                return false;
        }
    }
    return false;
}

const char *loader_name(const char *soname)
{
    static const char *const names[] = {"libvulkan.so.1", "libvulkan.1.dylib", "vulkan-1.dll"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(soname, names[i]) == 0) return names[i];
    return NULL;
}

bool extension_listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(list[i].extensionName, name, VK_MAX_EXTENSION_NAME_SIZE) == 0) return true;
    return false;
}

bool name_listed(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

const char *pointer_text(char text[POINTER_TEXT], const void *pointer)
{
    snprintf(text, POINTER_TEXT, "%p", pointer);
    if (text[0] == '0' && text[1] == 'x') return text;
    for (char *c = text; *c; c++)
        if (*c >= 'a' && *c <= 'f') *c = (char)(*c - 'a' + 'A');
    return text;
}
